// A problem of dynamics/solvers/contact_solver.h as a file, and an independent evaluation of its solutions
// with dense algebra and its own projection. With A the masses, J the joints, G the contacts, all velocities
// are u = W r + q:
//   W = G P G^T,   q = G (P b + p) + w,   [A J^T; J 0]^-1 = [P .; . .]                                    (1)
// where p are the velocities without contact impulses that satisfy J p = c.
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
  std::vector<Block> masses;        // one per body
  std::vector<Coupling> couplings;  // of A, a < b
  std::vector<Joint> joints;
  std::vector<double> b;                               // 6 numbers per body
  std::vector<tumble::dynamics::ConeConstraint> rows;  // without impulses
  // Solution by Siconos: impulses, 3 per row, and the solver settings.
  std::vector<double> impulses;
  std::string solver;
  double tolerance = 0;
  /// All solvers of Siconos find the same velocities, from all starts that were tried.
  bool same_velocities = false;

  /// Captures a problem from a KktSolver, using only its matrix-vector products.
  static ContactProblem capture(const tumble::dynamics::KktSolver& matrix, const std::vector<double>& b,
                                const std::vector<double>& c,
                                const std::vector<tumble::dynamics::ConeConstraint>& rows);
  static ContactProblem read(const std::filesystem::path& path);
  std::string text() const;

  /// Sets pattern and numbers of `matrix`. Returns the c of all joints.
  std::vector<double> fill(tumble::dynamics::KktSolver& matrix) const;
};

/// Problem (1) as dense matrices.
class ReducedProblem {
 public:
  explicit ReducedProblem(const ContactProblem& problem);

  Eigen::VectorXd friction;  // one per contact; 0 for a limit
  Eigen::VectorXd inertias;  // w: mean of a contact's G A^-1 G^T, A without couplings
  std::vector<bool> limit;   // only the first component of r is used

  Eigen::Index contacts() const { return inertias.size(); }
  Eigen::VectorXd velocities(const Eigen::VectorXd& r) const;
  Eigen::VectorXd q() const { return velocities(Eigen::VectorXd::Zero(3 * contacts())); }
  Eigen::MatrixXd W() const;
  /// The largest |r - Pi(r - (u + mu |u_t| n)/w)| of a contact, over the largest |r|.
  double residual(const Eigen::VectorXd& r) const;
  /// The velocity unit of residuals: the largest impulse times the largest inverse inertia of a contact.
  double unit(const Eigen::VectorXd& r) const;
  /// Bound of the effect of rounding of the velocities on the residual.
  double rounding(const Eigen::VectorXd& r) const;

 private:
  Eigen::MatrixXd solve(const Eigen::MatrixXd& given) const;

  Eigen::MatrixXd G_;
  Eigen::VectorXd given_, bias_;
  Eigen::LDLT<Eigen::MatrixXd> masses_;  // without joints, or
  /// Of masses and joints, whose rows may be redundant.
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> both_;
  bool joints_ = false;
};

struct OwnSolution {
  Eigen::VectorXd r;
  tumble::dynamics::ContactReport report;
};
/// Solves with ContactSolver, from zero velocities and impulses, or from the impulses `guess`.
OwnSolution solve_by_tumble(const ContactProblem& problem, double tolerance,
                            const Eigen::VectorXd& guess = {});

/// The stored problems, sorted by name.
std::vector<std::filesystem::path> stored_contact_problems();

}  // namespace support
