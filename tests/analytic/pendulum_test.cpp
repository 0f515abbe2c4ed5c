// Pendulums of rods in a plane: frequencies of the double pendulum, and chains of up to 50 rods compared with
// their equations in angles (support/pendulum.h: minimal coordinates, a dense matrix, another integrator).
#include <doctest/doctest.h>

#include "support/pendulum.h"
#include "support/simulate.h"
#include "tumble/dynamics/equations_of_motion.h"
#include "tumble/model/joint_spec.h"
#include "tumble/model/model_builder.h"

using namespace tumble;
using math::Vec3;
using model::BodyId;

namespace {

constexpr double kFall = 9.81;

// Rods of equal length, total length 1 m and mass 1 kg, at the given angles from straight down, in a plane
// that is rotated about the vertical by `turn`.
model::Model pendulum(const std::vector<double>& angles, double turn, model::JointType type) {
  model::ModelBuilder builder;
  const double l = 1.0 / static_cast<double>(angles.size());
  const math::Quat plane = math::Quat::from_axis_angle(Vec3::UnitY(), turn);
  Vec3 tip = Vec3::Zero();
  BodyId last;
  for (size_t i = 0; i < angles.size(); ++i) {
    const math::Quat q = plane * math::Quat::from_axis_angle(Vec3::UnitZ(), angles[i]);
    const Vec3 along = q * Vec3(0, -l, 0);
    model::BodySpec rod;
    rod.name = "rod" + std::to_string(i);
    rod.X_WB = {q, tip + 0.5 * along};
    rod.inertia = model::GivenInertia{.mass = l, .moments = l * l * l * Vec3(1.0 / 12, 1.0 / 24, 1.0 / 12)};
    const BodyId id = builder.add_body(rod);
    const bool hinge = type == model::JointType::hinge;
    builder.add_joint({.name = "j" + std::to_string(i),
                       .type = type,
                       .a = last,
                       .b = id,
                       .at = tip,
                       .axis = hinge ? plane * Vec3::UnitZ() : Vec3(Vec3::Zero())});
    tip += along;
    last = id;
  }
  return builder.finish().value();
}

// The same rods for the reference.
std::vector<support::Rod> like_rods(size_t n) {
  const double l = 1.0 / static_cast<double>(n);
  return std::vector<support::Rod>(
      n, {.length = l, .centre = 0.5 * l, .mass = l, .across = l * l * l / 12, .along = l * l * l / 24});
}

// The lower end of the last rod.
Vec3 tip_of_rods(const model::State& state, size_t n) {
  const BodyId last(n - 1);
  return state.position(last) + state.orientation(last) * Vec3(0, -0.5 / static_cast<double>(n), 0);
}

}  // namespace

TEST_CASE("a double pendulum has both frequencies of the closed form at small angles") {
  // two rods of length and mass 1/2: (4/3 1/2; 1/2 1/3) m l^2 t'' + (3/2 0; 0 1/2) m g l t = 0
  const double l = 0.5;
  for (const int mode : {0, 1}) {
    // det(K - w2 M) = 0 with w2 in units of g/l: 7/36 w2^2 - 7/6 w2 + 3/4 = 0
    const double root = std::sqrt(49.0 / 36 - 7.0 / 12),
                 w2 = (7.0 / 6 + (mode == 0 ? -root : root)) / (7.0 / 18);
    const double ratio = (1.5 - 4.0 / 3 * w2) / (0.5 * w2);  // second angle over first
    const double w = std::sqrt(w2 * kFall / l);
    const double small = 1e-4;  // nonlinear change of the frequency: small^2
    const model::Model model = pendulum({small, small * ratio}, 0, model::JointType::hinge);
    // After ten and a quarter periods the first angle passes zero. Its slope there converts the angle to a
    // time error.
    const double end = 10.25 * 2 * math::kPi / w;
    const model::State at = support::simulate_to(model, end, {.accuracy = 1e-9});
    const double angle = at.orientation(BodyId(0)).to_rotation_vector().z();
    const double rate = angular_velocity(model, at, BodyId(0)).z();
    CHECK(std::abs(rate) > 0.9 * small * w);
    CHECK(std::abs(angle / rate) / end < 1e-6);
  }
}

TEST_CASE("pendulums of 2 to 50 rods move as their equations in angles say") {
  for (const size_t n : {2, 3, 8, 25, 50}) {
    const std::vector<support::Rod> rods = like_rods(n);
    for (const double amplitude : {1.2, 0.02}) {
      std::vector<double> angles(n);
      for (size_t i = 0; i < n; ++i)
        angles[i] = amplitude * (1 - 0.4 * static_cast<double>(i) / static_cast<double>(n));
      const double end = (amplitude > 1 && n > 3) || n > 25 ? 1 : 3, turn = 0.7;
      const auto [across, up] = tip_in_plane(rods, swing_in_plane(rods, angles, end));
      const Vec3 wanted = math::Quat::from_axis_angle(Vec3::UnitY(), turn) * Vec3(across, up, 0);
      for (const double accuracy : {1e-6, 1e-9})
        for (const model::JointType type : {model::JointType::hinge, model::JointType::ball}) {
          const model::State state =
              support::simulate_to(pendulum(angles, turn, type), end, {.accuracy = accuracy});
          const double error = (tip_of_rods(state, n) - wanted).norm();
          CHECK_MESSAGE(error < 10 * accuracy, n << " rods at " << amplitude << " rad, accuracy " << accuracy
                                                 << ": " << error << " m");
        }
    }
  }
}
