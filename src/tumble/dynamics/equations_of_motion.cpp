#include "tumble/dynamics/equations_of_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/dynamics/joint_reactions.h"
#include "tumble/dynamics/tolerances.h"

namespace tumble::dynamics {

using model::BodyId;
using model::BodyMotion;
using model::kAngularMomentumAt;
using model::kBodySize;
using model::kMomentumAt;
using model::kOrientationAt;
using model::kPositionAt;
using model::Vec3;

namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// Equation (2) in body axes: L carried into the body by q/|q|, and omega there. With v the vector part of q,
//   R^T L = L + 2/|q|^2 (w u + u x v),   u = L x v       (the division runs beside the products)
struct Spin {
  double momentum[3], omega[3];
  Spin(const double* q, const double* I, const double* L) {  // I: xx yy zz xy xz yz of the inverse inertia
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double s = 2 / (w * w + x * x + y * y + z * z);
    const double ux = L[1] * z - L[2] * y, uy = L[2] * x - L[0] * z, uz = L[0] * y - L[1] * x;
    const double a = momentum[0] = L[0] + s * (w * ux + (uy * z - uz * y));
    const double b = momentum[1] = L[1] + s * (w * uy + (uz * x - ux * z));
    const double c = momentum[2] = L[2] + s * (w * uz + (ux * y - uy * x));
    omega[0] = I[0] * a + I[3] * b + I[4] * c;
    omega[1] = I[3] * a + I[1] * b + I[5] * c;
    omega[2] = I[4] * a + I[5] * b + I[2] * c;
  }
};

Vec3 vec3(const double* v) { return Vec3(v[0], v[1], v[2]); }

// The matrix of q/|q|, without its square root.
model::Mat3 rotation(const double* q) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double s = 2 / (w * w + x * x + y * y + z * z);
  const double sx = s * x, sy = s * y, sz = s * z, wx = w * sx, wy = w * sy, wz = w * sz;
  const double xx = x * sx, xy = x * sy, xz = x * sz, yy = y * sy, yz = y * sz, zz = z * sz;
  model::Mat3 R;
  R(0, 0) = 1 - (yy + zz), R(0, 1) = xy - wz, R(0, 2) = xz + wy;
  R(1, 0) = xy + wz, R(1, 1) = 1 - (xx + zz), R(1, 2) = yz - wx;
  R(2, 0) = xz - wy, R(2, 1) = yz + wx, R(2, 2) = 1 - (xx + yy);
  return R;
}

}  // namespace

EquationsOfMotion::EquationsOfMotion(const model::Model& model, bool quergs, bool reactions)
    : OdeSystem(quergs),
      model_(&model),
      reactions_(reactions),
      work_at_(model.bodies().size() * kBodySize),
      energy_at_(work_at_ + model.work_count()),
      impulses_at_(energy_at_ + model.bodies().size()),
      angles_at_(impulses_at_ + (reactions ? model.joints().size() * model::kReactionSize : 0)),
      size_(angles_at_ + model.counted_hinges().size()),
      constraints_(model),
      latest_time_(kNoLimit) {
  for (const model::Body& body : model.bodies()) {
    const model::Mat3& I = body.inverse_inertia_B;
    const Vec3 weight = body.mass * model.gravity();
    bodies_.push_back({body.inverse_mass,
                       {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)},
                       {weight.x(), weight.y(), weight.z()},
                       body.fixed});
  }
  references_.assign(bodies_.size(), 0.0);
  twists_.assign(6 * constraints_.graph().nodes.size(), 0.0);
  gyrations_.assign(3 * constraints_.graph().nodes.size(), 0.0);
  rows_.assign(constraints_.rows(), 0.0);
  if (model.forces().empty() && constraints_.empty()) return;
  // Fixed bodies keep this motion; that of the others is filled in at every evaluation.
  for (const model::Body& body : model.bodies())
    motions_.push_back(
        {body.X_WB * body.center_B, body.X_WB.rotation.to_matrix(), Vec3::Zero(), Vec3::Zero()});
}

void EquationsOfMotion::update_weights() {
  for (size_t i = 0; i < bodies_.size(); ++i) {
    const Vec3 weight = model_->bodies()[i].mass * model_->gravity();
    std::copy_n(weight.data(), 3, bodies_[i].weight);
  }
}

void EquationsOfMotion::set_smooth_until(double t) {
  latest_time_ = t < kNoLimit ? std::nextafter(t, -kNoLimit) : kNoLimit;
}

