// slow: each of 21 stored problems is solved several times, under sanitizers
// Stored contact problems with Siconos' solutions (tests/peers/record creates them). Our solutions are
// checked by dense algebra and a projection that share no code with the solver.
#include <doctest/doctest.h>

#include "support/contact_problem.h"

using namespace tumble;

namespace {

constexpr double kResidual = 1e-8;  // residual

struct StoredProblem {
  std::string name;
  support::ContactProblem problem;
  support::ReducedProblem reduced;
  Eigen::VectorXd theirs;
  double their_residual;

  explicit StoredProblem(const std::filesystem::path& path)
      : name(path.stem().string()),
        problem(support::ContactProblem::read(path)),
        reduced(problem),
        theirs(Eigen::Map<const Eigen::VectorXd>(problem.impulses.data(),
                                                 static_cast<Eigen::Index>(problem.impulses.size()))),
        their_residual(reduced.residual(theirs)) {}
};

// Bound of the difference of the velocities of two solutions with residuals e (N s) and equal shifts. Each is
// exact for a problem that differs by e in impulses and w e in velocities. With D the difference between the
// two, monotonicity of the cones implies
//   D r.W D r <= e |W D r| + w e (|D r| + e),    |D u|^2 = |W D r|^2 <= |W| D r.W D r
double largest_difference(const StoredProblem& stored, const Eigen::VectorXd& r, double residual) {
  double most = 0;
  for (Eigen::Index i = 0; i < stored.reduced.contacts(); ++i)
    most = std::max({most, r.segment<3>(3 * i).norm(), stored.theirs.segment<3>(3 * i).norm()});
  const double count = static_cast<double>(stored.reduced.contacts());
  const double e = std::sqrt(count) * most * (residual + stored.their_residual),
               w = stored.reduced.inertias.maxCoeff();
  const double W = w * 3 * count;  // the trace, an upper bound of the largest eigenvalue
  const double square = w * e * ((r - stored.theirs).norm() + e);
  const double half = 0.5 * e * std::sqrt(W);  // x^2 <= 2 half x + square
  return std::sqrt(W) * (half + std::sqrt(half * half + square));
}

}  // namespace

TEST_CASE("earlier problems of a solver change no bit of its solution") {
  dynamics::ContactSolver used;
  for (const std::filesystem::path& path : support::stored_contact_problems()) {
    const support::ContactProblem problem = support::ContactProblem::read(path);
    CAPTURE(path.stem().string());
    const auto solve = [&](dynamics::ContactSolver& solver) {
      dynamics::KktSolver matrix;
      const std::vector<double> c = problem.fill(matrix);
      std::vector<dynamics::ConeConstraint> rows = problem.rows;
      std::vector<double> v(problem.b.size(), 0.0), l;
      solver.solve(matrix, problem.b, c, rows, kResidual, v, l);
      for (const dynamics::ConeConstraint& row : rows)
        v.insert(v.end(), row.impulse.begin(), row.impulse.end());
      return v;
    };
    dynamics::ContactSolver fresh;
    CHECK(solve(used) == solve(fresh));
  }
}

TEST_CASE("stored contact problems are solved to the tolerance, as measured by dense algebra") {
  const std::vector<std::filesystem::path> paths = support::stored_contact_problems();
  CHECK(paths.size() == 21);
  for (const std::filesystem::path& path : paths) {
    const StoredProblem stored(path);
    CAPTURE(stored.name);
    const support::OwnSolution ours = support::solve_by_tumble(stored.problem, kResidual);
    CHECK(ours.report.solved);
    CHECK(stored.reduced.residual(ours.r) <= std::max(kResidual, stored.reduced.rounding(ours.r)));
    // Velocities equal those of Siconos where they are unique.
    if (stored.problem.same_velocities)
      CHECK((stored.reduced.velocities(ours.r) - stored.reduced.velocities(stored.theirs)).norm() <=
            largest_difference(stored, ours.r, kResidual));
  }
}

TEST_CASE("with a tolerance below rounding, iterations that gain nothing come to an end") {
  for (const std::filesystem::path& path : support::stored_contact_problems()) {
    const support::ContactProblem problem = support::ContactProblem::read(path);
    if (problem.rows.size() > 50) continue;
    CAPTURE(path.stem().string());
    // From 1 to 1e-16 a residual falls to a third 34 times, with at most 15 outer iterations between two of
    // these, in each of two rounds.
    CHECK(support::solve_by_tumble(problem, 1e-16).report.outer_iterations <= 2 * 34 * 16);
  }
}

TEST_CASE("with Siconos' residual as tolerance, the residual is no larger than that or rounding") {
  for (const std::filesystem::path& path : support::stored_contact_problems()) {
    const StoredProblem stored(path);
    CAPTURE(stored.name);
    CAPTURE(stored.their_residual);
    const double tolerance = std::max(stored.their_residual, stored.reduced.rounding(stored.theirs));
    CAPTURE(tolerance);
    const support::OwnSolution ours = support::solve_by_tumble(stored.problem, 0.5 * tolerance);
    CHECK(stored.reduced.residual(ours.r) <= tolerance);
  }
}
