#include "tumble/model/force_laws.h"

namespace tumble::model {

using math::Vec3;

namespace {

Vec3 in_world(const Vec3& value, Frame frame, const BodyMotion& body) {
  return frame == Frame::body ? Vec3(body.rotation * value) : value;
}

// The line from the point of a to the point of b of a spring or damper. Arms and the unit direction are in
// world axes.
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

// Adds a row for the separation speed of the two points along n.
void add_row(const Line& line, const Vec3& n, double stiffness, double damping, Resistance& out) {
  const int i = out.rows++;
  const Vec3 angular_a = line.arm_a.cross(n), angular_b = line.arm_b.cross(n);
  for (int k = 0; k < 3; ++k) {
    out.J_a[i][k] = -n[k], out.J_a[i][k + 3] = -angular_a[k];
    out.J_b[i][k] = n[k], out.J_b[i][k + 3] = angular_b[k];
  }
  out.stiffness[i] = stiffness, out.damping[i] = damping;
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

// The stiffness along the line is k, and its coordinate is the distance. The stiffness across the line is
// k (1 - length/d). It is negative if the spring is compressed (d < length). A row must not have a negative
// stiffness, so there are no rows across the line then. Between two bodies the rows across act at the middle
// of the line: at its ends, opposite forces across the line would be a couple and change the angular
// momentum. A spring of length 0 pulls in proportion to the vector between its ends, which is smooth where
// the distance is not. It has three equal rows and no coordinate.
void Spring::linearise(double, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                       Resistance& resistance) const {
  const Line line = compute_line(a, arm_A_, b, arm_B_);
  pull(line, stiffness_ * (line.distance - length_), on_a, on_b);
  resistance.clear();
  Line middle = line;
  if (this->b().valid()) {
    middle.arm_a += 0.5 * line.distance * line.direction;
    middle.arm_b -= 0.5 * line.distance * line.direction;
  }
  if (length_ == 0) {
    for (int k = 0; k < 3; ++k) add_row(middle, Vec3::Unit(k), stiffness_, 0, resistance);
    return;
  }
  add_row(line, line.direction, stiffness_, 0, resistance);
  resistance.has_coordinate = true, resistance.coordinate = line.distance;
  resistance.effort = -stiffness_ * (line.distance - length_);
  if (!(line.distance > length_)) return;
  const Vec3 across = line.direction.unitOrthogonal();
  const double stiffness = stiffness_ * (1 - length_ / line.distance);
  add_row(middle, across, stiffness, 0, resistance);
  add_row(middle, line.direction.cross(across), stiffness, 0, resistance);
}

std::optional<double> Spring::coordinate(const BodyMotion& a, const BodyMotion& b) const {
  return compute_line(a, arm_A_, b, arm_B_).distance;
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

void Damper::linearise(double t, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                       Resistance& resistance) const {
  apply(t, a, b, on_a, on_b);
  const Line line = compute_line(a, arm_A_, b, arm_B_);
  resistance.clear();
  add_row(line, line.direction, 0, damping_, resistance);
  resistance.has_coordinate = true, resistance.coordinate = line.distance, resistance.effort = 0;
}

std::optional<double> Damper::coordinate(const BodyMotion& a, const BodyMotion& b) const {
  return compute_line(a, arm_A_, b, arm_B_).distance;
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

// The derivative of (linear + quadratic |u|) u with respect to u is linear + quadratic |u| in all directions,
// and an additional quadratic |u| along u.
void Drag::linearise(double t, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                     Resistance& resistance) const {
  apply(t, a, b, on_a, on_b);
  const Vec3 u = a.velocity - wind_;
  const double speed = u.norm();
  const Line center{Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), 0};
  resistance.clear();
  for (int k = 0; k < 3; ++k) add_row(center, Vec3::Unit(k), 0, linear_ + quadratic_ * speed, resistance);
  if (speed > 0) add_row(center, u / speed, 0, quadratic_ * speed, resistance);
}

void BodyInput::apply(double, const BodyMotion& a, const BodyMotion&, Wrench& on_a, Wrench&) const {
  on_a.force += push_.force;
  on_a.torque += push_.torque;
  if (!(push_.stiffness > 0 || push_.damping > 0)) return;
  const Vec3 arm = a.rotation * (push_.at - center_B_);
  on_a.add_force(push_.stiffness * (push_.to - a.center - arm) - push_.damping * a.velocity_at(arm), arm);
}

void BodyInput::linearise(double t, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                          Resistance& resistance) const {
  apply(t, a, b, on_a, on_b);
  resistance.clear();
  if (!(push_.stiffness > 0 || push_.damping > 0)) return;
  const Line line{a.rotation * (push_.at - center_B_), Vec3::Zero(), Vec3::Zero(), 0};
  for (int k = 0; k < 3; ++k) add_row(line, Vec3::Unit(k), push_.stiffness, push_.damping, resistance);
}

}  // namespace tumble::model