void EquationsOfMotion::compute_slope(double t, const double* y, double* slope) {
  ++evaluations_;
  for (size_t i = 0; i < bodies_.size(); ++i) {
    const Body& body = bodies_[i];
    const double* yb = y + i * kBodySize;
    double* sb = slope + i * kBodySize;
    if (body.fixed) {
      std::fill_n(sb, kBodySize, 0.0);
      if (!motions_.empty()) motions_[i].hinge_angles = y + angles_at();
      continue;
    }
    // Read everything before anything is written: the compiler cannot know that y and slope are apart.
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
    if (!motions_.empty()) {
      const model::Mat3 R = rotation(q);
      motions_[i] = {vec3(yb), R, Vec3(vx, vy, vz), R * vec3(spin.omega), y + angles_at()};
    }
  }
  for (size_t k = 0; k < model_->counted_hinges().size(); ++k) {
    const model::CountedHinge& hinge = model_->counted_hinges()[k];
    const BodyMotion &a = motion_of(hinge.a, motions_), &b = motion_of(hinge.b, motions_);
    const Vec3 axis = a.rotation * hinge.frames.R_AJ.col(0);
    slope[angles_at() + k] = axis.dot(b.angular_velocity - a.angular_velocity);
  }
  // Without force laws no work is done and K never changes: those slopes are zero from the start.
  if (!motions_.empty()) add_forces(t, y, slope);
  if (has_constraints()) add_constraint_forces(t, y, slope);
  if (reactions_)
    compute_reactions(*model_, std::min(t, latest_time_), motions_, constraints_, rows_.data(), true,
                      slope + impulses_at());
}

void EquationsOfMotion::add_constraint_forces(double t, const double* y, double* slope) {
  constraints_.factor(std::min(t, latest_time_), motions_);
  const std::vector<JointGraph::Node>& nodes = constraints_.graph().nodes;
  for (size_t n = 0; n < nodes.size(); ++n) {
    const size_t at = nodes[n].body.index() * kBodySize;
    const Vec3 gyration =
        motions_[nodes[n].body.index()].angular_velocity.cross(vec3(y + at + kAngularMomentumAt));
    const Eigen::Map<const Vec3> force(slope + at + kMomentumAt), torque(slope + at + kAngularMomentumAt);
    twist(n).head<3>() = force;
    twist(n).tail<3>() = torque - gyration;
    std::copy_n(gyration.data(), 3, &gyrations_[3 * n]);
  }
  for (size_t i = 0; i < rows_.size(); ++i) rows_[i] = -constraints_.biases()[i];
  if (feedback_) add_feedback(std::min(t, latest_time_));
  constraints_.solve(twists_.data(), rows_.data());
  // The accelerations tell all forces together.
  for (size_t n = 0; n < nodes.size(); ++n) {
    const size_t body = nodes[n].body.index(), at = body * kBodySize;
    Eigen::Map<Vec3>(slope + at + kMomentumAt) = model_->bodies()[body].mass * twist(n).head<3>();
    Eigen::Map<Vec3>(slope + at + kAngularMomentumAt) =
        turn(n, twist(n).tail<3>()) + vec3(&gyrations_[3 * n]);
  }
  double* power = slope + work_at() + model_->forces().size();
  for (const size_t c : model_->moving_constraints()) {
    const size_t first = constraints_.first_row(c),
                 rows = static_cast<size_t>(model_->constraints()[c]->rows());
    *power = 0;
    for (size_t i = first; i < first + rows; ++i) *power += rows_[i] * constraints_.rates()[i];
    ++power;
  }
}

void EquationsOfMotion::add_feedback(double t) {
  model::ConstraintRows rows;
  for (size_t c = 0; c < model_->constraints().size(); ++c) {
    const model::Constraint& joint = *model_->constraints()[c];
    const BodyMotion &a = motion_of(joint.a(), motions_), &b = motion_of(joint.b(), motions_);
    joint.evaluate(t, a, b, rows);
    for (int i = 0; i < joint.rows(); ++i)
      rows_[constraints_.first_row(c) + static_cast<size_t>(i)] -=
          (*feedback_)[0] * rows.value[i] + (*feedback_)[1] * speed_of_row(joint, rows, i, a, b);
  }
}

Vec3 EquationsOfMotion::turn(size_t node, const Vec3& w) const {
  const double* I = constraints_.inertia(node);  // xx yx yy zx zy zz
  return Vec3(I[0] * w[0] + I[1] * w[1] + I[3] * w[2], I[1] * w[0] + I[2] * w[1] + I[4] * w[2],
              I[3] * w[0] + I[4] * w[1] + I[5] * w[2]);
}

