// slow: Gauss-Seidel's method takes 100,000 sweeps where Newton's fails
// The stored solutions of contact problems are those of Siconos.
#include <doctest/doctest.h>

#include "peers/siconos.h"

TEST_CASE("Siconos finds its stored solutions again with the stored settings") {
  constexpr double kSolved = 1e-8;
  for (const std::filesystem::path& path : support::stored_contact_problems()) {
    const support::ContactProblem problem = support::ContactProblem::read(path);
    const support::ReducedProblem reduced(problem);
    const std::string name = path.stem().string();
    CAPTURE(name);
    support::SiconosSetting setting = support::siconos_setting(problem.solver);
    setting.tolerance = problem.tolerance;
    const Eigen::VectorXd stored = Eigen::Map<const Eigen::VectorXd>(
                              problem.impulses.data(), static_cast<Eigen::Index>(problem.impulses.size())),
                          now = support::SiconosProblem(reduced).solve(setting).r;
    const bool was_solved = reduced.residual(stored) <= kSolved, is_solved = reduced.residual(now) <= kSolved;
    CHECK(is_solved == was_solved);
    // Both have residuals far below this; two different solutions of one problem differ by more.
    if (problem.same_velocities)
      CHECK((reduced.velocities(now) - reduced.velocities(stored)).lpNorm<Eigen::Infinity>() <=
            1e-5 * reduced.unit(stored));
  }
}
