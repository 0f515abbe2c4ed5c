#include "tumble/dynamics/equations_of_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/dynamics/hinge_angles.h"
#include "tumble/dynamics/joint_projection.h"
#include "tumble/dynamics/joint_reactions.h"
#include "tumble/dynamics/spin.h"

namespace tumble::dynamics {

using model::BodyId;
using model::BodyMotion;
using model::kAngularMomentumAt;
using model::kBodySize;
using model::kMomentumAt;
using model::kOrientationAt;
using model::Vec3;

namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

}  // namespace

EquationsOfMotion::EquationsOfMotion(const model::Model& model, bool quergs, bool reactions)
    : OdeSystem(quergs),
      model_(&model),
      reactions_(reactions),
      layout_(model, reactions),
      bodies_(model),
      gyrations_(3 * bodies_.nodes().size(), 0.0),
      references_(model.bodies().size(), 0.0),
      latest_time_(kNoLimit) {}

void EquationsOfMotion::set_smooth_until(double t) {
  latest_time_ = t < kNoLimit ? std::nextafter(t, -kNoLimit) : kNoLimit;
}

void EquationsOfMotion::compute_slope(double t, const double* y, double* slope) {
  ++evaluations_;
  const std::vector<ConstrainedBodies::Body>& bodies = bodies_.bodies();
  std::vector<BodyMotion>& motions = bodies_.motions();
  const double* const angles = y + layout_.angles_at;
  for (size_t i = 0; i < bodies.size(); ++i) {
    const ConstrainedBodies::Body& body = bodies[i];
    const double* yb = y + i * kBodySize;
    double* sb = slope + i * kBodySize;
    if (body.fixed) {
      std::fill_n(sb, kBodySize, 0.0);
      if (!motions.empty()) motions[i].hinge_angles = angles;
      continue;
    }
    // Read everything before writing: the compiler cannot know that y and slope do not alias.
    const double *q = yb + kOrientationAt, *P = yb + kMomentumAt;
    const Spin spin(q, body.inverse_inertia, yb + kAngularMomentumAt);
    const auto [ox, oy, oz] = spin.omega;
    const double w = 0.5 * q[0], x = 0.5 * q[1], yq = 0.5 * q[2], z = 0.5 * q[3];
    const double vx = body.inverse_mass * P[0], vy = body.inverse_mass * P[1], vz = body.inverse_mass * P[2];
    const double gx = body.weight[0], gy = body.weight[1], gz = body.weight[2];
    // (1), with [0, omega_W] q = q [0, omega_B]
    sb[0] = vx, sb[1] = vy, sb[2] = vz;
    sb[kOrientationAt + 0] = -(ox * x + oy * yq + oz * z);
    sb[kOrientationAt + 1] = ox * w + oz * yq - oy * z;
    sb[kOrientationAt + 2] = oy * w + ox * z - oz * x;
    sb[kOrientationAt + 3] = oz * w + oy * x - ox * yq;
    sb[kMomentumAt] = gx, sb[kMomentumAt + 1] = gy, sb[kMomentumAt + 2] = gz;
    sb[kAngularMomentumAt] = sb[kAngularMomentumAt + 1] = sb[kAngularMomentumAt + 2] = 0;
    if (!motions.empty()) {
      const model::Mat3 R = rotation_from(q);
      motions[i] = {vec3(yb), R, Vec3(vx, vy, vz), R * vec3(spin.omega), angles};
    }
  }
  compute_hinge_rates(*model_, motions, slope + layout_.angles_at);
  // Without force laws there is no work and K is constant: those slopes stay zero.
  if (!motions.empty()) add_forces(t, y, slope);
  if (has_constraints()) add_constraint_forces(t, y, slope);
  if (reactions_) {
    const double now = std::min(t, latest_time_);
    compute_joint_reactions(*model_, now, motions, SmoothReactions{bodies_, now, true},
                            slope + layout_.impulses_at);
  }
}

