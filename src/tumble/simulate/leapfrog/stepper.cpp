#include "tumble/simulate/leapfrog/stepper.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/core/require.h"
#include "tumble/dynamics/hinge_angles.h"
#include "tumble/math/elementary.h"
#include "tumble/model/body_script.h"
#include "tumble/simulate/leapfrog/accounting.h"
#include "tumble/simulate/leapfrog/compliant_rows.h"
#include "tumble/simulate/leapfrog/reactions.h"

namespace tumble::simulate {

using model::State;

namespace {

// The longest step that divides the grid interval and resolves the scene's own motion.
double choose_step(const LeapfrogOptions& options, const Scales& scales) {
  if (options.fixed_step) return *options.fixed_step;
  const double longest = options.parameters.step_scale * math::sqrt(options.accuracy) * scales.time;
  const double interval = 1 / options.grid_rate;
  return interval / std::max(1.0, std::ceil(interval / longest * (1 - options.parameters.grid_rounding)));
}

// A step that the user fixes is only halved where the linear model of joints fails.
double limit_joint_gap(const LeapfrogOptions& options) {
  const LeapfrogParameters& par = options.parameters;
  const double by_accuracy = par.step_scale * par.step_scale * options.accuracy * par.largest_joint_gap;
  return options.fixed_step ? par.model_joint_gap : std::min(par.model_joint_gap, by_accuracy);
}

// Unresolved modes are damped by the accuracy, also where the time scale of the scene is long because it
// starts almost at rest.
dynamics::KickParameters kick_parameters(const LeapfrogOptions& options) {
  dynamics::KickParameters parameters = options.kick;
  parameters.laws.step_share = options.parameters.step_scale * math::sqrt(options.accuracy);
  return parameters;
}

std::vector<double> collect_force_switch_times(const model::Model& model) {
  std::vector<double> times;
  for (const auto& law : model.forces())
    for (const double t : law->switch_times())
      if (std::isfinite(t)) times.push_back(t);
  std::sort(times.begin(), times.end());
  return times;
}

// Times at which the velocity of a script jumps, by more than this part of its largest speed: where a smooth
// curve comes to rest, rates differ by rounding. Sane: 1e-12 to 1e-6.
constexpr double kScriptJump = 1e-9;

std::vector<double> collect_script_jumps(const model::Model& model) {
  std::vector<double> times;
  const State start = model::start_state(model);
  model::ConstraintRows after, before;
  for (const size_t k : model.moving_constraints()) {
    const model::Constraint& script = *model.constraints()[k];
    const model::BodyMotion a = motion_in(model, start, script.a()), b = motion_in(model, start, script.b());
    std::vector<std::pair<double, double>> jumps;  // s; largest jump of a row
    double fastest = 0;
    for (const double t : script.switch_times()) {
      if (!(t > 0) || !std::isfinite(t)) continue;
      script.evaluate(t, a, b, after);
      script.evaluate(std::nextafter(t, 0.0), a, b, before);
      double jump = 0;
      for (int i = 0; i < script.rows(); ++i) {
        jump = std::max(jump, std::abs(after.rate[i] - before.rate[i]));
        fastest = std::max({fastest, std::abs(after.rate[i]), std::abs(before.rate[i])});
      }
      jumps.emplace_back(t, jump);
    }
    for (const auto& [t, jump] : jumps)
      if (jump > kScriptJump * fastest) times.push_back(t);
  }
  std::sort(times.begin(), times.end());
  return times;
}

// The first of these times that is not before t, up to rounding.
auto find_time(const std::vector<double>& times, double t) {
  return std::lower_bound(times.begin(), times.end(), t - model::kTimeRounding * t);
}
bool is_same_time(double x, double y) { return std::abs(x - y) <= model::kTimeRounding * y; }

}  // namespace

LeapfrogStepper::LeapfrogStepper(const model::Model& model, const LeapfrogOptions& options)
    : model_(&model),
      options_(options),
      scales_(options.scales ? *options.scales : compute_scales(model)),
      h_(choose_step(options, scales_)),
      switch_times_(collect_force_switch_times(model)),
      script_jumps_(collect_script_jumps(model)),
      problem_(model, kick_parameters(options)),
      solver_(options.solver),
      finder_(model, problem_.moving_bodies(),
              {.par = options.contact,
               .collision = options.collision,
               .accuracy = options.accuracy,
               .acceleration = scales_.acceleration,
               .widest_layer = contact::compute_widest_layer(model, scales_.acceleration),
               .tight = options.tight}),
      groups_(model, problem_.moving_bodies()),
      path_(model, problem_.moving_bodies(), groups_) {
  TUMBLE_REQUIRE(options.accuracy >= kFinestAccuracy && options.accuracy <= kCoarsestAccuracy,
                 "accuracy must lie between 1e-13 and 0.1");
  TUMBLE_REQUIRE(h_ > 0 && std::isfinite(h_), "a step must be positive and finite");
}

StepContext LeapfrogStepper::context(bool reactions, const LeapfrogMemory& last) const {
  return {.model = *model_,
          .scales = scales_,
          .par = options_.parameters,
          .shapes = finder_,
          .bodies = problem_.moving_bodies(),
          .accuracy = options_.accuracy,
          .h_whole = h_,
          .h_regular = last.h_half_cap > 0 ? std::min(h_, 2 * last.h_half_cap) : h_,
          .largest_joint_gap = limit_joint_gap(options_),
          .largest_carried_rotation =
              options_.fixed_step ? options_.parameters.largest_rotation
                                  : options_.parameters.carried_rotation * math::sqrt(options_.accuracy),
          .reactions = reactions};
}

StepReport LeapfrogStepper::step(State& state, LeapfrogMemory& memory) {
  TUMBLE_REQUIRE(state.y.size() == model_->bodies().size() * model::kBodySize &&
                     state.work.size() == model_->work_count() &&
                     state.hinge_angles.size() == model_->counted_hinges().size(),
                 "the state belongs to another model; start from start_state()");
  StepReport report;
  events_.clear();
  finder_.pairs().restore(memory.pairs);
  State &start = path_.step().start, &end = path_.step().end;
  start = state;
  begin(start, memory, report);
  if (!report.good()) return report;

  const double h = memory.h_next;
  end = start;
  problem_.drift(memory.v_half, h, end);
  dynamics::update_hinge_angles(*model_, end);
  StepContext c = context(options_.reactions, memory);
  if (const auto jump = find_time(script_jumps_, end.time);
      jump != script_jumps_.end() && is_same_time(end.time, *jump))
    end.time = *jump, c.script_jumps = true;

  double h_left = memory.h_left - h;  // the parts of a step add up to a whole step
  if (!(h_left > options_.parameters.shortest_part * h_)) h_left = h_;
  const KickTimes times = kick(c, end, memory, h, h_left, next_, report);
  if (!report.good()) return report;
  if (const core::BodyId bad = find_not_finite(end); bad.valid()) {
    report.status = StepStatus::diverged, report.body = bad;
    return report;
  }
  report.numerical_loss = problem_.numerical_loss();
  commit(memory, times, ws_.impact.any, next_, state);
  report.h = h;
  report.contacts = count_contact_points(events_, ws_.point_names);
  std::swap(memory, next_);
  return report;
}

// The first kick of a run, or of a run that continues from a state other than the end of the last step.
void LeapfrogStepper::begin(State& start, LeapfrogMemory& memory, StepReport& report) {
  if (options_.reactions) start.impulses.resize(model_->joints().size() * model::kReactionSize, 0.0);
  const bool continues = memory.expected_y == start.y;
  if (memory.h_next > 0 && continues) return;
  LeapfrogMemory fresh;
  StepContext c = context(options_.reactions, memory);
  double h_left = h_;
  if (continues && memory.h_left > 0) {  // the model has changed
    c.second_half = true;
    h_left = memory.h_left;
    fresh.h_half_cap = memory.h_half_cap;
    std::swap(fresh.contacts, memory.contacts);
    std::swap(fresh.v_half, memory.v_half);
    std::swap(fresh.contact_accelerations, memory.contact_accelerations);
  }
  fresh.p_half = problem_.momenta_of(start);
  memory = {};
  const KickTimes times = kick(c, start, fresh, 0, h_left, memory, report);
  if (!report.good()) return;
  compute_script_forces(*model_, problem_, ws_.kick.lambda, times.duration(), memory.last_kick.script_forces);
  if (!ws_.impact.any) return;
  if (options_.reactions) add_scaled(start.impulses, ws_.impact.reactions, 1);
  add_impact_work(start);
}

void LeapfrogStepper::add_impact_work(State& state) const {
  for (size_t k = 0; k < ws_.impact.script_work.size(); ++k)
    state.work[model_->forces().size() + k] += ws_.impact.script_work[k];
}

void LeapfrogStepper::model_changed() {
  problem_.update_effort_limits();
  finder_.update_widest_layer();
}

// The kick at t_n was made with the old model. The next step repeats its second half, from the data before
// it.
void LeapfrogStepper::restart_from(const State& state, LeapfrogMemory& memory) {
  if (!(memory.h_next > 0)) return;  // it restarts in any case
  const State& end = impact_at_end_ ? after_impact_ : std::as_const(path_).step().end;
  const bool known = memory.expected_y == state.y && end.time == state.time && end.y == state.y;
  const bool layers = finder_.settings().widest_layer > 0;
  if (known && (layers || !impact_at_end_)) {
    std::swap(memory.contacts, next_.contacts);
    std::swap(memory.v_half, next_.v_half);
    std::swap(memory.p_half, next_.p_half);
  } else {  // an impact changes velocities: the last drift predicts nothing
    memory.contacts.contacts.clear();
    memory.v_half.clear(), memory.p_half.clear();
  }
  memory.h_half_cap = known ? next_.h_half_cap : 0;
  memory.h_next = 0;
  memory.limits.clear(), memory.actuators.clear();
  if (!layers) return;
  finder_.pairs().restore(memory.pairs);
  finder_.find_contacts(state, problem_.momenta_of(state), h_, memory.contacts, ws_.rows.contacts);
  memory.compliant_energy = compute_compliant_energy(ws_.rows.contacts);
}

// A drift from `time` of at most h (s). It ends at the next release of a body, where the velocity of a script
// jumps, or where a force is switched on or off. The impulse of that force then has the right place in time,
// up to a part of a step that is too short.
double LeapfrogStepper::limit_drift(double time, double h) const {
  for (const model::Body& body : model_->bodies())
    if (!body.is_dynamic() && !model::is_release_due(body.release, time))
      h = std::min(h, body.release - time);
  auto jump = find_time(script_jumps_, time);
  while (jump != script_jumps_.end() && is_same_time(time, *jump)) ++jump;
  if (jump != script_jumps_.end()) h = std::min(h, *jump - time);
  const double shortest = options_.parameters.shortest_part * h_;
  const auto next = std::upper_bound(switch_times_.begin(), switch_times_.end(), time + shortest);
  return next == switch_times_.end() ? h : std::min(h, *next - time);
}

// Advances the momenta from before t_n to after it: impacts at t_n, then forces, joints, contacts and limits
// of the coming drift. The drift is refined until it is certified. Returns the drifts before and after t_n.
KickTimes LeapfrogStepper::kick(const StepContext& c, State& at, const LeapfrogMemory& last, double h_prev,
                                double h_left, LeapfrogMemory& next, StepReport& report) {
  const KickTools tools{problem_, solver_, finder_, times_};
  KickRows& rows = ws_.rows;
  KickSolution& solution = ws_.kick;
  const Impact& impact = ws_.impact;
  KickTimes times{h_prev, last.h_half_cap > 0 ? std::min(h_left, 2 * last.h_half_cap) : h_left};
  times.h = limit_drift(at.time, times.h);
  double& h = times.h;
  next.h_left = h_left;
  next.last_kick.nodal_shift.clear();
  next.h_half_cap = 2 * last.h_half_cap < h_ ? 2 * last.h_half_cap : 0;

  // poses -> contact points and limits within reach
  find_rows(c, at, last, std::max(h, h_prev), tools, rows);
  drop_immobile_rows(c, at, last.p_half, groups_, problem_, ws_.impact_scratch, rows);
  problem_.damp_ringing(at, {last.p_half, last.laws, last.other_forces}, h_prev, h);
  resolve_impacts(c, at, {last.p_half, last.laws}, times, rows, problem_, solver_, ws_.impact_scratch,
                  ws_.impact, events_, report);
  const std::vector<double>& p = impact.any ? impact.p_after : last.p_half;
  if (impact.any) {
    if (find_jam_in_impact(c, at, rows, groups_, report)) return times;
    times.h_prev = 0;
    problem_.damp_ringing(at, {p}, 0, h);
  }
  drop_rows(c, h, rows);
  if (!impact.any) predict_gap_curvature(c, at, last, h, rows);
  predict_lever_arms(c, last.v_half, rows.contacts);

  solution.v.clear();
  solution.held = false;
  solution.actuators = last.actuators;
  bool assembled = false;   // the linear system for this h and these couplings
  double last_parting = 0;  // of the drift that was halved
  for (int round = 0;;) {
    solve_kick(c, at, {p, last.laws}, times, last, tools, assembled, rows, ws_.cones, solution, report);
    // The linear model holds as long as joints nearly close and rotations are small.
    const JointCheck joints = close_joints(c, at, h, problem_, ws_.cones, solution);
    const bool can_halve = h > c.par.shortest_half * h_;
    const double parting = joints.excess / h;
    const bool parted = h <= c.par.contradicting_drift * h_ && joints.excess > c.par.contradicting_gap;
    const bool contradict = parted && std::min(parting, last_parting) >
                                          c.par.contradicting_parting * std::max(parting, last_parting);
    if (joints.passed() ? contradict : !joints.closed && !can_halve) {
      report_open_joint(at, solution.v, h, report);
      return times;
    }
    if ((!joints.passed() || parted) && can_halve) {
      h *= 0.5;
      assembled = false;
      clear_biases(rows);
      solution.v.clear();
      next.h_half_cap = h;
      last_parting = parting;
      ++report.halved;
      continue;
    }
    check_drift(c, at, solution.v, h, rows, tools, ws_.end, ws_.check);
    if (ws_.check.passed()) break;
    if (round++ >= c.par.max_rounds) {
      if (!can_halve) {
        hold_bodies(c, at, h, rows.contacts, groups_, finder_, ws_.check, solution, report);
        break;
      }
      // A very short drift is nearly linear. If it fails too, there is no room.
      h = std::max(c.par.desperate_cut * h, c.par.shortest_half * h_);
      assembled = false;
      clear_biases(rows);
      solution.v.clear();
      next.h_half_cap = h;
      round -= c.par.patient_rounds;
      continue;
    }
    double shorter = refine(c, at, last.contacts, ws_.check, ws_.cones, solution.v, h, rows, report);
    if (!report.good()) return times;
    ++report.substeps;
    // The effect of gap curvature that no row accounts for is four times less in half the time. Halving also
    // helps if a drift that was cut just before an impact gets other velocities and hits a little earlier.
    if (round % c.par.patient_rounds == 0 && shorter > c.par.hardly_shorter * h &&
        h > c.par.shortest_half * h_) {
      shorter = 0.5 * h;
      clear_biases(rows);
    }
    if (rows.merge_couplings() || shorter != h) assembled = false;
    h = shorter;
  }
  if (report.good()) save_kick(c, p, times, at, next);
  return times;
}

// Names the joint or limit that is farthest off at the end of a drift. Velocities that cannot be right may
// also disturb others, so those that a script acts on come first.
void LeapfrogStepper::report_open_joint(const State& at, std::span<const double> v, double h,
                                        StepReport& report) {
  ws_.end = at;
  problem_.drift(v, h, ws_.end);
  dynamics::update_hinge_angles(*model_, ws_.end);
  dynamics::ConstrainedBodies joints(*model_);
  joints.compute_gap(ws_.end.time, ws_.end.y.data());
  const model::MovingBodies& bodies = problem_.moving_bodies();
  std::vector<char> scripted(bodies.size(), 0);
  for (const size_t k : model_->moving_constraints())
    groups_.mark(bodies.node_of(model_->constraints()[k]->b()), scripted);
  groups_.mark_groups(scripted);
  std::pair<bool, double> worst(false, -1.0);  // acted on by a script; error in sizes of the bodies, or rad
  const auto compare = [&](const model::Constraint& joint, double error) {
    const int a = bodies.node_of(joint.a()), b = bodies.node_of(joint.b());
    const auto is_scripted = [&](int n) { return n != model::kNone && scripted[static_cast<size_t>(n)]; };
    const std::pair rank(!(error <= options_.accuracy) && (is_scripted(a) || is_scripted(b)),
                         std::isnan(error) ? std::numeric_limits<double>::infinity() : error);
    if (rank > worst) worst = rank, report.joint = &joint;
  };
  for (size_t k = 0; k < model_->constraints().size(); ++k)
    compare(*model_->constraints()[k], joints.gap_of(k) / model_->size_of(*model_->constraints()[k]));
  for (size_t k = 0; k < model_->limits().size(); ++k)
    compare(*model_->limits()[k],
            -dynamics::compute_limit_value(*model_, ws_.end, k) / dynamics::unit_of_limit(*model_, k));
  report.status = StepStatus::joints_open;
}

// Stores what the next kick needs, the impulses of this kick, and the momenta that the state reports.
void LeapfrogStepper::save_kick(const StepContext& c, const std::vector<double>& p, const KickTimes& times,
                                State& at, LeapfrogMemory& next) {
  KickSolution& kick = ws_.kick;
  const std::vector<double>& solved = kick.solved();
  for (size_t i = 0; i < ws_.rows.contacts.size(); ++i)
    add_contact_event(c, ws_.rows.contacts.points()[i], ws_.cones.contacts()[i], solved,
                      at.time - 0.5 * times.h_prev, at.time + 0.5 * times.h, times.h, events_);
  if (c.reactions) {
    ws_.limit_impulses.clear();
    for (size_t i = 0; i < ws_.rows.limits.rows.size(); ++i)
      ws_.limit_impulses.push_back({ws_.rows.limits.rows[i].limit, ws_.cones.limits()[i].impulse.x()});
    std::sort(ws_.limit_impulses.begin(), ws_.limit_impulses.end(),
              [](const LimitImpulse& x, const LimitImpulse& y) { return x.limit < y.limit; });
    compute_kick_reactions(*model_, problem_, kick.lambda, ws_.limit_impulses, solved, ActingLaws::kick,
                           ws_.cones, next.last_kick.reactions);
    for (double& x : next.last_kick.reactions) x /= times.duration();
  }
  compute_law_forces(*model_, problem_, solved, ActingLaws::kick, ws_.cones, next.last_kick.law_forces);

  next.h_next = times.h;
  next.p_half = p;
  problem_.add_impulses(kick.lambda,
                        std::span(ws_.cones.cones).first(ws_.cones.contact_count + ws_.cones.limit_count),
                        next.p_half);
  next.laws = problem_.compute_law_history(solved);
  save_other_forces(c, problem_, ws_.cones.cones, times.duration(), next);
  add_law_impulses(problem_, next.last_kick.law_forces, times.duration(), next.p_half);
  ws_.nodal_script_impulses.clear();
  if (ws_.impact.any)
    store_momenta(c.bodies, p, at);
  else if (times.h_prev > 0)
    store_nodal_momenta(c, p, times, solved, next, at);
  match_velocities(c, next.p_half, times.h, kick.v);
  next.compliant_energy =
      finder_.settings().widest_layer > 0 ? compute_compliant_energy(ws_.rows.contacts) : 0;
  save_contacts(c, ws_.rows.contacts, ws_.cones, kick.v, times.h_prev, times.h, next.contacts);
  save_limits(ws_.cones, ws_.rows.limits, kick.v, times.h, next.limits);
  save_contact_accelerations(c, ws_.cones, times.duration(), next.contact_accelerations);
  std::swap(next.actuators, kick.actuators);
  next.expected_y = at.y;
  std::swap(next.v_half, kick.v);
}

// The momenta at t_n: the mean of those before and after the kick, and what stiff laws add to it.
void LeapfrogStepper::store_nodal_momenta(const StepContext& c, const std::vector<double>& before,
                                          const KickTimes& times, std::span<const double> v,
                                          LeapfrogMemory& next, State& at) {
  store_midpoint_momenta(c.bodies, before, next.p_half, 1 - times.h / (times.h_prev + times.h), at);
  if (!problem_.compute_nodal_shift(at, v, ws_.rows.couplings, ws_.nodal_shift)) return;
  add_momenta(c.bodies, ws_.nodal_shift, at);
  if (!problem_.nodal_multipliers().empty())
    compute_script_forces(*model_, problem_, problem_.nodal_multipliers(), 1, ws_.nodal_script_impulses);
  if (c.reactions)
    compute_kick_reactions(*model_, problem_, problem_.nodal_multipliers(), {}, v, ActingLaws::nodal_shift,
                           ws_.cones, next.last_kick.nodal_shift);
}

// The step ends in path_.step().end. There are no impacts inside a step. An impact at its end changes the
// momenta after it.
void LeapfrogStepper::commit(const LeapfrogMemory& last, const KickTimes& times, bool impact,
                             LeapfrogMemory& next, State& state) {
  const State& start = path_.step().start;
  State& end = path_.step().end;
  const double half = 0.5 * last.h_next;
  if (options_.reactions) {
    if (!last.last_kick.nodal_shift.empty()) add_scaled(end.impulses, last.last_kick.nodal_shift, -1);
    add_scaled(end.impulses, last.last_kick.reactions, half);
    impact ? add_scaled(end.impulses, ws_.impact.reactions, 1)
           : add_scaled(end.impulses, next.last_kick.reactions, half);
    if (!impact && !next.last_kick.nodal_shift.empty())
      add_scaled(end.impulses, next.last_kick.nodal_shift, 1);
  }
  state = end;
  if (impact) store_momenta(problem_.moving_bodies(), ws_.impact.p_before, end);
  if (impact && options_.reactions) {
    end.impulses = start.impulses;
    if (!last.last_kick.nodal_shift.empty()) add_scaled(end.impulses, last.last_kick.nodal_shift, -1);
    add_scaled(end.impulses, last.last_kick.reactions, half);
    add_scaled(end.impulses, ws_.impact.reactions_before, 1);
  }
  if (model_->work_count() > 0) {
    add_work(*model_, problem_, last.h_next, last.v_half, last.last_kick.law_forces,
             impact ? ws_.impact.law_forces : next.last_kick.law_forces, start, ws_.velocities, end);
    if (!model_->moving_constraints().empty()) {
      std::vector<double>& after = next.last_kick.script_forces;
      compute_script_forces(*model_, problem_, ws_.kick.lambda, times.duration(), after);
      std::vector<double>& before = ws_.script_forces = after;
      if (!ws_.nodal_script_impulses.empty()) {  // those of stiff laws differ before and after t_n
        add_scaled(before, ws_.nodal_script_impulses, 2 / times.h_prev);
        add_scaled(after, ws_.nodal_script_impulses, -2 / times.h);
      }
      add_script_work(*model_, last.h_next, last.last_kick.script_forces,
                      impact ? ws_.impact.script_forces : before, start, end);
    }
    state.work = end.work;
    if (impact) add_impact_work(state);
  }
  DenseOutput::Step& step = path_.step();
  step.v = last.v_half;
  step.pairs = last.pairs;
  step.near_free = options_.contact.min_margin;
  impact_at_end_ = impact;
  if (impact) after_impact_ = state;
  finder_.pairs().save(next.pairs);
}

void LeapfrogStepper::state_at(double time, State& state) {
  const DenseOutput::Step& step = std::as_const(path_).step();
  const State& end = step.end;
  // Times are sums of steps, with rounding errors.
  constexpr double kFrameRounding = 1e-9;
  const double rounding = kFrameRounding * (end.time - step.start.time);
  if (time - step.start.time <= rounding)
    state = step.start;
  else if (end.time - time <= rounding)
    state = impact_at_end_ ? after_impact_ : end;
  else
    path_.state_at(time, finder_, state);
  state.time = time;
}

std::vector<double> LeapfrogStepper::reactions_at(const State& state) {
  LeapfrogMemory fresh, next;
  fresh.p_half = problem_.momenta_of(state);
  StepReport report;
  State start = state;
  kick(context(true, fresh), start, fresh, 0, h_, next, report);
  return next.last_kick.reactions;
}

}  // namespace tumble::simulate
