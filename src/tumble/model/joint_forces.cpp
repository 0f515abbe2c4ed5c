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

// Three rows J (w_b - w_a), J being the transpose of what is given.
void set_turning_rows(const Mat3& transpose, double stiffness, Resistance& out) {
  out.rows = 3, out.turns = true;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) out.J_b[i][k + 3] = transpose(k, i);
    out.stiffness[i] = stiffness, out.damping[i] = 0;
  }
}

// r of equation (4), and the transpose of Jl^-1(r), of its rate, both in world axes. With half the angle p, s = sin p, w = cos p and v = s u:
//   r = 2 p/s v,   Jl^-1 = 1 - p/s [v]x + (1 - p w/s)/s^2 [v]x[v]x
// Both factors are by their series in s^2 where the second would lose digits: asin(s)/s and (1 - asin(s) sqrt(1 - s^2)/s)/s^2.
struct Rotation {
  Vec3 r;
  Mat3 rate;  // transposed
};

// Series in x, coefficient by coefficient.
constexpr int kTerms = 7;
struct Series {
  double first[kTerms] = {1}, second[kTerms] = {1.0 / 3};
  constexpr Series() {
    for (int n = 1; n < kTerms; ++n) {
      first[n] = first[n - 1] * (2.0 * n - 1) * (2.0 * n - 1) / (2.0 * n * (2.0 * n + 1));
      second[n] = second[n - 1] * 2.0 * n / (2.0 * n + 3);
    }
  }
};

double sum_of(const double (&series)[kTerms], double x) {
  double sum = series[kTerms - 1];
  for (int n = kTerms - 2; n >= 0; --n) sum = series[n] + x * sum;
  return sum;
}

// `straight` is R_BJ R_AJ^T: what a's axes become where the joint's coincide.
Rotation compute_rotation(const Mat3& straight, const BodyMotion& a, const BodyMotion& b) {
  constexpr double kSmall =
      0.01;  // 11 degrees of turn: the next terms are below 0.015 kSmall^7 and 0.2 kSmall^7
  constexpr Series kSeries;
  const rows::WorldRotation d = rows::compute_world_rotation(straight, a, b);
  const Vec3& v = d.v;
  const double square = v.x() * v.x() + v.y() * v.y() + v.z() * v.z();
  double first = 1, second = 1;
  if (square < kSmall) {
    first = sum_of(kSeries.first, square), second = sum_of(kSeries.second, square);
  } else {
    const double s = math::sqrt(square);
    first = math::atan2(s, d.w) / s;
    second = (1 - first * d.w) / square;
  }
  Rotation out;
  out.r = 2 * first * v;
  const Vec3 u = second * v, turn = first * v;
  const double rest = 1 - second * square;
  out.rate << rest + u[0] * v[0], u[1] * v[0] - turn[2], u[2] * v[0] + turn[1],  //
      u[0] * v[1] + turn[2], rest + u[1] * v[1], u[2] * v[1] - turn[0],          //
      u[0] * v[2] - turn[1], u[1] * v[2] + turn[0], rest + u[2] * v[2];
  return out;
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
  if (resistance) set_turning_rows(rotation.rate, stiffness_, *resistance);
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
  if (resistance) resistance->turns = true, resistance->turning_damping = damping_;
  if (stiffness_ > 0) {
    const Rotation rotation = compute_rotation(turn_, a, b);
    torque -= stiffness_ * rotation.r;
    if (resistance) set_turning_rows(rotation.rate, stiffness_, *resistance);
  }
  const double square = torque.squaredNorm();
  if (!(square > max_effort_ * max_effort_) || (resistance && resistance->unlimited)) return torque;
  if (resistance) resistance->rows = 0, resistance->turning_damping = 0;
  return max_effort_ / math::sqrt(square) * torque;
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