void EquationsOfMotion::compute_motions(const double* y, bool whole) {
  if (motions_.empty()) return;
  for (size_t i = 0; i < bodies_.size(); ++i) {
    motions_[i].hinge_angles = whole ? y + angles_at() : nullptr;
    if (bodies_[i].fixed) continue;
    const double *yb = y + i * kBodySize, *q = yb + kOrientationAt;
    const Spin spin(q, bodies_[i].inverse_inertia, yb + kAngularMomentumAt);
    const model::Mat3 R = rotation(q);
    motions_[i] = {vec3(yb), R, bodies_[i].inverse_mass * vec3(yb + kMomentumAt), R * vec3(spin.omega),
                   whole ? y + angles_at() : nullptr};
  }
}

double EquationsOfMotion::gap_of(size_t c) const {
  const model::Constraint& constraint = *model_->constraints()[c];
  const double size = model_->size_of(constraint);
  double largest = 0;
  for (int i = 0; i < constraint.rows() && size > 0; ++i) {
    const double C = std::abs(constraints_.values()[constraints_.first_row(c) + static_cast<size_t>(i)]);
    largest = std::max(largest, constraint.is_angle(i) ? size * C : C);
  }
  return largest;
}

EquationsOfMotion::Gap EquationsOfMotion::largest_gap() const {
  Gap gap;
  for (size_t c = 0; c < model_->constraints().size(); ++c)
    if (const double error = gap_of(c); !(error <= gap.error))
      gap = {error, static_cast<int>(c), model_->constraints()[c].get()};
  for (size_t k = 0; k < active_limits().size(); ++k) {
    const model::Limit& limit = *model_->limits()[static_cast<size_t>(active_limits()[k])];
    const double C = std::abs(constraints_.values()[constraints_.first_row_of_limit(k)]);
    const double error = limit.is_angle(0) ? model_->size_of(limit) * C : C;
    if (!(error <= gap.error)) gap.error = error, gap.widest = &limit;
  }
  return gap;
}

EquationsOfMotion::Gap EquationsOfMotion::compute_gap(double t, const double* y) {
  compute_motions(y, false);
  constraints_.evaluate(t, motions_);
  return largest_gap();
}

// The nearest place: M dx + J^T l = 0, J dx = -C.
void EquationsOfMotion::move_to_close(double* y) {
  const std::vector<JointGraph::Node>& nodes = constraints_.graph().nodes;
  std::fill(twists_.begin(), twists_.end(), 0.0);
  for (size_t i = 0; i < rows_.size(); ++i) rows_[i] = -constraints_.values()[i];
  constraints_.solve(twists_.data(), rows_.data());
  for (size_t n = 0; n < nodes.size(); ++n) {
    double* yb = y + nodes[n].body.index() * kBodySize;
    double* q = yb + kOrientationAt;
    Eigen::Map<Vec3>(yb + kPositionAt) += twist(n).head<3>();
    const model::Quat turned = (model::Quat::from_rotation_vector(twist(n).tail<3>()) *
                                model::Quat::from_wxyz(q[0], q[1], q[2], q[3]))
                                   .normalized();
    q[0] = turned.w(), q[1] = turned.x(), q[2] = turned.y(), q[3] = turned.z();
  }
}

EquationsOfMotion::Gap EquationsOfMotion::project(double t, double* y) {
  Gap gap;
  for (int pass = 0;; ++pass) {
    compute_motions(y);
    constraints_.factor(t, motions_);
    const Gap now = largest_gap();
    const bool stalls = pass > 0 && !(now.error < kProjectionStall * gap.error);
    gap = now;
    if (stalls || gap.error == 0 || pass == kProjectionPasses) break;
    move_to_close(y);
    if (!gap.widest || gap.error > kSmallGap * model_->size_of(*gap.widest)) continue;
    // So small a gap is closed by one move, and the matrix has not changed enough to be made anew for the velocities:
    // M dv + J^T l = 0, J dv = -C'.
    compute_motions(y);
    constraints_.evaluate(t, motions_);
    const Gap left = largest_gap();
    if (left.error > kClosedPart * gap.error && left.error > rounding_at(y, left)) continue;
    std::fill(twists_.begin(), twists_.end(), 0.0);
    for (size_t i = 0; i < rows_.size(); ++i) rows_[i] = -constraints_.speeds()[i];
    constraints_.solve(twists_.data(), rows_.data());
    const std::vector<JointGraph::Node>& nodes = constraints_.graph().nodes;
    for (size_t n = 0; n < nodes.size(); ++n) {
      double* yb = y + nodes[n].body.index() * kBodySize;
      Eigen::Map<Vec3>(yb + kMomentumAt) += model_->body(nodes[n].body).mass * twist(n).head<3>();
      Eigen::Map<Vec3>(yb + kAngularMomentumAt) += turn(n, twist(n).tail<3>());
    }
    return left;
  }
  for (size_t i = 0; i < rows_.size(); ++i) rows_[i] = -constraints_.rates()[i];
  project_velocities(y);
  return gap;
}

