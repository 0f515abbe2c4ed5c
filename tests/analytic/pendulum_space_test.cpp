// Pendulums of spinning rods on ball joints that move in three dimensions, compared with their equations in
// directions (support/pendulum.h: minimal coordinates, a dense matrix, another integrator).
#include <doctest/doctest.h>

#include <Eigen/Geometry>

#include "support/pendulum.h"
#include "support/simulate.h"
#include "tumble/model/joint_spec.h"
#include "tumble/model/model_builder.h"

using namespace tumble;
using math::Vec3;
using model::BodyId;

namespace {

// Total length 1 m, total mass 1 kg.
std::vector<support::Rod> rods_in_space(size_t n) {
  const double l = 1.0 / static_cast<double>(n);
  return std::vector<support::Rod>(
      n, {.length = l, .centre = 0.5 * l, .mass = l, .across = l * l * l / 12, .along = l * l * l / 24});
}

// Rods on ball joints with given directions, rates and spins.
model::Model pendulum_in_space(const std::vector<support::Rod>& rods,
                               const std::vector<support::RodStart>& start) {
  model::ModelBuilder builder;
  Vec3 tip = Vec3::Zero(), tip_velocity = Vec3::Zero();
  BodyId last;
  for (size_t i = 0; i < rods.size(); ++i) {
    const auto& [l, centre, mass, across, around] = rods[i];
    const auto& [u, rate, spin] = start[i];
    model::BodySpec rod;
    rod.name = "rod" + std::to_string(i);
    const Eigen::Quaterniond q = Eigen::Quaterniond::FromTwoVectors(-Vec3::UnitY(), u);
    rod.X_WB = {math::Quat::from_wxyz(q.w(), q.x(), q.y(), q.z()), tip + centre * u};
    rod.velocity = tip_velocity + centre * rate;
    rod.angular_velocity = u.cross(rate) + spin * u;
    rod.inertia = model::GivenInertia{.mass = mass, .moments = Vec3(across, around, across)};
    const BodyId id = builder.add_body(rod);
    builder.add_joint({.name = "j" + std::to_string(i), .a = last, .b = id, .at = tip});
    tip += l * u;
    tip_velocity += l * rate;
    last = id;
  }
  return builder.finish().value();
}

// A helix of rods, at the angle `amplitude` from straight down at the top, that rotates about the vertical
// while each rod spins.
std::vector<support::RodStart> helix(size_t n, double amplitude) {
  std::vector<support::RodStart> start;
  for (size_t i = 0; i < n; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(n), lean = amplitude * (1 - 0.4 * part),
                 azimuth = 1.5 * part;
    support::RodStart d;
    d.u = Vec3(std::sin(lean) * std::cos(azimuth), -std::cos(lean), std::sin(lean) * std::sin(azimuth));
    d.rate = Vec3(0, 2, 0).cross(d.u);
    d.spin = i % 2 == 0 ? 3 : -1;
    start.push_back(d);
  }
  return start;
}

}  // namespace

TEST_CASE("pendulums of 2 to 50 spinning rods move in space as their equations in directions say") {
  for (const size_t n : {2, 3, 8, 25, 50}) {
    const std::vector<support::Rod> rods = rods_in_space(n);
    for (const double amplitude : {1.2, 0.02}) {
      const std::vector<support::RodStart> start = helix(n, amplitude);
      const double end = (amplitude > 1 && n > 3) || n > 25 ? 1 : 3;
      const model::Model model = pendulum_in_space(rods, start);
      const BodyId last(n - 1);
      const Vec3 wanted = swing_in_space(rods, start, end);
      for (const double accuracy : {1e-6, 1e-9}) {
        const model::State state = support::simulate_to(model, end, {.accuracy = accuracy});
        const Vec3 tip = state.position(last) + state.orientation(last) * Vec3(0, -0.5 * rods[0].length, 0);
        const double error = (tip - wanted).norm();
        CHECK_MESSAGE(error < 10 * accuracy, n << " rods at " << amplitude << " rad, accuracy " << accuracy
                                               << ": " << error << " m");
      }
    }
  }
}

TEST_CASE("the two references for pendulums agree in a plane") {
  const std::vector<support::Rod> rods = rods_in_space(4);
  const std::vector<double> angles = {1.2, 0.9, 0.7, 0.6};
  std::vector<support::RodStart> start;
  for (const double t : angles)
    start.push_back({.u = Vec3(std::sin(t), -std::cos(t), 0), .rate = Vec3::Zero()});
  const auto [across, up] = tip_in_plane(rods, swing_in_plane(rods, angles, 1));
  CHECK((swing_in_space(rods, start, 1) - Vec3(across, up, 0)).norm() < 1e-10);  // 100 steps of 1e-12
}
