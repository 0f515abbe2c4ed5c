#include "tumble/model/joint_forces.h"

#include <algorithm>

#include "tumble/math/quat.h"

namespace tumble::model {

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

// r of equation (4) in world axes.
Vec3 rotation_vector(const JointFrames& frames, const BodyMotion& a, const BodyMotion& b) {
  const rows::RelativeRotation d = rows::compute_relative_rotation(frames, a, b);
  return d.F_a * math::Quat::from_wxyz(d.w, d.v.x(), d.v.y(), d.v.z()).to_rotation_vector();
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

void CoordinateLaw::act(const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b) const {
  ConstraintRows row;
  rows::set_coordinate_row(row, 0, coordinate_, frames_, a, b, rows::turn_of(counted_, b, middle_));
  push_along(row, compute_effort(row.value[0], rate_of(row, a, b)), on_a, on_b);
}

double CoordinateLaw::effort(const BodyMotion& first, const BodyMotion& second) const {
  const BodyMotion &a = to_world() ? second : first, &b = to_world() ? first : second;
  ConstraintRows row;
  rows::set_coordinate_row(row, 0, coordinate_, frames_, a, b, rows::turn_of(counted_, b, middle_));
  return compute_effort(row.value[0], rate_of(row, a, b));
}

std::optional<double> CoordinateLaw::stored(const BodyMotion& a, const BodyMotion& b) const {
  ConstraintRows row;
  rows::set_coordinate_row(row, 0, coordinate_, frames_, a, b, rows::turn_of(counted_, b, middle_));
  return energy(row.value[0]);
}

double JointDrive::compute_effort(double x, double rate) const {
  return std::clamp(stiffness_ * (aim_->target - x) + damping_ * (aim_->velocity - rate), -max_effort_,
                    max_effort_);
}

void BallSpring::act(const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b) const {
  const Vec3 torque = -stiffness_ * rotation_vector(frames_, a, b);
  on_a.torque -= torque;
  on_b.torque += torque;
}

std::optional<double> BallSpring::stored(const BodyMotion& a, const BodyMotion& b) const {
  return 0.5 * stiffness_ * rotation_vector(frames_, a, b).squaredNorm();
}

Vec3 BallDrive::torque(const BodyMotion& first, const BodyMotion& second) const {
  const BodyMotion &a = to_world() ? second : first, &b = to_world() ? first : second;
  const Vec3 velocity = a.rotation * (frames_.R_AJ * angular_velocity_);
  Vec3 torque = damping_ * (velocity - (b.angular_velocity - a.angular_velocity));
  if (stiffness_ > 0) torque -= stiffness_ * rotation_vector(frames_, a, b);
  const double size = torque.norm();
  return size > max_effort_ ? Vec3(max_effort_ / size * torque) : torque;
}

void BallDrive::act(const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b) const {
  const Vec3 pull = to_world() ? torque(b, a) : torque(a, b);
  on_a.torque -= pull;
  on_b.torque += pull;
}

void ComfortSpring::act(const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b) const {
  ConstraintRows row;
  limit_->evaluate(0, a, b, row);
  const Left y = compute_left(row, zone_);
  if (y.left >= zone_.depth) return;
  const double s = 1 - y.left / zone_.depth;
  push_along(row, zone_.stiffness * zone_.depth * (s + s * s * s) * y.slope, on_a, on_b);
}

std::optional<double> ComfortSpring::stored(const BodyMotion& a, const BodyMotion& b) const {
  ConstraintRows row;
  limit_->evaluate(0, a, b, row);
  const double s = std::max(0.0, 1 - compute_left(row, zone_).left / zone_.depth), square = s * s;
  return zone_.stiffness * zone_.depth * zone_.depth * (0.5 * square + 0.25 * square * square);
}

void ComfortDamper::act(const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b) const {
  ConstraintRows row;
  limit_->evaluate(0, a, b, row);
  const Left y = compute_left(row, zone_);
  if (y.left >= zone_.depth) return;
  const double s = std::min(1.0, 1 - y.left / zone_.depth);
  push_along(row, -zone_.damping * s * (2 - s) * y.slope * y.slope * rate_of(row, a, b), on_a, on_b);
}

}  // namespace tumble::model
