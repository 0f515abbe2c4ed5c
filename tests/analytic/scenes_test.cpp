// Every shipped scene, and the claim at the top of its file.
#include <doctest/doctest.h>

#include <cmath>

#include "support/simulate.h"
#include "tumble/dynamics/energy.h"

using namespace tumble;
using model::BodyId;
using model::Vec3;

namespace {

double duration(const model::Model& model) { return model.run_options().duration; }
BodyId id(const model::Model& model, const char* name) { return model.find_body(name).value(); }

// Checks that energy less work is constant to the accuracy over the whole run of a scene.
void check_energy(const model::Model& model) {
  const dynamics::Balance start = dynamics::compute_balance(model, start_state(model));
  double drift = 0, largest = start.kinetic;
  support::simulate_steps(model, duration(model), {}, [&](const model::State& state) {
    const dynamics::Balance now = dynamics::compute_balance(model, state);
    drift = std::max(drift, std::abs(now.energy() - now.work - start.energy()));
    largest = std::max(largest, now.kinetic);
  });
  CHECK(drift < 1e-6 * largest);
}

}  // namespace

TEST_CASE("t-handle: it flips again and again") {
  const scene::Scene scene = support::load("t-handle");
  const model::Model& model = scene.model;
  check_energy(model);
  // The stem's spin in body axes changes sign at every flip.
  int flips = 0;
  double last = 0;
  support::simulate_frames(model, duration(model), 60, {}, [&](const model::State& state) {
    const Vec3 w = state.orientation(BodyId(0)).conjugate() * angular_velocity(model, state, BodyId(0));
    if (last * w.z() < 0) ++flips;
    last = w.z();
  });
  MESSAGE(flips << " turn-overs in " << duration(model) << " s");
  CHECK(flips >= 3);
}

TEST_CASE("free-top: the axis circles the angular momentum at L/I1") {
  const scene::Scene scene = support::load("free-top");
  const model::Model& model = scene.model;
  check_energy(model);
  const model::Body& disc = model.body(BodyId(0));
  const double I1 = disc.inertia_B(0, 0);
  CHECK(std::abs(disc.inertia_B(2, 2) / I1 - 1) < 1e-12);
  const model::State start = start_state(model);
  const Vec3 L = start.angular_momentum(BodyId(0)), along = L.normalized();
  const Vec3 axis0 = Vec3::UnitY();
  const Vec3 e1 = (axis0 - axis0.dot(along) * along).normalized(), e2 = along.cross(e1);
  support::simulate_frames(model, duration(model), 10, {}, [&](const model::State& state) {
    const Vec3 axis = state.orientation(BodyId(0)) * axis0;
    const double phase = std::atan2(axis.dot(e2), axis.dot(e1)), exact = L.norm() / I1 * state.time;
    // the error allowed per T, over the run, relative to the circle of the axis
    const double T = simulate::compute_scales(model).time, circle = (axis - axis.dot(along) * along).norm();
    CHECK(std::abs(std::remainder(phase - exact, 2 * math::kPi)) < 1e-6 * (1 + duration(model) / T) / circle);
  });
}

TEST_CASE("terrain: stones fly on parabolas and stay clear of the ground") {
  const scene::Scene scene = support::load("terrain");
  const model::Model& model = scene.model;
  check_energy(model);
  const auto& ground = model.body(id(model, "ground"));
  double top = -1e300;
  for (const Vec3& v : collision::triangles_of(ground.shapes[0].shape)->vertices) top = std::max(top, v.y());
  CHECK(std::holds_alternative<collision::HeightField>(ground.shapes[0].shape));
  const model::State start = start_state(model);
  for (const char* name : {"first", "second", "third"}) {
    const BodyId stone = id(model, name);
    CHECK(std::holds_alternative<collision::Hull>(model.body(stone).shapes[0].shape));
    const Vec3 p0 = start.position(stone), v0 = velocity(model, start, stone);
    support::simulate_frames(model, duration(model), 20, {}, [&](const model::State& state) {
      const double t = state.time;
      const Vec3 exact = p0 + v0 * t + Vec3(0, -0.5 * 9.81 * t * t, 0);
      CHECK((state.position(stone) - exact).norm() < 1e-6 * model.body(stone).radius);
      CHECK(state.position(stone).y() - model.body(stone).radius > top);
    });
  }
}

