// The shipped scenes with joints, and the claim at the top of each file.
#include <doctest/doctest.h>

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>

#include "support/pendulum.h"
#include "support/simulate.h"
#include "support/tolerance.h"
#include "tumble/dynamics/constrained_bodies.h"
#include "tumble/dynamics/energy.h"
#include "tumble/dynamics/joint_report.h"
#include "tumble/simulate/parameters.h"

using namespace tumble;
using model::BodyId;
using model::Vec3;

namespace {

constexpr double kJointError = 1e-12;  // m: positions below 10 m are doubles to 2e-15 m

BodyId id(const model::Model& model, const std::string& name) { return model.find_body(name).value(); }

struct Held {
  double drift = 0;        // of energy less work, relative to the largest kinetic energy
  double joint_error = 0;  // m
};

// Runs a scene from its prepared start to its end, or longer.
Held run(const model::Model& model, const std::function<void(const model::State&)>& look, double longer = 0) {
  const model::RunOptions& options = model.run_options();
  simulate::Simulation simulation = support::make_simulation(model, {.accuracy = options.accuracy});
  CHECK(simulation.warnings().empty());
  dynamics::ConstrainedBodies bodies(model);
  const model::State& state = simulation.state();
  const dynamics::Balance first = dynamics::compute_balance(model, state);
  double drift = 0, largest = first.kinetic;
  Held held;
  look(state);
  const double duration = std::max(options.duration, longer);
  while (state.time < duration) {
    REQUIRE(simulation.step().good());
    const dynamics::Balance now = dynamics::compute_balance(model, state);
    drift = std::max(drift, std::abs(now.energy() - now.work - first.energy()));
    largest = std::max(largest, now.kinetic);
    held.joint_error = std::max(held.joint_error, bodies.compute_gap(state.time, state.y.data()).error);
    look(state);
  }
  held.drift = drift / largest;
  return held;
}

// The scene's pendulum of rods "rod1", "rod2", ... on "hinge1", "hinge2", ..., in the form that the reference
// takes; all in planes z = const. Mass and inertia are those of the scene, which are checked elsewhere.
struct ScenePendulum {
  std::vector<support::Rod> rods;
  std::vector<double> angles;
};

ScenePendulum pendulum_of(const model::Model& model, double length) {
  const model::State start = start_state(model);
  ScenePendulum pendulum;
  Vec3 joint(0, 1.2, 0);
  for (int i = 1; const auto body = model.find_body("rod" + std::to_string(i)); ++i) {
    const Vec3 down = start.orientation(*body) * -Vec3::UnitY();
    const model::Body& rod = model.body(*body);
    pendulum.rods.push_back({.length = length,
                             .centre = (start.position(*body) - joint).dot(down),
                             .mass = rod.mass,
                             .across = rod.inertia_B(2, 2),
                             .along = 0});
    pendulum.angles.push_back(std::atan2(down.x(), -down.y()));
    joint += length * down;
  }
  return pendulum;
}

// The distance of the centre of the last rod from the solution of the equations in angles.
double last_rod_error(const model::Model& model, double length, double end) {
  ScenePendulum pendulum = pendulum_of(model, length);
  const std::vector<double> angles = swing_in_plane(pendulum.rods, pendulum.angles, end);
  pendulum.rods.back().length = pendulum.rods.back().centre;
  const auto [across, up] = tip_in_plane(pendulum.rods, angles);
  const model::State state =
      support::simulate_to(model, end, {.accuracy = model.run_options().accuracy.value()});
  const Vec3 centre = state.position(id(model, "rod" + std::to_string(angles.size())));
  return std::hypot(centre.x() - across, centre.y() - 1.2 - up);
}

// The angle by which a body has rotated about an axis, with full turns.
class Turn {
 public:
  void follow(double angle) { total_ += std::remainder(angle - total_, 2 * math::kPi); }
  double total() const { return total_; }

 private:
  double total_ = 0;
};

}  // namespace

