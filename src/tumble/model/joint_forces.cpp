#include "tumble/model/joint_forces.h"

#include <algorithm>

#include "tumble/math/quat.h"

namespace tumble::model {

using math::Mat3;
using math::Vec3;

namespace {

// The rate of row 0, and Q along it: J^T Q.
double rate_of(const ConstraintRows& row, const BodyMotion& a, const BodyMotion& b) {
  double rate = 0;
  for (int k = 0; k < 3; ++k)
    rate += row.J_a[0][k] * a.velocity[k] + row.J_a[0][k + 3] * a.angular_velocity[k] +
            row.J_b[0][k] * b.velocity[k] + row.J_b[0][k + 3] * b.angular_velocity[k];
  return rate;
}

void push_along(const ConstraintRows& row, double Q, Wrench& on_a, Wrench& on_b) {
  for (int k = 0; k < 3; ++k) {
    on_a.force[k] += Q * row.J_a[0][k];
    on_a.torque[k] += Q * row.J_a[0][k + 3];
    on_b.force[k] += Q * row.J_b[0][k];
    on_b.torque[k] += Q * row.J_b[0][k + 3];
  }
}

// One row along J, times `scale`.
void set_resistance(const ConstraintRows& row, double scale, double stiffness, double damping,
                    Resistance& out) {
  out.rows = 1, out.turns = false;
  for (int k = 0; k < 6; ++k) out.J_a[0][k] = scale * row.J_a[0][k], out.J_b[0][k] = scale * row.J_b[0][k];
  out.stiffness[0] = stiffness, out.damping[0] = damping;
}

// r of equation (4), and K of a turn with stiffness 1: with Jl^-1(r) the rate of r, both in world axes, K = Jl^-T Jl^-1, which is 1 along r and
// (p/s)^2 across it. With half the angle p, s = sin p, c = cos p and v = s u,
//   r = 2 p/s v,   K = (p/s)^2 + (1 - (p/s)^2)/s^2 v v^T
// Of the turn as a matrix D, s^2 is (3 - tr D)/4 and v the axis of D - D^T over 4 c. p/s = asin(s)/s is 1 + s^2 g, 1/c = 1/sqrt(1 - s^2) is
// 1 + s^2 f; where s is small, g and f are by their series in s^2, so that there is no root to wait for.
struct Rotation {
  Vec3 r;
  double K[6];  // a lower triangle
};

// Series in x, coefficient by coefficient.
constexpr int kTerms = 7;
struct Series {
  double g[kTerms] = {1.0 / 6}, f[kTerms] = {1.0 / 2};
  constexpr Series() {
    for (int n = 1; n < kTerms; ++n) {
      g[n] = g[n - 1] * (2.0 * n + 1) * (2.0 * n + 1) / ((2.0 * n + 2) * (2.0 * n + 3));
      f[n] = f[n - 1] * (2.0 * n + 1) / (2.0 * n + 2);
    }
  }
};

// Terms of even and odd powers apart: two sums are ready sooner than one.
double sum_of(const double (&series)[kTerms], double x) {
  const double square = x * x;
  double even = series[kTerms - 1], odd = series[kTerms - 2];
  for (int n = kTerms - 3; n >= 0; n -= 2) even = series[n] + square * even;
  for (int n = kTerms - 4; n >= 0; n -= 2) odd = series[n] + square * odd;
  return even + x * odd;
}
static_assert(kTerms % 2 == 1);

// `straight` is R_BJ R_AJ^T: what a's axes become where the joint's coincide. D = R_b straight R_a^T.
Rotation compute_rotation(const Mat3& straight, const BodyMotion& a, const BodyMotion& b) {
  constexpr double kSmall = 0.01;  // 11 degrees of turn: the next terms are below 0.2 kSmall^8
  constexpr Series kSeries;
  const Mat3 &R_a = a.rotation, &R_b = b.rotation;
  Mat3 T, D;  // number by number, as in rows::turned_by()
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r)
      T(r, c) = R_b(r, 0) * straight(0, c) + R_b(r, 1) * straight(1, c) + R_b(r, 2) * straight(2, c);
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) D(r, c) = T(r, 0) * R_a(c, 0) + T(r, 1) * R_a(c, 1) + T(r, 2) * R_a(c, 2);
  double square = 0.25 * (3 - (D(0, 0) + D(1, 1) + D(2, 2)));
  double ratio = 1, rest = 0;  // p/s and g
  Vec3 v;
  if (square < kSmall) {
    rest = sum_of(kSeries.g, square), ratio = 1 + square * rest;
    const double quarter = 0.25 + 0.25 * square * sum_of(kSeries.f, square);
    v = Vec3(quarter * (D(2, 1) - D(1, 2)), quarter * (D(0, 2) - D(2, 0)), quarter * (D(1, 0) - D(0, 1)));
  } else {
    const rows::PositiveQuaternion d = rows::to_quaternion(D);
    v = d.v, square = v.squaredNorm();
    const double s = math::sqrt(square);
    ratio = math::atan2(s, d.w) / s, rest = (ratio - 1) / square;
  }
  Rotation out;
  out.r = 2 * ratio * v;
  const double across = ratio * ratio, along = -(1 + ratio) * rest;
  const Vec3 u = along * v;
  out.K[0] = across + u[0] * v[0], out.K[1] = u[1] * v[0], out.K[2] = across + u[1] * v[1];
  out.K[3] = u[2] * v[0], out.K[4] = u[2] * v[1], out.K[5] = across + u[2] * v[2];
  return out;
}

void set_turning(const Rotation& rotation, double stiffness, double damping, Resistance& out) {
  out.turns = true, out.turning_damping = damping, out.stiffness[0] = stiffness;
  for (int k = 0; k < 6; ++k) out.turning_stiffness[k] = stiffness * rotation.K[k];
}

