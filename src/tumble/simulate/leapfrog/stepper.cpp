#include "tumble/simulate/leapfrog/stepper.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/collision/certificate.h"
#include "tumble/math/elementary.h"
#include "tumble/simulate/leapfrog/accounting.h"

namespace tumble::simulate {

using core::BodyId;
using dynamics::ConeConstraint;
using dynamics::kNone;
using math::Mat3;
using math::Vec3;
using model::State;

namespace {

using Vec6 = dynamics::KktSolver::Vec6;

Eigen::Map<const Vec6> part(std::span<const double> x, int node) {
  return Eigen::Map<const Vec6>(&x[6 * static_cast<size_t>(node)]);
}

// The largest step that divides a frame and follows the scene's own motion.
double choose_step(const LeapfrogOptions& options, const Scales& scales) {
  if (options.fixed_step) return *options.fixed_step;
  const double longest = kFastStep * math::sqrt(options.accuracy) * scales.time;
  const double frame = 1 / options.fps;
  return frame / std::max(1.0, std::ceil(frame / longest * (1 - 1e-9)));
}

Vec3 cone_velocity(const ConeConstraint& cone, std::span<const double> v) {
  Vec3 u = Vec3::Zero();
  if (cone.a != kNone) u += cone.G_a * part(v, cone.a);
  if (cone.b != kNone) u += cone.G_b * part(v, cone.b);
  return u;
}

// Two directions across a normal.
void find_tangents(Vec3* axes) {
  const Vec3& n = axes[0];
  int least = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs(n[k]) < std::abs(n[least])) least = k;
  axes[1] = n.cross(Vec3::Unit(least)).normalized();
  axes[2] = n.cross(axes[1]);
}

bool before(const ContactMemory& m, uint32_t a, uint32_t b, collision::FeatureKey key) {
  return std::tuple(m.a, m.b, m.key) < std::tuple(a, b, key);
}

}  // namespace

LeapfrogStepper::LeapfrogStepper(const model::Model& model, const LeapfrogOptions& options)
    : model_(&model),
      options_(options),
      scales_(compute_scales(model)),
      h_(choose_step(options, scales_)),
      joint_rest_(kJointRest * (h_ / scales_.time) * (h_ / scales_.time) * (h_ / scales_.time)),
      widest_layer_(contact::compute_widest_layer(model, scales_.acceleration)),
      pair_tracker_(model),
      problem_(model) {}

contact::PairLaw LeapfrogStepper::law_of(uint32_t a, uint32_t b) const {
  return contact::compute_pair_law(*model_, pair_tracker_.items()[a], pair_tracker_.items()[b],
                                   scales_.acceleration);
}

LeapfrogReport LeapfrogStepper::step(State& state, LeapfrogMemory& control) {
  LeapfrogReport report;
  contacts_.clear();
  pair_tracker_.recall(control.pairs);
  start_ = state;  // that of the caller stays as it is if the step fails
  if (options_.reactions) start_.impulses.resize(model_->joints().size() * model::kReactionSize, 0.0);
  if (!(control.next_step > 0 && control.told == state.y)) {
    LeapfrogMemory fresh;
    fresh.momenta = problem_.momenta_of(state);
    control = {};
    control.left = h_;
    kick(start_, fresh, 0, control, report);
    control.powers = compute_script_powers(start_);
    if (options_.reactions && report.impacts > 0) add_to(start_.impulses, hit_impulses_, 1);
  }
  const int impacts_before = report.impacts;
  next_ = start_;
  problem_.drift(control.velocities, control.next_step, next_);
  turn_hinges(*model_, start_, next_);
  // Parts of a step add up to it.
  LeapfrogMemory& after = last_;
  after.left = control.left - control.next_step;
  if (!(after.left > kShortestPart * h_)) after.left = h_;
  kick(next_, control, control.next_step, after, report);
  check_finite(next_, report);
  if (!report.good) return report;
  const bool impact = report.impacts > impacts_before;
  if (options_.reactions) pass_on(control, after, impact, next_);
  keep_books(control, impact, after, state);
  report.h = control.next_step;
  std::swap(control, last_);
  return report;
}

