#include "tumble/dynamics/step_problem.h"

#include <algorithm>

#include "tumble/core/require.h"
#include "tumble/dynamics/tolerances.h"

namespace tumble::dynamics {

using core::BodyId;
using math::Mat3;
using math::Vec3;
using model::State;

namespace {

using Vec6 = BlockSolver::Vec6;

Eigen::Map<Vec6> part(std::vector<double>& x, size_t node) { return Eigen::Map<Vec6>(x.data() + 6 * node); }

Mat3 turned(const Mat3& R, const Vec3& by) { return math::Quat::from_rotation_vector(by).to_matrix() * R; }

}  // namespace

StepProblem::StepProblem(const model::Model& model)
    : model_(&model), node_of_body_(model.bodies().size(), kNone) {
  for (size_t i = 0; i < model.bodies().size(); ++i) {
    if (model.bodies()[i].fixed) continue;
    node_of_body_[i] = static_cast<int>(bodies_.size());
    bodies_.emplace_back(i);
  }
  for (const auto& constraint : model.constraints()) {
    const int a = node_of(constraint->a()), b = node_of(constraint->b());
    // The solver's first body moves.
    TUMBLE_REQUIRE(a != kNone || b != kNone, "a constraint between two fixed bodies says nothing");
    joints_.push_back({b != kNone ? b : a, b != kNone ? a : kNone, constraint->rows()});
  }
}

std::vector<double> StepProblem::momenta_of(const State& state) const {
  std::vector<double> momenta(size());
  for (size_t n = 0; n < bodies_.size(); ++n)
    part(momenta, n) << state.momentum(bodies_[n]), state.angular_momentum(bodies_[n]);
  return momenta;
}

Mat3 StepProblem::inertia_at(size_t node, const Mat3& R) const {
  return R * model_->body(bodies_[node]).inertia_B * R.transpose();
}

void StepProblem::assemble(const State& where, std::span<const double> momenta, double kick, double h,
                           const std::vector<std::pair<int, int>>& coupled) {
  motions_.clear();
  for (size_t i = 0; i < model_->bodies().size(); ++i)
    motions_.push_back(body_motion(*model_, where, BodyId(i)));
  b_.assign(momenta.begin(), momenta.end());
  inertias_.resize(bodies_.size());
  smooth_.assign(size(), 0.0);
  add_forces(where.time, kick);
  matrix_.begin(bodies_.size(), coupled, joints_);
  for (size_t n = 0; n < bodies_.size(); ++n) {
    const model::Body& body = model_->body(bodies_[n]);
    const Mat3& R = motions_[bodies_[n].index()].rotation;
    for (size_t k = 6 * n; k < 6 * n + 6; ++k) b_[k] += smooth_[k];
    const Vec3 L(b_[6 * n + 3], b_[6 * n + 4], b_[6 * n + 5]);
    Vec3 w = R * (body.inverse_inertia_B * (R.transpose() * L));
    for (int pass = 0; pass < kMidRotationPasses; ++pass) {
      const Mat3 middle = turned(R, 0.5 * h * w);
      w = middle * (body.inverse_inertia_B * (middle.transpose() * L));
    }
    inertias_[n] = inertia_at(n, turned(R, 0.5 * h * w));
    BlockSolver::Block& A = matrix_.diagonal(static_cast<int>(n));
    A.topLeftCorner<3, 3>() = body.mass * Mat3::Identity();
    A.bottomRightCorner<3, 3>() = inertias_[n];
  }
  c_.resize(matrix_.rows());
  model::ConstraintRows rows;
  for (size_t k = 0; k < joints_.size(); ++k) {
    const model::Constraint& constraint = *model_->constraints()[k];
    constraint.evaluate(where.time, motion_of(constraint.a(), motions_), motion_of(constraint.b(), motions_),
                        rows);
    const bool b_first = node_of(constraint.b()) != kNone;
    for (int i = 0; i < constraint.rows(); ++i) {
      std::copy_n(b_first ? rows.J_b[i] : rows.J_a[i], 6, matrix_.J_a(k) + 6 * i);
      if (joints_[k].b != kNone) std::copy_n(rows.J_a[i], 6, matrix_.J_b(k) + 6 * i);
      c_[matrix_.first_row(k) + static_cast<size_t>(i)] = -rows.rate[i] - (h > 0 ? rows.value[i] / h : 0);
    }
  }
}

void StepProblem::add_forces(double t, double kick) {
  for (size_t n = 0; n < bodies_.size(); ++n)
    part(smooth_, n).head<3>() = kick * model_->body(bodies_[n]).mass * model_->gravity();
  for (const auto& law : model_->forces()) {
    model::Wrench on_a, on_b;
    law->apply(t, motion_of(law->a(), motions_), motion_of(law->b(), motions_), on_a, on_b);
    for (const auto& [body, wrench] : {std::pair(law->a(), &on_a), std::pair(law->b(), &on_b)}) {
      const int n = node_of(body);
      if (n == kNone) continue;
      part(smooth_, static_cast<size_t>(n)).head<3>() += kick * wrench->force;
      part(smooth_, static_cast<size_t>(n)).tail<3>() += kick * wrench->torque;
    }
  }
}

std::vector<double> StepProblem::momenta_from(std::span<const double> v) const {
  std::vector<double> momenta(size());
  for (size_t n = 0; n < bodies_.size(); ++n) {
    const Eigen::Map<const Vec6> u(&v[6 * n]);
    part(momenta, n) << model_->body(bodies_[n]).mass * u.head<3>(), inertias_[n] * u.tail<3>();
  }
  return momenta;
}

void StepProblem::drift(std::span<const double> v, double h, State& state) const {
  for (size_t n = 0; n < bodies_.size(); ++n) {
    const Eigen::Map<const Vec6> u(&v[6 * n]);
    const BodyId id = bodies_[n];
    state.set_position(id, state.position(id) + h * u.head<3>());
    state.set_orientation(
        id, (math::Quat::from_rotation_vector(h * u.tail<3>()) * state.orientation(id)).normalized());
  }
  state.time += h;
}

}  // namespace tumble::dynamics
