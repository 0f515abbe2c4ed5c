#include "tumble/simulate/leapfrog/accounting.h"

#include <algorithm>
#include <cmath>

#include "tumble/core/diagnostic.h"
#include "tumble/math/elementary.h"
#include "tumble/simulate/leapfrog/stepper.h"

namespace tumble::simulate {

using core::BodyId;
using math::Vec3;
using model::BodyMotion;
using model::State;

namespace {

BodyMotion motion_in(const model::Model& model, const State& state, BodyId id) {
  return id.valid() ? body_motion(model, state, id) : model::kWorldMotion;
}

}  // namespace

void turn_hinges(const model::Model& model, const State& start, State& end) {
  for (size_t k = 0; k < model.counted_hinges().size(); ++k) {
    const model::CountedHinge& hinge = model.counted_hinges()[k];
    model::ConstraintRows row;
    model::rows::set_coordinate_row(row, 0, model::Coordinate::angle, hinge.frames,
                                    motion_in(model, end, hinge.a), motion_in(model, end, hinge.b),
                                    start.hinge_angles[k]);
    end.hinge_angles[k] = row.value[0];
  }
}

const LimitMemory* LeapfrogMemory::recall_limit(size_t limit) const {
  const auto known =
      std::find_if(limits.begin(), limits.end(), [=](const auto& m) { return m.limit == limit; });
  return known == limits.end() ? nullptr : &*known;
}

std::string describe(const LeapfrogReport& report, const model::Model& model, double time) {
  std::string text = "t = " + core::brief_number(time) + " s: ";
  if (report.good) return text + "done";
  return text + "body \"" + model.body(report.body).name +
         "\": the motion is no longer a finite number (is a force without bounds, or a stiffness far too "
         "large?)";
}

void LeapfrogStepper::check_finite(const State& state, LeapfrogReport& report) const {
  // 0 x is no number but 0 where x is not finite: four sums are ready sooner than as many questions.
  double sums[4] = {};
  for (size_t k = 0; k + 4 <= state.y.size(); k += 4)
    for (size_t i = 0; i < 4; ++i) sums[i] += 0 * state.y[k + i];
  for (size_t k = state.y.size() & ~size_t{3}; k < state.y.size(); ++k) sums[0] += 0 * state.y[k];
  if (sums[0] + sums[1] + sums[2] + sums[3] == 0) return;
  const auto bad = std::find_if(state.y.begin(), state.y.end(), [](double x) { return !std::isfinite(x); });
  if (bad == state.y.end() || !report.good) return;
  report.good = false;
  report.body = BodyId(static_cast<size_t>(bad - state.y.begin()) / model::kBodySize);
}

// Where bodies were hit, rows_ holds more contacts than cones_: those that were struck, in the same order.
void LeapfrogStepper::note_contacts(std::span<const double> v, double from, double to) {
  const bool impact = from == to;
  size_t next = 0;
  for (const Row& row : rows_) {
    if (impact && !row.struck) continue;
    const dynamics::ConeConstraint& cone = cones_[next++];
    const Vec3& r = cone.impulse;
    if (r == Vec3::Zero()) continue;
    Vec3 u = Vec3::Zero();
    if (cone.a != dynamics::kNone)
      u += cone.G_a * Eigen::Map<const dynamics::KktSolver::Vec6>(&v[6 * static_cast<size_t>(cone.a)]);
    if (cone.b != dynamics::kNone)
      u += cone.G_b * Eigen::Map<const dynamics::KktSolver::Vec6>(&v[6 * static_cast<size_t>(cone.b)]);
    ContactPoint p{row.a, row.b, row.contact.key, row.contact.point, row.contact.normal, row.contact.gap};
    for (int k = 0; k < 3; ++k) p.impulse += r[k] * row.axes[k];
    if (!impact)
      for (int k = 1; k < 3; ++k) u[k] += problem_.step() * row.turn.dot(row.axes[k]);
    p.slip = math::sqrt(u.y() * u.y() + u.z() * u.z());
    const double rubbing = math::sqrt(r.y() * r.y() + r.z() * r.z());
    p.state = impact                                            ? ContactPoint::State::impact
              : rubbing < kStickingPart * cone.friction * r.x() ? ContactPoint::State::stick
                                                                : ContactPoint::State::slip;
    p.from = from, p.to = to;
    contacts_.push_back(p);
  }
}

// Of every law, what the problem assembled last made of it, by its time: force and torque on a, then on b.
void LeapfrogStepper::compute_forces(std::span<const double> v, Laws laws, std::vector<double>& forces) {
  forces.resize(kForcesOfLaw * model_->forces().size());
  const double both = problem_.step_before() + problem_.step(), inverse = both > 0 ? 2 / both : 0;
  double* out = forces.data();
  for (size_t k = 0; k < model_->forces().size(); ++k) {
    const dynamics::KickProblem::Passed passed = problem_.passed_on(k, v, row_of_drive(k, laws));
    for (const Vec3* x : {&passed.on_a.force, &passed.on_a.torque, &passed.on_b.force, &passed.on_b.torque})
      for (int i = 0; i < 3; ++i) *out++ = inverse * (*x)[i];
  }
}

std::vector<double> LeapfrogStepper::compute_script_powers(const State& state) {
  std::vector<double> powers;
  for (const size_t c : model_->moving_constraints()) {
    const model::Constraint& constraint = *model_->constraints()[c];
    model::ConstraintRows rows;
    constraint.evaluate(state.time, motion_in(*model_, state, constraint.a()),
                        motion_in(*model_, state, constraint.b()), rows);
    const size_t first = problem_.matrix().first_row(c);
    double power = 0;
    for (int i = 0; i < constraint.rows(); ++i)
      power += joint_forces_[first + static_cast<size_t>(i)] * rows.rate[i];
    powers.push_back(power);
  }
  return powers;
}

// The step ended in next_. Inside it nothing is hit: what was hit at its end changed momenta there, and its books end before that.
void LeapfrogStepper::keep_books(const LeapfrogMemory& control, bool impact, LeapfrogMemory& after,
                                 State& state) {
  std::swap(end_, next_);
  state = end_;
  if (impact) tell_momenta(before_hit_, end_);
  if (impact && options_.reactions) {
    end_.impulses = start_.impulses;
    add_to(end_.impulses, control.reactions, 0.5 * control.next_step);
    add_to(end_.impulses, before_hit_impulses_, 1);
  }
  if (model_->work_count() > 0) {
    count_work(control, impact ? hit_forces_ : after.forces);
    after.powers = compute_script_powers(state);
    for (size_t k = 0; k < after.powers.size(); ++k)
      end_.work[model_->forces().size() + k] +=
          0.5 * control.next_step * (control.powers[k] + after.powers[k]);
    state.work = end_.work;
  }
  struck_.reset();
  if (impact) struck_ = state;
  after.pairs = pair_tracker_.notes();
}

// Work is what laws did to momenta, half of it by the kick at either end of the step, times the mean of the velocities told at its ends: just what
// that changes kinetic energy by. Of scripts it is taken by the trapezoidal rule.
void LeapfrogStepper::count_work(const LeapfrogMemory& control, const std::vector<double>& later) {
  velocities_.assign(problem_.size(), 0.0);
  problem_.add_velocities(start_, velocities_);
  problem_.add_velocities(end_, velocities_);
  const double quarter = 0.25 * control.next_step;
  for (size_t k = 0; k < model_->forces().size(); ++k) {
    const auto [a, b] = problem_.nodes_of_law(k);
    const double *then = &control.forces[kForcesOfLaw * k], *now = &later[kForcesOfLaw * k];
    double sum = 0;
    for (const int node : {a, b}) {
      if (node != dynamics::kNone) {
        const double* v = &velocities_[6 * static_cast<size_t>(node)];
        for (int i = 0; i < 6; ++i) sum += (then[i] + now[i]) * v[i];
      }
      then += 6, now += 6;
    }
    end_.work[k] += quarter * sum;
  }
}

// At the end of the step what was hit there has been hit.
void LeapfrogStepper::state_at(double time, State& state) const {
  if (struck_ && time >= end_.time) {
    state = *struck_;
    state.time = time;
    return;
  }
  const double whole = end_.time - start_.time, share = (time - start_.time) / whole;
  state = start_;
  problem_.drift(last_.velocities, time - start_.time, state);
  state.time = time;
  turn_hinges(*model_, start_, state);
  const auto between = [&](double a, double b) { return a + share * (b - a); };
  for (const BodyId id : problem_.bodies()) {
    const size_t first = id.index() * model::kBodySize;
    for (size_t k = first + model::kMomentumAt; k < first + model::kBodySize; ++k)
      state.y[k] = between(start_.y[k], end_.y[k]);
  }
  for (size_t k = 0; k < state.impulses.size(); ++k)
    state.impulses[k] = between(start_.impulses[k], end_.impulses[k]);
  for (size_t k = 0; k < state.work.size(); ++k) state.work[k] = between(start_.work[k], end_.work[k]);
}

}  // namespace tumble::simulate
