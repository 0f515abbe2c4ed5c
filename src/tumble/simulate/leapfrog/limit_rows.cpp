// Limits of joints in fast steps: rows that push, and what is known of them from step to step.
#include <algorithm>
#include <cmath>

#include "tumble/simulate/leapfrog/accounting.h"
#include "tumble/simulate/leapfrog/stepper.h"

namespace tumble::simulate {

using core::BodyId;
using dynamics::ConeConstraint;
using dynamics::kNone;
using model::State;

namespace {

using Vec6 = dynamics::KktSolver::Vec6;

Vec6 twist_of(const model::BodyMotion& motion) {
  Vec6 v;
  v << motion.velocity, motion.angular_velocity;
  return v;
}

}  // namespace

bool LeapfrogStepper::is_reached(const LimitRow& row) const {
  return row.value <= kTouchingGap * kFastJoint * options_.accuracy * unit_of_limit(row.limit);
}

// What 1 of a limit is, in sizes: the size of its body, or 1 rad.
double LeapfrogStepper::unit_of_limit(size_t limit) const {
  const model::Limit& it = *model_->limits()[limit];
  return it.is_angle(0) ? 1 : model_->size_of(it);
}

// Limits that a drift may reach: they are as near as it goes in twice its time, or within a part of their units.
void LeapfrogStepper::find_limits(const State& state, std::span<const double> momenta, double h) {
  limits_.clear(), all_limits_.clear();
  if (model_->limits().empty()) return;
  problem_.place(state, momenta);
  model::ConstraintRows row;
  for (size_t k = 0; k < model_->limits().size(); ++k) {
    const model::Limit& limit = *model_->limits()[k];
    const model::BodyMotion &a = motion_of(limit.a(), problem_.motions()),
                            &b = motion_of(limit.b(), problem_.motions());
    limit.evaluate(state.time, a, b, row);
    LimitRow& it = all_limits_.emplace_back();
    it.limit = k, it.value = row.value[0];
    it.cone.set = ConeConstraint::Set::positive;
    it.cone.a = problem_.node_of(limit.b()), it.cone.b = problem_.node_of(limit.a());
    double speed = 0;
    if (it.cone.a != kNone) it.cone.G_a.row(0) = Eigen::Map<const Vec6>(row.J_b[0]).transpose();
    if (it.cone.b != kNone) it.cone.G_b.row(0) = Eigen::Map<const Vec6>(row.J_a[0]).transpose();
    if (it.cone.a != kNone) speed += it.cone.G_a.row(0) * twist_of(b);
    if (it.cone.b != kNone) speed += it.cone.G_b.row(0) * twist_of(a);
    if (it.value < 2 * h * std::abs(speed) + kLimitShell * unit_of_limit(k)) add_limit(k);
  }
}

void LeapfrogStepper::add_limit(size_t limit) {
  limits_.push_back(all_limits_[limit]);
  const ConeConstraint& cone = limits_.back().cone;
  if (cone.a != kNone && cone.b != kNone) coupled_.emplace_back(cone.a, cone.b);
}

// For a drift of h. One that is passed is brought back slowly.
ConeConstraint LeapfrogStepper::limit_cone(const LimitRow& row, double h) const {
  ConeConstraint cone = row.cone;
  const double slowly = -unit_of_limit(row.limit) * options_.accuracy / scales_.time;
  cone.bias.x() = (row.value > 0 ? row.value / h : std::max(row.value / h, slowly)) + row.bend * h - row.push;
  return cone;
}

// Limits that would be passed: those without a row get one, or, if they bounce, end the drift where they are reached; others are asked for
// more; unless this was the last time. True if there are none.
bool LeapfrogStepper::keep_limits(const State& state, const std::vector<double>& v, double h, bool last,
                                  double& safe) {
  if (model_->limits().empty()) return true;
  bool kept = true;
  State end = state;
  problem_.drift(v, h, end);
  turn_hinges(*model_, state, end);
  model::ConstraintRows rows;
  for (size_t k = 0; k < model_->limits().size(); ++k) {
    const model::Limit& limit = *model_->limits()[k];
    const auto motion = [&](BodyId id) {
      return id.valid() ? body_motion(*model_, end, id) : model::kWorldMotion;
    };
    limit.evaluate(end.time, motion(limit.a()), motion(limit.b()), rows);
    const double value = rows.value[0], before = all_limits_[k].value;
    // No further than half of what is allowed; where it is already, hardly further.
    const double allowed = kFastJoint * options_.accuracy * unit_of_limit(k);
    if (value >= std::min(before - kLimitRest * allowed, -0.5 * allowed)) continue;
    kept = false;
    if (last) break;
    const auto row =
        std::find_if(limits_.begin(), limits_.end(), [&](const LimitRow& r) { return r.limit == k; });
    if (row != limits_.end())
      row->push += (std::max(before, 0.0) > 0 ? -value : before - value) / h;
    else if (limit.restitution() > 0 && before > 0 && h * before / (before - value) > kShortestPart * h_)
      safe = std::min(safe, h * before / (before - value));
    else
      add_limit(k);
  }
  return kept;
}

void LeapfrogStepper::remember_limits(const std::vector<double>& v, double h, LeapfrogMemory& control) const {
  for (size_t i = 0; i < limits_.size(); ++i)
    control.limits[i].foreseen = limits_[i].value + h * dynamics::speed_at(limits_[i].cone, v).x();
  std::sort(control.limits.begin(), control.limits.end(),
            [](const LimitMemory& x, const LimitMemory& y) { return x.limit < y.limit; });
}

}  // namespace tumble::simulate