TEST_CASE("gyroscope: it does not fall, and precesses at about m g l / (I w)") {
  const scene::Scene scene = support::load("gyroscope");
  const model::Model& model = scene.model;
  const BodyId top = id(model, "gyroscope");
  const double I = 0.02, w = 40 * math::kPi, l = 0.2, g = 9.81;
  const double transverse = 0.02 * 0.5 + 0.02 * 0.02 / 12 + l * l;  // about the nail
  double lowest = 0, angle = 0, last = 0;
  const Held held = run(model, [&](const model::State& state) {
    const Vec3 arm = state.position(top) - Vec3(0, 0.5, 0);
    CHECK(std::abs(arm.norm() - l) < kJointError);
    lowest = std::min(lowest, arm.y());
    const double now = std::atan2(-arm.z(), arm.x());
    angle += std::remainder(now - last, 2 * math::kPi);
    last = now;
  });
  CHECK(held.drift < 1e-6);
  CHECK(held.joint_error < kJointError);
  // A fast top released at rest nutates through 2 m g l I1 / (I w)^2; the next term is smaller by about that
  // angle squared.
  const double nod = 2 * g * l * transverse / (I * w * I * w);
  CHECK(-lowest / l == doctest::Approx(std::sin(nod)).epsilon(nod));
  CHECK(std::abs(angle / (8 * g * l / (I * w)) - 1) < nod);
}

TEST_CASE("double pendulum: the energy does not change and the hinges stay closed") {
  const scene::Scene scene = support::load("double-pendulum");
  const Held held = run(scene.model, [](const model::State&) {});
  CHECK(held.drift < 1e-9);
  CHECK(held.joint_error < kJointError);
}

TEST_CASE("chain: 25 links stay joined and conserve their energy") {
  const scene::Scene scene = support::load("chain");
  const Held held = run(scene.model, [](const model::State&) {});
  CHECK(scene.model.constraints().size() == 25);
  CHECK(held.drift < 1e-6);
  CHECK(held.joint_error < kJointError);
}

TEST_CASE("four-bar: 17 of 20 rows are independent, and the coupler stays level while it swings") {
  const scene::Scene scene = support::load("four-bar");
  const model::Model& model = scene.model;
  const auto islands = dynamics::report_on_joints(model, start_state(model));
  REQUIRE(islands.size() == 1);
  CHECK(islands[0].rows == 20);
  CHECK(islands[0].degrees_of_freedom() == 1);
  const BodyId coupler = id(model, "coupler");
  double left = 0, right = 0;
  const Held held = run(model, [&](const model::State& state) {
    CHECK((state.orientation(coupler) * Vec3::UnitX() - Vec3::UnitX()).norm() < 1e-9);
    left = std::min(left, state.position(coupler).x());
    right = std::max(right, state.position(coupler).x());
  });
  CHECK(held.drift < 1e-8);
  CHECK(held.joint_error < kJointError);
  // From 40 degrees to 40 degrees on the other side.
  const double swing = 0.3 * std::sin(40 * math::kPi / 180);
  CHECK(right == doctest::Approx(swing).epsilon(1e-6));
  CHECK(left < -0.95 * swing);
}

TEST_CASE("parallelogram: it passes its flat positions twice a turn, for a minute, and never crosses") {
  const scene::Scene scene = support::load("parallelogram");
  const model::Model& model = scene.model;
  const BodyId crank = id(model, "crank"), coupler = id(model, "coupler");
  double turns = 0, last = 0;
  const Held held = run(
      model,
      [&](const model::State& state) {
        // if crossed, it would be rotated by up to half a turn
        CHECK(state.orientation(coupler).to_rotation_vector().norm() < 1e-6);
        const Vec3 arm = state.position(crank);
        const double angle = std::atan2(-arm.x(), arm.y());
        turns += std::remainder(angle - last, 2 * math::kPi) / (2 * math::kPi);
        last = angle;
      },
      60);
  CHECK(turns > 50);
  CHECK(held.drift < 1e-8);
  CHECK(held.joint_error < kJointError);
}

TEST_CASE("three nails: the table does not move under a rotor that shakes it") {
  const scene::Scene scene = support::load("three-nails");
  const model::Model& model = scene.model;
  const auto islands = dynamics::report_on_joints(model, start_state(model));
  REQUIRE(islands.size() == 1);
  CHECK(islands[0].redundant_rows() == 3);
  CHECK(islands[0].degrees_of_freedom() == 1);
  const BodyId table = id(model, "table");
  const model::State start = start_state(model);
  const Held held = run(model, [&](const model::State& state) {
    CHECK((state.position(table) - start.position(table)).norm() < kJointError);
    CHECK(math::angle_between(state.orientation(table), start.orientation(table)) < kJointError);
  });
  CHECK(held.joint_error < kJointError);
}

