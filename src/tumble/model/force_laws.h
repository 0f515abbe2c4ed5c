// The force laws of the scene file. The suffix of a name is its frame: W for the world; A or B for the axes
// of body a or b, with the origin at the centre of mass.
#pragma once

#include <limits>

#include "tumble/model/force_law.h"

namespace tumble::model {

inline constexpr double kForever = std::numeric_limits<double>::infinity();

enum class Frame { world, body };

/// A force that acts at a body-fixed point while from <= t < to. Its value is constant in `frame`.
class AppliedForce final : public ForceLaw {
 public:
  AppliedForce(std::string name, core::BodyId body, const math::Vec3& value, Frame frame,
               const math::Vec3& arm_B, double from = 0, double to = kForever)
      : ForceLaw(std::move(name), body), value_(value), frame_(frame), arm_B_(arm_B), from_(from), to_(to) {}
  void apply(double t, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b) const override;
  std::vector<double> switch_times() const override { return {from_, to_}; }
  const math::Vec3& value() const { return value_; }
  void set_value(const math::Vec3& value) { value_ = value; }
  std::shared_ptr<ForceLaw> clone(const LawRoom& room) const override {
    return make_in<AppliedForce>(room, *this);
  }

 private:
  math::Vec3 value_;  // N
  Frame frame_;
  math::Vec3 arm_B_;  // m
  double from_, to_;  // s
};

/// A torque that acts while from <= t < to. Its value is constant in `frame`.
class AppliedTorque final : public ForceLaw {
 public:
  AppliedTorque(std::string name, core::BodyId body, const math::Vec3& value, Frame frame, double from = 0,
                double to = kForever)
      : ForceLaw(std::move(name), body), value_(value), frame_(frame), from_(from), to_(to) {}
  void apply(double t, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b) const override;
  std::vector<double> switch_times() const override { return {from_, to_}; }
  const math::Vec3& value() const { return value_; }
  void set_value(const math::Vec3& value) { value_ = value; }
  std::shared_ptr<ForceLaw> clone(const LawRoom& room) const override {
    return make_in<AppliedTorque>(room, *this);
  }

 private:
  math::Vec3 value_;  // N m
  Frame frame_;
  double from_, to_;  // s
};

/// f = -k (d - length) along the line between the two points, which are at the distance d. The force is zero
/// if the points coincide.
class Spring final : public ForceLaw {
 public:
  Spring(std::string name, core::BodyId a, const math::Vec3& arm_A, core::BodyId b, const math::Vec3& arm_B,
         double length, double stiffness)
      : ForceLaw(std::move(name), a, b),
        arm_A_(arm_A),
        arm_B_(arm_B),
        length_(length),
        stiffness_(stiffness) {}
  void apply(double t, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b) const override;
  void linearise(double t, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                 Resistance& resistance) const override;
  bool resists() const override { return true; }
  std::optional<double> potential(double t, const BodyMotion& a, const BodyMotion& b) const override;
  std::optional<double> coordinate(const BodyMotion& a, const BodyMotion& b) const override;
  const math::Vec3& arm_A() const { return arm_A_; }
  const math::Vec3& arm_B() const { return arm_B_; }
  double length() const { return length_; }
  double stiffness() const { return stiffness_; }
  void set_values(double length, double stiffness) { length_ = length, stiffness_ = stiffness; }
  std::shared_ptr<ForceLaw> clone(const LawRoom& room) const override { return make_in<Spring>(room, *this); }

