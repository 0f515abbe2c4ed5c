#include "tumble/dynamics/equations_of_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

model::Mat3 rotation(const double* q) {
  return model::Quat::from_wxyz(q[0], q[1], q[2], q[3]).normalized().to_matrix();
}

}  // namespace

EquationsOfMotion::EquationsOfMotion(const model::Model& model, bool quergs)
    : OdeSystem(quergs), model_(&model), latest_time_(kNoLimit) {
  for (const model::Body& body : model.bodies()) {
    const model::Mat3& I = body.inverse_inertia_B;
    const Vec3 weight = body.mass * model.gravity();
    bodies_.push_back({body.inverse_mass,
                       {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)},
                       {weight.x(), weight.y(), weight.z()},
                       body.fixed});
  }
  references_.assign(bodies_.size(), 0.0);
  if (model.forces().empty()) return;
  // Fixed bodies keep this motion; that of the others is filled in at every evaluation.
  for (const model::Body& body : model.bodies())
    motions_.push_back(
        {body.X_WB * body.center_B, body.X_WB.rotation.to_matrix(), Vec3::Zero(), Vec3::Zero()});
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
      motions_[i] = {vec3(yb), R, vec3(sb), R * vec3(spin.omega)};
    }
  }
  // Without force laws no work is done and K never changes: those slopes are zero from the start.
  if (!motions_.empty()) add_forces(t, y, slope);
}

void EquationsOfMotion::add_forces(double t, const double* y, double* slope) {
  const double now = std::min(t, latest_time_);
  const BodyMotion world;
  double* power = slope + bodies_.size() * kBodySize;
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
    slope[energy_at() + body.index()] += turning - references_[body.index()] * wrench.torque.dot(vec3(L));
    total += wrench.force.dot(motion.velocity) + turning;
  };
  for (const auto& law : model_->forces()) {
    model::Wrench on_a, on_b;
    const BodyMotion& b = law->b().valid() ? motions_[law->b().index()] : world;
    law->apply(now, motions_[law->a().index()], b, on_a, on_b);
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

}  // namespace tumble::dynamics
