// The force laws a scene file can name. All vectors are given as they stand at the start; frames are in the
// names: W world, B (or A) body axes with the origin at the centre of mass.
#pragma once

#include <limits>

#include "tumble/model/force_law.h"

namespace tumble::model {

inline constexpr double kForever = std::numeric_limits<double>::infinity();

enum class Frame { world, body };

/// A constant force while from <= t < to, at a point fixed in the body; the value is constant in `frame`.
class AppliedForce final : public ForceLaw {
 public:
  AppliedForce(std::string name, core::BodyId body, const math::Vec3& value, Frame frame,
               const math::Vec3& arm_B, double from = 0, double to = kForever)
      : ForceLaw(std::move(name), body), value_(value), frame_(frame), arm_B_(arm_B), from_(from), to_(to) {}
  void apply(double t, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b) const override;
  std::vector<double> switch_times() const override { return {from_, to_}; }

 private:
  math::Vec3 value_;  // N
  Frame frame_;
  math::Vec3 arm_B_;  // m
  double from_, to_;  // s
};

/// A constant torque while from <= t < to.
class AppliedTorque final : public ForceLaw {
 public:
  AppliedTorque(std::string name, core::BodyId body, const math::Vec3& value, Frame frame, double from = 0,
                double to = kForever)
      : ForceLaw(std::move(name), body), value_(value), frame_(frame), from_(from), to_(to) {}
  void apply(double t, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b) const override;
  std::vector<double> switch_times() const override { return {from_, to_}; }

 private:
  math::Vec3 value_;  // N m
  Frame frame_;
  double from_, to_;  // s
};

/// f = -k (d - length) along the line between the two points; where they coincide a spring of length 0 is at
/// rest.
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

 private:
  math::Vec3 arm_A_, arm_B_;  // m; for the world the arm is the world point
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

 private:
  math::Vec3 arm_A_, arm_B_;  // m
  double damping_;            // N s/m
};

/// f = constant / d^2 between the two centres of mass; positive attracts, negative repels.
class InverseSquare final : public ForceLaw {
 public:
  InverseSquare(std::string name, core::BodyId a, core::BodyId b, double constant)
      : ForceLaw(std::move(name), a, b), constant_(constant) {}
  void apply(double t, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b) const override;
  std::optional<double> potential(double t, const BodyMotion& a, const BodyMotion& b) const override;

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

 private:
  double linear_;     // N s/m
  double quadratic_;  // N s^2/m^2
  math::Vec3 wind_;   // m/s
};

}  // namespace tumble::model
