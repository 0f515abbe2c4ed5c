// One large step with implicit force laws, compared with dense matrices and closed forms.
#include "tumble/dynamics/kick_problem.h"

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <random>

#include "support/stiff_scenes.h"
#include "tumble/model/joint_forces.h"

using namespace tumble;
using dynamics::KickProblem;
using dynamics::KktSolver;
using model::BodyId;
using model::Vec3;

namespace {

// A body on a spring to the world, along x, with or without damping; v is half a step ahead of x.
struct Oscillator {
  static constexpr double kMass = 2;
  double stiffness, damping, h;
  model::Model model = build();
  KickProblem problem{model};
  model::State state = start_state(model);
  std::vector<double> momenta = problem.momenta_of(state), v = {};
  std::vector<dynamics::LawHistory> laws = {};
  double before = 0;

  model::Model build() const {
    model::ModelBuilder builder("oscillator");
    builder.set_gravity(Vec3::Zero());
    model::BodySpec body;
    body.name = "mass", body.X_WB.translation = Vec3(3, 0, 0), body.velocity = Vec3(0.5, 0, 0);
    body.inertia = model::GivenInertia{.mass = kMass, .moments = Vec3(1, 1, 1)};
    const BodyId id = builder.add_body(body);
    builder.add_force(
        std::make_shared<model::Spring>("spring", id, Vec3::Zero(), BodyId(), Vec3::Zero(), 2, stiffness));
    builder.add_force(
        std::make_shared<model::Damper>("damper", id, Vec3::Zero(), BodyId(), Vec3::Zero(), damping));
    return builder.finish().value();
  }
  void kick(double drift) {
    problem.damp_ringing(state, {momenta, laws}, before, drift);
    problem.assemble(state, {momenta, laws}, 0.5 * (before + drift), drift, {});
    v.assign(problem.b().begin(), problem.b().end());
    problem.matrix().factor();
    problem.matrix().solve(v.data(), nullptr);
    momenta = problem.compute_momenta(v);
    laws = problem.compute_law_history(v);
    before = drift;
  }
  void step() {
    kick(h);
    problem.drift(v, h, state);
  }
  double stretch() const { return state.position(BodyId(0)).x() - 2; }
  // The energy of kick_problem.h that never grows, for theta near 1/2: with x in the middle of the step.
  double energy() const {
    const double middle = stretch() - 0.5 * h * v[0];
    return 0.5 * kMass * v[0] * v[0] + 0.5 * stiffness * middle * middle;
  }
};

double error_after_a_second(double stiffness, double damping, double h) {
  Oscillator o{stiffness, damping, h};
  const auto steps = static_cast<int>(std::lround(1 / h));
  for (int k = 0; k < steps; ++k) o.step();
  // x = e^(-g t) (A cos w t + B sin w t)
  const double g = damping / (2 * Oscillator::kMass), w = std::sqrt(stiffness / Oscillator::kMass - g * g);
  const double exact = std::exp(-g) * (std::cos(w) + (0.5 + g) / w * std::sin(w));
  return std::abs(o.stretch() - exact);
}

}  // namespace

TEST_CASE("a soft spring, damped or not, is integrated with second order") {
  for (const double damping : {0.0, 3.0}) {
    // h w is at most 0.045: the leading term dominates, the next is smaller by h w.
    const double coarse = error_after_a_second(40, damping, 1.0 / 100),
                 fine = error_after_a_second(40, damping, 1.0 / 200);
    CAPTURE(damping);
    CHECK(coarse / fine > 3.6);
    CHECK(coarse / fine < 4.4);
  }
}

TEST_CASE("a mode loses 4 pi e h w of its energy in a period, and never gains") {
  const double stiffness = 40, w = std::sqrt(stiffness / Oscillator::kMass);
  for (const double s : {0.1, 0.3, 0.6}) {
    CAPTURE(s);
    Oscillator o{stiffness, 0, s / w};
    o.step();
    // The state at t_n: 1/2 V M V + 1/2 x K x with V = 2 v - V- is what falls.
    double V = 2 * o.v[0] - 0.5;
    const auto energy = [&] {
      return 0.5 * Oscillator::kMass * V * V + 0.5 * stiffness * o.stretch() * o.stretch();
    };
    const double start = energy();
    double last = start;
    const int steps = 1000;
    for (int k = 0; k < steps; ++k) {
      o.step();
      V = 2 * o.v[0] - V;
      REQUIRE(energy() <= last * (1 + 1e-13));
      last = energy();
    }
    const double e = 0.025 * std::pow(s, 4) / (40 + std::pow(s, 4));
    // The period of the midpoint rule is a little longer than 2 pi/w: by s^2/12.
    const double lost = 4 * math::kPi * e * s * steps * s / (2 * math::kPi);
    CHECK(std::abs(std::log(start / last) - lost) <= 0.1 * lost + 1e-12);
  }
}

