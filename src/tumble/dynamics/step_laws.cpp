// What laws do in a large step, and those with a largest effort in it: equation (2) of step_problem.h along a row, as a compliant row of the contact solver,
//   r = C - B u,   B = m (theta_d d + theta^2 g k),   C = m (F + (theta_d d + (1 - theta)^2 h- k) u-),   m = (h- + h)/2,  g the longer step
//   u + r/B - C/B = 0 while |r| <= f m,   else r of that size along C - B u                                  (1)
// A turning law has three such rows, the axes of the world, with the stiffness it has about its own axis: for a turn across that axis the
// torque k r changes by at most k (p cot p <= 1 with p half the angle), beside a part that does no work.
#include <algorithm>

#include "tumble/core/require.h"
#include "tumble/dynamics/step_problem.h"

namespace tumble::dynamics {

using model::BodyMotion;
using model::Wrench;

namespace {

double speed_of(const ConeRow::Matrix36& G, int row, const BodyMotion& m) {
  return G.block<1, 3>(row, 0).dot(m.velocity) + G.block<1, 3>(row, 3).dot(m.angular_velocity);
}

// What along a row does this to the two bodies: from the one on which it does more.
double effort_along(const BlockSolver::Vec6& J_a, const BlockSolver::Vec6& J_b, const Wrench& on_a,
                    const Wrench& on_b) {
  const bool by_b = J_b.squaredNorm() > J_a.squaredNorm();
  const BlockSolver::Vec6& J = by_b ? J_b : J_a;
  const Wrench& on = by_b ? on_b : on_a;
  return (J.head<3>().dot(on.force) + J.tail<3>().dot(on.torque)) / J.squaredNorm();
}

}  // namespace

ConeRow StepProblem::make_limited_row(const Law& law, double h_before, double h) {
  const BodyMotion &a = motion_of(law.law->a(), motions_), &b = motion_of(law.law->b(), motions_);
  resistance_.unlimited = true;
  Wrench on_a, on_b;
  law.law->linearise(time_, a, b, on_a, on_b, resistance_);
  resistance_.unlimited = false;
  TUMBLE_REQUIRE(resistance_.turns || resistance_.rows == 1,
                 "a law with a largest effort has one row, or turns");
  ConeRow row;
  row.set = ConeRow::Set::ball;
  row.radius = 0.5 * (h_before + h) * law.law->largest_effort();
  row.a = law.a, row.b = law.b;
  math::Vec3 force = math::Vec3::Zero();
  double stiffness = 0, damping = 0;
  if (resistance_.turns) {
    row.G_a.block<3, 3>(0, 3) = -math::Mat3::Identity(), row.G_b.block<3, 3>(0, 3).setIdentity();
    force = on_b.torque;
    stiffness = resistance_.rows > 0 ? resistance_.stiffness[0] : 0;
    damping = resistance_.turning_damping;
  } else {
    for (int k = 0; k < 6; ++k) row.G_a(0, k) = resistance_.J_a[0][k], row.G_b(0, k) = resistance_.J_b[0][k];
    force.x() = effort_along(row.G_a.row(0), row.G_b.row(0), on_a, on_b);
    stiffness = resistance_.stiffness[0], damping = resistance_.damping[0];
  }
  const LawWeights weights = choose_weights(law, h_before, h);
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

StepProblem::Passed StepProblem::passed_on(size_t index, std::span<const double> v, const ConeRow* row) {
  const auto find = [&](const std::vector<Law>& laws) {
    return std::lower_bound(laws.begin(), laws.end(), index,
                            [](const Law& law, size_t i) { return law.index < i; });
  };
  Passed passed;
  if (const auto law = find(limited_); law != limited_.end() && law->index == index) {
    const ConeRow acting = row ? *row : make_limited_row(*law, before_, 0);
    for (const auto& [G, on] : {std::pair(&acting.G_a, &passed.on_a), std::pair(&acting.G_b, &passed.on_b)}) {
      const BlockSolver::Vec6 push = G->transpose() * acting.impulse;
      on->force = push.head<3>(), on->torque = push.tail<3>();
    }
    passed.effort = acting.G_a.row(1).isZero(0) ? acting.impulse.x() : acting.impulse.norm();
    return passed;
  }
  const Law& law = *find(laws_);
  const BodyMotion &a = motion_of(law.law->a(), motions_), &b = motion_of(law.law->b(), motions_);
  model::Resistance& rows = resistance_;
  rows.rows = 0, rows.turns = false, rows.turning_damping = 0;
  law.law->linearise(time_, a, b, passed.on_a, passed.on_b, rows);
  const LawWeights weights =
      rows.none() ? LawWeights{.kick = 0.5 * (before_ + h_)} : choose_weights(law, before_, h_);
  for (Wrench* on : {&passed.on_a, &passed.on_b}) on->force *= weights.kick, on->torque *= weights.kick;
  // Velocities of the two bodies before and after.
  BlockSolver::Vec6 was[2] = {}, is[2] = {};
  for (const auto& [side, node, motion] : {std::tuple(0, law.a, &a), std::tuple(1, law.b, &b)}) {
    was[side] << motion->velocity, motion->angular_velocity;
    if (node == kNone)
      is[side] = was[side];
    else
      is[side] = Eigen::Map<const BlockSolver::Vec6>(&v[6 * static_cast<size_t>(node)]);
  }
  const auto resist = [&](const BlockSolver::Vec6& J_a, const BlockSolver::Vec6& J_b, double k, double d) {
    const double much = weights.before(k, d) * (J_a.dot(was[0]) + J_b.dot(was[1])) -
                        weights.now(k, d) * (J_a.dot(is[0]) + J_b.dot(is[1]));
    passed.on_a.force += much * J_a.head<3>(), passed.on_a.torque += much * J_a.tail<3>();
    passed.on_b.force += much * J_b.head<3>(), passed.on_b.torque += much * J_b.tail<3>();
  };
  BlockSolver::Vec6 J_a = BlockSolver::Vec6::Zero(), J_b = BlockSolver::Vec6::Zero();
  for (int i = 0; i < rows.rows; ++i) {
    for (int k = rows.turns ? 3 : 0; k < 6; ++k)
      J_b[k] = rows.J_b[i][k], J_a[k] = rows.turns ? -rows.J_b[i][k] : rows.J_a[i][k];
    resist(J_a, J_b, rows.stiffness[i], rows.damping[i]);
  }
  if (rows.turns) {
    if (rows.turning_damping > 0)
      for (int k = 3; k < 6; ++k)
        resist(-BlockSolver::Vec6::Unit(k), BlockSolver::Vec6::Unit(k), 0, rows.turning_damping);
    passed.effort = passed.on_b.torque.norm();
  } else if (rows.rows == 1) {
    passed.effort = effort_along(J_a, J_b, passed.on_a, passed.on_b);
  }
  return passed;
}

std::vector<StepProblem::Limited> StepProblem::limited_rows() {
  std::vector<Limited> rows;
  if (!(h_ > 0)) return rows;
  for (const Law& law : limited_) {
    const ConeRow row = make_limited_row(law, before_, h_);
    if (row.compliance > 0) rows.push_back({law.index, row});  // else it does not resist, and does nothing
  }
  return rows;
}

void StepProblem::add_limited_kicks(double h_before) {
  for (const Law& law : limited_) {
    const ConeRow row = make_limited_row(law, h_before, 0);
    for (const auto& [node, G] : {std::pair(row.a, &row.G_a), std::pair(row.b, &row.G_b)})
      if (node != kNone) Eigen::Map<BlockSolver::Vec6>(at(smooth_, node)) += G->transpose() * row.impulse;
  }
}

}  // namespace tumble::dynamics
