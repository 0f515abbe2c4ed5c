// Comparison of ContactSolver with Siconos 4.4 on the contact problems of tests/data/contact: CPU time to a
// residual of 1e-8, starting from zero impulses. The same function (support/contact_problem.h) measures the
// residual of both. Newton's method of Siconos runs with all its settings and with all its tolerances down to
// 1e-12. The fastest one that reaches the residual is reported, alone and after the extra-gradient method
// that Siconos can begin with. Times and ratios are from alternating runs, a few of each, in a separate
// process. So a change of the speed of the machine affects both, and earlier runs of Siconos have no
// influence.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <stdexcept>

#include "measure.h"
#include "peers/siconos.h"

using support::ContactProblem;
using tumble::dynamics::ConeConstraint;
using tumble::dynamics::KktSolver;
using tumble::dynamics::kNone;

namespace {

constexpr double kTolerance = 1e-8;
constexpr double kNever = std::numeric_limits<double>::infinity();

// The median of repeated runs. Their number is limited by half a second; it is 3 to `most`.
double timed(const std::function<double()>& run, size_t most = 41) {
  std::vector<double> times;
  double sum = 0;
  while (times.size() < most && (times.size() < 3 || sum < 0.5)) times.push_back(run()), sum += times.back();
  return bench::median(times);
}

class Own {
 public:
  explicit Own(const ContactProblem& problem) : problem_(problem) {}
  double assemble() {
    const double start = bench::thread_seconds();
    c_ = problem_.fill(matrix_);
    return bench::thread_seconds() - start;
  }
  double solve() {
    assemble();
    std::vector<ConeConstraint> rows = problem_.rows;
    std::vector<double> v(problem_.b.size(), 0.0), l;
    const double start = bench::thread_seconds();
    solver_.solve(matrix_, problem_.b, c_, rows, kTolerance, v, l);
    return bench::thread_seconds() - start;
  }

 private:
  const ContactProblem& problem_;
  KktSolver matrix_;
  tumble::dynamics::ContactSolver solver_;
  std::vector<double> c_;
};

// Computes the Delassus matrix W by one solve for each direction of each contact. The other columns do not
// include this time, although Siconos needs W.
double measure_reduction(const ContactProblem& problem) {
  return timed([&] {
    const double start = bench::thread_seconds();
    KktSolver matrix;
    problem.fill(matrix);
    matrix.clear_addition();
    matrix.factor();
    const Eigen::Index n = static_cast<Eigen::Index>(3 * problem.rows.size());
    Eigen::MatrixXd W(n, n);
    std::vector<double> x, y;
    const auto node = [&x](int i) { return Eigen::Map<KktSolver::Vec6>(&x[6 * static_cast<size_t>(i)]); };
    for (Eigen::Index j = 0; j < n; ++j) {
      x.assign(problem.b.size(), 0.0), y.assign(matrix.rows(), 0.0);
      const ConeConstraint& push = problem.rows[static_cast<size_t>(j / 3)];
      if (push.a != kNone) node(push.a) += push.G_a.row(j % 3).transpose();
      if (push.b != kNone) node(push.b) += push.G_b.row(j % 3).transpose();
      matrix.solve(x.data(), y.data());
      for (size_t i = 0; i < problem.rows.size(); ++i) {
        const ConeConstraint& row = problem.rows[i];
        tumble::math::Vec3 u = tumble::math::Vec3::Zero();
        if (row.a != kNone) u += row.G_a * node(row.a);
        if (row.b != kNone) u += row.G_b * node(row.b);
        W.block<3, 1>(static_cast<Eigen::Index>(3 * i), j) = u;
      }
    }
    return bench::thread_seconds() - start;
  });
}

// The result of `run` in a child process: Siconos does not free all memory, and becomes slower after many
// runs.
template <class Run>
auto in_child(const Run& run) -> decltype(run()) {
  decltype(run()) result{};
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    result = run();
    _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
  }
  close(ends[1]);
  const bool whole = child > 0 && read(ends[0], &result, sizeof result) == sizeof result;
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  if (!whole) throw std::runtime_error("a child has ended early");
  return result;
}

struct Candidate {
  double seconds = kNever;
  support::SiconosSetting setting;
};

// The settings that reach the residual, each with the loosest sufficient tolerance, the fastest first.
std::vector<Candidate> try_settings(support::SiconosProblem& siconos, const support::ReducedProblem& reduced,
                                    const std::vector<support::SiconosSetting>& settings) {
  struct Found {
    double seconds = kNever, tolerance = 0;
  };
  std::vector<Candidate> all;
  for (support::SiconosSetting setting : settings) {
    const Found found = in_child([&] {
      for (setting.tolerance = 1e-6; setting.tolerance > 1e-13; setting.tolerance *= 0.1) {
        const support::SiconosSolution solution = siconos.solve(setting);
        if (reduced.residual(solution.r) <= kTolerance)
          return Found{timed([&] { return siconos.solve(setting).seconds; }), setting.tolerance};
        if (!solution.success) break;  // a tighter tolerance will not succeed either
      }
      return Found{};
    });
    setting.tolerance = found.tolerance;
    if (found.seconds < kNever) all.push_back({found.seconds, setting});
  }
  std::sort(all.begin(), all.end(),
            [](const Candidate& a, const Candidate& b) { return a.seconds < b.seconds; });
  return all;
}

