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

// The rotation matrix of q/|q|, without the square root.
struct Turn {
  double m[3][3];
  explicit Turn(const double* q) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double s = 2 / (w * w + x * x + y * y + z * z);
    const double xs = x * s, ys = y * s, zs = z * s;
    const double wx = w * xs, wy = w * ys, wz = w * zs, xx = x * xs, xy = x * ys, xz = x * zs;
    const double yy = y * ys, yz = y * zs, zz = z * zs;
    m[0][0] = 1 - (yy + zz), m[0][1] = xy - wz, m[0][2] = xz + wy;
    m[1][0] = xy + wz, m[1][1] = 1 - (xx + zz), m[1][2] = yz - wx;
    m[2][0] = xz - wy, m[2][1] = yz + wx, m[2][2] = 1 - (xx + yy);
  }
};

// Equation (2): L into the body, through the inverse inertia (xx yy zz xy xz yz), back to the world.
struct Spin {
  double omega[3];
  double energy;  // 1/2 L.omega
  Spin(const Turn& R, const double* I, const double* L) {
    const double a = R.m[0][0] * L[0] + R.m[1][0] * L[1] + R.m[2][0] * L[2];
    const double b = R.m[0][1] * L[0] + R.m[1][1] * L[1] + R.m[2][1] * L[2];
    const double c = R.m[0][2] * L[0] + R.m[1][2] * L[1] + R.m[2][2] * L[2];
    const double u = I[0] * a + I[3] * b + I[4] * c;
    const double v = I[3] * a + I[1] * b + I[5] * c;
    const double w = I[4] * a + I[5] * b + I[2] * c;
    for (int k = 0; k < 3; ++k) omega[k] = R.m[k][0] * u + R.m[k][1] * v + R.m[k][2] * w;
    energy = 0.5 * (a * u + b * v + c * w);
  }
};

}  // namespace

EquationsOfMotion::EquationsOfMotion(const model::Model& model, bool quergs)
    : model_(&model), quergs_(quergs), latest_time_(kNoLimit) {
  for (const model::Body& body : model.bodies()) {
    const model::Mat3& I = body.inverse_inertia_B;
    const Vec3 weight = body.mass * model.gravity();
    bodies_.push_back({body.inverse_mass,
                       {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)},
                       {weight.x(), weight.y(), weight.z()},
                       body.fixed});
  }
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
  std::fill_n(slope + energy_at(), bodies_.size(), 0.0);
  for (size_t i = 0; i < bodies_.size(); ++i) {
    const Body& body = bodies_[i];
    const double* yb = y + i * kBodySize;
    double* sb = slope + i * kBodySize;
    if (body.fixed) {
      std::fill_n(sb, kBodySize, 0.0);
      continue;
    }
    const double *q = yb + kOrientationAt, *P = yb + kMomentumAt, *L = yb + kAngularMomentumAt;
    const Turn R(q);
    const Spin spin(R, body.inverse_inertia, L);
    const auto [ox, oy, oz] = spin.omega;
    // (1)
    for (size_t k = 0; k < 3; ++k) sb[k] = body.inverse_mass * P[k];
    sb[kOrientationAt + 0] = 0.5 * (-ox * q[1] - oy * q[2] - oz * q[3]);
    sb[kOrientationAt + 1] = 0.5 * (ox * q[0] + oy * q[3] - oz * q[2]);
    sb[kOrientationAt + 2] = 0.5 * (oy * q[0] + oz * q[1] - ox * q[3]);
    sb[kOrientationAt + 3] = 0.5 * (oz * q[0] + ox * q[2] - oy * q[1]);
    for (size_t k = 0; k < 3; ++k) sb[kMomentumAt + k] = body.weight[k];
    for (size_t k = 0; k < 3; ++k) sb[kAngularMomentumAt + k] = 0;
    if (!motions_.empty()) {
      BodyMotion& motion = motions_[i];
      motion.center = Vec3(yb[0], yb[1], yb[2]);
      motion.rotation << R.m[0][0], R.m[0][1], R.m[0][2], R.m[1][0], R.m[1][1], R.m[1][2], R.m[2][0],
          R.m[2][1], R.m[2][2];
      motion.velocity = Vec3(sb[0], sb[1], sb[2]);
      motion.angular_velocity = Vec3(ox, oy, oz);
    }
  }
  if (!motions_.empty()) add_forces(t, slope);
}

void EquationsOfMotion::add_forces(double t, double* slope) {
  const double now = std::min(t, latest_time_);
  const BodyMotion world;
  double* power = slope + bodies_.size() * kBodySize;
  // What a law does to one of its two ends: into P' and L', and its power into (3).
  const auto add = [&](BodyId body, const model::Wrench& wrench, double& total) {
    if (!body.valid() || bodies_[body.index()].fixed) return;
    const BodyMotion& motion = motions_[body.index()];
    double* sb = slope + body.index() * kBodySize;
    for (int k = 0; k < 3; ++k) sb[kMomentumAt + k] += wrench.force[k];
    for (int k = 0; k < 3; ++k) sb[kAngularMomentumAt + k] += wrench.torque[k];
    const double turning = wrench.torque.dot(motion.angular_velocity);
    slope[energy_at() + body.index()] += turning;
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
  const Spin spin(Turn(q), bodies_[i].inverse_inertia, L);
  return {spin.energy, Vec3(spin.omega[0], spin.omega[1], spin.omega[2]).cross(Vec3(L[0], L[1], L[2]))};
}

void EquationsOfMotion::after_add(const double* y, double* sum) const {
  if (!quergs_) return;
  for (size_t i = 0; i < bodies_.size(); ++i) {
    const double* q = y + i * kBodySize + kOrientationAt;
    double* s = sum + i * kBodySize + kOrientationAt;
    double d[4], length = 0;
    for (int k = 0; k < 4; ++k) d[k] = s[k] - q[k], length += d[k] * d[k];
    length = math::sqrt(length);
    if (length == 0) continue;
    const double stretch = std::tan(length) / length;
    for (int k = 0; k < 4; ++k) s[k] = q[k] + stretch * d[k];
    const double norm = math::sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + s[3] * s[3]);
    for (int k = 0; k < 4; ++k) s[k] /= norm;
  }
}

void EquationsOfMotion::normalize(double* y) const {
  for (size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].fixed) continue;
    double* q = y + i * kBodySize + kOrientationAt;
    const double norm = math::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; ++k) q[k] /= norm;
  }
}

}  // namespace tumble::dynamics
