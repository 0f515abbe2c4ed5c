// What laws do in a large step, and those with a largest effort in it: equation (2) of step_problem.h along a row, as a compliant row of the contact solver,
//   r = C - B u,   B = m theta_d d + a theta^2 h^2 k,   C = m (F + theta_d d u-) + a (1 - theta-)^2 h-^2 k u-,   m = (h- + h)/2
//   u + r/B - C/B = 0 while |r| <= f m,   else r of that size along C - B u                                  (1)
// A turning law has three such rows, the axes of the world, with the stiffness it has about its own axis: for a turn across that axis the
// torque k r changes by at most k (p cot p <= 1 with p half the angle), beside a part that does no work.
#include <algorithm>
#include <limits>

#include "tumble/core/require.h"
#include "tumble/dynamics/kick_problem.h"
#include "tumble/dynamics/linear/ball_kernel.h"

namespace tumble::dynamics {

using model::BodyMotion;
using model::Wrench;

namespace {

double speed_of(const ConeConstraint::Matrix36& G, int row, const BodyMotion& m) {
  return G.block<1, 3>(row, 0).dot(m.velocity) + G.block<1, 3>(row, 3).dot(m.angular_velocity);
}

// What along a row does this to the two bodies: from the one on which it does more.
double effort_along(const KktSolver::Vec6& J_a, const KktSolver::Vec6& J_b, const Wrench& on_a,
                    const Wrench& on_b) {
  const bool by_b = J_b.squaredNorm() > J_a.squaredNorm();
  const KktSolver::Vec6& J = by_b ? J_b : J_a;
  const Wrench& on = by_b ? on_b : on_a;
  return (J.head<3>().dot(on.force) + J.tail<3>().dot(on.torque)) / J.squaredNorm();
}

}  // namespace

ConeConstraint KickProblem::make_limited_row(const Law& law, double h_before, double h) {
  const BodyMotion &a = motion_of(law.law->a(), motions_), &b = motion_of(law.law->b(), motions_);
  resistance_.unlimited = true;
  Wrench on_a, on_b;
  law.law->linearise(time_, a, b, on_a, on_b, resistance_);
  resistance_.unlimited = false;
  TUMBLE_REQUIRE(resistance_.turns || resistance_.rows == 1,
                 "a law with a largest effort has one row, or turns");
  ConeConstraint row;
  row.set = ConeConstraint::Set::ball;
  row.radius = 0.5 * (h_before + h) * law.law->largest_effort();
  row.a = law.a, row.b = law.b;
  math::Vec3 force = math::Vec3::Zero();
  double stiffness = 0, damping = 0;
  if (resistance_.turns) {
    row.G_a.block<3, 3>(0, 3) = -math::Mat3::Identity(), row.G_b.block<3, 3>(0, 3).setIdentity();
    force = on_b.torque;
    stiffness = resistance_.stiffness[0], damping = resistance_.turning_damping;
  } else {
    for (int k = 0; k < 6; ++k) row.G_a(0, k) = resistance_.J_a[0][k], row.G_b(0, k) = resistance_.J_b[0][k];
    force.x() = effort_along(row.G_a.row(0), row.G_b.row(0), on_a, on_b);
    stiffness = resistance_.stiffness[0], damping = resistance_.damping[0];
  }
  // A law beyond its largest effort is no spring: with theta near 1/2 it would leave that effort too late or too early, and gain by it.
  const bool beyond = force.squaredNorm() > law.law->largest_effort() * law.law->largest_effort();
  const LawWeights weights = resistance_.turns ? choose_turning_weights(law, h_before, h, beyond)
                                               : choose_weights(law, h_before, h, beyond);
  const double B = weights.now(stiffness, damping), past = weights.before(stiffness, damping);
  math::Vec3 speed;
  for (int i = 0; i < 3; ++i) speed[i] = speed_of(row.G_a, i, a) + speed_of(row.G_b, i, b);
  row.impulse = weights.kick * force + past * speed;
  if (h == 0 || !(B > 0)) {
    // Nothing is solved: u as this law alone leaves it.
    for (int i = 0; i < 3; ++i) {
      double J_a[6], J_b[6];
      for (int k = 0; k < 6; ++k) J_a[k] = row.G_a(i, k), J_b[k] = row.G_b(i, k);
      row.impulse[i] =
          (row.impulse[i] - B * speed[i]) / (1 + B * (mobility(law.a, J_a) + mobility(law.b, J_b)));
    }
    row.impulse = project_on_cone(row, row.impulse);
    return row;
  }
  row.compliance = 1 / B;
  row.bias = -row.impulse / B;
  row.impulse.setZero();
  return row;
}

// What is not a moving body stands still.
Eigen::Map<const KktSolver::Vec6> KickProblem::velocity_in(std::span<const double> v, int node) const {
  static constexpr double kRest[6] = {};
  return Eigen::Map<const KktSolver::Vec6>(node == kNone ? kRest : &v[6 * static_cast<size_t>(node)]);
}

KickProblem::Passed KickProblem::passed_on(size_t index, std::span<const double> v,
                                           const ConeConstraint* row) {
  Passed passed;
  const auto [a, b] = law_nodes_[index];
  if (const auto limited = std::lower_bound(limited_.begin(), limited_.end(), index,
                                            [](const Law& x, size_t i) { return x.index < i; });
      limited != limited_.end() && limited->index == index) {
    const ConeConstraint acting = row ? *row : make_limited_row(*limited, before_, 0);
    for (const auto& [G, on] : {std::pair(&acting.G_a, &passed.on_a), std::pair(&acting.G_b, &passed.on_b)}) {
      const KktSolver::Vec6 push = G->transpose() * acting.impulse;
      on->force = push.head<3>(), on->torque = push.tail<3>();
    }
    passed.effort = acting.G_a.row(1).isZero(0) ? acting.impulse.x() : acting.impulse.norm();
    return passed;
  }
  if (!(kick_ > 0)) return passed;
  const Acting& acting = acting_[index];
  const double* impulse = &impulses_[acting.at];
  const auto v_a = velocity_in(v, a), v_b = velocity_in(v, b);
  if (acting.turns) {
    const double w[] = {v_b[3] - v_a[3], v_b[4] - v_a[4], v_b[5] - v_a[5]};
    for (int k = 0; k < 3; ++k) {
      passed.on_b.torque[k] = impulse[k] - times_symmetric(impulse + 3, w, k);
      passed.on_a.torque[k] = -passed.on_b.torque[k];
    }
    passed.effort = passed.on_b.torque.norm();
    return passed;
  }
  using Vec6 = KktSolver::Vec6;
  using Row = Eigen::Map<const Vec6>;
  const int wide = acting.has_b ? 12 : 6;
  const double* known = impulse + wide;
  Vec6 on_a = Row(impulse), on_b = Vec6::Zero();
  if (acting.has_b) on_b = Row(impulse + 6);
  for (int i = 0; i < acting.rows; ++i, known += 1 + wide) {
    const Row J_a(known + 1), J_b(known + wide - 5);
    const double much = -known[0] * (acting.has_b ? J_a.dot(v_a) + J_b.dot(v_b) : J_a.dot(v_a));
    on_a += much * J_a;
    if (acting.has_b) on_b += much * J_b;
  }
  passed.on_a = {on_a.head<3>(), on_a.tail<3>()}, passed.on_b = {on_b.head<3>(), on_b.tail<3>()};
  if (acting.rows != 1) return passed;
  const Vec6 J_a = Row(impulse + wide + 1), J_b = acting.has_b ? Vec6(Row(impulse + 19)) : Vec6::Zero();
  passed.effort = effort_along(J_a, J_b, passed.on_a, passed.on_b);
  return passed;
}

void KickProblem::add_actuators(std::vector<ConeConstraint>& cones, std::vector<size_t>& laws) {
  if (!(h_ > 0)) return;
  for (const Law& law : limited_) {
    const ConeConstraint row = make_limited_row(law, before_, h_);
    if (!(row.compliance > 0)) continue;  // it does not resist, and does nothing
    cones.push_back(row);
    laws.push_back(law.index);
  }
}

void KickProblem::update_limited() {
  limited_.clear();
  for (Law& law : laws_) {
    law.limited = law.law->resists() && law.law->largest_effort() < std::numeric_limits<double>::infinity();
    if (law.limited) limited_.push_back(law);
  }
  std::sort(limited_.begin(), limited_.end(), [](const Law& x, const Law& y) { return x.index < y.index; });
}

void KickProblem::add_limited_kick(const Law& law) {
  const ConeConstraint row = make_limited_row(law, before_, 0);
  const KktSolver::Vec6 on_a = row.G_a.transpose() * row.impulse, on_b = row.G_b.transpose() * row.impulse;
  push_on(law.a, on_a.data(), true);
  push_on(law.b, on_b.data(), true);
}

}  // namespace tumble::dynamics