// From the momenta before t_n to those after it: what is hit now, then the forces and contacts of the coming drift, as long as
// nothing new is hit.
void LeapfrogStepper::kick(State& state, const LeapfrogMemory& before, double h_before, LeapfrogMemory& after,
                           LeapfrogReport& report) {
  double h = before.bound > 0 ? std::min(after.left, 2 * before.bound) : after.left;
  after.bound = 2 * before.bound < h_ ? 2 * before.bound : 0;
  after.limits = before.limits, after.drives = before.drives;
  collide(state, before.momenta, h);
  find_limits(state, before.momenta, h);
  std::vector<double> after_hit;
  const bool hit = resolve_hits(state, h_before, h, before.momenta, after_hit, report);
  const std::vector<double>& momenta = hit ? after_hit : before.momenta;
  if (hit) h_before = 0;  // these momenta are of this time
  leave_out_bounces(state, momenta);
  if (!hit) foresee_bends(state, before, h);
  foresee_turns(before);
  std::vector<double>& v = after.velocities;
  std::vector<double> found;  // where they were not kept
  v.clear();
  for (int round = 0;; ++round) {
    solve(state, h_before, h, momenta, before, after, report);
    // A step is good as long as it is nearly linear.
    const dynamics::KickProblem::Closing joints =
        problem_.close_joints(state, h, kFastJoint * options_.accuracy, joint_rest_, v, joint_forces_);
    const bool bent = !joints.closed || joints.before > kLargestGap ||
                      dynamics::KickProblem::largest_turn(v, h) > kLargestTurn;
    if (bent && h > kShortestHalf * h_) {
      h *= 0.5;
      forget_pushes();
      v.clear();
      after.bound = h;
      ++report.halved;
      --round;
      continue;
    }
    double safe = h;
    const bool last = round == kMostAddedRounds;
    const bool kept = keep_limits(state, v, h, last, safe);
    const std::vector<Approach> approaches = find_approaches(state, v, h);
    if (approaches.empty() && kept) break;
    if (last) {
      if (!kept) ++report.passed;
      if (!approaches.empty()) found = v, hold(state, approaches, h, v, report);
      break;
    }
    for (const Approach& approach : approaches) keep_apart(state, approach, v, h, safe);
    ++report.resolved;
    // What turning does to gaps, and no row sees, is four times less in half the time. The same helps where a drift that was cut, because something is hit
    // near its end, has other velocities, by which it is hit a little sooner.
    if ((round + 1) % kPatientRounds == 0 && safe > kHardlyShorter * h && h > kShortestHalf * h_) {
      safe = 0.5 * h;
      forget_pushes();
    }
    h = safe;
  }
  after.next_step = h;
  const std::vector<double>& solved = found.empty() ? v : found;
  report.contacts = static_cast<int>(rows_.size());
  note_contacts(solved, state.time - 0.5 * h_before, state.time + 0.5 * h);
  note_efforts(solved, 0.5 * (h_before + h), after);
  problem_.momenta_from(solved, after.momenta);
  after.layers = widest_layer_ > 0 ? energy_of_layers(before.contacts) : 0;
  after.contacts = remember(v, h, before.contacts);
  remember_limits(v, h, after);
  // What a state says of momenta is those of its own time.
  if (hit)
    tell_momenta(momenta, state);
  else if (h_before > 0)
    tell_mean(momenta, after.momenta, h / (h_before + h), state);
  after.told = state.y;
}

// What joints and laws did in a kick over that time.
void LeapfrogStepper::note_efforts(const std::vector<double>& v, double kick, LeapfrogMemory& after) {
  if (options_.reactions) {
    std::vector<size_t> limits;
    for (const LimitRow& row : limits_) limits.push_back(row.limit);
    after.reactions = collect_reactions(joint_forces_, pushes_of_limits(limits), v, Laws::over);
    for (double& x : after.reactions) x /= kick;
  }
  compute_forces(v, Laws::over, after.forces);
  if (!model_->moving_constraints().empty())
    for (double& x : joint_forces_) x /= kick;
}

// What rows were asked for on top, and what they gave, was for a drift of another length.
void LeapfrogStepper::forget_pushes() {
  for (Row& row : rows_) row.push = 0, row.impulse.reset();
  for (LimitRow& row : limits_) row.push = 0;
}

