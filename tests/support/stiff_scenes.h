// Jointed bodies with stiff springs, for tests and benchmarks alike.
#pragma once

#include "tumble/model/model_builder.h"

namespace support {

/// Links of 0.1 m and 0.1 kg on ball joints, hanging from the world in a slight wave.
struct ChainSpec {
  double stiffness = 1000, damping = 10;  // N m/rad, N m s/rad, of each joint
  double wave = 0.3;                      // rad
  bool level = false;                     // starts horizontal instead of hanging
  tumble::math::Vec3 gravity = tumble::math::Vec3(0, -9.81, 0);
};
tumble::model::Model stiff_chain(int links, const ChainSpec& spec);

/// Linear and torsional springs, critically damped, that hold a body to a target. The target moves on a
/// circle and rotates to and fro.
class Tether final : public tumble::model::ForceLaw {
 public:
  struct Gains {
    double linear, torsional, linear_damping, torsional_damping;  // N/m, N m/rad, N s/m, N m s/rad
  };
  Tether(std::string name, tumble::core::BodyId body, const tumble::math::Vec3& start, const Gains& gains)
      : ForceLaw(std::move(name), body), start_(start), gains_(gains) {}
  void apply(double t, const tumble::model::BodyMotion& a, const tumble::model::BodyMotion& b,
             tumble::model::Wrench& on_a, tumble::model::Wrench& on_b) const override;
  void linearise(double t, const tumble::model::BodyMotion& a, const tumble::model::BodyMotion& b,
                 tumble::model::Wrench& on_a, tumble::model::Wrench& on_b,
                 tumble::model::Resistance& resistance) const override;
  bool resists() const override { return true; }

 private:
  tumble::math::Vec3 start_;  // m, start position of the centre of mass
  Gains gains_;
};

/// A palm and five fingers of three bones. Each bone is tied to a moving target. Joints are stiff and damped.
tumble::model::Model hand();

}  // namespace support
