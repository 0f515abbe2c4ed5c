// Creates the contact problems of tests/data/contact, and Siconos' solutions of them:
//   record_contact_problems [FOLDER]
// Some are generated; others are the problems that the leapfrog stepper passes to its solver in the middle of
// a run. The linker option --wrap makes the stepper call the function below instead of ContactSolver::solve.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>
#include <optional>

#include "peers/siconos.h"
#include "support/contact_problem.h"
#include "support/simulate.h"
#include "unit/dynamics/crash.h"

using namespace tumble;
using dynamics::ConeConstraint;
using dynamics::KktSolver;
using dynamics::kNone;
using math::Mat3;
using math::Vec3;
using support::ContactProblem;

namespace {

constexpr double kStep = 1.0 / 60, kGravity = 9.81;  // s, m/s^2

std::optional<ContactProblem>& latest() {
  static std::optional<ContactProblem> problem;
  return problem;
}

// --- generated
// ----------------------------------------------------------------------------------------------

struct Boxes : test::Crash {
  void add_box(const Vec3& at, double mass, const Vec3& velocity = Vec3::Zero()) {
    add_body(at, mass, mass / 6 * Mat3::Identity(), velocity - Vec3(0, 0, kGravity * kStep));
  }
  void stand(int a, int b, double x0, double x1, double z, double friction) {
    for (const double x : {x0, x1})
      for (const double y : {-0.5, 0.5}) add_contact(a, b, Vec3(x, y, z), Vec3::UnitZ(), friction, 0);
  }
  // Momenta of the present velocities; joints keep their speeds.
  ContactProblem problem(bool joints_as_they_move = false) {
    const std::vector<double> given = v;
    begin();
    std::vector<double> momenta(given.size(), 0.0), c(matrix.rows(), 0.0);
    const std::vector<double>& start = joints_as_they_move ? v : given;
    matrix.subtract_product(start.data(), momenta.data());
    for (double& p : momenta) p = -p;
    return ContactProblem::capture(matrix, momenta, c, rows);
  }
};

ContactProblem make_stack(int count, double top, double friction, double sideways) {
  Boxes boxes;
  for (int i = 0; i < count; ++i) {
    const double x = 0.02 * std::sin(3.0 * i);
    boxes.add_box(Vec3(x, 0, 0.5 + i), i == count - 1 ? top : 1, Vec3(sideways * (i + 1), 0, 0));
    boxes.stand(i, i - 1, x - 0.49, x + 0.49, i, friction);
  }
  return boxes.problem();
}

ContactProblem make_pyramid(int width, double top) {
  Boxes boxes;
  std::vector<int> below, row;
  for (int r = 0; r < width; ++r, below = row, row.clear())
    for (int j = 0; j < width - r; ++j) {
      const double x = j + 0.5 * r;
      const int a = static_cast<int>(boxes.centers.size());
      boxes.add_box(Vec3(x, 0, 0.5 + r), r == width - 1 ? top : 1);
      row.push_back(a);
      if (r == 0) {
        boxes.stand(a, kNone, x - 0.5, x + 0.5, r, 0.5);
      } else {
        boxes.stand(a, below[static_cast<size_t>(j)], x - 0.5, x, r, 0.5);
        boxes.stand(a, below[static_cast<size_t>(j) + 1], x, x + 0.5, r, 0.5);
      }
    }
  return boxes.problem();
}

ContactProblem make_train() {
  Boxes boxes;
  for (int i = 0; i < 12; ++i) {
    boxes.add_box(Vec3(i, 0, 0.5), i % 3 == 0 ? 50 : 1, Vec3(0.3, 0.05 * i, 0));
    boxes.stand(i, kNone, i - 0.5, i + 0.5, 0, 0.4);
    if (i > 0) boxes.add_ball_joint(i, i - 1, Vec3(i - 0.5, 0, 0.5));
  }
  return boxes.problem();
}

// Finds, from a given seed on, the first random impact with at least so many approaching contacts, with
// joints or without; its first round.
ContactProblem make_crash(unsigned seed, size_t contacts, bool joints) {
  std::mt19937 random(seed);
  for (;;) {
    bool closed = true;
    test::Crash crash = test::make_random_crash(random, closed);
    if (crash.balls.empty() == joints || crash.rows.size() < contacts) continue;
    crash.begin();
    std::erase_if(crash.rows, [&](const ConeConstraint& row) {
      double speed = 0;
      for (const auto& [node, G] : {std::pair(row.a, &row.G_a), std::pair(row.b, &row.G_b)})
        if (node != kNone)
          speed += G->row(0).dot(Eigen::Map<const KktSolver::Vec6>(&crash.v[6 * static_cast<size_t>(node)]));
      return speed >= 0;
    });
    if (crash.rows.size() < contacts) continue;
    crash.begin();
    std::vector<double> momenta(crash.v.size(), 0.0);
    crash.matrix.subtract_product(crash.v.data(), momenta.data());
    for (double& p : momenta) p = -p;
    return ContactProblem::capture(crash.matrix, momenta, std::vector<double>(crash.matrix.rows(), 0.0),
                                   crash.rows);
  }
}

// --- from runs of the leapfrog stepper
// ------------------------------------------------------------------------

// The contact problem of the last kick in the first step from t on, if there are contacts.
ContactProblem run_until(const model::Model& model, double t) {
  simulate::Simulation simulation = support::make_simulation(model, {.method = simulate::Method::fast});
  for (;;) {
    latest().reset();
    if (!simulation.step().good()) throw std::runtime_error(simulation.failure());
    if (simulation.time() >= t && latest()) return *latest();
    if (simulation.time() > t + 10) throw std::runtime_error("nothing touches");
  }
}

ContactProblem run_scene(const std::string& name, double t) {
  return run_until(support::load(name).model, t);
}

model::BodyId add_floor(model::ModelBuilder& builder, model::MaterialId stuff) {
  model::BodySpec floor;
  floor.name = "floor", floor.fixed = true;
  floor.shapes = {{.shape = collision::Plane{Vec3::UnitY()}, .material = stuff}};
  return builder.add_body(floor);
}

// A heap of boxes, balls and capsules of different sizes, thrown on each other.
ContactProblem make_heap(double t) {
  model::ModelBuilder builder("heap");
  const model::MaterialId stuff = builder.add_material({.name = "stuff", .density = 600, .friction = 0.4});
  add_floor(builder, stuff);
  for (int i = 0; i < 18; ++i) {
    model::BodySpec body;
    body.name = "thing" + std::to_string(i);
    const double size = 0.2 + 0.02 * (i % 5);
    if (i % 3 == 0)
      body.shapes = {{.shape = collision::Box{Vec3(size, 0.7 * size, 0.8 * size)}, .material = stuff}};
    else if (i % 3 == 1)
      body.shapes = {{.shape = collision::Sphere{0.5 * size}, .material = stuff}};
    else
      body.shapes = {{.shape = collision::Capsule{0.3 * size, 0.8 * size}, .material = stuff}};
    body.X_WB.translation = Vec3(0.12 * std::cos(2.4 * i), 0.2 + 0.28 * i, 0.12 * std::sin(2.4 * i));
    body.X_WB.rotation = math::Quat::from_rotation_vector(Vec3(0.3 * i, 0.5 * i, 0));
    builder.add_body(body);
  }
  return run_until(support::finished(builder), t);
}

// A chain of capsules that falls in a coil; `swing_limit` bounds the joint angles, if given.
ContactProblem make_chain(double t, std::optional<double> swing_limit) {
  model::ModelBuilder builder("falling chain");
  const model::MaterialId stuff = builder.add_material({.name = "stuff", .density = 900, .friction = 0.6});
  add_floor(builder, stuff);
  Vec3 end(0, 0.4, 0);
  model::BodyId last;
  for (int i = 0; i < 16; ++i) {
    const math::Quat R = math::Quat::from_rotation_vector(Vec3(0, 0.1 * i, 0)) *
                         math::Quat::from_rotation_vector(Vec3(0, 0, 0.06 * i - 0.5));
    const Vec3 along = R * Vec3(0.15, 0, 0);
    model::BodySpec link;
    link.name = "link" + std::to_string(i);
    link.X_WB = {R * math::Quat::from_rotation_vector(Vec3(0, 0, -0.5 * math::kPi)), end + 0.5 * along};
    link.shapes = {{.shape = collision::Capsule{0.03, 0.09}, .material = stuff}};
    const model::BodyId body = builder.add_body(link);
    if (i > 0) {
      model::JointSpec joint{.name = "joint" + std::to_string(i),
                             .type = model::JointType::ball,
                             .a = last,
                             .b = body,
                             .at = end};
      if (swing_limit) joint.axis = along, joint.swing = {*swing_limit};
      builder.add_joint(joint);
    }
    last = body, end += along;
  }
  return run_until(support::finished(builder), t);
}

// --- Siconos' solution
// ----------------------------------------------------------------------------------------

// Siconos solves with kTight and kLoose in all its settings. The solution with the smallest residual is
// stored, or that of its Newton's method if it reaches kResidual. Then both solvers start from random
// impulses. Two solutions are different if their velocities differ by more than kApart times the effect of
// the largest impulse.
constexpr double kTight = 1e-12, kLoose = 1e-9, kResidual = 1e-8, kApart = 1e-5;

void store_solution(ContactProblem& problem) {
  const support::ReducedProblem reduced(problem);
  support::SiconosProblem siconos(reduced);
  std::vector<Eigen::VectorXd> velocities;
  Eigen::VectorXd best_impulses;
  double least = std::numeric_limits<double>::infinity();
  const auto note = [&](const Eigen::VectorXd& r) {
    if (reduced.residual(r) <= kResidual) velocities.push_back(reduced.velocities(r));
  };
  const auto attempt = [&](support::SiconosSetting setting, double tolerance) {
    setting.tolerance = tolerance;
    const Eigen::VectorXd r = siconos.solve(setting).r;
    note(r);
    if (const double residual = reduced.residual(r); residual < least) {
      least = residual, best_impulses = r;
      problem.solver = setting.name(), problem.tolerance = tolerance;
    }
  };
  for (const support::SiconosSetting& setting : support::siconos_newton_settings())
    for (const double tolerance : {kTight, kLoose}) attempt(setting, tolerance);
  if (least > kResidual) attempt(support::siconos_gauss_seidel(), kTight);
  problem.impulses.assign(best_impulses.begin(), best_impulses.end());

  std::mt19937 random(1);
  const Eigen::VectorXd q = reduced.q();
  support::SiconosSetting best = support::siconos_setting(problem.solver);
  best.tolerance = problem.tolerance;
  note(support::solve_by_tumble(problem, kResidual).r);
  for (int i = 0; i < 8; ++i) {
    Eigen::VectorXd guess = Eigen::VectorXd::Zero(q.size());
    for (Eigen::Index k = 0; k < reduced.contacts(); ++k)
      guess[3 * k] = std::uniform_real_distribution<double>(0, 1)(random) * q.lpNorm<Eigen::Infinity>() /
                     reduced.inertias[k];
    note(siconos.solve(best, guess).r);
    note(support::solve_by_tumble(problem, kResidual, guess).r);
  }
  double apart = 0;
  for (const Eigen::VectorXd& u : velocities)
    apart = std::max(apart, (u - velocities[0]).lpNorm<Eigen::Infinity>());
  apart /= reduced.unit(best_impulses);
  problem.same_velocities = !velocities.empty() && least <= kResidual && apart <= kApart;
  std::printf("%s: residual %.1e by %s; %zu solutions, apart by %.1e\n", problem.about.c_str(), least,
              problem.solver.c_str(), velocities.size(), apart);
}

}  // namespace