struct Beside {
  double ratio = kNever, ours = kNever, theirs = kNever;
};

// Alternating runs of both solvers, a few of each: medians of the ratio and of both times.
Beside compare(support::SiconosProblem& siconos, const Candidate& candidate, Own& own) {
  std::vector<double> ratios, ours, theirs;
  const int turns = candidate.seconds > 0.05 ? 1 : 9;
  for (int turn = 0; turn < turns; ++turn) {
    ours.push_back(timed([&] { return own.solve(); }, 5));
    theirs.push_back(timed([&] { return siconos.solve(candidate.setting).seconds; }, 5));
    ratios.push_back(theirs.back() / ours.back());
  }
  return {bench::median(ratios), bench::median(ours), bench::median(theirs)};
}

// The least ratio of all settings that are nearly the fastest, and the name of that setting. Which one is
// fastest depends on the speed of the machine.
std::pair<Beside, std::string> compare_best(support::SiconosProblem& siconos,
                                            const std::vector<Candidate>& candidates, Own& own) {
  std::pair<Beside, std::string> least{{}, "none"};
  for (const Candidate& candidate : candidates) {
    if (candidate.seconds > 1.5 * candidates.front().seconds) break;
    const Beside beside = in_child([&] { return compare(siconos, candidate, own); });
    if (beside.ratio < least.first.ratio) least = {beside, candidate.setting.name()};
  }
  return least;
}

std::string microseconds(double s) {
  char text[32];
  std::snprintf(text, sizeof text, s < kNever ? "%.0f" : "-", 1e6 * s);
  return text;
}
std::string times(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, ratio < kNever ? "%.1f" : "-", ratio);
  return text;
}

}  // namespace

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::printf("CPU time to residual %.0e, us; - where it is not reached\n\n", kTolerance);
  std::printf(
      "| problem | bodies, joints, contacts | tumble | assembly | Newton | after extra-gradient | NSGS | "
      "making W | Newton / tumble | best / tumble | the same with assembly |\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  std::vector<double> newton_ratios, best_ratios;
  int solved = 0, newton_solved = 0, count = 0;
  for (const std::filesystem::path& path : support::stored_contact_problems()) {
    const ContactProblem problem = ContactProblem::read(path);
    const support::ReducedProblem reduced(problem);
    support::SiconosProblem siconos(reduced);
    Own own(problem);
    const double solve = timed([&] { return own.solve(); }), assembly = timed([&] { return own.assemble(); });
    std::vector<support::SiconosSetting> plain, after;
    for (const support::SiconosSetting& setting : support::siconos_newton_settings())
      (setting.start == support::SiconosSetting::Start::none ? plain : after).push_back(setting);
    const auto [newton, newton_name] = compare_best(siconos, try_settings(siconos, reduced, plain), own);
    const auto [first, first_name] = compare_best(siconos, try_settings(siconos, reduced, after), own);
    const std::vector<Candidate> sweeps = try_settings(siconos, reduced, {support::siconos_gauss_seidel()});
    const Beside& best = newton.ratio < first.ratio ? newton : first;
    const double making = measure_reduction(problem);
    ++count;
    const bool good = reduced.residual(support::solve_by_tumble(problem, kTolerance).r) <= kTolerance;
    solved += good ? 1 : 0, newton_solved += best.ratio < kNever ? 1 : 0;
    if (good && newton.ratio < kNever) newton_ratios.push_back(newton.ratio);
    if (good && best.ratio < kNever) best_ratios.push_back(best.ratio);
    std::printf("| %s | %zu, %zu, %zu | %s | %s | %s (%s) | %s (%s) | %s | %s | %s | %s | %s |\n",
                path.stem().c_str(), problem.masses.size(), problem.joints.size(), problem.rows.size(),
                good ? microseconds(newton.ratio < kNever ? newton.ours : solve).c_str() : "-",
                microseconds(assembly).c_str(), microseconds(newton.theirs).c_str(), newton_name.c_str(),
                microseconds(first.theirs).c_str(), first_name.c_str(),
                microseconds(sweeps.empty() ? kNever : sweeps.front().seconds).c_str(),
                microseconds(making).c_str(), times(newton.ratio).c_str(), times(best.ratio).c_str(),
                times((best.theirs + making) / (best.ours + assembly)).c_str());
  }
  std::printf("\nsolved of %d: tumble %d, Siconos' Newton %d\n", count, solved, newton_solved);
  if (!newton_ratios.empty())
    std::printf("Newton / tumble: median %.1f, least %.1f; best of both / tumble: median %.1f, least %.1f\n",
                bench::median(newton_ratios), *std::min_element(newton_ratios.begin(), newton_ratios.end()),
                bench::median(best_ratios), *std::min_element(best_ratios.begin(), best_ratios.end()));
}