TEST_CASE("cardan: the universal joint obeys Cardan's law, and the constant-velocity joint is uniform") {
  const scene::Scene scene = support::load("cardan");
  const model::Model& model = scene.model;
  const double shaft_angle = 40 * math::kPi / 180, c = std::cos(shaft_angle), s = std::sin(shaft_angle);
  const Vec3 in = Vec3::UnitX(), out(c, 0, s);
  const auto rate = [&](const model::State& state, const char* name, const Vec3& axis) {
    return angular_velocity(model, state, id(model, name)).dot(axis);
  };
  double slowest = 10, fastest = 0;
  const Held held = run(model, [&](const model::State& state) {
    // With the yoke of a rotated by phi from the normal of the plane of both shafts:
    // w_out / w_in = cos b / (1 - sin^2 b sin^2 phi)
    const Vec3 yoke = state.orientation(id(model, "cardan-in")) *
                      (start_state(model).orientation(id(model, "cardan-in")).conjugate() * Vec3::UnitY());
    const double ratio = rate(state, "cardan-out", out) / rate(state, "cardan-in", in);
    CHECK(std::abs(ratio - c / (1 - s * s * yoke.z() * yoke.z())) < 1e-9);
    CHECK(std::abs(rate(state, "even-out", out) / rate(state, "even-in", in) - 1) < 1e-9);
    slowest = std::min(slowest, ratio);
    fastest = std::max(fastest, ratio);
  });
  CHECK(slowest == doctest::Approx(c).epsilon(1e-2));
  CHECK(fastest == doctest::Approx(1 / c).epsilon(5e-2));
  CHECK(held.drift < 1e-6);
  CHECK(held.joint_error < kJointError);
}

TEST_CASE(
    "triple pendulum: the lowest rod agrees with the equations in angles, and the energy does not change") {
  const scene::Scene scene = support::load("triple-pendulum");
  CHECK(last_rod_error(scene.model, 0.3, 2) < 10 * 1e-8);  // ten times the scene's accuracy
  const Held held = run(scene.model, [](const model::State&) {});
  CHECK(held.drift < 1e-9);
  CHECK(held.joint_error < kJointError);
}

TEST_CASE("eight rods: the lowest agrees with the equations in angles, and the energy does not change") {
  const scene::Scene scene = support::load("pendulum-8");
  CHECK(pendulum_of(scene.model, 0.12).rods.size() == 8);
  CHECK(last_rod_error(scene.model, 0.12, 1) < 10 * 1e-8);
  const Held held = run(scene.model, [](const model::State&) {});
  CHECK(held.drift < 1e-9);
  CHECK(held.joint_error < kJointError);
}

TEST_CASE("hanging chain: it settles in the catenary of rods") {
  // Each link's two joints share its weight: tan(angle k) = (k - 8.5) s for k = 1 ... 16, and the cosines
  // span 1 m.
  const double l = 0.1;
  const auto slack = [&](double s) {
    double span = 0;
    for (int k = 1; k <= 16; ++k) span += l / std::hypot(1.0, (k - 8.5) * s);
    return span - 1;
  };
  const auto bracket =
      boost::math::tools::bisect(slack, 1e-3, 10.0, boost::math::tools::eps_tolerance<double>(50));
  const double s = bracket.first;
  const scene::Scene scene = support::load("hanging-chain");
  const model::Model& model = scene.model;
  model::State last = start_state(model);
  const Held held = run(model, [&](const model::State& state) { last = state; });
  Vec3 joint(-0.5, 1.2, 0);
  double error = 0, moved = 0;
  for (int k = 1; k <= 16; ++k) {
    const double slope = (k - 8.5) * s;
    const Vec3 along = l / std::hypot(1.0, slope) * Vec3(1, slope, 0);
    const BodyId link = id(model, "link" + std::to_string(k));
    error = std::max(error, (last.position(link) - joint - 0.5 * along).norm());
    moved = std::max(moved, (last.position(link) - start_state(model).position(link)).norm());
    joint += along;
  }
  CHECK(moved > 0.1);
  // Drag over mass is 2.9 /s: oscillations decay as exp(-1.45 t), by 3e-13. The accuracy is 1e-8 of a link.
  CHECK(error < 1e-9);
  CHECK(held.drift < 1e-9);
  CHECK(held.joint_error < kJointError);
}