double EquationsOfMotion::rounding_at(const double* y, const Gap& gap) const {
  const double* x = y + gap.widest->b().index() * kBodySize;
  return kGapRoundOff * (std::abs(x[0]) + std::abs(x[1]) + std::abs(x[2]) + model_->size_of(*gap.widest));
}

// The nearest velocities: M v + J^T l = (P, L), J v = what rows_ holds.
void EquationsOfMotion::project_velocities(double* y) {
  const std::vector<JointGraph::Node>& nodes = constraints_.graph().nodes;
  for (size_t n = 0; n < nodes.size(); ++n) {
    const double* yb = y + nodes[n].body.index() * kBodySize;
    std::copy_n(yb + kMomentumAt, 6, twist(n).data());  // P and L stand side by side
  }
  constraints_.solve(twists_.data(), rows_.data());
  for (size_t n = 0; n < nodes.size(); ++n) {
    const size_t body = nodes[n].body.index();
    double* yb = y + body * kBodySize;
    Eigen::Map<Vec3>(yb + kMomentumAt) = model_->bodies()[body].mass * twist(n).head<3>();
    Eigen::Map<Vec3>(yb + kAngularMomentumAt) = turn(n, twist(n).tail<3>());
  }
}

void EquationsOfMotion::set_active_limits(const std::vector<int>& limits) {
  constraints_.set_active_limits(limits);
  rows_.resize(constraints_.rows());
}

void EquationsOfMotion::impact(double t, double* y, const std::vector<double>& speeds) {
  compute_motions(y);
  constraints_.factor(t, motions_);
  for (size_t i = 0; i < rows_.size(); ++i) rows_[i] = -constraints_.rates()[i];
  for (size_t k = 0; k < speeds.size(); ++k) rows_[constraints_.first_row_of_limit(k)] += speeds[k];
  project_velocities(y);
  book_impulses(t, constraints_.rates(), y);
}

void EquationsOfMotion::book_impulses(double t, std::span<const double> rates_before, double* y) {
  double* work = y + work_at() + model_->forces().size();
  for (const size_t c : model_->moving_constraints()) {
    const size_t first = constraints_.first_row(c),
                 end = first + static_cast<size_t>(model_->constraints()[c]->rows());
    for (size_t i = first; i < end; ++i)
      *work += rows_[i] * 0.5 * (rates_before[i] + constraints_.rates()[i]);
    ++work;
  }
  if (!reactions_) return;
  std::vector<double> impulses(model_->joints().size() * model::kReactionSize);
  compute_reactions(*model_, t, motions_, constraints_, rows_.data(), false, impulses.data());
  for (size_t i = 0; i < impulses.size(); ++i) y[impulses_at() + i] += impulses[i];
}

void EquationsOfMotion::jerk(double t, double* y) {
  if (model_->moving_constraints().empty()) return;
  compute_motions(y);
  constraints_.evaluate(std::nextafter(t, -kNoLimit), motions_);
  const std::vector<double> before(constraints_.rates().begin(), constraints_.rates().end());
  constraints_.factor(t, motions_);
  for (size_t i = 0; i < rows_.size(); ++i) rows_[i] = -constraints_.rates()[i];
  project_velocities(y);
  book_impulses(t, before, y);
}

std::vector<double> EquationsOfMotion::vector_of(const model::State& state) const {
  std::vector<double> y(size());
  std::copy(state.y.begin(), state.y.end(), y.begin());
  std::copy(state.hinge_angles.begin(), state.hinge_angles.end(), y.begin() + static_cast<long>(angles_at()));
  return y;
}

std::vector<double> EquationsOfMotion::compute_reactions_at(const model::State& state) {
  std::vector<double> y = vector_of(state), slope(size());
  compute_slope(state.time, y.data(), slope.data());
  return {slope.begin() + static_cast<long>(impulses_at()), slope.begin() + static_cast<long>(angles_at())};
}