// Velocities of the coming drift: those of (1), and of contact where there is some.
void LeapfrogStepper::solve(const State& state, double h_before, double h, const std::vector<double>& momenta,
                            const LeapfrogMemory& before, LeapfrogMemory& after, LeapfrogReport& report) {
  std::vector<double>&v = after.velocities, &l = joint_forces_;
  const double kick = 0.5 * (h_before + h);
  cones_.clear(), drives_.clear();
  if (rows_.empty() && limits_.empty() && !problem_.has_limited()) {
    problem_.solve_alone(state, momenta, kick, h, h_, v, l);
    ++report.factorisations;
    return keep_impulses(after);
  }
  problem_.assemble(state, momenta, kick, h, coupled_, h_);
  for (Row& row : rows_) {
    cones_.push_back(make_cone(state, row, h, before.contacts));
    if (row.law.layer > 0) soften_cone(row, before.contacts, cones_.back());
  }
  for (const LimitRow& row : limits_) cones_.push_back(limit_cone(row, h));
  for (const dynamics::KickProblem::Limited& drive : problem_.limited_rows())
    cones_.push_back(drive.row), drives_.push_back(drive.law);
  l.assign(problem_.c().begin(), problem_.c().end());
  if (v.empty()) v = before.velocities.empty() ? velocities_from(momenta) : before.velocities;
  guess_impulses(after);
  const Stopwatch watch(times_.contact);
  const dynamics::ContactReport solved = solver_.solve(problem_.matrix(), problem_.b(), problem_.c(), cones_,
                                                       kFastResidual, v, l, kResidualWarning);
  keep_impulses(after);
  report.residual = std::max(report.residual, solved.residual);
  if (!solved.solved) ++report.unsolved;
  report.factorisations += solved.factorisations;
}

// Where the search begins: the last solution for this step, or what was passed on in the last step.
void LeapfrogStepper::guess_impulses(const LeapfrogMemory& control) {
  for (size_t i = 0; i < rows_.size(); ++i)
    if (rows_[i].impulse) cones_[i].impulse = *rows_[i].impulse;
  for (size_t i = 0; i < limits_.size(); ++i)
    if (const LimitMemory* known = control.recall_limit(limits_[i].limit))
      cones_[rows_.size() + i].impulse.x() = known->impulse;
  const size_t first = rows_.size() + limits_.size();
  if (control.drives.size() != 3 * drives_.size()) return;
  for (size_t i = 0; i < drives_.size(); ++i)
    cones_[first + i].impulse = Eigen::Map<const Vec3>(&control.drives[3 * i]);
}

void LeapfrogStepper::keep_impulses(LeapfrogMemory& control) {
  for (size_t i = 0; i < rows_.size(); ++i) rows_[i].impulse = cones_[i].impulse;
  control.limits.clear();
  for (size_t i = 0; i < limits_.size(); ++i)
    control.limits.push_back({limits_[i].limit, cones_[rows_.size() + i].impulse.x()});
  control.drives.clear();
  for (size_t i = rows_.size() + limits_.size(); i < cones_.size(); ++i)
    for (int k = 0; k < 3; ++k) control.drives.push_back(cones_[i].impulse[k]);
}

// Bodies that touch and approach, or will before the drift ends and do not bounce: the impact law, at this instant. True if there were such; then `after_hit` are the momenta after it.
bool LeapfrogStepper::resolve_hits(const State& state, double h_before, double h,
                                   const std::vector<double>& momenta, std::vector<double>& after_hit,
                                   LeapfrogReport& report) {
  if (rows_.empty() && limits_.empty()) return false;
  const double threshold = approach_threshold();
  problem_.assemble(state, momenta, 0.5 * h_before, 0, coupled_);
  cones_.clear(), drives_.clear();
  std::vector<double> restitution;
  bool any = false;
  std::vector<double> v(problem_.b().begin(), problem_.b().end()),
      l(problem_.c().begin(), problem_.c().end());
  problem_.matrix().clear_addition();
  problem_.matrix().factor();
  problem_.matrix().solve(v.data(), l.data());
  for (Row& row : rows_) {
    const ConeConstraint cone = make_cone(state, row, 1, {});
    const double approach = -cone_velocity(cone, v).x();
    // What does not bounce is stopped where it would be this drift.
    const bool reaches = row.law.layer == 0 && row.law.restitution == 0 && approach > threshold &&
                         approach * h > row.contact.gap - row.kept;
    row.struck = row.contact.gap <= kTouchingGap * row.kept || reaches;
    if (!row.struck) continue;
    cones_.push_back(cone);
    restitution.push_back(row.law.restitution);
    any = any || approach > threshold;
  }
  std::vector<size_t> reached;
  for (const LimitRow& row : limits_) {
    if (!is_reached(row)) continue;
    reached.push_back(row.limit);
    cones_.push_back(row.cone);
    const double approach = -cone_velocity(row.cone, v).x() * scales_.length / unit_of_limit(row.limit);
    restitution.push_back(model_->limits()[row.limit]->restitution());
    any = any || approach > threshold;
  }
  if (!any) {
    for (Row& row : rows_) row.struck = false;
    return false;
  }
  if (options_.reactions) before_hit_impulses_ = hit_impulses_ = collect_reactions(l, {}, v, Laws::before);
  compute_forces(v, Laws::before, hit_forces_);
  before_hit_ = problem_.momenta_from(v);
  // Laws have no part in what follows.
  problem_.assemble(state, before_hit_, 0, 0, coupled_);
  const Stopwatch watch(times_.contact);
  const dynamics::ImpactReport impact = dynamics::resolve_impacts(
      problem_.matrix(), cones_, restitution, kImpactRest * threshold, threshold, kFastResidual, solver_, v);
  report.residual = std::max(report.residual, impact.residual);
  report.unsolved += impact.unsolved;
  report.impacts += 1;
  after_hit = problem_.momenta_from(v);
  if (options_.reactions) note_hit(reached);
  note_contacts(v, state.time, state.time);
  return true;
}

