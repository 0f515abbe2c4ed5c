// Convergence by step halving on a tumbling body under a torque that depends on time and orientation.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>

#include "support/simulate.h"
#include "tumble/dynamics/integrators/tableau.h"

using namespace tumble;
using model::BodyMotion;
using model::Vec3;
using model::Wrench;

namespace {

// A torque as a function of the time since `start`.
class Twist final : public model::ForceLaw {
 public:
  Twist(model::BodyId body, double start) : ForceLaw("twist", body), start_(start) {}
  void apply(double time, const BodyMotion& a, const BodyMotion&, Wrench& on_a, Wrench&) const override {
    const double t = start_ + time;
    on_a.torque += Vec3(0.3 * std::cos(t), 0.2, -0.4 * std::sin(2 * t)) + 0.3 * a.rotation.col(2);
  }

 private:
  double start_;  // s
};

constexpr double kEnd = 1.6;  // s

// The body with this orientation and angular momentum at the time `start` of the torque.
model::Model tumbling_body(const model::Quat& orientation, const Vec3& angular_momentum, double start) {
  model::ModelBuilder builder;
  builder.set_gravity(Vec3::Zero());
  model::BodySpec body;
  body.name = "body";
  body.X_WB.rotation = orientation;
  body.inertia = model::GivenInertia{};
  body.inertia->mass = 1;
  body.inertia->moments = Vec3(1, 2, 3);
  const model::Mat3 R = body.X_WB.rotation.to_matrix();
  body.angular_velocity = R * (R.transpose() * angular_momentum).cwiseQuotient(body.inertia->moments);
  const model::BodyId id = builder.add_body(body);
  builder.add_force(std::make_shared<Twist>(id, start));
  return support::finished(builder);
}

model::Model tumbling_body() {
  return tumbling_body(model::Quat::from_wxyz(0.9, 0.1, -0.3, 0.2).normalized(), Vec3(2, 5, 1.5), 0);
}

// Orientations at a few times, computed with fixed steps.
using Track = std::vector<model::Quat>;
constexpr int kTimes = 4;

Track orientations(const model::Model& model, const dynamics::Tableau& method, int steps,
                   bool quergs = false) {
  simulate::Simulation simulation = support::make_simulation(
      model, {.integrator = std::string(method.name), .quergs = quergs, .fixed_step = kEnd / steps});
  Track track;
  for (int i = 1; i <= steps; ++i) {
    REQUIRE(simulation.step().good());
    if (i % (steps / kTimes) == 0) track.push_back(simulation.state().orientation(model::BodyId(0)));
  }
  return track;
}

double largest_error(const Track& a, const Track& b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = std::max(largest, math::angle_between(a[i], b[i]));
  return largest;
}

Track reference(const model::Model& model) {
  // The reference is valid only if two unrelated methods agree.
  const Track eighth = orientations(model, dynamics::dormand_prince_8(), 512);
  REQUIRE(largest_error(eighth, orientations(model, dynamics::cash_karp(), 8192)) < 2e-13);
  return eighth;
}

// Slope over the step halvings whose error lies between 1e-3 and 1e-11; prints the window.
double measured_order(const model::Model& model, const dynamics::Tableau& method, const Track& exact,
                      bool quergs = false) {
  std::vector<double> steps, errors;
  for (int n = kTimes; n <= 1 << 20; n *= 2) {
    const double error = largest_error(orientations(model, method, n, quergs), exact);
    if (error > 1e-3) continue;
    if (error < 1e-11) break;
    steps.push_back(kEnd / n);
    errors.push_back(error);
  }
  REQUIRE(steps.size() >= 2);
  const double slope = support::fitted_slope(steps, errors);
  std::printf("%-10s%s order %.3f over h = %.3g .. %.3g s (%zu sizes), error %.2g .. %.2g rad\n",
              method.name.data(), quergs ? " quergs" : "", slope, steps.front(), steps.back(), steps.size(),
              errors.front(), errors.back());
  return slope;
}

// The state at t, by 64 steps of order 8.
model::State fine_state(const model::Model& model, double t) {
  return t == 0 ? start_state(model) : support::simulate_to(model, t, {.fixed_step = t / 64});
}

// The same body, with a run that begins at a later time of `model`.
model::Model begin_at(const model::Model& model, double start) {
  const model::State state = fine_state(model, start);
  return tumbling_body(state.orientation(model::BodyId(0)), state.angular_momentum(model::BodyId(0)), start);
}

}  // namespace

TEST_CASE("each method has its nominal order") {
  const model::Model model = tumbling_body();
  const Track exact = reference(model);
  CHECK(measured_order(model, dynamics::dormand_prince_8(), exact) == doctest::Approx(8).epsilon(0.3 / 8));
  CHECK(measured_order(model, dynamics::dormand_prince_5(), exact) == doctest::Approx(5).epsilon(0.2 / 5));
  CHECK(measured_order(model, dynamics::cash_karp(), exact) == doctest::Approx(5).epsilon(0.2 / 5));
  CHECK(measured_order(model, dynamics::classical_rk4(), exact) == doctest::Approx(4).epsilon(0.1 / 4));
  CHECK(measured_order(model, dynamics::euler(), exact) == doctest::Approx(1).epsilon(0.1));
}

TEST_CASE("adding quaternions as in 2007 reduces Cash-Karp from order 5 to order 2") {
  const model::Model model = tumbling_body();
  CHECK(measured_order(model, dynamics::cash_karp(), reference(model), true) ==
        doctest::Approx(2).epsilon(0.1 / 2));
}

TEST_CASE("dense output has order 7 with dopri8 and 4 with dopri5: its local error falls one power faster") {
  const model::Model model = tumbling_body();
  for (const auto& [method, order] :
       {std::pair(&dynamics::dormand_prince_8(), 7.0), std::pair(&dynamics::dormand_prince_5(), 4.0)}) {
    std::vector<double> steps, errors;
    for (double h = 0.8; h > 1e-3; h /= std::sqrt(2.0)) {
      // Steps from several states along the way. Each is compared inside with many short steps from the same
      // state.
      double sum = 0;
      int count = 0;
      for (const double start : {0.0, 0.3, 0.6, 0.9, 1.2, 1.5}) {
        const model::Model later = begin_at(model, start);
        simulate::Simulation simulation =
            support::make_simulation(later, {.integrator = std::string(method->name), .fixed_step = h});
        REQUIRE(simulation.step().good());
        for (const double x : {0.2, 0.4, 0.6, 0.8}) {
          const model::State inside = simulation.state_at(x * h), exact = fine_state(later, x * h);
          const double error =
              math::angle_between(inside.orientation(model::BodyId(0)), exact.orientation(model::BodyId(0)));
          sum += error * error;
          ++count;
        }
      }
      const double error = std::sqrt(sum / count);
      if (error > 1e-3) continue;
      if (error < 1e-11) break;
      steps.push_back(h);
      errors.push_back(error);
    }
    REQUIRE(steps.size() >= 3);
    const double measured = support::fitted_slope(steps, errors) - 1;
    std::printf("%-10s dense output: order %.3f over h = %.3g .. %.3g s, error %.2g .. %.2g rad\n",
                method->name.data(), measured, steps.front(), steps.back(), errors.front(), errors.back());
    CHECK(std::abs(measured - order) < 0.3);
  }
}