void EquationsOfMotion::add_constraint_forces(double t, const double* y, double* slope) {
  ConstraintSolver& solver = bodies_.solver();
  const std::vector<JointGraph::Node>& nodes = bodies_.nodes();
  std::vector<double>& rows = bodies_.rows();
  solver.factor(std::min(t, latest_time_), bodies_.motions());
  for (size_t n = 0; n < nodes.size(); ++n) {
    const size_t at = nodes[n].body.index() * kBodySize;
    const Vec3 gyration =
        bodies_.motions()[nodes[n].body.index()].angular_velocity.cross(vec3(y + at + kAngularMomentumAt));
    const Eigen::Map<const Vec3> force(slope + at + kMomentumAt), torque(slope + at + kAngularMomentumAt);
    bodies_.twist(n).head<3>() = force;
    bodies_.twist(n).tail<3>() = torque - gyration;
    std::copy_n(gyration.data(), 3, &gyrations_[3 * n]);
  }
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = -solver.biases()[i];
  if (feedback_) add_feedback(std::min(t, latest_time_));
  bodies_.solve();
  // The accelerations determine the sum of all forces.
  for (size_t n = 0; n < nodes.size(); ++n) {
    const size_t body = nodes[n].body.index(), at = body * kBodySize;
    Eigen::Map<Vec3>(slope + at + kMomentumAt) = model_->bodies()[body].mass * bodies_.twist(n).head<3>();
    Eigen::Map<Vec3>(slope + at + kAngularMomentumAt) =
        bodies_.times_inertia(n, bodies_.twist(n).tail<3>()) + vec3(&gyrations_[3 * n]);
  }
  double* power = slope + layout_.work_at + model_->forces().size();
  for (const size_t c : model_->moving_constraints()) {
    const size_t first = solver.first_row(c),
                 end = first + static_cast<size_t>(model_->constraints()[c]->rows());
    *power = 0;
    for (size_t i = first; i < end; ++i) *power += rows[i] * solver.rates()[i];
    ++power;
  }
}

void EquationsOfMotion::add_feedback(double t) {
  model::ConstraintRows rows;
  for (size_t c = 0; c < model_->constraints().size(); ++c) {
    const model::Constraint& joint = *model_->constraints()[c];
    const BodyMotion &a = motion_of(joint.a(), bodies_.motions()),
                     &b = motion_of(joint.b(), bodies_.motions());
    joint.evaluate(t, a, b, rows);
    for (int i = 0; i < joint.rows(); ++i)
      bodies_.rows()[bodies_.solver().first_row(c) + static_cast<size_t>(i)] -=
          (*feedback_)[0] * rows.value[i] + (*feedback_)[1] * speed_of_row(joint, rows, i, a, b);
  }
}

void EquationsOfMotion::apply_impact(double t, double* y, const std::vector<double>& speeds) {
  const ConstraintSolver& solver = bodies_.solver();
  std::vector<double>& rows = bodies_.rows();
  update_motions(y);
  bodies_.solver().factor(t, bodies_.motions());
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = -solver.rates()[i];
  for (size_t k = 0; k < speeds.size(); ++k) rows[solver.first_row_of_limit(k)] += speeds[k];
  project_velocities(bodies_, y);
  add_impulses(t, solver.rates(), y);
}

EquationsOfMotion::LimitAcceleration EquationsOfMotion::limit_acceleration(double t, size_t limit) const {
  const model::Limit& it = *model_->limits()[limit];
  const std::vector<BodyMotion>& motions = bodies_.motions();
  model::ConstraintRows row;
  it.evaluate(std::min(t, latest_time_), motion_of(it.a(), motions), motion_of(it.b(), motions), row);
  LimitAcceleration sum{row.bias[0], std::abs(row.bias[0])};
  const auto add = [&](BodyId body, const double* J) {
    const int node = body.valid() ? bodies_.solver().graph().node_of_body[body.index()] : model::kNone;
    if (node == model::kNone) return;
    const auto acceleration = bodies_.twist(static_cast<size_t>(node));
    for (int i = 0; i < 6; ++i) {
      sum.value += J[i] * acceleration[i];
      sum.terms += std::abs(J[i] * acceleration[i]);
    }
  };
  add(it.a(), row.J_a[0]);
  add(it.b(), row.J_b[0]);
  return sum;
}