// What will bounce is not slowed down before it is there: the drift will end where it hits.
void LeapfrogStepper::leave_out_bounces(const State& state, const std::vector<double>& momenta) {
  const auto may_bounce = [&](const Row& row) {
    return row.law.layer == 0 && row.law.restitution > 0 && row.contact.gap > kTouchingGap * row.kept;
  };
  const auto limit_may_bounce = [&](const LimitRow& row) {
    return model_->limits()[row.limit]->restitution() > 0 && !is_reached(row);
  };
  if (std::none_of(rows_.begin(), rows_.end(), may_bounce) &&
      std::none_of(limits_.begin(), limits_.end(), limit_may_bounce))
    return;
  problem_.assemble(state, momenta, 0, 0, coupled_);
  const std::vector<double> v = velocities_from(momenta);
  std::erase_if(rows_, [&](const Row& row) {
    return may_bounce(row) && -cone_velocity(make_cone(state, row, 1, {}), v).x() > approach_threshold();
  });
  std::erase_if(limits_, [&](const LimitRow& row) {
    return limit_may_bounce(row) &&
           -cone_velocity(row.cone, v).x() * scales_.length / unit_of_limit(row.limit) > approach_threshold();
  });
}

void LeapfrogStepper::tell_momenta(const std::vector<double>& momenta, State& state) const {
  for (size_t n = 0; n < problem_.bodies().size(); ++n) {
    const Vec6 p = part(momenta, static_cast<int>(n));
    state.set_momentum(problem_.bodies()[n], p.head<3>());
    state.set_angular_momentum(problem_.bodies()[n], p.tail<3>());
  }
}

// The mean of the momenta before and after a kick, of which the first have that share.
void LeapfrogStepper::tell_mean(const std::vector<double>& earlier, const std::vector<double>& later,
                                double share, State& state) const {
  for (size_t n = 0; n < problem_.bodies().size(); ++n) {
    double* told = &state.y[problem_.bodies()[n].index() * model::kBodySize + model::kMomentumAt];
    for (size_t k = 0; k < 6; ++k)
      told[k] = earlier[6 * n + k] + (1 - share) * (later[6 * n + k] - earlier[6 * n + k]);
  }
}

// Resting contact under gravity makes approaches of g h at every step: what is well above that is an impact.
double LeapfrogStepper::approach_threshold() const { return 2 * scales_.acceleration * h_; }

void LeapfrogStepper::collide(const State& state, std::span<const double> momenta, double h) {
  rows_.clear(), coupled_.clear();
  if (pair_tracker_.items().empty()) return;
  const Stopwatch watch(times_.collision);
  std::vector<double> margins;
  for (size_t i = 0; i < model_->bodies().size(); ++i) {
    const model::Body& body = model_->bodies()[i];
    double margin = 0;
    if (const int n = problem_.node_of(BodyId(i)); n != kNone) {
      const Vec6 p = part(momenta, n);
      const Mat3 R = state.orientation(BodyId(i)).to_matrix();
      const Vec3 w = R * (body.inverse_inertia_B * (R.transpose() * p.tail<3>()));
      margin = h * (p.head<3>().norm() * body.inverse_mass + w.norm() * body.radius) +
               2 * scales_.acceleration * h * h + kDefaultFastAccuracy * body.radius + widest_layer_;
    }
    margins.push_back(margin);
  }
  for (contact::PairTracker::Pair& pair : pair_tracker_.update(state, margins)) {
    const BodyId a = pair_tracker_.items()[pair.a].body, b = pair_tracker_.items()[pair.b].body;
    const double kept =
        contact::compute_contact_offset(*model_, a, b, options_.accuracy, pair_tracker_.extent());
    // A soft layer is felt by all that may come into it.
    double layer = widest_layer_ > 0 ? law_of(pair.a, pair.b).layer : 0;
    if (layer > 0) layer += margins[a.index()] + margins[b.index()] - widest_layer_;
    found_.clear();
    builder_.build(pair_tracker_.placed(pair.a), pair_tracker_.placed(pair.b),
                   {.thickness = kept + layer + 2 * scales_.acceleration * h * h, .kept = kept}, pair.memory,
                   found_);
    for (const collision::Contact& contact : found_) add_row(state, pair.a, pair.b, contact, kept);
  }
}