TEST_CASE("projectile: parabola, linear drag with wind, and quadratic drag agree with their closed forms") {
  const scene::Scene scene = support::load("projectile");
  const model::Model& model = scene.model;
  check_energy(model);
  const double g = 9.81;
  const BodyId vacuum = id(model, "vacuum"), thrown = id(model, "thrown"), dropped = id(model, "dropped");
  const double m = model.body(thrown).mass, rate = 0.15 / m;
  const Vec3 wind(-3, 0, 2), v0(8, 10, 0);
  const Vec3 terminal = wind + Vec3(0, -g, 0) / rate;
  const double vt = std::sqrt(model.body(dropped).mass * g / 0.2);
  support::simulate_frames(model, duration(model), 20, {}, [&](const model::State& state) {
    const double t = state.time;
    const Vec3 parabola = Vec3(0, 1, 0) + v0 * t + Vec3(0, -0.5 * g * t * t, 0);
    const Vec3 exponential =
        Vec3(0, 1, 1) + terminal * t + (v0 - terminal) * (1 - std::exp(-rate * t)) / rate;
    const Vec3 fall = Vec3(10, 14 - vt * vt / g * std::log(std::cosh(g * t / vt)), 2);
    // accuracy 1e-6 of the ball's size per time scale
    const double allowed = 1e-6 * 0.1 * (1 + t / simulate::compute_scales(model).time);
    CHECK((state.position(vacuum) - parabola).norm() < allowed);
    CHECK((state.position(thrown) - exponential).norm() < allowed);
    CHECK((state.position(dropped) - fall).norm() < allowed);
  });
}

TEST_CASE("orbit: after each period both bodies are back at the start, and their centre never moves") {
  const scene::Scene scene = support::load("orbit");
  const model::Model& model = scene.model;
  check_energy(model);
  const BodyId planet = id(model, "planet"), moon = id(model, "moon");
  const model::State start = start_state(model);
  const double mu = 2.0 / 3, k = 6, r = 1.5, v = 1.5;
  const double energy = 0.5 * mu * v * v - k / r, a = -k / (2 * energy);
  const double period = 2 * math::kPi * std::sqrt(mu * a * a * a / k);
  CHECK(std::abs(10 * period - duration(model)) < 0.01);  // the scene runs for ten of them
  const double T = simulate::compute_scales(model).time, L = simulate::compute_scales(model).length;
  for (int n = 1; n <= 10; ++n) {
    const model::State state = support::simulate_to(model, n * period);
    // errors grow as the orbit shears: at most (t/T)^2/2 times the accuracy per T
    const double allowed = 1e-6 * L * 0.5 * math::square(n * period / T);
    CHECK((state.position(planet) - start.position(planet)).norm() < allowed);
    CHECK((state.position(moon) - start.position(moon)).norm() < allowed);
    CHECK((2 * state.position(planet) + state.position(moon)).norm() < 1e-13);
  }
}

TEST_CASE("two-forces: the block accelerates at 2f/M and does not rotate") {
  const scene::Scene scene = support::load("two-forces");
  const model::Model& model = scene.model;
  check_energy(model);
  const double M = model.body(BodyId(0)).mass;
  CHECK(M == doctest::Approx(64).epsilon(1e-14));
  support::simulate_frames(model, duration(model), 10, {}, [&](const model::State& state) {
    CHECK((state.position(BodyId(0)) - Vec3(0, 0, 0.5 * 16 / M * state.time * state.time)).norm() < 1e-14);
    CHECK(math::angle_between(state.orientation(BodyId(0)), model::Quat::identity()) < 1e-14);
  });
}

TEST_CASE("couple: the block's angular acceleration is 6f/I and it does not translate") {
  const scene::Scene scene = support::load("couple");
  const model::Model& model = scene.model;
  check_energy(model);
  const double I = model.body(BodyId(0)).inertia_B(1, 1), T = simulate::compute_scales(model).time;
  CHECK(I == doctest::Approx(64.0 / 12 * (64 + 16)).epsilon(1e-14));
  support::simulate_frames(model, duration(model), 10, {}, [&](const model::State& state) {
    const double angle = 0.5 * 6 * 8 / I * state.time * state.time;
    const model::Quat exact = model::Quat::from_axis_angle(Vec3::UnitY(), angle);
    CHECK(state.position(BodyId(0)).norm() < 1e-14);
    CHECK(math::angle_between(state.orientation(BodyId(0)), exact) < 1e-6 * (1 + state.time / T));
  });
}

TEST_CASE("force-versus-torque: equal speed, more energy, and the work of each force explains it") {
  const scene::Scene scene = support::load("force-versus-torque");
  const model::Model& model = scene.model;
  check_energy(model);
  const BodyId straight = id(model, "straight"), turning = id(model, "turning");
  const model::State end = support::simulate_to(model, duration(model));
  const auto kinetic = [&](BodyId b) {
    return 0.5 * (end.momentum(b).dot(velocity(model, end, b)) +
                  end.angular_momentum(b).dot(angular_velocity(model, end, b)));
  };
  const double M = model.body(straight).mass;
  CHECK((velocity(model, end, straight) - Vec3(0, 5 * 10 / M, 0)).norm() < 1e-13);
  CHECK((velocity(model, end, turning) - velocity(model, end, straight)).norm() < 1e-13);
  CHECK(std::abs(kinetic(straight) / (0.5 * M * math::square(50 / M)) - 1) < 1e-13);
  CHECK(kinetic(turning) > 1.001 * kinetic(straight));
  CHECK(std::abs(end.work[0] / kinetic(straight) - 1) < 1e-13);
  CHECK(std::abs(end.work[1] / kinetic(turning) - 1) < 1e-7);
}