 private:
  math::Vec3 arm_A_, arm_B_;  // m; for the world, the point in world coordinates
  double length_;             // m
  double stiffness_;          // N/m
};

/// f = -c (rate of the distance between the two points) along the line between them.
class Damper final : public ForceLaw {
 public:
  Damper(std::string name, core::BodyId a, const math::Vec3& arm_A, core::BodyId b, const math::Vec3& arm_B,
         double damping)
      : ForceLaw(std::move(name), a, b), arm_A_(arm_A), arm_B_(arm_B), damping_(damping) {}
  void apply(double t, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b) const override;
  void linearise(double t, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                 Resistance& resistance) const override;
  bool resists() const override { return true; }
  bool is_dissipative() const override { return true; }
  std::optional<double> coordinate(const BodyMotion& a, const BodyMotion& b) const override;
  double damping() const { return damping_; }
  void set_damping(double damping) { damping_ = damping; }
  std::shared_ptr<ForceLaw> clone(const LawRoom& room) const override { return make_in<Damper>(room, *this); }

 private:
  math::Vec3 arm_A_, arm_B_;  // m
  double damping_;            // N s/m
};

/// f = constant / d^2 between the two centres of mass. A positive constant attracts, a negative one repels.
class InverseSquare final : public ForceLaw {
 public:
  InverseSquare(std::string name, core::BodyId a, core::BodyId b, double constant)
      : ForceLaw(std::move(name), a, b), constant_(constant) {}
  void apply(double t, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b) const override;
  std::optional<double> potential(double t, const BodyMotion& a, const BodyMotion& b) const override;
  double constant() const { return constant_; }
  void set_constant(double constant) { constant_ = constant; }
  std::shared_ptr<ForceLaw> clone(const LawRoom& room) const override {
    return make_in<InverseSquare>(room, *this);
  }

 private:
  double constant_;  // N m^2
};

/// f = -(linear + quadratic |u|) u at the centre of mass, u = velocity - wind.
class Drag final : public ForceLaw {
 public:
  Drag(std::string name, core::BodyId body, double linear, double quadratic, const math::Vec3& wind)
      : ForceLaw(std::move(name), body), linear_(linear), quadratic_(quadratic), wind_(wind) {}
  void apply(double t, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b) const override;
  void linearise(double t, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                 Resistance& resistance) const override;
  bool resists() const override { return true; }
  bool is_dissipative() const override { return wind_.isZero(0); }
  double linear() const { return linear_; }
  double quadratic() const { return quadratic_; }
  const math::Vec3& wind() const { return wind_; }
  void set_values(double linear, double quadratic, const math::Vec3& wind) {
    linear_ = linear, quadratic_ = quadratic, wind_ = wind;
  }
  std::shared_ptr<ForceLaw> clone(const LawRoom& room) const override { return make_in<Drag>(room, *this); }

 private:
  double linear_;     // N s/m
  double quadratic_;  // N s^2/m^2
  math::Vec3 wind_;   // m/s
};

/// External input of a program on a body: a wrench, and a spring and damper between a point of the body and a
/// point of the world. The log contains its work. The spring has no potential energy in the model, because
/// its energy comes from outside.
struct Push {
  math::Vec3 force = math::Vec3::Zero();   // N, at the centre of mass, world axes
  math::Vec3 torque = math::Vec3::Zero();  // N m, world axes
  math::Vec3 at = math::Vec3::Zero();      // m, attachment point of the spring, in the body's frame
  math::Vec3 to = math::Vec3::Zero();      // m, the other end of the spring, in world coordinates
  double stiffness = 0;  // N/m; the spring force is stiffness (to - point) - damping (velocity of the point)
  double damping = 0;    // N s/m
};

/// The force law that applies a Push.
class BodyInput final : public ForceLaw {
 public:
  /// `center_B`: the centre of mass in the body's frame, m.
  BodyInput(std::string name, core::BodyId body, const math::Vec3& center_B)
      : ForceLaw(std::move(name), body), center_B_(center_B) {}
  void apply(double t, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b) const override;
  void linearise(double t, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                 Resistance& resistance) const override;
  bool resists() const override { return true; }
  const Push& push() const { return push_; }
  void set_push(const Push& push) { push_ = push; }
  std::shared_ptr<ForceLaw> clone(const LawRoom& room) const override {
    return make_in<BodyInput>(room, *this);
  }

 private:
  math::Vec3 center_B_;  // m
  Push push_;
};

}  // namespace tumble::model