void LeapfrogStepper::add_row(const State& state, uint32_t a, uint32_t b, const collision::Contact& contact,
                              double kept) {
  Row row;
  row.a = a, row.b = b, row.contact = contact, row.kept = kept;
  row.law = law_of(a, b);
  row.axes[0] = contact.normal;
  find_tangents(row.axes);
  const BodyId body = pair_tracker_.items()[a].body;
  row.place = state.orientation(body).to_matrix().transpose() * (contact.point - state.position(body));
  rows_.push_back(row);
  const int i = problem_.node_of(pair_tracker_.items()[a].body),
            j = problem_.node_of(pair_tracker_.items()[b].body);
  if (i != kNone && j != kNone) coupled_.emplace_back(i, j);
}

ConeConstraint LeapfrogStepper::make_cone(const State& state, const Row& row, double h,
                                          const std::vector<ContactMemory>& memory) const {
  const BodyId body_a = pair_tracker_.items()[row.a].body, body_b = pair_tracker_.items()[row.b].body;
  const collision::Contact& contact = row.contact;
  ConeConstraint cone;
  cone.a = problem_.node_of(body_a), cone.b = problem_.node_of(body_b);
  cone.friction = row.law.friction;
  const Vec3 arm_a = contact.point - state.position(body_a), arm_b = contact.point - state.position(body_b);
  for (int k = 0; k < 3; ++k) {
    cone.G_a.row(k) << row.axes[k].transpose(), arm_a.cross(row.axes[k]).transpose();
    cone.G_b.row(k) << -row.axes[k].transpose(), -arm_b.cross(row.axes[k]).transpose();
  }
  // The gap is what is kept when the step ends; one that is smaller is widened slowly, so that nothing hops.
  const double over = contact.gap - row.kept;
  cone.bias.x() =
      (over > 0 ? over / h : std::max(over / h_, -row.kept / scales_.time)) + row.bend * h - row.push;
  for (int k = 1; k < 3; ++k) cone.bias[k] = h * row.turn.dot(row.axes[k]);
  if (const ContactMemory* known = recall(row, memory)) {
    for (int k = 0; k < 3; ++k) cone.impulse[k] = known->impulse.dot(row.axes[k]);
    if (known->sticks && row.law.stiffness == 0)
      for (int k = 1; k < 3; ++k) cone.bias[k] += known->slip.dot(row.axes[k]) / h_;
  }
  return cone;
}

// How gaps and limits will bend in the coming drift: as they did in the last one, and all gaps of a patch alike, or they would ask for a turn
// that no body makes. Where they open nothing is needed. What is more than turning makes of a gap is that of another place.
void LeapfrogStepper::foresee_bends(const State& state, const LeapfrogMemory& control, double h) {
  const double drift = control.next_step;
  for (LimitRow& row : limits_)
    if (const LimitMemory* known = control.recall_limit(row.limit); known && h <= 2 * drift)
      row.bend = std::min(0.0, (row.value - known->foreseen) / (drift * drift));
  for (Row& row : rows_)
    if (const ContactMemory* known = recall(row, control.contacts); known && h <= 2 * known->drift)
      row.bend = std::clamp((row.contact.gap - known->foreseen) / (known->drift * known->drift),
                            -largest_bend(state, row, control.velocities), 0.0);
  for (size_t first = 0, end; first < rows_.size(); first = end) {
    for (end = first; end < rows_.size() && rows_[end].a == rows_[first].a && rows_[end].b == rows_[first].b;)
      ++end;
    for (size_t i = first; i < end; ++i)
      for (size_t k = first; k < end; ++k)
        if (rows_[i].contact.normal.dot(rows_[k].contact.normal) > kSameNormal)
          rows_[i].bend = std::min(rows_[i].bend, rows_[k].bend);
  }
}

// What sticks does so in the middle of the coming drift, and what slides is rubbed by how it slides there: arms r are r + h/2 r' then, with r' as in the
// last drift, and the velocity of a on b is another one by h/2 w x r'. Without this the corner about which a box tips creeps with the square of its turning,
// and friction gives it energy.
void LeapfrogStepper::foresee_turns(const LeapfrogMemory& control) {
  for (Row& row : rows_) {
    const ContactMemory* known = recall(row, control.contacts);
    if (row.struck || row.law.stiffness > 0 || !known || known->key != row.contact.key) continue;
    const Vec3 way = (row.contact.point - known->point) / known->drift;
    double fastest = 0;
    Vec3 turn = Vec3::Zero();
    for (const auto& [item, sign] : {std::pair(row.a, 0.5), std::pair(row.b, -0.5)}) {
      const BodyId body = pair_tracker_.items()[item].body;
      const int n = problem_.node_of(body);
      if (n == kNone) continue;
      const Vec3 v = part(control.velocities, n).head<3>(), w = part(control.velocities, n).tail<3>();
      turn += sign * w.cross(way - v);
      fastest = std::max(fastest, v.norm() + w.norm() * model_->body(body).radius);
    }
    // A point that goes faster is another one.
    if (way.norm() <= 2 * fastest) row.turn = turn;
  }
}