TEST_CASE("springs of any stiffness stay bounded, also with variable steps") {
  for (double stiffness = 0; stiffness <= 1e8; stiffness = stiffness == 0 ? 1e-3 : 10 * stiffness) {
    Oscillator o{stiffness, 0, 1.0 / 60};
    // It starts with 1 m and 0.5 m/s: the energy bounds the elongation; a free body moves at 0.5 m/s for 10
    // s.
    const double bound =
        stiffness == 0 ? 6.1 : std::min(6.1, 1.05 * std::sqrt(1 + Oscillator::kMass * 0.25 / stiffness));
    for (int k = 0; k < 600; ++k) {
      o.step();
      o.h = k % 3 == 0 ? 1.0 / 60 : 1.0 / 150;
      CAPTURE(stiffness);
      CAPTURE(k);
      REQUIRE(std::abs(o.stretch()) <= bound);
    }
    // Each of the 200 long steps takes at least a tenth of the energy: 0.9^100 of the amplitude is left.
    if (stiffness >= 1e5) CHECK(std::abs(o.stretch()) < 3e-5);
  }
}

TEST_CASE("springs gain no energy from any change of step length, nor from steps that end in an impact") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(0, 1);
  for (double stiffness = 1; stiffness <= 1e8; stiffness *= std::sqrt(10.0))
    for (const double shortest : {0.3, 1e-3}) {
      Oscillator o{stiffness, 0, 1.0 / 60};
      const double start = 0.5 * stiffness + 0.5 * Oscillator::kMass * 0.25;
      CAPTURE(stiffness);
      CAPTURE(shortest);
      const auto check = [&](double speed) {
        REQUIRE(0.5 * stiffness * o.stretch() * o.stretch() <= (1 + 1e-9) * start);
        REQUIRE(0.5 * Oscillator::kMass * speed * speed <= (1 + 1e-9) * start);
      };
      for (int k = 0; k < 3000; ++k) {
        o.h = std::pow(shortest, unit(random)) / 60;
        o.step();
        check(o.v[0]);
        if (unit(random) > 0.1) continue;
        o.kick(0);  // an impact uses the momenta of this instant; here it reverses them
        const double x = o.stretch(), speed = o.v[0];
        REQUIRE(0.5 * stiffness * x * x + 0.5 * Oscillator::kMass * speed * speed <= (1 + 1e-9) * start);
        for (double& p : o.momenta) p = -p;
      }
    }
}