TEST_CASE("slider-crank: it has one degree of freedom, and its period follows from the energy") {
  const scene::Scene scene = support::load("slider-crank");
  const model::Model& model = scene.model;
  const auto islands = dynamics::report_on_joints(model, start_state(model));
  REQUIRE(islands.size() == 1);
  CHECK(islands[0].redundant_rows() == 3);
  CHECK(islands[0].degrees_of_freedom() == 1);
  const double r = 0.15, l = 0.45, g = 9.81, begin = 70 * math::kPi / 180, rate = 9;
  const BodyId crank_id = id(model, "crank");
  const model::Body &crank = model.body(crank_id), &rod = model.body(id(model, "rod")),
                    &piston = model.body(id(model, "piston"));
  const double arm = (start_state(model).position(crank_id) - Vec3(0, 0.4, 0)).norm();
  // With r sin f + l sin y = 0: kinetic energy 1/2 J(f) f'^2, potential U(f), hence t = integral of
  // sqrt(J / 2(E - U)).
  const auto lean = [&](double f) { return std::asin(-r / l * std::sin(f)); };
  const auto inertia = [&](double f) {
    const double y = lean(f), dy = -r * std::cos(f) / (l * std::cos(y));
    const double x_pin = -r * std::sin(f), y_pin = r * std::cos(f), dx = x_pin - l * std::sin(y) * dy;
    return crank.inertia_B(2, 2) + crank.mass * arm * arm + rod.inertia_B(2, 2) * dy * dy +
           rod.mass * 0.25 * ((x_pin + dx) * (x_pin + dx) + y_pin * y_pin) + piston.mass * dx * dx;
  };
  const auto potential = [&](double f) { return g * std::sin(f) * (crank.mass * arm + 0.5 * rod.mass * r); };
  const double energy = 0.5 * inertia(begin) * rate * rate + potential(begin);
  const auto slowness = [&](double f) { return std::sqrt(inertia(f) / (2 * (energy - potential(f)))); };
  Turn turn;
  double late = 0, stray = 0, time = 0, reached = begin, fastest = 0, slowest = 1e9;
  const Held held = run(model, [&](const model::State& state) {
    turn.follow(state.orientation(crank_id).to_rotation_vector().z() - begin);
    const double now = begin + turn.total();
    using Rule = boost::math::quadrature::gauss<double, 20>;
    time += Rule::integrate(slowness, reached, now);
    reached = now;
    late = std::max(late, std::abs(time - state.time));
    fastest = std::max(fastest, 1 / slowness(now)), slowest = std::min(slowest, 1 / slowness(now));
    const double x = r * std::cos(now) + l * std::cos(lean(now));
    stray = std::max(stray, (state.position(id(model, "piston")) - Vec3(x, 0.4, 0)).norm());
  });
  CHECK(turn.total() > 5 * 2 * math::kPi);
  CHECK(fastest > 1.3 * slowest);  // not uniform
  CHECK(stray < 1e-11);
  CHECK(late < 1e-8);  // the accuracy is 1e-9 per time scale; a rate error causes a time error
  CHECK(held.drift < 1e-9);
  CHECK(held.joint_error < kJointError);
}

TEST_CASE("slider-crank, driven: the piston is where the script of the crank puts it") {
  const scene::Scene scene = support::load("slider-crank-driven");
  const model::Model& model = scene.model;
  const double r = 0.1, l = 0.3, pi = math::kPi;
  // The cubics through the keys and their velocities are these parabolas and a line.
  const auto crank = [&](double t) {
    if (t < 2) return pi * t * t;
    if (t < 4) return 4 * pi * (t - 1);
    const double left = std::max(0.0, 6 - t);
    return 16 * pi - pi * left * left;
  };
  const BodyId piston = id(model, "piston");
  double stray = 0, furthest = 0, nearest = 1;
  const model::RunOptions& options = model.run_options();
  support::simulate_frames(model, options.duration, options.fps, {}, [&](const model::State& state) {
    const double a = crank(state.time), across = r * std::sin(a);
    const Vec3 at = body_pose(model, state, piston).translation;
    stray = std::max(stray, (at - Vec3(r * std::cos(a) + std::sqrt(l * l - across * across), 0, 0)).norm());
    furthest = std::max(furthest, at.x()), nearest = std::min(nearest, at.x());
  });
  CHECK(furthest - nearest > 1.99 * r);
  CHECK(stray < support::model(1e-9));
  const Held held = run(model, [](const model::State&) {});
  MESSAGE("piston " << stray << " m, closure " << held.joint_error << " m, energy " << held.drift);
  CHECK(held.drift < support::model(10 * simulate::kDefaultAccuracy));
  CHECK(held.joint_error < support::model(1e-11));
}