// Half the second derivative of a gap n.(p_a - p_b) where bodies turn by w and slide by u is no more than the half of w^2 r, and w u.
double LeapfrogStepper::largest_bend(const State& state, const Row& row, const std::vector<double>& v) const {
  Vec3 slide = Vec3::Zero();
  double bend = 0, turning = 0;
  for (const auto& [item, sign] : {std::pair(row.a, 1.0), std::pair(row.b, -1.0)}) {
    const BodyId body = pair_tracker_.items()[item].body;
    const int n = problem_.node_of(body);
    if (n == kNone) continue;
    const Vec3 arm = row.contact.point - state.position(body), w = part(v, n).tail<3>();
    slide += sign * (part(v, n).head<3>() + w.cross(arm));
    bend += 0.5 * w.squaredNorm() * arm.norm();
    turning += w.norm();
  }
  return bend + turning * slide.norm();
}

bool LeapfrogStepper::is_round(uint32_t item) const {
  const collision::Collider::Kind kind = pair_tracker_.items()[item].collider->kind();
  return kind == collision::Collider::Kind::cylinder || kind == collision::Collider::Kind::cone;
}

double LeapfrogStepper::pair_size(uint32_t a, uint32_t b) const {
  return contact::compute_pair_size(*model_, pair_tracker_.items()[a].body, pair_tracker_.items()[b].body);
}

double LeapfrogStepper::same_place(uint32_t a, uint32_t b) const { return kSamePlace * pair_size(a, b); }

// What is known of these features, or else of the nearest place between the same two: a corner on an edge is now this feature, now that.
const ContactMemory* LeapfrogStepper::recall(const Row& row, const std::vector<ContactMemory>& memory) const {
  const ContactMemory* nearest = nullptr;
  double least = same_place(row.a, row.b);
  for (auto m = std::lower_bound(
           memory.begin(), memory.end(), std::pair(row.a, row.b),
           [](const ContactMemory&x, const auto&pair) { return std::pair(x.a, x.b) < pair; });
       m != memory.end() && m->a == row.a && m->b == row.b; ++m) {
    if (m->key == row.contact.key) return &*m;
    if (const double distance = (m->place - row.place).norm(); distance < least)
      least = distance, nearest = &*m;
  }
  return nearest;
}

// Pairs that would come nearer than half of what is kept if all drift so.
std::vector<LeapfrogStepper::Approach> LeapfrogStepper::find_approaches(const State& state,
                                                                        const std::vector<double>& v,
                                                                        double h) {
  std::vector<Approach> approaches;
  if (pair_tracker_.items().empty()) return approaches;
  const Stopwatch watch(times_.certificate);
  std::vector<double> margins;
  const auto motion_of_item = [&](uint32_t item) {
    const BodyId body = pair_tracker_.items()[item].body;
    collision::Motion motion;
    motion.center = state.position(body);
    if (const int n = problem_.node_of(body); n != kNone)
      motion.velocity = part(v, n).head<3>(), motion.angular_velocity = part(v, n).tail<3>();
    return motion;
  };
  for (size_t i = 0; i < model_->bodies().size(); ++i) {
    const model::Body& body = model_->bodies()[i];
    const int n = problem_.node_of(BodyId(i));
    margins.push_back(n == kNone
                          ? 0
                          : h * (part(v, n).head<3>().norm() + part(v, n).tail<3>().norm() * body.radius) +
                                kDefaultFastAccuracy * body.radius);
  }
  for (contact::PairTracker::Pair& pair : pair_tracker_.update(state, margins)) {
    const BodyId a = pair_tracker_.items()[pair.a].body, b = pair_tracker_.items()[pair.b].body;
    const double kept =
        contact::compute_contact_offset(*model_, a, b, options_.accuracy, pair_tracker_.extent());
    const collision::Motion motion_a = motion_of_item(pair.a), motion_b = motion_of_item(pair.b);
    // Those that are that near already may come a little nearer while they part.
    double nearest = 0.5 * kept;
    for (const Row& row : rows_)
      if (row.a == pair.a && row.b == pair.b) nearest = std::min(nearest, kNearerStill * row.contact.gap);
    const collision::Verdict verdict =
        collision::certify(pair_tracker_.placed(pair.a), motion_a, pair_tracker_.placed(pair.b), motion_b, h,
                           nearest, pair.memory);
    if (verdict.safe) continue;
    const auto velocity_of = [&](const collision::Motion& m) {
      return Vec3(m.velocity +
                  m.angular_velocity.cross(verdict.approach.point - m.center - verdict.time * m.velocity));
    };
    approaches.push_back({pair.a, pair.b, kept, nearest, verdict.time, verdict.approach,
                          velocity_of(motion_a), velocity_of(motion_b)});
  }
  return approaches;
}

