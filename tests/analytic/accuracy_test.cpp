// Accuracy: the true error of closed-form motions over 20 time scales, compared with the requested accuracy.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>

#include "support/free_body.h"
#include "support/kepler.h"
#include "support/simulate.h"

using namespace tumble;
using model::BodyId;
using model::Vec3;

namespace {

constexpr double kAccuracies[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11};

// Accumulated rounding. Each step ends in sums of a dozen products, each rounded by half a unit. At the
// finest accuracy a body rotates by 0.1 to 0.2 rad in a step: some 10^4 steps in 2000 rad, fewer than 10^3 in
// the slow motions.
double rounding(double steps) { return 12 * 1.1e-16 * steps; }

// Prints a row of the table and checks the promise: the error is below ten times the accuracy, and falls with
// it until only rounding is left (`floor`).
void check_promise(const char* name, double floor, const std::function<double(double)>& error_at) {
  std::printf("%-34s", name);
  double last = 1;
  for (const double accuracy : kAccuracies) {
    const double error = error_at(accuracy);
    std::printf(" %8.1e", error);
    CHECK(error < 10 * accuracy);
    CHECK(error < std::max(last, floor));
    last = error;
  }
  std::printf("\n");
}

double rotation_error(const Vec3& moments, const Vec3& omega, const Vec3& gravity, const Vec3& velocity,
                      double accuracy) {
  model::ModelBuilder builder;
  builder.set_gravity(gravity);
  model::BodySpec spec;
  spec.name = "body";
  spec.angular_velocity = omega;
  spec.velocity = velocity;
  spec.inertia = model::GivenInertia{};
  spec.inertia->mass = 2;
  spec.inertia->moments = moments;
  builder.add_body(spec);
  const model::Model model = support::finished(builder);
  support::FreeBody exact({moments.x(), moments.y(), moments.z()}, {omega.x(), omega.y(), omega.z()});
  const simulate::Scales scales = simulate::compute_scales(model);
  double worst = 0;
  support::simulate_frames(
      model, 20 * scales.time, 5 / scales.time, {.accuracy = accuracy}, [&](const model::State& state) {
        const double t = state.time;
        const Vec3 x = velocity * t + 0.5 * t * t * gravity;
        worst = std::max(worst, (state.position(BodyId(0)) - x).norm() / scales.length);
        const support::Matrix R = exact.orientation(t);
        model::Mat3 E;
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) E(i, j) = static_cast<double>(R[i][j]);
        const model::Mat3 D = state.orientation(BodyId(0)).to_matrix() * E.transpose();
        worst = std::max(worst, 0.5 * Vec3(D(2, 1) - D(1, 2), D(0, 2) - D(2, 0), D(1, 0) - D(0, 1)).norm());
      });
  return worst;
}

}  // namespace

TEST_CASE("the true error over 20 T stays below ten times the accuracy and falls with it") {
  std::printf("%-34s", "true error over 20 T; asked:");
  for (const double accuracy : kAccuracies) std::printf(" %8.0e", accuracy);
  std::printf("\n");
  check_promise("tumbling in free space", rounding(1e3), [](double a) {
    return rotation_error({1, 2, 3}, {0.3, 2, 0.5}, Vec3::Zero(), Vec3::Zero(), a);
  });
  check_promise("thrown and tumbling", rounding(1e3), [](double a) {
    return rotation_error({1, 2, 3}, {3, 1, 2}, Vec3(0, -9.81, 0), Vec3(3, 10, 1), a);
  });
  check_promise("spinning at 100 rad per T", rounding(1e4), [](double a) {
    return rotation_error({1, 2, 3}, Vec3(20, 150, 270), Vec3(0, -9.81, 0), Vec3::Zero(), a);
  });
  check_promise("Kepler ellipse, eccentricity 0.6", rounding(1e3), [](double a) {
    const support::Kepler exact(1.0, 1.0, 0.6);
    const model::Model model = exact.model(0.3);
    const simulate::Scales scales = simulate::compute_scales(model);
    double worst = 0;
    support::simulate_frames(
        model, 20 * scales.time, 5 / scales.time, {.accuracy = a}, [&](const model::State& state) {
          worst = std::max(worst,
                           (state.position(BodyId(1)) - exact.position(state.time)).norm() / scales.length);
        });
    return worst;
  });
}
