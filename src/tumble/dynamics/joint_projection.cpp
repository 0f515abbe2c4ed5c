#include "tumble/dynamics/joint_projection.h"

#include <algorithm>
#include <cmath>

namespace tumble::dynamics {

using model::kAngularMomentumAt;
using model::kBodySize;
using model::kMomentumAt;
using model::kOrientationAt;
using model::kPositionAt;
using model::Vec3;

JointGap JointProjection::project(double t, double* y, const double* hinge_angles) {
  ConstrainedBodies& bodies = *bodies_;
  ConstraintSolver& solver = bodies.solver();
  JointGap gap;
  for (NewtonProgress progress(parameters_.max_iterations, parameters_.stall);;) {
    bodies.update_motions(y, hinge_angles);
    solver.factor(t, bodies.motions());
    gap = bodies.largest_gap();
    if (gap.error == 0 || progress.should_stop(gap.error)) break;
    progress.count_iteration(gap.error);
    correct_poses(y);
    if (!gap.widest || gap.error > parameters_.small_gap * bodies.model().size_of(*gap.widest)) continue;
    // One correction closes such a small gap. The matrix has not changed enough to factor it again for the
    // velocities.
    bodies.update_motions(y, hinge_angles);
    solver.evaluate(t, bodies.motions());
    const JointGap left = bodies.largest_gap();
    if (left.error > parameters_.closed_part * gap.error && left.error > rounding_at(y, left)) continue;
    correct_velocities(y);
    return left;
  }
  std::vector<double>& rows = bodies.rows();
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = -solver.rates()[i];
  project_velocities(bodies, y);
  return gap;
}

// The first part of (1).
void JointProjection::correct_poses(double* y) {
  ConstrainedBodies& bodies = *bodies_;
  std::fill(bodies.twists().begin(), bodies.twists().end(), 0.0);
  std::vector<double>& rows = bodies.rows();
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = -bodies.solver().values()[i];
  bodies.solve();
  for (size_t n = 0; n < bodies.nodes().size(); ++n) {
    double* yb = y + bodies.nodes()[n].body.index() * kBodySize;
    double* q = yb + kOrientationAt;
    Eigen::Map<Vec3>(yb + kPositionAt) += bodies.twist(n).head<3>();
    const model::Quat turned = (model::Quat::from_rotation_vector(bodies.twist(n).tail<3>()) *
                                model::Quat::from_wxyz(q[0], q[1], q[2], q[3]))
                                   .normalized();
    q[0] = turned.w(), q[1] = turned.x(), q[2] = turned.y(), q[3] = turned.z();
  }
}

// The second part of (1).
void JointProjection::correct_velocities(double* y) {
  ConstrainedBodies& bodies = *bodies_;
  std::fill(bodies.twists().begin(), bodies.twists().end(), 0.0);
  std::vector<double>& rows = bodies.rows();
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = -bodies.solver().speeds()[i];
  bodies.solve();
  for (size_t n = 0; n < bodies.nodes().size(); ++n) {
    const core::BodyId body = bodies.nodes()[n].body;
    double* yb = y + body.index() * kBodySize;
    Eigen::Map<Vec3>(yb + kMomentumAt) += bodies.model().body(body).mass * bodies.twist(n).head<3>();
    Eigen::Map<Vec3>(yb + kAngularMomentumAt) += bodies.times_inertia(n, bodies.twist(n).tail<3>());
  }
}

double JointProjection::rounding_at(const double* y, const JointGap& gap) const {
  const double* x = y + gap.widest->b().index() * kBodySize;
  return parameters_.round_off *
         (std::abs(x[0]) + std::abs(x[1]) + std::abs(x[2]) + bodies_->model().size_of(*gap.widest));
}

void project_velocities(ConstrainedBodies& bodies, double* y) {
  for (size_t n = 0; n < bodies.nodes().size(); ++n) {
    const double* yb = y + bodies.nodes()[n].body.index() * kBodySize;
    std::copy_n(yb + kMomentumAt, 6, bodies.twist(n).data());  // P and L are adjacent
  }
  bodies.solve();
  for (size_t n = 0; n < bodies.nodes().size(); ++n) {
    const core::BodyId body = bodies.nodes()[n].body;
    double* yb = y + body.index() * kBodySize;
    Eigen::Map<Vec3>(yb + kMomentumAt) = bodies.model().body(body).mass * bodies.twist(n).head<3>();
    Eigen::Map<Vec3>(yb + kAngularMomentumAt) = bodies.times_inertia(n, bodies.twist(n).tail<3>());
  }
}

}  // namespace tumble::dynamics