// The place where two approach is that of a row still on one of the bodies at least: where they slide, it is. Where two edges that are nearly
// parallel turn, the same features meet elsewhere on both.
bool LeapfrogStepper::has_stayed(const Row& row, const Approach& approach) const {
  const Vec3 way = approach.contact.point - row.contact.point;
  const double moved =
      std::min((way - approach.time * approach.v_a).norm(), (way - approach.time * approach.v_b).norm());
  return moved < same_place(row.a, row.b);
}

// The row of the features that approach, or else of the nearest place between the same two. What is round has no features of its own,
// and rolls on: there it is the same place within more, and as far as the two have turned.
LeapfrogStepper::Row* LeapfrogStepper::find_row(const Approach& approach, const Vec3& place,
                                                const std::vector<double>& v) {
  const bool round = is_round(approach.a) || is_round(approach.b);
  double turned = 0;
  for (const uint32_t item : {approach.a, approach.b})
    if (const int n = problem_.node_of(pair_tracker_.items()[item].body); n != kNone)
      turned += approach.time * part(v, n).tail<3>().norm();
  double least = (round ? kSameRoundPlace + turned : kSamePlace) * pair_size(approach.a, approach.b);
  Row* nearest = nullptr;
  for (Row& row : rows_) {
    if (row.a != approach.a || row.b != approach.b) continue;
    if (!round && row.contact.key == approach.contact.key && has_stayed(row, approach)) return &row;
    if (!(row.contact.normal.dot(approach.contact.normal) > kSameDirection)) continue;
    if (const double distance = (row.contact.point - place).norm(); distance < least)
      least = distance, nearest = &row;
  }
  return nearest;
}

// What keeps such a pair apart: more from the row it has, or the row it lacks, or, where it is hit, an end of the drift at that time.
void LeapfrogStepper::keep_apart(const State& state, const Approach& approach, const std::vector<double>& v,
                                 double h, double& safe) {
  collision::Contact contact = approach.contact;
  const double speed = -contact.normal.dot(approach.v_a - approach.v_b), t = approach.time;
  // A row that is there already did not see how the bodies turn: it must give what is lacking at that time, too.
  const Vec3 place = contact.point - 0.5 * t * (approach.v_a + approach.v_b);
  Row* row = find_row(approach, place, v);
  if (row && row->law.layer > 0) {
    row->law.layer = 0;  // pressed through
    return;
  }
  // They are not that near, but no longer a drift can be vouched for.
  if (contact.gap > kUnproved * approach.nearest && t > kShortestPart * h_) {
    safe = std::min(safe, 0.5 * t);
    return;
  }
  if (row && t > kShortestPart * h_) {
    // gap(t) = gap + u t + bend t^2 passes through what was found; at h it is to be what is kept, or on the way there.
    const ConeConstraint& cone = cones_[static_cast<size_t>(row - rows_.data())];
    const double u = cone_velocity(cone, v).x(), gap = row->contact.gap;
    const double bend = std::min(0.0, (contact.gap - gap - u * t) / (t * t));
    const double aim = gap > row->kept ? row->kept : gap + h / h_ * (row->kept - gap);
    // What is more than turning makes of it ends soon: bodies that nearly lie along each other touch ever elsewhere, up to an end. The
    // drift is made so short that nothing is thrown apart.
    const double most = largest_bend(state, *row, v);
    const double shorter =
        -bend > most ? std::min(h, std::max(approach_threshold() / -bend, kShortestHalf * h_)) : h;
    safe = std::min(safe, shorter);
    // More than it has, if that is more than it was asked for.
    row->push += std::max(0.0, u + cone.bias.x()) +
                 std::max((aim - gap) / shorter - u - bend * shorter,
                          std::min((aim - contact.gap) / t, (row->kept - contact.gap) / h_));
    return;
  }
  // Where it hits, what is kept is left between them.
  const double until = t - 0.5 * approach.kept / speed;
  const contact::PairLaw law = law_of(approach.a, approach.b);
  const bool touches = law.restitution == 0 && contact.gap + t * speed <= kTouchingGap * approach.kept;
  if (speed > approach_threshold() && until > kShortestPart * h_ && !touches && law.layer == 0) {
    safe = std::min(safe, until);
    return;
  }
  // Seen from the time of approach, back along the motion that led there.
  contact.gap += t * speed;
  contact.point = place;
  add_row(state, approach.a, approach.b, contact, approach.kept);
}