void EquationsOfMotion::settle_angles(double* y) const {
  for (size_t k = 0; k < model_->counted_hinges().size(); ++k) {
    const model::CountedHinge& hinge = model_->counted_hinges()[k];
    const auto rotation_of = [&](BodyId id) -> model::Mat3 {
      return id.valid() ? rotation(y + id.index() * kBodySize + kOrientationAt) : model::Mat3::Identity();
    };
    BodyMotion a, b;
    a.rotation = rotation_of(hinge.a);
    b.rotation = rotation_of(hinge.b);
    model::ConstraintRows row;
    double& angle = y[angles_at() + k];
    model::rows::set_coordinate_row(row, 0, model::Coordinate::angle, hinge.frames, a, b, angle);
    angle = row.value[0];
  }
}

void EquationsOfMotion::compute_clearances(double t, const double* y, std::vector<Clearance>& out) {
  compute_motions(y);
  out.resize(model_->limits().size());
  model::ConstraintRows row;
  for (size_t k = 0; k < out.size(); ++k) {
    const model::Limit& limit = *model_->limits()[k];
    const BodyMotion &a = motion_of(limit.a(), motions_), &b = motion_of(limit.b(), motions_);
    limit.evaluate(t, a, b, row);
    out[k] = {row.value[0], speed_of_row(limit, row, 0, a, b)};
  }
}

void EquationsOfMotion::add_forces(double t, const double* y, double* slope) {
  const double now = std::min(t, latest_time_);
  double* power = slope + work_at();
  std::fill_n(slope + energy_at(), bodies_.size(), 0.0);
  // What a law does to one of its two ends: into P' and L', and its power into (3).
  const auto add = [&](BodyId body, const model::Wrench& wrench, double& total) {
    if (!body.valid() || bodies_[body.index()].fixed) return;
    const BodyMotion& motion = motions_[body.index()];
    double* sb = slope + body.index() * kBodySize;
    for (int k = 0; k < 3; ++k) sb[kMomentumAt + k] += wrench.force[k];
    for (int k = 0; k < 3; ++k) sb[kAngularMomentumAt + k] += wrench.torque[k];
    const double turning = wrench.torque.dot(motion.angular_velocity);
    const double* L = y + body.index() * kBodySize + kAngularMomentumAt;
    if (!is_joined(body.index()))
      slope[energy_at() + body.index()] += turning - references_[body.index()] * wrench.torque.dot(vec3(L));
    total += wrench.force.dot(motion.velocity) + turning;
  };
  for (const auto& law : model_->forces()) {
    model::Wrench on_a, on_b;
    law->apply(now, motion_of(law->a(), motions_), motion_of(law->b(), motions_), on_a, on_b);
    *power = 0;
    add(law->a(), on_a, *power);
    add(law->b(), on_b, *power);
    ++power;
  }
}

EquationsOfMotion::Rotation EquationsOfMotion::compute_rotation(const double* y, size_t i) const {
  const double *q = y + i * kBodySize + kOrientationAt, *L = y + i * kBodySize + kAngularMomentumAt;
  const Spin spin(q, bodies_[i].inverse_inertia, L);
  const Vec3 omega = vec3(spin.omega), momentum = vec3(spin.momentum);
  return {0.5 * omega.dot(momentum), 0.5 * momentum.dot(omega - references_[i] * momentum),
          omega.cross(momentum), omega.squaredNorm() * momentum.squaredNorm()};
}

double EquationsOfMotion::best_reference(const double* y, size_t i) const {
  const double *q = y + i * kBodySize + kOrientationAt, *L = y + i * kBodySize + kAngularMomentumAt;
  const Spin spin(q, bodies_[i].inverse_inertia, L);
  const double squared = vec3(spin.momentum).squaredNorm();
  return squared > 0 ? vec3(spin.omega).dot(vec3(spin.momentum)) / squared : 0;
}

void EquationsOfMotion::after_add(const double* y, double* sum) const {
  for (size_t i = 0; i < bodies_.size(); ++i) {
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
  for (size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].fixed) continue;
    double* q = y + i * kBodySize + kOrientationAt;
    const double scale = 1 / math::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; ++k) q[k] *= scale;
  }
}

void EquationsOfMotion::prepare_newton(double t, const double* y, double g) {
  if (!stages_) stages_.emplace(*model_);
  compute_motions(y);
  stages_->factor(std::min(t, latest_time_), g, motions_, active_limits());
}

void EquationsOfMotion::newton_step(const double* Y, double* residual) { stages_->solve(Y, residual); }

}  // namespace tumble::dynamics
