// ContactSolver beside Siconos 4.4 on the contact problems kept in tests/data/contact: CPU time to a residual of 1e-8, from no impulses. The
// residual is measured by one function for both (support/contact_problem.h). Siconos' Newton's method runs in all its settings, and at all
// tolerances of its own down to 1e-12; the fastest that gets there counts, by itself and after the extra-gradient method Siconos can begin with.
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>

#include "measure.h"
#include "peers/siconos.h"

using support::ContactProblem;
using tumble::dynamics::BlockSolver;
using tumble::dynamics::ConeRow;
using tumble::dynamics::kNone;

namespace {

constexpr double kAsked = 1e-8;
constexpr double kNever = std::numeric_limits<double>::infinity();

// The median of repeated runs, as many as half a second allows, 3 to 41.
double timed(const std::function<double()>& run) {
  std::vector<double> times;
  double sum = 0;
  while (times.size() < 41 && (times.size() < 3 || sum < 0.5)) times.push_back(run()), sum += times.back();
  return bench::median(times);
}

struct Own {
  double solve = kNever, with_assembly = kNever, residual = 0;
};

Own measure_own(const ContactProblem& problem, const support::ReducedProblem& reduced) {
  Own own;
  own.residual = reduced.residual(support::solve_by_tumble(problem, kAsked).r);
  BlockSolver matrix;
  tumble::dynamics::ContactSolver solver;
  std::vector<double> assembly;
  own.solve = timed([&] {
    const double start = bench::thread_seconds();
    const std::vector<double> c = problem.fill(matrix);
    assembly.push_back(bench::thread_seconds() - start);
    std::vector<ConeRow> rows = problem.rows;
    std::vector<double> v(problem.b.size(), 0.0), l;
    const double from = bench::thread_seconds();
    solver.solve(matrix, problem.b, c, rows, kAsked, v, l);
    return bench::thread_seconds() - from;
  });
  own.with_assembly = own.solve + bench::median(assembly);
  return own;
}

// W by one solution for each direction of each contact: what Siconos is given for nothing in the other columns.
double measure_reduction(const ContactProblem& problem) {
  return timed([&] {
    const double start = bench::thread_seconds();
    BlockSolver matrix;
    problem.fill(matrix);
    matrix.clear_addition();
    matrix.factor();
    const Eigen::Index n = static_cast<Eigen::Index>(3 * problem.rows.size());
    Eigen::MatrixXd W(n, n);
    std::vector<double> x, y;
    const auto node = [&x](int i) { return Eigen::Map<BlockSolver::Vec6>(&x[6 * static_cast<size_t>(i)]); };
    for (Eigen::Index j = 0; j < n; ++j) {
      x.assign(problem.b.size(), 0.0), y.assign(matrix.rows(), 0.0);
      const ConeRow& push = problem.rows[static_cast<size_t>(j / 3)];
      if (push.a != kNone) node(push.a) += push.G_a.row(j % 3).transpose();
      if (push.b != kNone) node(push.b) += push.G_b.row(j % 3).transpose();
      matrix.solve(x.data(), y.data());
      for (size_t i = 0; i < problem.rows.size(); ++i) {
        const ConeRow& row = problem.rows[i];
        tumble::math::Vec3 u = tumble::math::Vec3::Zero();
        if (row.a != kNone) u += row.G_a * node(row.a);
        if (row.b != kNone) u += row.G_b * node(row.b);
        W.block<3, 1>(static_cast<Eigen::Index>(3 * i), j) = u;
      }
    }
    return bench::thread_seconds() - start;
  });
}

struct Best {
  double seconds = kNever;
  std::string name = "none";
};

// The fastest of the settings, each at the loosest tolerance that is enough.
Best find_best(support::SiconosProblem& siconos, const support::ReducedProblem& reduced,
               const std::vector<support::SiconosSetting>& settings) {
  Best best;
  for (support::SiconosSetting setting : settings)
    for (setting.tolerance = 1e-6; setting.tolerance > 1e-13; setting.tolerance *= 0.1) {
      const support::SiconosSolution solution = siconos.solve(setting);
      if (reduced.residual(solution.r) > kAsked) {
        if (!solution.success) break;  // nor at a tighter one
        continue;
      }
      const double seconds = solution.seconds > 2 * best.seconds
                                 ? solution.seconds
                                 : timed([&] { return siconos.solve(setting).seconds; });
      if (seconds < best.seconds) best = {seconds, setting.name()};
      break;
    }
  return best;
}

std::string microseconds(double s) {
  char text[32];
  std::snprintf(text, sizeof text, s < kNever ? "%.0f" : "-", 1e6 * s);
  return text;
}
std::string ratio(double theirs, double ours) {
  char text[32];
  std::snprintf(text, sizeof text, theirs < kNever ? "%.1f" : "-", theirs / ours);
  return text;
}

}  // namespace

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::printf("CPU time to residual %.0e, us; - where it is not reached\n\n", kAsked);
  std::printf(
      "| problem | bodies, joints, contacts | tumble | and assembly | Newton | after extra-gradient | NSGS | "
      "making W | Newton / tumble | best / tumble | the same with assembly |\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  std::vector<double> newton_ratios, best_ratios;
  int solved = 0, newton_solved = 0, count = 0;
  for (const std::filesystem::path& path : support::kept_contact_problems()) {
    const ContactProblem problem = ContactProblem::read(path);
    const support::ReducedProblem reduced(problem);
    support::SiconosProblem siconos(reduced);
    Own own = measure_own(problem, reduced);
    std::vector<support::SiconosSetting> plain, after;
    for (const support::SiconosSetting& setting : support::siconos_newton_settings())
      (setting.start == support::SiconosSetting::Start::none ? plain : after).push_back(setting);
    const Best newton = find_best(siconos, reduced, plain), first = find_best(siconos, reduced, after),
               sweeps = find_best(siconos, reduced, {support::siconos_gauss_seidel()});
    const double best = std::min(newton.seconds, first.seconds), making = measure_reduction(problem);
    ++count;
    const bool good = own.residual <= kAsked;
    solved += good ? 1 : 0, newton_solved += best < kNever ? 1 : 0;
    if (newton.seconds < kNever) newton_ratios.push_back(newton.seconds / own.solve);
    if (best < kNever) best_ratios.push_back(best / own.solve);
    std::printf("| %s | %zu, %zu, %zu | %s | %s | %s (%s) | %s (%s) | %s | %s | %s | %s | %s |\n",
                path.stem().c_str(), problem.masses.size(), problem.joints.size(), problem.rows.size(),
                good ? microseconds(own.solve).c_str() : "-", microseconds(own.with_assembly).c_str(),
                microseconds(newton.seconds).c_str(), newton.name.c_str(),
                microseconds(first.seconds).c_str(), first.name.c_str(), microseconds(sweeps.seconds).c_str(),
                microseconds(making).c_str(), ratio(newton.seconds, own.solve).c_str(),
                ratio(best, own.solve).c_str(), ratio(best + making, own.with_assembly).c_str());
  }
  std::printf("\nsolved of %d: tumble %d, Siconos' Newton %d\n", count, solved, newton_solved);
  if (!newton_ratios.empty())
    std::printf("Newton / tumble: median %.1f, least %.1f; best of both / tumble: median %.1f, least %.1f\n",
                bench::median(newton_ratios), *std::min_element(newton_ratios.begin(), newton_ratios.end()),
                bench::median(best_ratios), *std::min_element(best_ratios.begin(), best_ratios.end()));
}
