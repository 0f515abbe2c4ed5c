#include "support/stiff_scenes.h"

#include <cmath>
#include <limits>

#include "tumble/math/quat.h"

namespace support {

using namespace tumble;
using math::Quat;
using math::Vec3;

model::Model stiff_chain(int links, const ChainSpec& spec) {
  constexpr double kLength = 0.1, kMass = 0.1, kRadius = 0.015;
  const double round = 0.5 * kMass * kRadius * kRadius,
               across = kMass * (3 * kRadius * kRadius + kLength * kLength) / 12;
  model::ModelBuilder builder("stiff chain");
  builder.set_gravity(spec.gravity);
  model::BodyId last;
  Vec3 end = Vec3::Zero();
  for (int i = 0; i < links; ++i) {
    const double angle = spec.wave * std::sin(3.0 * i / links) - (spec.level ? 0 : 0.5 * math::kPi);
    const Quat R = Quat::from_rotation_vector(Vec3(0, 0, angle));
    const Vec3 along = R * Vec3(kLength, 0, 0);
    model::BodySpec link;
    link.name = "link" + std::to_string(i);
    link.X_WB = {R, end + 0.5 * along};
    link.inertia = model::GivenInertia{.mass = kMass, .moments = Vec3(round, across, across)};
    const model::BodyId body = builder.add_body(link);
    model::JointSpec joint{
        .name = "joint" + std::to_string(i), .type = model::JointType::ball, .a = last, .b = body, .at = end};
    if (spec.stiffness > 0) joint.drives = {{.stiffness = spec.stiffness, .damping = spec.damping}};
    builder.add_joint(joint);
    last = body, end += along;
  }
  return builder.finish().value();
}

namespace {

struct Target {
  Vec3 shift, velocity;  // m, m/s
  math::Mat3 rotation;
  Vec3 angular_velocity;  // rad/s
};

// All bones use the same time, so the last target is cached.
const Target& target_at(double t) {
  constexpr double kRate = 3, kAmplitude = 0.5, kRadius = 0.2;  // rad/s, rad, m
  thread_local double time = std::numeric_limits<double>::quiet_NaN();
  thread_local Target target;
  if (t == time) return target;
  time = t;
  const double s = std::sin(kRate * t), c = std::cos(kRate * t);
  target = {kRadius * Vec3(s, 0, 1 - c), kRate * kRadius * Vec3(c, 0, s),
            Quat::from_rotation_vector(Vec3(0, kAmplitude * s, 0)).to_matrix(),
            Vec3(0, kRate * kAmplitude * c, 0)};
  return target;
}

}  // namespace

void Tether::apply(double t, const model::BodyMotion& a, const model::BodyMotion&, model::Wrench& on_a,
                   model::Wrench&) const {
  const Target& target = target_at(t);
  const math::Mat3& R = target.rotation;
  const Vec3 arm = R * start_, position = target.shift + arm,
             speed = target.velocity + target.angular_velocity.cross(arm);
  const Vec3 rotation = Quat::from_matrix(a.rotation * R.transpose()).to_rotation_vector();
  on_a.force += gains_.linear * (position - a.center) + gains_.linear_damping * (speed - a.velocity);
  on_a.torque +=
      gains_.torsional_damping * (target.angular_velocity - a.angular_velocity) - gains_.torsional * rotation;
}

// Linearises along and about the world axes. The rotation from the target is small.
void Tether::linearise(double t, const model::BodyMotion& a, const model::BodyMotion& b, model::Wrench& on_a,
                       model::Wrench& on_b, model::Resistance& resistance) const {
  apply(t, a, b, on_a, on_b);
  resistance.rows = 6, resistance.turns = false, resistance.turning_damping = 0;
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < 6; ++k) resistance.J_a[i][k] = i == k ? 1 : 0;
    resistance.stiffness[i] = i < 3 ? gains_.linear : gains_.torsional;
    resistance.damping[i] = i < 3 ? gains_.linear_damping : gains_.torsional_damping;
  }
}

model::Model hand() {
  model::ModelBuilder builder("hand");
  const auto add_bone = [&](const std::string& name, const Vec3& center, const Vec3& size) {
    const double mass = 1100 * size.prod();
    model::BodySpec bone;
    bone.name = name, bone.X_WB.translation = center;
    const Vec3 square = mass / 12 * size.cwiseProduct(size);
    bone.inertia = model::GivenInertia{
        .mass = mass,
        .moments = Vec3(square.y() + square.z(), square.x() + square.z(), square.x() + square.y())};
    const model::BodyId body = builder.add_body(bone);
    builder.add_force(
        std::make_shared<Tether>(name + ".tether", body, center, Tether::Gains{2000, 5, 20, 0.05}));
    return body;
  };
  const model::BodyId palm = add_bone("palm", Vec3::Zero(), Vec3(0.09, 0.02, 0.09));
  for (int finger = 0; finger < 5; ++finger) {
    model::BodyId last = palm;
    Vec3 at(-0.04 + 0.02 * finger, 0, 0.045);
    for (int k = 0; k < 3; ++k) {
      const Vec3 size(0.015, 0.015, 0.04 - 0.008 * k), half(0, 0, 0.5 * size.z());
      const std::string name = "finger" + std::to_string(finger) + "." + std::to_string(k);
      const model::BodyId bone = add_bone(name, at + half, size);
      builder.add_joint({.name = name + ".joint",
                         .type = model::JointType::ball,
                         .a = last,
                         .b = bone,
                         .at = at,
                         .stiffness = 2,
                         .damping = 0.02});
      last = bone, at += 2 * half;
    }
  }
  return builder.finish().value();
}

}  // namespace support
