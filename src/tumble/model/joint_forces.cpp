#include "tumble/model/joint_forces.h"

#include <algorithm>

#include "tumble/math/quat.h"

namespace tumble::model {

using math::Mat3;
using math::Vec3;

namespace {

// The speed along row 0: J (v, omega).
double rate_of(const ConstraintRows& row, const BodyMotion& a, const BodyMotion& b) {
  double rate = 0;
  for (int k = 0; k < 3; ++k)
    rate += row.J_a[0][k] * a.velocity[k] + row.J_a[0][k + 3] * a.angular_velocity[k] +
            row.J_b[0][k] * b.velocity[k] + row.J_b[0][k + 3] * b.angular_velocity[k];
  return rate;
}

void apply_effort(const ConstraintRows& row, double Q, Wrench& on_a, Wrench& on_b) {
  for (int k = 0; k < 3; ++k) {
    on_a.force[k] += Q * row.J_a[0][k];
    on_a.torque[k] += Q * row.J_a[0][k + 3];
    on_b.force[k] += Q * row.J_b[0][k];
    on_b.torque[k] += Q * row.J_b[0][k + 3];
  }
}

// Sets one row with the Jacobian of `row` times `scale`, for a coordinate q with the effort Q at rest.
void set_resistance(const ConstraintRows& row, double scale, double q, double Q, double stiffness,
                    double damping, Resistance& out) {
  out.rows = 1, out.turns = false;
  out.has_coordinate = true, out.coordinate = q, out.effort = Q;
  for (int k = 0; k < 6; ++k) out.J_a[0][k] = scale * row.J_a[0][k], out.J_b[0][k] = scale * row.J_b[0][k];
  out.stiffness[0] = stiffness, out.damping[0] = damping;
}

// The rotation vector r of equation (4) and the stiffness matrix K = Jl^-T Jl^-1 for k = 1, both in world
// axes. p is half the rotation angle, u the rotation axis, s = sin p, c = cos p and v = s u. K is 1 along r
// and (p/s)^2 across r:
//   r = 2 p/s v,   K = (p/s)^2 + (1 - (p/s)^2)/s^2 v v^T
// The rotation matrix D gives s^2 = (3 - tr D)/4. v is the axial vector of D - D^T divided by 4 c.
//   p/s = asin(s)/s = 1 + s^2 g,   1/c = 1/sqrt(1 - s^2) = 1 + s^2 f
// For small s, g and f are computed from their power series in s^2. This avoids the latency of a square root.
struct Rotation {
  Vec3 r;
  double K[6];  // lower triangle, row by row
};

// Coefficients of the power series of g and f in x = s^2.
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

// Evaluates a power series. Even and odd powers have separate sums, which the processor computes in parallel.
double sum_of(const double (&series)[kTerms], double x) {
  const double square = x * x;
  double even = series[kTerms - 1], odd = series[kTerms - 2];
  for (int n = kTerms - 3; n >= 0; n -= 2) even = series[n] + square * even;
  for (int n = kTerms - 4; n >= 0; n -= 2) odd = series[n] + square * odd;
  return even + x * odd;
}
static_assert(kTerms % 2 == 1);

// R_BA_aligned = R_BJ R_AJ^T is the rotation R_BA for which the joint axes of a and b coincide.
// D = R_b R_BA_aligned R_a^T.
Rotation compute_rotation(const Mat3& R_BA_aligned, const BodyMotion& a, const BodyMotion& b) {
  constexpr double kSmall = 0.01;  // a rotation of 11 degrees; the omitted terms are below 0.2 kSmall^8
  constexpr Series kSeries;
  const Mat3 &R_a = a.rotation, &R_b = b.rotation;
  Mat3 T, D;  // computed element by element, as in rows::turned_by()
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r)
      T(r, c) =
          R_b(r, 0) * R_BA_aligned(0, c) + R_b(r, 1) * R_BA_aligned(1, c) + R_b(r, 2) * R_BA_aligned(2, c);
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

void set_rotational_resistance(const Rotation& rotation, double stiffness, double damping, Resistance& out) {
  out.turns = true, out.turning_damping = damping, out.stiffness[0] = stiffness;
  for (int k = 0; k < 6; ++k) out.turning_stiffness[k] = stiffness * rotation.K[k];
}

// The remaining range y before a limit, and its derivative dy/dC.
struct RemainingRange {
  double y, slope;
};

RemainingRange compute_remaining_range(const ConstraintRows& row, const ComfortZone& zone) {
  if (zone.swing == 0) return {row.value[0], 1};
  const double rho = math::sqrt(std::max(0.0, 1 - 2 * row.value[0] / zone.swing));
  return {zone.swing * (1 - rho), rho > 0 ? 1 / rho : 0};
}

}  // namespace

void JointLaw::linearise(double, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                         Resistance& resistance) const {
  resistance.clear();
  if (!to_world_) return act(a, b, on_a, on_b, &resistance);
  act(b, a, on_b, on_a, &resistance);
  if (resistance.turns) return;  // symmetric in a and b
  for (int i = 0; i < resistance.rows; ++i) std::swap(resistance.J_a[i], resistance.J_b[i]);
}

void CoordinateLaw::act(const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                        Resistance* resistance) const {
  ConstraintRows row;
  rows::set_coordinate_row(row, 0, coordinate_, frames_, a, b, rows::branch_center(counted_, b, middle_));
  const double rate = rate_of(row, a, b);
  const Effort effort = resistance && resistance->unlimited ? compute_effort(row.value[0], rate)
                                                            : compute_limited_effort(row.value[0], rate);
  apply_effort(row, effort.value, on_a, on_b);
  if (resistance)
    set_resistance(row, 1, row.value[0], effort.value + effort.damping * rate, effort.stiffness,
                   effort.damping, *resistance);
}

// An angle changes linearly with the motion about its axis.
std::optional<double> CoordinateLaw::coordinate(const BodyMotion& first, const BodyMotion& second) const {
  if (coordinate_ == Coordinate::angle) return std::nullopt;
  const BodyMotion &a = to_world() ? second : first, &b = to_world() ? first : second;
  ConstraintRows row;
  rows::set_coordinate_row(row, 0, coordinate_, frames_, a, b, middle_);
  return row.value[0];
}

double CoordinateLaw::effort(const BodyMotion& first, const BodyMotion& second) const {
  const BodyMotion &a = to_world() ? second : first, &b = to_world() ? first : second;
  ConstraintRows row;
  rows::set_coordinate_row(row, 0, coordinate_, frames_, a, b, rows::branch_center(counted_, b, middle_));
  return compute_limited_effort(row.value[0], rate_of(row, a, b)).value;
}

std::optional<double> CoordinateLaw::stored_energy(const BodyMotion& a, const BodyMotion& b) const {
  ConstraintRows row;
  rows::set_coordinate_row(row, 0, coordinate_, frames_, a, b, rows::branch_center(counted_, b, middle_));
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
  const Rotation rotation = compute_rotation(R_BA_aligned_, a, b);
  on_a.torque += stiffness_ * rotation.r;
  on_b.torque -= stiffness_ * rotation.r;
  if (resistance) set_rotational_resistance(rotation, stiffness_, 0, *resistance);
}

std::optional<double> BallSpring::stored_energy(const BodyMotion& a, const BodyMotion& b) const {
  return 0.5 * stiffness_ * compute_rotation(R_BA_aligned_, a, b).r.squaredNorm();
}

Vec3 BallDrive::torque(const BodyMotion& first, const BodyMotion& second) const {
  return to_world() ? compute_torque(second, first, nullptr) : compute_torque(first, second, nullptr);
}

Vec3 BallDrive::compute_torque(const BodyMotion& a, const BodyMotion& b, Resistance* resistance) const {
  Vec3 torque = damping_ * (a.angular_velocity - b.angular_velocity);
  if (moves_) torque += damping_ * (a.rotation * velocity_A_);
  Rotation rotation{};
  if (stiffness_ > 0) {
    rotation = compute_rotation(R_BA_aligned_, a, b);
    torque -= stiffness_ * rotation.r;
  }
  const double square = torque.squaredNorm();
  const bool limited = square > max_effort_ * max_effort_ && !(resistance && resistance->unlimited);
  if (resistance && !limited) set_rotational_resistance(rotation, stiffness_, damping_, *resistance);
  return limited ? Vec3(max_effort_ / math::sqrt(square) * torque) : torque;
}

void BallDrive::act(const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                    Resistance* resistance) const {
  const Vec3 torque = compute_torque(a, b, resistance);
  on_a.torque -= torque;
  on_b.torque += torque;
}

void ComfortSpring::act(const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                        Resistance* resistance) const {
  ConstraintRows row;
  limit_->evaluate(0, a, b, row);
  const RemainingRange range = compute_remaining_range(row, zone_);
  if (range.y >= zone_.depth) {  // the row is needed where the zone was left in the last drift
    if (resistance) set_resistance(row, range.slope, range.y, 0, 0, 0, *resistance);
    return;
  }
  const double s = 1 - range.y / zone_.depth, Q = zone_.stiffness * zone_.depth * (s + s * s * s);
  apply_effort(row, Q * range.slope, on_a, on_b);
  if (resistance)
    set_resistance(row, range.slope, range.y, Q, zone_.stiffness * (1 + 3 * s * s), 0, *resistance);
}

std::optional<double> ComfortSpring::stored_energy(const BodyMotion& a, const BodyMotion& b) const {
  ConstraintRows row;
  limit_->evaluate(0, a, b, row);
  const double s = std::max(0.0, 1 - compute_remaining_range(row, zone_).y / zone_.depth), square = s * s;
  return zone_.stiffness * zone_.depth * zone_.depth * (0.5 * square + 0.25 * square * square);
}

void ComfortDamper::act(const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                        Resistance* resistance) const {
  ConstraintRows row;
  limit_->evaluate(0, a, b, row);
  const RemainingRange range = compute_remaining_range(row, zone_);
  if (range.y >= zone_.depth) return;
  const double s = std::min(1.0, 1 - range.y / zone_.depth);
  const double damping = zone_.damping * s * (2 - s);
  apply_effort(row, -damping * range.slope * range.slope * rate_of(row, a, b), on_a, on_b);
  if (resistance) set_resistance(row, range.slope, range.y, 0, 0, damping, *resistance);
}

}  // namespace tumble::model
