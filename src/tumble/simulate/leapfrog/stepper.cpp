#include "tumble/simulate/leapfrog/stepper.h"

#include <algorithm>
#include <cmath>

#include "tumble/core/require.h"
#include "tumble/math/elementary.h"
#include "tumble/simulate/leapfrog/accounting.h"
#include "tumble/simulate/leapfrog/compliant_rows.h"
#include "tumble/simulate/leapfrog/reactions.h"

namespace tumble::simulate {

using contact::Violation;
using model::State;

namespace {

// The longest step that divides a frame and resolves the scene's own motion.
double choose_step(const LeapfrogOptions& options, const Scales& scales) {
  if (options.fixed_step) return *options.fixed_step;
  const double longest = options.parameters.step_scale * math::sqrt(options.accuracy) * scales.time;
  const double frame = 1 / options.fps;
  return frame / std::max(1.0, std::ceil(frame / longest * (1 - options.parameters.frame_rounding)));
}

}  // namespace

LeapfrogStepper::LeapfrogStepper(const model::Model& model, const LeapfrogOptions& options)
    : model_(&model),
      options_(options),
      scales_(compute_scales(model)),
      h_(choose_step(options, scales_)),
      problem_(model, options.kick),
      solver_(options.solver),
      finder_(model, problem_.moving_bodies(),
              {.par = options.contact,
               .collision = options.collision,
               .accuracy = options.accuracy,
               .acceleration = scales_.acceleration,
               .widest_layer = contact::compute_widest_layer(model, scales_.acceleration)}),
      groups_(model, problem_.moving_bodies()) {
  TUMBLE_REQUIRE(options.accuracy >= kFinestAccuracy && options.accuracy <= kCoarsestAccuracy,
                 "accuracy must lie between 1e-13 and 0.1");
  TUMBLE_REQUIRE(h_ > 0 && std::isfinite(h_), "a step must be positive and finite");
}

StepContext LeapfrogStepper::context(bool reactions) const {
  return {*model_, scales_,  options_.parameters, finder_, problem_.moving_bodies(), options_.accuracy,
          h_,      reactions};
}

StepReport LeapfrogStepper::step(State& state, LeapfrogMemory& memory) {
  TUMBLE_REQUIRE(state.y.size() == model_->bodies().size() * model::kBodySize &&
                     state.work.size() == model_->work_count() &&
                     state.hinge_angles.size() == model_->counted_hinges().size(),
                 "the state belongs to another model; start from start_state()");
  StepReport report;
  events_.clear();
  finder_.pairs().recall(memory.pairs);
  State &start = path_.start, &end = path_.end;
  start = state;
  begin(start, memory, report);

  const double h = memory.h_next;
  end = start;
  problem_.drift(memory.v_half, h, end);
  count_hinge_turns(*model_, start, end);

  const int impacts_before = report.impacts;
  next_.h_left = memory.h_left - h;  // parts of a step add up to it
  if (!(next_.h_left > options_.parameters.shortest_part * h_)) next_.h_left = h_;
  kick(context(options_.reactions), end, memory, h, next_, report);

  if (const core::BodyId bad = find_not_finite(end); bad.valid()) {
    report.status = StepStatus::diverged, report.body = bad;
    return report;
  }
  commit(memory, report.impacts > impacts_before, next_, state);
  report.h = h;
  report.contacts = static_cast<int>(events_.size());
  std::swap(memory, next_);
  return report;
}

// The first kick of a run, or of one that goes on from another state than the last step led to.
void LeapfrogStepper::begin(State& start, LeapfrogMemory& memory, StepReport& report) {
  if (options_.reactions) start.impulses.resize(model_->joints().size() * model::kReactionSize, 0.0);
  const bool goes_on = memory.expected_y == start.y;
  if (memory.h_next > 0 && goes_on) return;
  LeapfrogMemory fresh;
  StepContext c = context(options_.reactions);
  double left = h_;
  if (goes_on && memory.h_left > 0) {  // the model has changed
    c.second_half = true;
    left = memory.h_left;
    fresh.h_cap = memory.h_cap;
    std::swap(fresh.contacts, memory.contacts);
    std::swap(fresh.v_half, memory.v_half);
  }
  fresh.p_half = problem_.momenta_of(start);
  memory = {};
  memory.h_left = left;
  kick(c, start, fresh, 0, memory, report);
  compute_script_powers(*model_, start, problem_, ws_.kick.lambda, ws_.kick.duration(),
                        memory.last_kick.script_powers);
  if (options_.reactions && report.impacts > 0) add_scaled(start.impulses, ws_.impact.reactions, 1);
}

void LeapfrogStepper::model_changed() {
  problem_.update_limited();
  finder_.update_widest_layer();
}

// The kick at t_n was made by the old model. Its second half is made anew, by the next step, from what was known before it.
void LeapfrogStepper::begin_anew(const State& state, LeapfrogMemory& memory) {
  if (!(memory.h_next > 0)) return;  // it begins anew in any case
  const State& end = path_.impact ? path_.after_impact : path_.end;
  const bool known = memory.expected_y == state.y && end.time == state.time && end.y == state.y;
  const bool layers = finder_.settings().widest_layer > 0;
  if (known && (layers || !path_.impact)) {
    std::swap(memory.contacts, next_.contacts);
    std::swap(memory.v_half, next_.v_half);
    std::swap(memory.p_half, next_.p_half);
  } else {  // paths bend where bodies hit: nothing is foreseen from the drift before
    memory.contacts.contacts.clear();
    memory.v_half.clear(), memory.p_half.clear();
  }
  memory.h_cap = known ? next_.h_cap : 0;
  memory.h_next = 0;
  memory.limits.clear(), memory.actuators.clear();
  if (!layers) return;
  finder_.pairs().recall(memory.pairs);
  finder_.find_contacts(state, problem_.momenta_of(state), h_, memory.contacts, ws_.rows.contacts);
  memory.compliant_energy = compute_compliant_energy(ws_.rows.contacts);
}

// From the momenta before t_n to those after it: impacts at t_n, then forces, joints, contacts and limits of the coming drift, which
// is refined until it is certified.
void LeapfrogStepper::kick(const StepContext& c, State& at, const LeapfrogMemory& last, double h_prev,
                           LeapfrogMemory& next, StepReport& report) {
  KickRows& rows = ws_.rows;
  const Impact& impact = ws_.impact;
  double& h = ws_.kick.h;  // s, of the coming drift
  h = last.h_cap > 0 ? std::min(next.h_left, 2 * last.h_cap) : next.h_left;
  next.h_cap = 2 * last.h_cap < h_ ? 2 * last.h_cap : 0;

  find_rows(c, at, last, h);  // poses -> contact points and limits within reach
  resolve_impacts(c, at, last.p_half, h_prev, h, rows, problem_, solver_, ws_.impact_ws, ws_.impact, events_,
                  report);
  const std::vector<double>& p = impact.any ? impact.p_after : last.p_half;
  ws_.kick.h_prev = impact.any ? 0 : h_prev;  // momenta after an impact are those of t_n
  drop_bounces(c, at, p, rows, problem_, ws_.impact_ws, report);
  if (!impact.any) predict_gap_curvature(c, at, last, h, rows);
  predict_lever_arms(c, last.v_half, rows.contacts);

  ws_.kick.v.clear();
  ws_.kick.held = false;
  ws_.kick.actuators = last.actuators;
  for (int round = 0;;) {
    solve_kick(c, at, p, last, report);  // rows -> v, lambda
    // The linear model is good as long as joints nearly close and bodies turn little.
    if (!close_joints(c, at) && h > c.par.shortest_half * h_) {
      h *= 0.5;
      clear_biases(rows);
      ws_.kick.v.clear();
      next.h_cap = h;
      ++report.halved;
      continue;
    }
    if (certify_drift(c, at)) break;
    if (round++ == c.par.most_rounds) {
      hold(c, at, report);
      break;
    }
    double shorter = refine(c, at, last);
    ++report.substeps;
    // Curvature that no row sees is four times less in half the time. That also helps where a drift that was cut just before an
    // impact has other velocities, by which it hits a little sooner.
    if (round % c.par.patient_rounds == 0 && shorter > c.par.hardly_shorter * h &&
        h > c.par.shortest_half * h_) {
      shorter = 0.5 * h;
      clear_biases(rows);
    }
    h = shorter;
  }
  save_kick(c, p, at, next);
}

void LeapfrogStepper::find_rows(const StepContext& c, const State& at, const LeapfrogMemory& last, double h) {
  KickRows& rows = ws_.rows;
  rows.couplings.clear();
  {
    const Stopwatch watch(times_.collision);
    finder_.find_contacts(at, last.p_half, h, last.contacts, rows.contacts);
  }
  for (const contact::ContactPoint& point : rows.contacts.points())
    rows.couple(finder_.node_of(point.a), finder_.node_of(point.b));
  rows.limits.all.clear(), rows.limits.rows.clear();
  if (!model_->limits().empty()) find_limits(c, at.time, problem_.place(at, last.p_half), h, last, rows);
}

// Velocities of the coming drift: those of (1) in kick_problem.h, under contact where there is some.
void LeapfrogStepper::solve_kick(const StepContext& c, const State& at, const std::vector<double>& p,
                                 const LeapfrogMemory& last, StepReport& report) {
  KickSolution& kick = ws_.kick;
  const KickRows& rows = ws_.rows;
  ++report.assemblies;
  if (rows.contacts.empty() && rows.limits.rows.empty() && !problem_.has_limited()) {
    ws_.cones.clear();
    problem_.solve_alone(at, p, kick.duration(), kick.h, h_, kick.v, kick.lambda);
    ++report.factorisations;
    return;
  }
  problem_.assemble(at, p, kick.duration(), kick.h, rows.couplings, h_);
  build_constraints(c, at, kick.h, rows, kick.actuators, problem_, ws_.cones);
  kick.lambda.assign(problem_.c().begin(), problem_.c().end());
  if (kick.v.empty() && last.v_half.empty())
    kick.v = problem_.velocities_of(p);
  else if (kick.v.empty())
    kick.v = last.v_half;
  const Stopwatch watch(times_.contact);
  const dynamics::ContactReport solved =
      solver_.solve(problem_.matrix(), problem_.b(), problem_.c(), ws_.cones.cones, c.par.residual, kick.v,
                    kick.lambda, options_.residual_warning);
  keep_trial_impulses(ws_.cones, ws_.rows, kick);
  report.residual = std::max(report.residual, solved.residual);
  if (!solved.solved) ++report.unsolved;
  report.factorisations += solved.factorisations;
}

// Corrects v so that joints are closed where the drift ends. False where that, or turning, is beyond the linear model.
bool LeapfrogStepper::close_joints(const StepContext& c, const State& at) {
  KickSolution& kick = ws_.kick;
  const double part = h_ / scales_.time;
  const dynamics::KickProblem::Closing joints =
      problem_.close_joints(at, kick.h, c.par.joint_tolerance * c.accuracy,
                            c.par.joint_rest * part * part * part, kick.v, kick.lambda);
  return joints.closed && !(joints.before > c.par.largest_joint_gap) &&
         !(dynamics::KickProblem::largest_turn(kick.v, kick.h) > c.par.largest_turn);
}

// Whether the drift keeps bodies apart and joints within their limits; if not, the violations are in the workspace.
bool LeapfrogStepper::certify_drift(const StepContext& c, const State& at) {
  const KickSolution& kick = ws_.kick;
  ws_.limit_violations.clear();
  if (!model_->limits().empty()) {
    ws_.end = at;
    problem_.drift(kick.v, kick.h, ws_.end);
    count_hinge_turns(*model_, at, ws_.end);
    check_limits(c, ws_.end, ws_.rows.limits, ws_.limit_violations);
  }
  const Stopwatch watch(times_.certificate);
  finder_.certify_drift(at, kick.v, kick.h, ws_.rows.contacts, ws_.violations);
  return ws_.violations.empty() && ws_.limit_violations.empty();
}

// Gives every violation its remedy; returns how long the drift may be.
double LeapfrogStepper::refine(const StepContext& c, const State& at, const LeapfrogMemory& last) {
  const double h = ws_.kick.h;
  double shorter = h;
  for (const LimitViolation& violation : ws_.limit_violations)
    shorter = std::min(shorter, refine_limit(c, violation, h, ws_.rows));
  for (const Violation& violation : ws_.violations) {
    const Remedy remedy = choose_remedy(c, at, violation, ws_.rows.contacts, ws_.cones, ws_.kick.v, h);
    apply_remedy(c, at, violation, remedy, last.contacts, ws_.rows);
    shorter = std::min(shorter, remedy.h);
  }
  return shorter;
}

// No refinement helped: limits stay passed, and bodies stay where they are.
void LeapfrogStepper::hold(const StepContext& c, const State& at, StepReport& report) {
  KickSolution& kick = ws_.kick;
  if (!ws_.limit_violations.empty()) ++report.limits_passed;
  if (ws_.violations.empty()) return;
  kick.held = true;
  kick.v_solved = kick.v;
  hold_bodies(c, at, kick.h, ws_.rows.contacts, groups_, finder_, ws_.violations, kick.v, report);
}

// What the next kick needs, what this one passed on, and the momenta that the state reports.
void LeapfrogStepper::save_kick(const StepContext& c, const std::vector<double>& p, State& at,
                                LeapfrogMemory& next) {
  KickSolution& kick = ws_.kick;
  const std::vector<double>& solved = kick.solved();
  for (size_t i = 0; i < ws_.rows.contacts.size(); ++i)
    add_contact_event(c, ws_.rows.contacts.points()[i], ws_.cones.contacts()[i], solved,
                      at.time - 0.5 * kick.h_prev, at.time + 0.5 * kick.h, kick.h, events_);
  if (c.reactions) {
    ws_.limit_impulses.clear();
    for (size_t i = 0; i < ws_.rows.limits.rows.size(); ++i)
      ws_.limit_impulses.push_back({ws_.rows.limits.rows[i].limit, ws_.cones.limits()[i].impulse.x()});
    std::sort(ws_.limit_impulses.begin(), ws_.limit_impulses.end(),
              [](const LimitImpulse& x, const LimitImpulse& y) { return x.limit < y.limit; });
    compute_reactions(*model_, problem_, kick.lambda, ws_.limit_impulses, solved, ActingLaws::kick, ws_.cones,
                      next.last_kick.reactions);
    for (double& x : next.last_kick.reactions) x /= kick.duration();
  }
  compute_law_forces(*model_, problem_, solved, ActingLaws::kick, ws_.cones, next.last_kick.law_forces);

  next.h_next = kick.h;
  problem_.momenta_from(solved, next.p_half);
  next.compliant_energy =
      finder_.settings().widest_layer > 0 ? compute_compliant_energy(ws_.rows.contacts) : 0;
  save_contacts(c, ws_.rows.contacts, ws_.cones, kick.v, problem_.step_before(), kick.h, next.contacts);
  save_limits(ws_.cones, ws_.rows.limits, kick.v, kick.h, next.limits);
  std::swap(next.actuators, kick.actuators);
  if (ws_.impact.any)
    store_momenta(c.bodies, p, at);
  else if (kick.h_prev > 0)
    store_midpoint_momenta(c.bodies, p, next.p_half, 1 - kick.h / (kick.h_prev + kick.h), at);
  next.expected_y = at.y;
  std::swap(next.v_half, kick.v);
}

// The step ended in path_.end. Nothing is hit inside a step: an impact at its end changes momenta after it.
void LeapfrogStepper::commit(const LeapfrogMemory& last, bool impact, LeapfrogMemory& next, State& state) {
  const State& start = path_.start;
  State& end = path_.end;
  const double half = 0.5 * last.h_next;
  if (options_.reactions) {
    add_scaled(end.impulses, last.last_kick.reactions, half);
    impact ? add_scaled(end.impulses, ws_.impact.reactions, 1)
           : add_scaled(end.impulses, next.last_kick.reactions, half);
  }
  state = end;
  if (impact) store_momenta(problem_.moving_bodies(), ws_.impact.p_before, end);
  if (impact && options_.reactions) {
    end.impulses = start.impulses;
    add_scaled(end.impulses, last.last_kick.reactions, half);
    add_scaled(end.impulses, ws_.impact.reactions_before, 1);
  }
  if (model_->work_count() > 0) {
    add_work(*model_, problem_, last.h_next, last.last_kick.law_forces,
             impact ? ws_.impact.law_forces : next.last_kick.law_forces, start, ws_.velocities, end);
    // The work of scripts by the trapezoidal rule.
    std::vector<double>& powers = next.last_kick.script_powers;
    compute_script_powers(*model_, state, problem_, ws_.kick.lambda, ws_.kick.duration(), powers);
    for (size_t k = 0; k < powers.size(); ++k)
      end.work[model_->forces().size() + k] += half * (last.last_kick.script_powers[k] + powers[k]);
    state.work = end.work;
  }
  path_.v = last.v_half;
  path_.impact = impact;
  if (impact) path_.after_impact = state;
  finder_.pairs().save(next.pairs);
}

void LeapfrogStepper::state_at(double time, State& state) const {
  const State &start = path_.start, &end = path_.end;
  if (path_.impact && time >= end.time) {
    state = path_.after_impact;
    state.time = time;
    return;
  }
  const double share = (time - start.time) / (end.time - start.time);
  state = start;
  problem_.drift(path_.v, time - start.time, state);
  state.time = time;
  count_hinge_turns(*model_, start, state);
  const auto between = [&](double a, double b) { return a + share * (b - a); };
  for (const core::BodyId id : problem_.bodies()) {
    const size_t first = id.index() * model::kBodySize;
    for (size_t k = first + model::kMomentumAt; k < first + model::kBodySize; ++k)
      state.y[k] = between(start.y[k], end.y[k]);
  }
  for (size_t k = 0; k < state.impulses.size(); ++k)
    state.impulses[k] = between(start.impulses[k], end.impulses[k]);
  for (size_t k = 0; k < state.work.size(); ++k) state.work[k] = between(start.work[k], end.work[k]);
}

std::vector<double> LeapfrogStepper::reactions_at(const State& state) {
  LeapfrogMemory fresh, next;
  fresh.p_half = problem_.momenta_of(state);
  next.h_left = h_;
  StepReport report;
  State start = state;
  kick(context(true), start, fresh, 0, next, report);
  return next.last_kick.reactions;
}

}  // namespace tumble::simulate
