// A problem of dynamics/solvers/contact_solver.h as a file, and what an independent look at its solutions needs: dense algebra, and a projection of its own.
// With A the masses, J the joints, G the contacts, all velocities are u = W r + q:
//   W = G P G^T,   q = G (P b + p) + w,   [A J^T; J 0]^-1 = [P .; . .],   p the velocities that obey J p = c at no push        (1)
#pragma once

#include <Eigen/Dense>
#include <filesystem>
#include <string>
#include <vector>

#include "tumble/dynamics/solvers/contact_solver.h"

namespace support {

struct ContactProblem {
  using Block = tumble::dynamics::KktSolver::Block;
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, 6>;
  struct Coupling {
    int a, b;
    Block A_ab;
  };
  struct Joint {
    int a, b;  // b may be kNone
    Rows J_a, J_b;
    Eigen::VectorXd c;
  };
  std::string about;                // one line
  std::vector<Block> masses;        // one a body
  std::vector<Coupling> couplings;  // of A, a < b
  std::vector<Joint> joints;
  std::vector<double> b;                               // 6 numbers a body
  std::vector<tumble::dynamics::ConeConstraint> rows;  // without impulses
  // What Siconos makes of it: impulses, 3 a row; how it was told to find them.
  std::vector<double> impulses;
  std::string solver;
  double tolerance = 0;
  bool same_velocities = false;  // all its ways to solve it, and all starts that were tried, lead to the same

  /// A KktSolver's view of it, through nothing but its products.
  static ContactProblem capture(const tumble::dynamics::KktSolver& matrix, const std::vector<double>& b,
                                const std::vector<double>& c,
                                const std::vector<tumble::dynamics::ConeConstraint>& rows);
  static ContactProblem read(const std::filesystem::path& path);
  std::string text() const;

  /// For the solver: pattern and numbers of `matrix`; the c of all joints.
  std::vector<double> fill(tumble::dynamics::KktSolver& matrix) const;
};

/// (1), dense.
class ReducedProblem {
 public:
  explicit ReducedProblem(const ContactProblem& problem);

  Eigen::VectorXd friction;  // one a contact; 0 for a limit
  Eigen::VectorXd inertias;  // w: the mean of a contact's G A^-1 G^T, A without what couples bodies
  std::vector<bool> limit;   // r has a first component alone

  Eigen::Index contacts() const { return inertias.size(); }
  Eigen::VectorXd velocities(const Eigen::VectorXd& r) const;
  Eigen::VectorXd q() const { return velocities(Eigen::VectorXd::Zero(3 * contacts())); }
  Eigen::MatrixXd W() const;
  /// The largest |r - Pi(r - (u + mu |u_t| n)/w)| of a contact, over the largest |r|.
  double residual(const Eigen::VectorXd& r) const;
  /// The velocity that the largest impulse makes of a contact that is easily moved: what residuals are parts of.
  double unit(const Eigen::VectorXd& r) const;
  /// What rounding of the velocities may make of it.
  double rounding(const Eigen::VectorXd& r) const;

 private:
  Eigen::MatrixXd solve(const Eigen::MatrixXd& given) const;

  Eigen::MatrixXd G_;
  Eigen::VectorXd given_, bias_;
  Eigen::LDLT<Eigen::MatrixXd> masses_;  // without joints, or
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>
      both_;  // of masses and joints, whose rows may be redundant
  bool joints_ = false;
};

struct OwnSolution {
  Eigen::VectorXd r;
  tumble::dynamics::ContactReport report;
};
/// By ContactSolver, from nothing: no velocities, no impulses; or from impulses.
OwnSolution solve_by_tumble(const ContactProblem& problem, double tolerance,
                            const Eigen::VectorXd& guess = {});

/// The problems that are kept, sorted by name.
std::vector<std::filesystem::path> stored_contact_problems();

}  // namespace support
