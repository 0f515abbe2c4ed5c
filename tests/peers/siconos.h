// Siconos' solvers of contact with friction, for comparison. Their local problem is u = W r + q, normal
// first, like ours.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "support/contact_problem.h"

struct NumericsMatrix;

namespace support {

/// One of its solvers with its settings.
struct SiconosSetting {
  enum class Solver { newton_alart_curnier, newton_jean_moreau, gauss_seidel };
  enum class Search { none, goldstein };
  enum class Start { none, extra_gradient };  // what precedes Newton's method
  Solver solver = Solver::newton_alart_curnier;
  Search search = Search::goldstein;
  Start start = Start::none;
  double tolerance = 1e-8;  // in its own measure: 2-norm of r - Pi(r - u - mu |u_t| n) over that of q
  int passes = 0;           // upper bound; 0: its default
  std::string name() const;
};

struct SiconosSolution {
  Eigen::VectorXd r;
  bool success = false;
  double error = 0;    // its own measure
  double seconds = 0;  // CPU time of this thread inside its driver
  int passes = 0;
};

/// A problem in the form of Siconos: W sparse without zeros, in units in which the mean inertia of the
/// contacts is 1, and |q| is 1. It uses rho = 1 where others use 1/w.
class SiconosProblem {
 public:
  explicit SiconosProblem(const ReducedProblem& problem);
  ~SiconosProblem();
  SiconosProblem(const SiconosProblem&) = delete;
  SiconosProblem& operator=(const SiconosProblem&) = delete;

  /// Solves from zero impulses, or from a guess.
  SiconosSolution solve(const SiconosSetting& setting, const Eigen::VectorXd& guess = {});

 private:
  Eigen::MatrixXd W_;
  Eigen::VectorXd q_, friction_;
  double size_;  // N s
  NumericsMatrix* M_;
};

/// Its Newton's method in the settings that are compared. Left out are: NSN_FB and Armijo's search, which end
/// the program by assertions on some of the problems and were slower on the two they were timed on; NSN_NM,
/// which gave up at its second pass on these two; and MUMPS in place of CXSparse, which took the same time on
/// three.
std::vector<SiconosSetting> siconos_newton_settings();
SiconosSetting siconos_gauss_seidel();
/// The setting of a name, among all these.
SiconosSetting siconos_setting(const std::string& name);

}  // namespace support