// What is left before a limit: y = left, dy/dC = slope.
struct Left {
  double left, slope;
};

Left compute_left(const ConstraintRows& row, const ComfortZone& zone) {
  if (zone.swing == 0) return {row.value[0], 1};
  const double rho = math::sqrt(std::max(0.0, 1 - 2 * row.value[0] / zone.swing));
  return {zone.swing * (1 - rho), rho > 0 ? 1 / rho : 0};
}

}  // namespace

void JointLaw::linearise(double, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                         Resistance& resistance) const {
  resistance.rows = 0, resistance.turns = false, resistance.turning_damping = 0;
  if (!to_world_) return act(a, b, on_a, on_b, &resistance);
  act(b, a, on_b, on_a, &resistance);
  if (resistance.turns) return;  // the same the other way round
  for (int i = 0; i < resistance.rows; ++i) std::swap(resistance.J_a[i], resistance.J_b[i]);
}

void CoordinateLaw::act(const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                        Resistance* resistance) const {
  ConstraintRows row;
  rows::set_coordinate_row(row, 0, coordinate_, frames_, a, b, rows::turn_of(counted_, b, middle_));
  const double rate = rate_of(row, a, b);
  const Effort effort = resistance && resistance->unlimited ? compute_effort(row.value[0], rate)
                                                            : compute_limited_effort(row.value[0], rate);
  push_along(row, effort.value, on_a, on_b);
  if (resistance) set_resistance(row, 1, effort.stiffness, effort.damping, *resistance);
}

double CoordinateLaw::effort(const BodyMotion& first, const BodyMotion& second) const {
  const BodyMotion &a = to_world() ? second : first, &b = to_world() ? first : second;
  ConstraintRows row;
  rows::set_coordinate_row(row, 0, coordinate_, frames_, a, b, rows::turn_of(counted_, b, middle_));
  return compute_limited_effort(row.value[0], rate_of(row, a, b)).value;
}

std::optional<double> CoordinateLaw::stored(const BodyMotion& a, const BodyMotion& b) const {
  ConstraintRows row;
  rows::set_coordinate_row(row, 0, coordinate_, frames_, a, b, rows::turn_of(counted_, b, middle_));
  return energy(row.value[0]);
}

CoordinateLaw::Effort CoordinateLaw::compute_limited_effort(double x, double rate) const {
  const Effort wanted = compute_effort(x, rate);
  const double most = largest_effort();
  if (std::abs(wanted.value) > most) return {wanted.value > 0 ? most : -most, 0, 0};
  return wanted;
}

void BallSpring::act(const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                     Resistance* resistance) const {
  const Rotation rotation = compute_rotation(turn_, a, b);
  on_a.torque += stiffness_ * rotation.r;
  on_b.torque -= stiffness_ * rotation.r;
  if (resistance) set_turning(rotation, stiffness_, 0, *resistance);
}

std::optional<double> BallSpring::stored(const BodyMotion& a, const BodyMotion& b) const {
  return 0.5 * stiffness_ * compute_rotation(turn_, a, b).r.squaredNorm();
}

Vec3 BallDrive::torque(const BodyMotion& first, const BodyMotion& second) const {
  return to_world() ? pull(second, first, nullptr) : pull(first, second, nullptr);
}

Vec3 BallDrive::pull(const BodyMotion& a, const BodyMotion& b, Resistance* resistance) const {
  Vec3 torque = damping_ * (a.angular_velocity - b.angular_velocity);
  if (moves_) torque += damping_ * (a.rotation * velocity_A_);
  Rotation rotation{};
  if (stiffness_ > 0) {
    rotation = compute_rotation(turn_, a, b);
    torque -= stiffness_ * rotation.r;
  }
  const double square = torque.squaredNorm();
  const bool limited = square > max_effort_ * max_effort_ && !(resistance && resistance->unlimited);
  if (resistance && !limited) set_turning(rotation, stiffness_, damping_, *resistance);
  return limited ? Vec3(max_effort_ / math::sqrt(square) * torque) : torque;
}

void BallDrive::act(const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                    Resistance* resistance) const {
  const Vec3 torque = pull(a, b, resistance);
  on_a.torque -= torque;
  on_b.torque += torque;
}

void ComfortSpring::act(const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                        Resistance* resistance) const {
  ConstraintRows row;
  limit_->evaluate(0, a, b, row);
  const Left y = compute_left(row, zone_);
  if (y.left >= zone_.depth) return;
  const double s = 1 - y.left / zone_.depth;
  push_along(row, zone_.stiffness * zone_.depth * (s + s * s * s) * y.slope, on_a, on_b);
  if (resistance) set_resistance(row, y.slope, zone_.stiffness * (1 + 3 * s * s), 0, *resistance);
}

std::optional<double> ComfortSpring::stored(const BodyMotion& a, const BodyMotion& b) const {
  ConstraintRows row;
  limit_->evaluate(0, a, b, row);
  const double s = std::max(0.0, 1 - compute_left(row, zone_).left / zone_.depth), square = s * s;
  return zone_.stiffness * zone_.depth * zone_.depth * (0.5 * square + 0.25 * square * square);
}

void ComfortDamper::act(const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                        Resistance* resistance) const {
  ConstraintRows row;
  limit_->evaluate(0, a, b, row);
  const Left y = compute_left(row, zone_);
  if (y.left >= zone_.depth) return;
  const double s = std::min(1.0, 1 - y.left / zone_.depth);
  const double damping = zone_.damping * s * (2 - s);
  push_along(row, -damping * y.slope * y.slope * rate_of(row, a, b), on_a, on_b);
  if (resistance) set_resistance(row, y.slope, 0, damping, *resistance);
}

}  // namespace tumble::model
