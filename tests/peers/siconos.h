// Siconos' solvers of contact with friction, for comparison. Their local problem is u = W r + q, normal first, as ours.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "support/contact_problem.h"

struct NumericsMatrix;

namespace support {

/// One of its solvers and what it can be told.
struct SiconosSetting {
  enum class Solver { newton_alart_curnier, newton_jean_moreau, gauss_seidel };
  enum class Search { none, goldstein };
  enum class Start { none, extra_gradient };  // what comes before Newton's method
  Solver solver = Solver::newton_alart_curnier;
  Search search = Search::goldstein;
  Start start = Start::none;
  double tolerance = 1e-8;  // its own measure: 2-norm of r - Pi(r - u - mu |u_t| n) over that of q
  int passes = 0;           // at most; 0: what it takes itself
  std::string name() const;
};

struct SiconosSolution {
  Eigen::VectorXd r;
  bool success = false;
  double error = 0;    // its own measure
  double seconds = 0;  // CPU of this thread inside its driver
  int passes = 0;
};

/// A problem as Siconos wants it: W sparse, its zeros left out, in units in which the mean of the contacts' inertias is 1, and |q| too: it takes
/// 1 for rho where others take 1/w.
class SiconosProblem {
 public:
  explicit SiconosProblem(const ReducedProblem& problem);
  ~SiconosProblem();
  SiconosProblem(const SiconosProblem&) = delete;
  SiconosProblem& operator=(const SiconosProblem&) = delete;

  /// From no impulses, or from a guess.
  SiconosSolution solve(const SiconosSetting& setting, const Eigen::VectorXd& guess = {});

 private:
  Eigen::MatrixXd W_;
  Eigen::VectorXd q_, friction_;
  double size_;  // N s
  NumericsMatrix* M_;
};

/// Its Newton's method in the settings compared. Left out are NSN_FB and Armijo's search, which end the program by assertions on some of the
/// problems and were slower on the two they were timed on; NSN_NM, which gave up at its second pass on these two; and MUMPS in place of
/// CXSparse, which took the same time on three.
std::vector<SiconosSetting> siconos_newton_settings();
SiconosSetting siconos_gauss_seidel();
/// By its name, of all these.
SiconosSetting siconos_setting(const std::string& name);

}  // namespace support