// Replaces ContactSolver::solve for the stepper.
extern "C" dynamics::ContactReport TUMBLE_REAL_SOLVE(dynamics::ContactSolver*, KktSolver&,
                                                     std::span<const double>, std::span<const double>,
                                                     std::vector<ConeConstraint>&, double,
                                                     std::vector<double>&, std::vector<double>&, double);
extern "C" dynamics::ContactReport TUMBLE_WRAPPED_SOLVE(dynamics::ContactSolver* self, KktSolver& matrix,
                                                        std::span<const double> b, std::span<const double> c,
                                                        std::vector<ConeConstraint>& rows, double tolerance,
                                                        std::vector<double>& v, std::vector<double>& l,
                                                        double enough) {
  latest() = ContactProblem::capture(matrix, {b.begin(), b.end()}, {c.begin(), c.end()}, rows);
  return TUMBLE_REAL_SOLVE(self, matrix, b, c, rows, tolerance, v, l, enough);
}

int main(int count, char** words) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::filesystem::path folder = count > 1 ? words[1] : TUMBLE_SOURCE_DIR "/tests/data/contact";
  const std::string only = count > 2 ? words[2] : "";
  struct Recipe {
    const char *name, *about;
    std::function<ContactProblem()> make;
  };
  const Recipe recipes[] = {
      {"stack", "ten boxes on top of each other", [] { return make_stack(10, 1, 0.5, 0); }},
      {"stack-heavy", "the same, the topmost a thousand times as heavy",
       [] { return make_stack(10, 1000, 0.5, 0); }},
      {"stack-sliding", "the same, of equal masses, thrown sideways",
       [] { return make_stack(10, 1, 0.3, 0.4); }},
      {"pyramid", "a pyramid six wide", [] { return make_pyramid(6, 1); }},
      {"pyramid-laden", "a pyramid five wide, its top a thousand times as heavy",
       [] { return make_pyramid(5, 1000); }},
      {"train", "twelve boxes in a row, tied by ball joints, that slide", [] { return make_train(); }},
      {"crash-few", "a random impact, three contacts", [] { return make_crash(1, 3, false); }},
      {"crash-many", "a random impact, six contacts", [] { return make_crash(2, 6, false); }},
      {"crash-joints", "a random impact of bodies on joints, three contacts",
       [] { return make_crash(3, 3, true); }},
      {"crash-joints-many", "a random impact of bodies on joints, five contacts",
       [] { return make_crash(4, 5, true); }},
      {"run-stack", "a step of scenes/stack.xml", [] { return run_scene("stack", 0.5); }},
      {"run-stack-heavy", "a step of scenes/heavy-stack.xml", [] { return run_scene("heavy-stack", 0.5); }},
      {"run-pyramid", "a step of scenes/pyramid.xml", [] { return run_scene("pyramid", 0.1); }},
      {"run-balls", "a step of scenes/break-shot.xml: balls slip and roll",
       [] { return run_scene("break-shot", 0.5); }},
      {"run-terrain", "a step of scenes/terrain.xml", [] { return run_scene("terrain", 1.5); }},
      {"run-slope", "a step of scenes/slope-slide.xml: a box slides",
       [] { return run_scene("slope-slide", 0.2); }},
      {"run-topple", "a step of scenes/slope-topple.xml: a box tips over",
       [] { return run_scene("slope-topple", 0.3); }},
      {"run-heap-early", "a heap of 18 things that fall on each other", [] { return make_heap(0.7); }},
      {"run-heap", "the same heap, later", [] { return make_heap(1.3); }},
      {"run-chain", "a chain of 16 capsules on ball joints comes down in a coil",
       [] { return make_chain(0.4, {}); }},
      {"run-chain-limits", "the same, whose joints bend by 15 degrees at most",
       [] { return make_chain(0.5, 0.26); }},
  };
  for (const Recipe& recipe : recipes) {
    if (!only.empty() && only != recipe.name) continue;
    ContactProblem problem = recipe.make();
    problem.about = recipe.about;
    store_solution(problem);
    const std::string text = problem.text();
    std::ofstream(folder / (std::string(recipe.name) + ".txt")) << text;
    std::printf("%-18s %3zu bodies, %2zu joints, %3zu contacts, %6zu bytes\n", recipe.name,
                problem.masses.size(), problem.joints.size(), problem.rows.size(), text.size());
  }
}
