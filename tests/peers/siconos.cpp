#include "peers/siconos.h"

#include <time.h>

#include <memory>
#include <stdexcept>

extern "C" {
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
}

namespace support {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

constexpr double kNothing = 1e-15;  // rounding of an entry of W that would be 0

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

using Options = std::unique_ptr<SolverOptions, void (*)(SolverOptions*)>;

Options make_options(const SiconosSetting& setting) {
  using Setting = SiconosSetting;
  Options options(solver_options_create(setting.solver == Setting::Solver::gauss_seidel
                                            ? static_cast<int>(SICONOS_FRICTION_3D_NSGS)
                                            : static_cast<int>(SICONOS_FRICTION_3D_NSN_AC)),
                  [](SolverOptions* o) { solver_options_delete(o), free(o); });
  options->dparam[SICONOS_DPARAM_TOL] = setting.tolerance;
  if (setting.passes > 0) options->iparam[SICONOS_IPARAM_MAX_ITER] = setting.passes;
  if (setting.solver == Setting::Solver::gauss_seidel) return options;
  options->iparam[SICONOS_FRICTION_3D_NSN_FORMULATION] =
      setting.solver == Setting::Solver::newton_jean_moreau
          ? SICONOS_FRICTION_3D_NSN_FORMULATION_JEANMOREAU_GENERATED
          : SICONOS_FRICTION_3D_NSN_FORMULATION_ALARTCURNIER_GENERATED;
  options->iparam[SICONOS_FRICTION_3D_NSN_LINESEARCH] =
      setting.search == Setting::Search::none ? SICONOS_FRICTION_3D_NSN_LINESEARCH_NO
                                              : SICONOS_FRICTION_3D_NSN_LINESEARCH_GOLDSTEINPRICE;
  options->iparam[SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY] =
      setting.start == Setting::Start::none ? SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_NO
                                            : SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN;
  return options;
}

}  // namespace

std::string SiconosSetting::name() const {
  if (solver == Solver::gauss_seidel) return "NSGS";
  std::string name = solver == Solver::newton_alart_curnier ? "AC" : "JM";
  if (search != Search::none) name += " goldstein";
  return name + (start == Start::none ? "" : " after extra-gradient");
}

SiconosProblem::SiconosProblem(const ReducedProblem& problem)
    : W_(problem.W()), q_(problem.q()), friction_(problem.friction) {
  const double w = problem.inertias.mean();
  size_ = q_.norm() / w;
  W_ /= w, q_.normalize();
  const Index n = q_.size();
  // A limit has one direction: the other two have no motion and no impulse.
  for (Index i = 0; i < n; ++i)
    if (i % 3 != 0 && problem.limit[static_cast<size_t>(i / 3)]) W_(i, i) = 1;
  M_ = NM_create(NM_SPARSE, static_cast<int>(n), static_cast<int>(n));
  NM_triplet_alloc(M_, n * n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) NM_zentry(M_, static_cast<int>(i), static_cast<int>(j), W_(i, j), kNothing);
  NM_csc(M_);
}

SiconosProblem::~SiconosProblem() {
  NM_clear(M_);
  free(M_);
}

SiconosSolution SiconosProblem::solve(const SiconosSetting& setting, const VectorXd& guess) {
  numerics_set_verbose(0);
  VectorXd r = guess.size() > 0 ? VectorXd(guess / size_) : VectorXd::Zero(q_.size()), u = W_ * r + q_;
  FrictionContactProblem local = {3, static_cast<int>(q_.size() / 3), M_, q_.data(), friction_.data()};
  Options options = make_options(setting);
  SiconosSolution solution;
  const double start = cpu_seconds();
  solution.success = fc3d_driver(&local, r.data(), u.data(), options.get()) == 0;
  solution.seconds = cpu_seconds() - start;
  solution.error = options->dparam[SICONOS_DPARAM_RESIDU];
  solution.passes = options->iparam[SICONOS_IPARAM_ITER_DONE];
  solution.r = r * size_;
  return solution;
}

std::vector<SiconosSetting> siconos_newton_settings() {
  using Setting = SiconosSetting;
  std::vector<SiconosSetting> settings;
  for (const auto start : {Setting::Start::none, Setting::Start::extra_gradient})
    for (const auto solver : {Setting::Solver::newton_alart_curnier, Setting::Solver::newton_jean_moreau})
      for (const auto search : {Setting::Search::none, Setting::Search::goldstein})
        settings.push_back({.solver = solver, .search = search, .start = start});
  return settings;
}

SiconosSetting siconos_gauss_seidel() {
  return {.solver = SiconosSetting::Solver::gauss_seidel, .passes = 100'000};
}

SiconosSetting siconos_setting(const std::string& name) {
  if (name == siconos_gauss_seidel().name()) return siconos_gauss_seidel();
  for (const SiconosSetting& setting : siconos_newton_settings())
    if (setting.name() == name) return setting;
  throw std::runtime_error("Siconos has no '" + name + "'");
}

}  // namespace support
