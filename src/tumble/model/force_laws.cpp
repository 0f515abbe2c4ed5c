#include "tumble/model/force_laws.h"

namespace tumble::model {

using math::Vec3;

namespace {

Vec3 in_world(const Vec3& value, Frame frame, const BodyMotion& body) {
  return frame == Frame::body ? Vec3(body.rotation * value) : value;
}

// The line from point A to point B of a spring or damper: arms in world axes, unit direction, distance.
struct Line {
  Vec3 arm_a, arm_b, direction;
  double distance;
};

Line compute_line(const BodyMotion& a, const Vec3& arm_A, const BodyMotion& b, const Vec3& arm_B) {
  Line line;
  line.arm_a = a.rotation * arm_A;
  line.arm_b = b.rotation * arm_B;
  const Vec3 span = (b.center + line.arm_b) - (a.center + line.arm_a);
  line.distance = span.norm();
  line.direction = line.distance > 0 ? Vec3(span / line.distance) : Vec3(Vec3::Zero());
  return line;
}

void pull(const Line& line, double tension, Wrench& on_a, Wrench& on_b) {
  on_a.add_force(tension * line.direction, line.arm_a);
  on_b.add_force(-tension * line.direction, line.arm_b);
}

}  // namespace

void AppliedForce::apply(double t, const BodyMotion& a, const BodyMotion&, Wrench& on_a, Wrench&) const {
  if (t >= from_ && t < to_) on_a.add_force(in_world(value_, frame_, a), a.rotation * arm_B_);
}

void AppliedTorque::apply(double t, const BodyMotion& a, const BodyMotion&, Wrench& on_a, Wrench&) const {
  if (t >= from_ && t < to_) on_a.torque += in_world(value_, frame_, a);
}

void Spring::apply(double, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b) const {
  const Line line = compute_line(a, arm_A_, b, arm_B_);
  pull(line, stiffness_ * (line.distance - length_), on_a, on_b);
}

std::optional<double> Spring::potential(double, const BodyMotion& a, const BodyMotion& b) const {
  const double stretch = compute_line(a, arm_A_, b, arm_B_).distance - length_;
  return 0.5 * stiffness_ * stretch * stretch;
}

void Damper::apply(double, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b) const {
  const Line line = compute_line(a, arm_A_, b, arm_B_);
  const double rate = line.direction.dot(b.velocity_at(line.arm_b) - a.velocity_at(line.arm_a));
  pull(line, damping_ * rate, on_a, on_b);
}

void InverseSquare::apply(double, const BodyMotion& a, const BodyMotion& b, Wrench& on_a,
                          Wrench& on_b) const {
  const Vec3 span = b.center - a.center;
  const double distance = span.norm();
  const Vec3 force = constant_ / (distance * distance * distance) * span;
  on_a.force += force;
  on_b.force -= force;
}

std::optional<double> InverseSquare::potential(double, const BodyMotion& a, const BodyMotion& b) const {
  return -constant_ / (b.center - a.center).norm();
}

void Drag::apply(double, const BodyMotion& a, const BodyMotion&, Wrench& on_a, Wrench&) const {
  const Vec3 u = a.velocity - wind_;
  on_a.force -= (linear_ + quadratic_ * u.norm()) * u;
}

}  // namespace tumble::model