void EquationsOfMotion::add_impulses(double t, std::span<const double> rates_before, double* y) {
  const ConstraintSolver& solver = bodies_.solver();
  double* work = y + layout_.work_at + model_->forces().size();
  for (const size_t c : model_->moving_constraints()) {
    const size_t first = solver.first_row(c),
                 end = first + static_cast<size_t>(model_->constraints()[c]->rows());
    for (size_t i = first; i < end; ++i)
      *work += bodies_.rows()[i] * 0.5 * (rates_before[i] + solver.rates()[i]);
    ++work;
  }
  if (!reactions_) return;
  std::vector<double> impulses(model_->joints().size() * model::kReactionSize);
  compute_joint_reactions(*model_, t, bodies_.motions(), SmoothReactions{bodies_, t, false}, impulses.data());
  for (size_t i = 0; i < impulses.size(); ++i) y[layout_.impulses_at + i] += impulses[i];
}

void EquationsOfMotion::apply_script_jump(double t, double* y) {
  if (model_->moving_constraints().empty()) return;
  ConstraintSolver& solver = bodies_.solver();
  std::vector<double>& rows = bodies_.rows();
  update_motions(y);
  solver.evaluate(std::nextafter(t, -kNoLimit), bodies_.motions());
  const std::vector<double> before(solver.rates().begin(), solver.rates().end());
  solver.factor(t, bodies_.motions());
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = -solver.rates()[i];
  project_velocities(bodies_, y);
  add_impulses(t, before, y);
}

std::vector<double> EquationsOfMotion::compute_reactions_at(const model::State& state) {
  std::vector<double> y = layout_.vector_of(state), slope(size());
  compute_slope(state.time, y.data(), slope.data());
  return {slope.begin() + static_cast<long>(layout_.impulses_at),
          slope.begin() + static_cast<long>(layout_.angles_at)};
}

void EquationsOfMotion::update_counted_angles(double* y) const {
  update_hinge_angles(
      *model_, [&](BodyId body) { return rotation_from(y + body.index() * kBodySize + kOrientationAt); },
      y + layout_.angles_at);
}

void EquationsOfMotion::evaluate_limits(double t, const double* y, std::vector<LimitState>& out) {
  update_motions(y);
  dynamics::evaluate_limits(*model_, t, bodies_.motions(), out);
}

void EquationsOfMotion::add_forces(double t, const double* y, double* slope) {
  const double now = std::min(t, latest_time_);
  const std::vector<BodyMotion>& motions = bodies_.motions();
  double *const energy_rates = slope + layout_.reduced_energies_at, *power = slope + layout_.work_at;
  std::fill_n(energy_rates, bodies_.bodies().size(), 0.0);
  // Adds the wrench of a law on one of its bodies to P' and L', and its power to (3) and (4).
  const auto add = [&](BodyId body, const model::Wrench& wrench, double& total) {
    if (!body.valid() || bodies_.bodies()[body.index()].fixed) return;
    const BodyMotion& motion = motions[body.index()];
    double* sb = slope + body.index() * kBodySize;
    for (int k = 0; k < 3; ++k) sb[kMomentumAt + k] += wrench.force[k];
    for (int k = 0; k < 3; ++k) sb[kAngularMomentumAt + k] += wrench.torque[k];
    const double angular_power = wrench.torque.dot(motion.angular_velocity);
    const double* L = y + body.index() * kBodySize + kAngularMomentumAt;
    if (!is_joined(body.index()))
      energy_rates[body.index()] += angular_power - references_[body.index()] * wrench.torque.dot(vec3(L));
    total += wrench.force.dot(motion.velocity) + angular_power;
  };
  for (const auto& law : model_->forces()) {
    model::Wrench on_a, on_b;
    law->apply(now, motion_of(law->a(), motions), motion_of(law->b(), motions), on_a, on_b);
    *power = 0;
    add(law->a(), on_a, *power);
    add(law->b(), on_b, *power);
    ++power;
  }
}

