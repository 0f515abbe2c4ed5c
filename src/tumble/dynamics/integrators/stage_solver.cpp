#include "tumble/dynamics/integrators/stage_solver.h"

#include <algorithm>

#include "tumble/dynamics/tolerances.h"
#include "tumble/model/state.h"

namespace tumble::dynamics {

using model::BodyMotion;
using model::Vec3;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Vector12 = Eigen::Matrix<double, 12, 1>;

namespace {

// The motion with pose coordinate k changed by d (0 to 2: along the axes, 3 to 5: about them).
BodyMotion change_pose(BodyMotion motion, int k, double d) {
  if (k < 3)
    motion.center[k] += d;
  else
    motion.rotation = model::Quat::from_rotation_vector(d * Vec3::Unit(k - 3)).to_matrix() * motion.rotation;
  return motion;
}

BodyMotion change_velocity(BodyMotion motion, int k, double d) {
  (k < 3 ? motion.velocity[k] : motion.angular_velocity[k - 3]) += d;
  return motion;
}

Vector12 forces_of(const model::ForceLaw& law, double t, const BodyMotion& a, const BodyMotion& b) {
  model::Wrench on_a, on_b;
  law.apply(t, a, b, on_a, on_b);
  Vector12 all;
  all << on_a.force, on_a.torque, on_b.force, on_b.torque;
  return all;
}

}  // namespace

StageSolver::StageSolver(const model::Model& model)
    : model_(&model), bodies_(model), masses_(bodies_.size()) {}

void StageSolver::factor(double t, double g, std::span<const BodyMotion> motions,
                         const std::vector<int>& active_limits) {
  g_ = g;
  differentiate_laws(t, g, motions);
  begin_matrix(active_limits);
  for (size_t n = 0; n < bodies_.size(); ++n) {
    const model::Body& body = model_->body(bodies_[n]);
    const model::Mat3& R = motions[bodies_[n].index()].rotation;
    masses_[n].setZero();
    masses_[n].topLeftCorner<3, 3>() = body.mass * model::Mat3::Identity();
    masses_[n].bottomRightCorner<3, 3>() = R * body.inertia_B * R.transpose();
    matrix_.set_diagonal(static_cast<int>(n), masses_[n]);
  }
  const auto add = [&](int i, int j, const KktSolver::Block& A_ij) {
    if (i == kNone || j == kNone) return;
    i == j ? matrix_.set_diagonal(i, matrix_.diagonal(i) + A_ij) : matrix_.add_coupling(i, j, A_ij);
  };
  for (const auto& [i, j, K, A] : couplings_) {
    add(i, i, A.topLeftCorner<6, 6>());
    add(j, j, A.bottomRightCorner<6, 6>());
    add(i, j, A.topRightCorner<6, 6>());
    if (i == j) add(j, i, A.bottomLeftCorner<6, 6>());
  }
  model::ConstraintRows rows;
  for (size_t k = 0; k < constraints_.size(); ++k) {
    const model::Constraint& constraint = *constraints_[k];
    constraint.evaluate(t, motion_of(constraint.a(), motions), motion_of(constraint.b(), motions), rows);
    const bool b_moves = node_of(constraint.b()) != kNone;
    std::copy_n(b_moves ? rows.J_b[0] : rows.J_a[0], 6 * constraint.rows(), matrix_.J_a(k));
    if (row_blocks_[k].b != kNone) std::copy_n(rows.J_a[0], 6 * constraint.rows(), matrix_.J_b(k));
  }
  matrix_.factor();
}

// Computes K, and A = g D + g^2 K made symmetric, of every law that has them.
void StageSolver::differentiate_laws(double t, double g, std::span<const BodyMotion> motions) {
  couplings_.clear();
  for (const auto& law : model_->forces()) {
    const BodyMotion &a = motion_of(law->a(), motions), &b = motion_of(law->b(), motions);
    Coupling coupling{node_of(law->a()), node_of(law->b()), Matrix12::Zero(), Matrix12::Zero()};
    Matrix12 D = Matrix12::Zero();
    const Vector12 here = forces_of(*law, t, a, b);
    for (int k = 0; k < 12; ++k) {
      const core::BodyId body = k < 6 ? law->a() : law->b();
      if (node_of(body) == kNone) continue;
      const int part = k % 6;
      const double d = kDifference * (part < 3 ? model_->body(body).radius : 1);
      const auto forces_with = [&](const BodyMotion& other) {
        return forces_of(*law, t, k < 6 ? other : a, k < 6 ? b : other);
      };
      const BodyMotion& motion = k < 6 ? a : b;
      coupling.K.col(k) = (here - forces_with(change_pose(motion, part, d))) / d;
      D.col(k) = (here - forces_with(change_velocity(motion, part, d / g))) / (d / g);
    }
    const Matrix12 both = g * D + g * g * coupling.K;
    coupling.A = 0.5 * (both + both.transpose());
    if (!coupling.A.isZero(0)) couplings_.push_back(coupling);
  }
}

// The elimination order changes only if couplings or limits change. The first body of a row block always
// moves.
void StageSolver::begin_matrix(const std::vector<int>& active_limits) {
  pairs_.clear(), row_blocks_.clear(), constraints_.clear();
  for (const Coupling& coupling : couplings_)
    if (coupling.node_a != kNone && coupling.node_b != kNone && coupling.node_a != coupling.node_b)
      pairs_.emplace_back(coupling.node_a, coupling.node_b);
  for (const auto& constraint : model_->constraints()) constraints_.push_back(constraint.get());
  for (const int limit : active_limits)
    constraints_.push_back(model_->limits()[static_cast<size_t>(limit)].get());
  for (const model::Constraint* constraint : constraints_) {
    const int a = node_of(constraint->a()), b = node_of(constraint->b());
    row_blocks_.push_back({b != kNone ? b : a, b != kNone ? a : kNone, constraint->rows()});
  }
  matrix_.set_pattern(bodies_.size(), pairs_, row_blocks_);
}

// Adds J M^-1 p of one constraint to y_.
void StageSolver::multiply_rows(size_t constraint) {
  const KktSolver::Rows& block = row_blocks_[constraint];
  for (int side = 0; side < 2; ++side) {
    const int node = side == 0 ? block.a : block.b;
    if (node == kNone) continue;
    const double* J = side == 0 ? matrix_.J_a(constraint) : matrix_.J_b(constraint);
    const double* v = &velocities_[6 * static_cast<size_t>(node)];
    double* y = &y_[matrix_.first_row(constraint)];
    for (int i = 0; i < block.count; ++i)
      for (int k = 0; k < 6; ++k) y[i] += J[6 * i + k] * v[k];
  }
}

void StageSolver::solve(const double* Y, double* residual) {
  std::vector<Vector6> poses(bodies_.size());
  x_.assign(6 * bodies_.size(), 0.0);
  y_.assign(matrix_.rows(), 0.0);
  velocities_.resize(6 * bodies_.size());  // M^-1 p
  for (size_t n = 0; n < bodies_.size(); ++n) {
    const double* q = Y + bodies_[n].index() * model::kBodySize + model::kOrientationAt;
    const double* R = residual + bodies_[n].index() * model::kBodySize;
    const double* r = R + model::kOrientationAt;
    // theta = 2 vec(r q*) / |q|^2
    const double f = 2 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const Vec3 qv(q[1], q[2], q[3]), rv(r[1], r[2], r[3]);
    poses[n].head<3>() = Vec3(R[0], R[1], R[2]);
    poses[n].tail<3>() = f * (q[0] * rv - r[0] * qv - rv.cross(qv));
    const Eigen::Map<const Vector6> p(R + model::kMomentumAt);
    std::copy_n(p.data(), 6, &x_[6 * n]);
    const Vec3 angular = masses_[n].bottomRightCorner<3, 3>().ldlt().solve(p.tail<3>());
    for (size_t k = 0; k < 3; ++k) velocities_[6 * n + k] = R[model::kMomentumAt + k] / masses_[n](0, 0);
    std::copy_n(angular.data(), 3, &velocities_[6 * n + 3]);
  }
  for (const Coupling& coupling : couplings_) {
    Vector12 r = Vector12::Zero();
    if (coupling.node_a != kNone) r.head<6>() = poses[static_cast<size_t>(coupling.node_a)];
    if (coupling.node_b != kNone) r.tail<6>() = poses[static_cast<size_t>(coupling.node_b)];
    const Vector12 impulse = g_ * (coupling.K * r);
    if (coupling.node_a != kNone)
      Eigen::Map<Vector6>(&x_[6 * static_cast<size_t>(coupling.node_a)]) -= impulse.head<6>();
    if (coupling.node_b != kNone)
      Eigen::Map<Vector6>(&x_[6 * static_cast<size_t>(coupling.node_b)]) -= impulse.tail<6>();
  }
  for (size_t k = 0; k < constraints_.size(); ++k) multiply_rows(k);
  matrix_.solve(x_.data(), y_.data());

  for (size_t n = 0; n < bodies_.size(); ++n) {
    const double* q = Y + bodies_[n].index() * model::kBodySize + model::kOrientationAt;
    double* R = residual + bodies_[n].index() * model::kBodySize;
    const Eigen::Map<const Vector6> w(&x_[6 * n]);
    const Vector6 change = poses[n] + g_ * w, momenta = masses_[n] * w;
    const Vec3 half = 0.5 * change.tail<3>(), qv(q[1], q[2], q[3]);
    std::copy_n(change.data(), 3, R);
    double* r = R + model::kOrientationAt;
    // [0, theta] q / 2, plus the residual of the quaternion's length
    const double along = (r[0] * q[0] + r[1] * q[1] + r[2] * q[2] + r[3] * q[3]) /
                         (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const Vec3 rotated = q[0] * half + half.cross(qv);
    r[0] = along * q[0] - half.dot(qv);
    for (int k = 0; k < 3; ++k) r[1 + k] = along * q[1 + k] + rotated[k];
    std::copy_n(momenta.data(), 6, R + model::kMomentumAt);
  }
}

}  // namespace tumble::dynamics
