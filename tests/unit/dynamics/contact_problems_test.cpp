// Problems of contact with friction that are kept with Siconos' solutions (tests/peers/record makes them): solved, and judged by dense algebra and a
// projection that share nothing with the solver.
#include <doctest/doctest.h>

#include "support/contact_problem.h"

using namespace tumble;

namespace {

constexpr double kAsked = 1e-8;  // residual

struct KeptProblem {
  std::string name;
  support::ContactProblem problem;
  support::ReducedProblem reduced;
  Eigen::VectorXd theirs;
  double their_residual;

  explicit KeptProblem(const std::filesystem::path& path)
      : name(path.stem().string()),
        problem(support::ContactProblem::read(path)),
        reduced(problem),
        theirs(Eigen::Map<const Eigen::VectorXd>(problem.impulses.data(),
                                                 static_cast<Eigen::Index>(problem.impulses.size()))),
        their_residual(reduced.residual(theirs)) {}
};

// How far apart velocities of two solutions may be that leave residuals e (N s), shifts being the same. Each is exact for a problem that differs
// by e in impulses and w e in velocities; with D the change between the two, monotony of the cones gives
//   D r.W D r <= e |W D r| + w e (|D r| + e),    |D u|^2 = |W D r|^2 <= |W| D r.W D r
double largest_difference(const KeptProblem& kept, const Eigen::VectorXd& r, double residual) {
  double most = 0;
  for (Eigen::Index i = 0; i < kept.reduced.contacts(); ++i)
    most = std::max({most, r.segment<3>(3 * i).norm(), kept.theirs.segment<3>(3 * i).norm()});
  const double count = static_cast<double>(kept.reduced.contacts());
  const double e = std::sqrt(count) * most * (residual + kept.their_residual),
               w = kept.reduced.inertias.maxCoeff();
  const double W = w * 3 * count;  // at least the largest eigenvalue: the trace
  const double square = w * e * ((r - kept.theirs).norm() + e);
  const double half = 0.5 * e * std::sqrt(W);  // x^2 <= 2 half x + square
  return std::sqrt(W) * (half + std::sqrt(half * half + square));
}

}  // namespace

TEST_CASE("what a solver solved before does not change a bit of what it finds") {
  dynamics::ContactSolver used;
  for (const std::filesystem::path& path : support::stored_contact_problems()) {
    const support::ContactProblem problem = support::ContactProblem::read(path);
    CAPTURE(path.stem().string());
    const auto solve = [&](dynamics::ContactSolver& solver) {
      dynamics::KktSolver matrix;
      const std::vector<double> c = problem.fill(matrix);
      std::vector<dynamics::ConeConstraint> rows = problem.rows;
      std::vector<double> v(problem.b.size(), 0.0), l;
      solver.solve(matrix, problem.b, c, rows, kAsked, v, l);
      for (const dynamics::ConeConstraint& row : rows)
        v.insert(v.end(), row.impulse.begin(), row.impulse.end());
      return v;
    };
    dynamics::ContactSolver fresh;
    CHECK(solve(used) == solve(fresh));
  }
}

TEST_CASE("kept contact problems are solved to the residual asked for, as dense algebra sees it") {
  const std::vector<std::filesystem::path> paths = support::stored_contact_problems();
  CHECK(paths.size() == 21);
  for (const std::filesystem::path& path : paths) {
    const KeptProblem kept(path);
    CAPTURE(kept.name);
    const support::OwnSolution ours = support::solve_by_tumble(kept.problem, kAsked);
    CHECK(ours.report.solved);
    CHECK(kept.reduced.residual(ours.r) <= std::max(kAsked, kept.reduced.rounding(ours.r)));
    // Velocities are those of Siconos where these are unique.
    if (kept.problem.same_velocities)
      CHECK((kept.reduced.velocities(ours.r) - kept.reduced.velocities(kept.theirs)).norm() <=
            largest_difference(kept, ours.r, kAsked));
  }
}

TEST_CASE("asked for more digits than there are, passes that gain nothing come to an end") {
  for (const std::filesystem::path& path : support::stored_contact_problems()) {
    const support::ContactProblem problem = support::ContactProblem::read(path);
    if (problem.rows.size() > 50) continue;
    CAPTURE(path.stem().string());
    // From 1 to 1e-16 a residual falls to a third 34 times, with at most 15 passes between two of these, in each of two rounds.
    CHECK(support::solve_by_tumble(problem, 1e-16).report.outer_iterations <= 2 * 34 * 16);
  }
}

TEST_CASE("asked for the residual that Siconos reached, the solver leaves no more than that or rounding") {
  for (const std::filesystem::path& path : support::stored_contact_problems()) {
    const KeptProblem kept(path);
    CAPTURE(kept.name);
    CAPTURE(kept.their_residual);
    const double asked = std::max(kept.their_residual, kept.reduced.rounding(kept.theirs));
    CAPTURE(asked);
    const support::OwnSolution ours = support::solve_by_tumble(kept.problem, 0.5 * asked);
    CHECK(kept.reduced.residual(ours.r) <= asked);
  }
}
