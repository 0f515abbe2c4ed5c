// slow: Gauss-Seidel's method takes 100,000 sweeps where Newton's fails
// The kept solutions of contact problems are what Siconos gives.
#include <doctest/doctest.h>

#include "peers/siconos.h"

TEST_CASE("Siconos, told as it was when its solutions were kept, finds them again") {
  constexpr double kSolved = 1e-8;
  for (const std::filesystem::path& path : support::stored_contact_problems()) {
    const support::ContactProblem problem = support::ContactProblem::read(path);
    const support::ReducedProblem reduced(problem);
    const std::string name = path.stem().string();
    CAPTURE(name);
    support::SiconosSetting setting = support::siconos_setting(problem.solver);
    setting.tolerance = problem.tolerance;
    const Eigen::VectorXd kept = Eigen::Map<const Eigen::VectorXd>(
                              problem.impulses.data(), static_cast<Eigen::Index>(problem.impulses.size())),
                          now = support::SiconosProblem(reduced).solve(setting).r;
    const bool was_solved = reduced.residual(kept) <= kSolved, is_solved = reduced.residual(now) <= kSolved;
    CHECK(is_solved == was_solved);
    // Both have residuals far below; between two solutions of one problem there is more than this.
    if (problem.same_velocities)
      CHECK((reduced.velocities(now) - reduced.velocities(kept)).lpNorm<Eigen::Infinity>() <=
            1e-5 * reduced.unit(kept));
  }
}