EquationsOfMotion::Rotation EquationsOfMotion::compute_rotation(const double* y, size_t i) const {
  const double *q = y + i * kBodySize + kOrientationAt, *L = y + i * kBodySize + kAngularMomentumAt;
  const Spin spin(q, bodies_.bodies()[i].inverse_inertia, L);
  const Vec3 omega = vec3(spin.omega), momentum = vec3(spin.momentum);
  return {0.5 * omega.dot(momentum), 0.5 * momentum.dot(omega - references_[i] * momentum),
          omega.cross(momentum), omega.squaredNorm() * momentum.squaredNorm()};
}

double EquationsOfMotion::compute_kinetic_balance(const double* y) const {
  double sum = 0;
  for (size_t i = 0; i < bodies_.bodies().size(); ++i) {
    const ConstrainedBodies::Body& body = bodies_.bodies()[i];
    if (body.fixed) continue;
    const double *yb = y + i * kBodySize, *L = yb + kAngularMomentumAt;
    const Spin spin(yb + kOrientationAt, body.inverse_inertia, L);
    sum += 0.5 * body.inverse_mass * vec3(yb + kMomentumAt).squaredNorm() +
           0.5 * vec3(spin.omega).dot(vec3(spin.momentum));
  }
  const double* work = y + layout_.work_at + model_->forces().size();
  for (size_t k = 0; k < model_->moving_constraints().size(); ++k) sum -= work[k];
  return sum;
}

double EquationsOfMotion::compute_best_reference(const double* y, size_t i) const {
  const double *q = y + i * kBodySize + kOrientationAt, *L = y + i * kBodySize + kAngularMomentumAt;
  const Spin spin(q, bodies_.bodies()[i].inverse_inertia, L);
  const double squared = vec3(spin.momentum).squaredNorm();
  return squared > 0 ? vec3(spin.omega).dot(vec3(spin.momentum)) / squared : 0;
}

void EquationsOfMotion::after_add(const double* y, double* sum) const {
  for (size_t i = 0; i < bodies_.bodies().size(); ++i) {
    const double* q = y + i * kBodySize + kOrientationAt;
    double* s = sum + i * kBodySize + kOrientationAt;
    double d[4], length = 0;
    for (int k = 0; k < 4; ++k) d[k] = s[k] - q[k], length += d[k] * d[k];
    length = math::sqrt(length);
    if (length == 0) continue;
    const double stretch = math::tan(length) / length;
    for (int k = 0; k < 4; ++k) s[k] = q[k] + stretch * d[k];
    const double norm = math::sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + s[3] * s[3]);
    for (int k = 0; k < 4; ++k) s[k] /= norm;
  }
}

void EquationsOfMotion::normalize(double* y) const {
  for (size_t i = 0; i < bodies_.bodies().size(); ++i) {
    if (bodies_.bodies()[i].fixed) continue;
    double* q = y + i * kBodySize + kOrientationAt;
    const double scale = 1 / math::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; ++k) q[k] *= scale;
  }
}

void EquationsOfMotion::prepare_newton(double t, const double* y, double g) {
  if (!stages_) stages_.emplace(*model_);
  update_motions(y);
  stages_->factor(std::min(t, latest_time_), g, bodies_.motions(), active_limits());
}

void EquationsOfMotion::newton_step(const double* Y, double* residual) { stages_->solve(Y, residual); }

}  // namespace tumble::dynamics