TEST_CASE("bennett: a loop of 20 rows, 17 of them independent, turns for a minute by Bennett's law") {
  const scene::Scene scene = support::load("bennett");
  const model::Model& model = scene.model;
  const auto islands = dynamics::report_on_joints(model, start_state(model));
  REQUIRE(islands.size() == 1);
  CHECK(islands[0].rows == 20);
  CHECK(islands[0].degrees_of_freedom() == 1);
  const double alpha = 40 * math::kPi / 180, beta = 110 * math::kPi / 180;
  const double k = std::sin((beta + alpha) / 2) / std::sin((beta - alpha) / 2);
  // In each link, x points along it and z along its first hinge. The angle at a hinge is that between the x
  // axes of its two links.
  const auto x_of = [&](const model::State& state, const char* name) {
    return Vec3(state.orientation(id(model, name)) * Vec3::UnitX());
  };
  const auto angle = [](const Vec3& from, const Vec3& to, const Vec3& axis) {
    return std::atan2(from.cross(to).dot(axis), from.dot(to));
  };
  Turn first, second;
  double off = 0;
  const Held held = run(
      model,
      [&](const model::State& state) {
        const Vec3 x1 = x_of(state, "link1"), x2 = x_of(state, "link2");
        first.follow(angle(Vec3::UnitX(), x1, Vec3::UnitY()));
        second.follow(angle(x1, x2, state.orientation(id(model, "link2")) * Vec3::UnitZ()));
        const double a = first.total() / 2, b = second.total() / 2;
        off = std::max(off, std::abs(std::sin(a) * std::sin(b) - k * std::cos(a) * std::cos(b)));
      },
      60);
  MESSAGE("closure " << held.joint_error << " m, energy " << held.drift << ", law " << off << ", "
                     << first.total() / (2 * math::kPi) << " turns");
  CHECK(std::abs(first.total()) > 20 * 2 * math::kPi);
  CHECK(off < 1e-11);
  CHECK(held.joint_error < 1e-11);
  CHECK(held.drift < 1e-8);
}

TEST_CASE("door: it hits its stops at the times of uniform acceleration and comes to rest") {
  const scene::Scene scene = support::load("door");
  const model::Model& model = scene.model;
  const double pull = 54.1 / (3.4 + 50 * 0.45 * 0.45), open = 105 * math::kPi / 180, e = 0.6;
  // It opens with 5 rad/s, hits the open stop, comes back, and then bounces for 2 v / pull each time.
  double speed = std::sqrt(25 - 2 * pull * open);
  std::vector<double> hits = {(5 - speed) / pull};
  const double closing = std::sqrt(e * speed * e * speed + 2 * pull * open);
  hits.push_back(hits[0] + (closing - e * speed) / pull);
  for (speed = e * closing; hits.size() < 10; speed *= e) hits.push_back(hits.back() + 2 * speed / pull);
  simulate::Simulation simulation = support::make_simulation(model);
  const model::State& state = simulation.state();
  const BodyId door = id(model, "door");
  size_t hit = 0;
  double beyond = 0;
  while (state.time < model.run_options().duration) {
    const simulate::StepReport report = simulation.step();
    REQUIRE(report.good());
    const double angle = state.orientation(door).to_rotation_vector().y();
    beyond = std::max({beyond, -angle, angle - open});
    if (report.impacts == 0) continue;
    if (hit < hits.size()) CHECK(std::abs(state.time - hits[hit]) < 1e-8);
    ++hit;
  }
  CHECK(hit >= hits.size());
  CHECK(beyond < 1e-9);
  CHECK(dynamics::compute_balance(model, state).kinetic < 1e-26);  // J: rounding of 5 rad/s, squared
}

TEST_CASE("mobile: symmetric parts stay symmetric, and the whole does not rotate about the vertical") {
  const scene::Scene scene = support::load("mobile");
  const model::Model& model = scene.model;
  const auto half_turn = [](const Vec3& v) { return Vec3(-v.x(), v.y(), -v.z()); };
  const std::pair<const char*, const char*> pairs[] = {
      {"left", "right"}, {"left-front", "right-back"}, {"left-back", "right-front"}};
  const double about = dynamics::compute_balance(model, start_state(model)).angular_momentum.y();
  double unlike = 0, lost = 0, swing = 0;
  const Held held = run(model, [&](const model::State& state) {
    for (const auto& [left, right] : pairs) {
      const BodyId l = id(model, left), r = id(model, right);
      unlike = std::max(unlike, (state.position(l) - half_turn(state.position(r))).norm());
      unlike = std::max(unlike, (velocity(model, state, l) - half_turn(velocity(model, state, r))).norm());
      swing = std::max(swing, std::abs((state.orientation(l) * Vec3::UnitY()).y() - 1));
    }
    lost = std::max(lost, std::abs(dynamics::compute_balance(model, state).angular_momentum.y() - about));
  });
  MESSAGE("unlike " << unlike << ", angular momentum " << lost / std::abs(about) << ", swing " << swing);
  CHECK(swing > 0.02);
  CHECK(unlike < 1e-8);  // the scene's accuracy
  CHECK(std::abs(about) > 0);
  CHECK(lost < 1e-8 * std::abs(about));
  CHECK(held.drift < 1e-8);
  CHECK(held.joint_error < kJointError);
}