TEST_CASE("a step of a random tree of stiff joints has the solution of one dense matrix") {
  std::mt19937 trees(5);
  const auto below = [&](int m) { return static_cast<int>(trees() % static_cast<unsigned>(m)); };
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto vector = [&] {
    const double x = unit(trees), y = unit(trees), z = unit(trees);
    return Vec3(x, y, z);
  };
  for (int round = 0; round < 40; ++round) {
    const int n = 2 + below(20);
    model::ModelBuilder builder("tree");
    std::vector<BodyId> bodies;
    for (int i = 0; i < n; ++i) {
      model::BodySpec body;
      body.name = "body" + std::to_string(i);
      body.X_WB = {math::Quat::from_rotation_vector(vector()), 3 * vector()};
      body.velocity = vector(), body.angular_velocity = vector();
      const Vec3 m = Vec3(1.2, 1.3, 1.4) + 0.2 * vector();
      body.inertia = model::GivenInertia{.mass = 1 + 0.5 * unit(trees), .moments = m};
      bodies.push_back(builder.add_body(body));
      const model::JointType types[] = {model::JointType::ball, model::JointType::hinge,
                                        model::JointType::slider};
      const model::JointType type = types[below(3)];
      const BodyId parent = i == 0 ? BodyId() : bodies[static_cast<size_t>(below(i))];
      const double stiffness = std::pow(10.0, 2 * below(5));  // the step is stiff from about 1 on
      builder.add_joint(
          {.name = "joint" + std::to_string(i),
           .type = type,
           .a = parent,
           .b = bodies.back(),
           .at = builder.start_center(bodies.back()) + 0.3 * vector(),
           .axis = vector() + Vec3(3, 0, 0),
           .stiffness = stiffness,
           .damping = 0.1 * stiffness,
           .rest = type == model::JointType::ball ? 0 : 0.1,
           .rest_rotation = type == model::JointType::ball ? Vec3(0.5 * vector()) : Vec3(Vec3::Zero())});
      // Along the same edge, so that there is no additional fill-in.
      builder.add_force(std::make_shared<model::Spring>("spring" + std::to_string(i), bodies.back(), vector(),
                                                        parent, vector(), 0.5, 100));
    }
    auto built = builder.finish();
    REQUIRE(built);
    const model::Model& model = built.value();
    const model::State state = start_state(model);
    KickProblem problem(model);
    const double h = 1.0 / 60;
    const std::vector<double> momenta = problem.momenta_of(state);
    problem.assemble(state, {momenta}, h, h, {});
    CHECK(problem.matrix().blocks() ==
          static_cast<size_t>(n - 1));  // one for each joint except the one to the world

    // The same matrix by products with unit vectors.
    const auto size = static_cast<Eigen::Index>(problem.size()),
               rows = static_cast<Eigen::Index>(problem.c().size());
    Eigen::MatrixXd full_matrix = Eigen::MatrixXd::Zero(size + rows, size + rows);
    for (Eigen::Index k = 0; k < size; ++k) {
      Eigen::VectorXd x = Eigen::VectorXd::Unit(size, k), none = Eigen::VectorXd::Zero(rows);
      Eigen::VectorXd b = Eigen::VectorXd::Zero(size), c = Eigen::VectorXd::Zero(rows), unused = b;
      problem.matrix().subtract_product(x.data(), b.data());
      problem.matrix().subtract_rows(x.data(), none.data(), unused.data(), c.data());
      full_matrix.col(k) << -b, -c;
    }
    full_matrix.topRightCorner(size, rows) = full_matrix.bottomLeftCorner(rows, size).transpose();
    CHECK((full_matrix - full_matrix.transpose()).norm() <= 1e-12 * full_matrix.norm());
    Eigen::VectorXd right(size + rows);
    for (Eigen::Index k = 0; k < size; ++k) right[k] = problem.b()[static_cast<size_t>(k)];
    for (Eigen::Index k = 0; k < rows; ++k) right[size + k] = problem.c()[static_cast<size_t>(k)];
    // Rows and columns scaled to a unit diagonal. Otherwise the dense solution would be less accurate.
    Eigen::VectorXd scale(size + rows);
    for (Eigen::Index k = 0; k < size; ++k) scale[k] = 1 / std::sqrt(full_matrix(k, k));
    for (Eigen::Index k = 0; k < rows; ++k)
      scale[size + k] =
          1 / (full_matrix.row(size + k).head(size).transpose().cwiseProduct(scale.head(size))).norm();
    const Eigen::VectorXd dense =
        scale.asDiagonal() *
        (scale.asDiagonal() * full_matrix * scale.asDiagonal()).fullPivLu().solve(scale.asDiagonal() * right);
    std::vector<double> v(problem.b().begin(), problem.b().end()), l(problem.c().begin(), problem.c().end());
    problem.matrix().factor();
    problem.matrix().solve(v.data(), l.data());
    const auto error = [&] {
      const Eigen::Map<const Eigen::VectorXd> solved(v.data(), size);
      return (solved - dense.head(size)).cwiseAbs().maxCoeff();
    };
    const double allowed = 1e-10 * std::max(1.0, dense.head(size).cwiseAbs().maxCoeff());
    CHECK(error() < allowed);
    // The same, assembled, eliminated and solved part by part.
    v.clear(), l.clear();
    problem.solve_without_contacts(state, {momenta}, h, h, h, v, l);
    REQUIRE(v.size() == problem.size());
    CHECK(error() < allowed);
  }
}

TEST_CASE("joints are closed at the end of a step, and a stiff chain keeps its shape") {
  for (const double stiffness : {0.0, 1.0, 1e4, 1e8}) {
    const model::Model model =
        support::stiff_chain(30, {.stiffness = stiffness, .damping = 0.01 * stiffness});
    KickProblem problem(model);
    model::State state = start_state(model);
    std::vector<double> momenta = problem.momenta_of(state), v, l;
    std::vector<dynamics::LawHistory> laws;
    const double h = 1.0 / 240;
    for (int k = 0; k < 240; ++k) {
      problem.damp_ringing(state, {momenta, laws}, k == 0 ? 0 : h, h);
      problem.assemble(state, {momenta, laws}, k == 0 ? 0.5 * h : h, h, {});
      v.assign(problem.b().begin(), problem.b().end()), l.assign(problem.c().begin(), problem.c().end());
      problem.matrix().factor();
      problem.matrix().solve(v.data(), l.data());
      CAPTURE(stiffness);
      REQUIRE(problem.close_joints(state, h, 1e-8, 1e-8, v, l).closed);
      problem.drift(v, h, state);
      momenta = problem.compute_momenta(v);
      laws = problem.compute_law_history(v);
    }
    // It hangs 3 m from the world, and swings below it.
    for (const BodyId id : problem.bodies()) CHECK(state.position(id).norm() < 3);
    if (stiffness < 1e4) continue;
    // A rod whose joints carry at most its weight times half its length: angles are below that over the
    // stiffness.
    const double largest_angle = 30 * 0.1 * 9.81 * 1.5 / stiffness;
    for (size_t i = 1; i < 30; ++i) {
      const double start = angle_between(start_state(model).orientation(BodyId(i)),
                                         start_state(model).orientation(BodyId(i - 1)));
      const double now = angle_between(state.orientation(BodyId(i)), state.orientation(BodyId(i - 1)));
      CHECK(std::abs(now - start) < 4 * largest_angle + 1e-9);
    }
  }
}