// No rows kept these pairs apart: their bodies, and all that hang on them by joints, stay where they are while the others drift, and more
// if need be; all may. Their momenta stay as they were found.
void LeapfrogStepper::hold(const State& state, std::vector<Approach> approaches, double h,
                           std::vector<double>& v, LeapfrogReport& report) {
  std::vector<char> held(problem_.bodies().size(), 0);
  const auto is_held = [&](uint32_t item) {
    const int n = problem_.node_of(pair_tracker_.items()[item].body);
    return n == kNone || held[static_cast<size_t>(n)] != 0;
  };
  for (++report.holds;; approaches = find_approaches(state, v, h)) {
    // Two that stay where they are come no nearer, whatever is said of their distance.
    std::erase_if(approaches, [&](const Approach& x) { return is_held(x.a) && is_held(x.b); });
    if (approaches.empty()) return;
    if (std::find(held.begin(), held.end(), 1) != held.end()) ++report.freezes;
    for (const Approach& approach : approaches)
      for (const uint32_t item : {approach.a, approach.b})
        if (const int n = problem_.node_of(pair_tracker_.items()[item].body); n != kNone)
          held[static_cast<size_t>(n)] = 1;
    for (bool more = true; more;) {
      more = false;
      for (const auto& joint : model_->constraints()) {
        const int a = problem_.node_of(joint->a()), b = problem_.node_of(joint->b());
        if (a == kNone || b == kNone || held[static_cast<size_t>(a)] == held[static_cast<size_t>(b)])
          continue;
        held[static_cast<size_t>(a)] = held[static_cast<size_t>(b)] = 1;
        more = true;
      }
    }
    for (size_t n = 0; n < held.size(); ++n)
      if (held[n]) std::fill_n(v.begin() + static_cast<std::ptrdiff_t>(6 * n), 6, 0.0);
  }
}

std::vector<double> LeapfrogStepper::velocities_from(const std::vector<double>& momenta) {
  std::vector<double> v = momenta, l(problem_.c().begin(), problem_.c().end());
  problem_.matrix().clear_addition();
  problem_.matrix().factor();
  problem_.matrix().solve(v.data(), l.data());
  return v;
}

std::vector<ContactMemory> LeapfrogStepper::remember(const std::vector<double>& v, double h,
                                                     const std::vector<ContactMemory>& earlier) const {
  std::vector<ContactMemory> memory;
  for (size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    const ConeConstraint& cone = cones_[i];
    ContactMemory m{row.a, row.b, row.contact.key};
    for (int k = 0; k < 3; ++k) m.impulse += cone.impulse[k] * row.axes[k];
    const double rubbing =
        math::sqrt(cone.impulse.y() * cone.impulse.y() + cone.impulse.z() * cone.impulse.z());
    m.sticks = cone.impulse.x() > 0 && rubbing < kStickingPart * cone.friction * cone.impulse.x();
    const ContactMemory* known = recall(row, earlier);
    const bool stuck = known && known->sticks;
    // A body that rolls touches with ever new points: it is the slip that must not add up, not the place.
    if (row.law.stiffness > 0) {
      m.slip = sheared(row, cone, cone_velocity(cone, v), h, earlier);
    } else if (m.sticks) {
      const Vec3 u = cone_velocity(cone, v);
      m.slip = Vec3::Zero();
      for (int k = 1; k < 3; ++k) m.slip += h * (u[k] + h * row.turn.dot(row.axes[k])) * row.axes[k];
      if (stuck) m.slip += known->slip;
    }
    m.foreseen = row.contact.gap + h * cone_velocity(cone, v).x();
    m.drift = h;
    m.place = row.place, m.point = row.contact.point;
    memory.push_back(m);
  }
  std::stable_sort(memory.begin(), memory.end(),
                   [](const ContactMemory& x, const ContactMemory& y) { return before(x, y.a, y.b, y.key); });
  memory.erase(std::unique(memory.begin(), memory.end(),
                           [](const ContactMemory& x, const ContactMemory& y) {
                             return x.a == y.a && x.b == y.b && x.key == y.key;
                           }),
               memory.end());
  return memory;
}

}  // namespace tumble::simulate
