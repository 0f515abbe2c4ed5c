// Velocities under contact with friction, limits and actuators, with hard joints. A are the masses (and
// implicit terms), b the momenta without contact, u = G v + w the velocities at the contacts in their frames
// (normal first), r the impulses:
//   A v + J^T l = b + G^T r,    J v = c,    K + r  _|_  u + mu |u_t| n + K*                               (1)
// K is the friction cone |r_t| <= mu r_n, or r >= 0 for a limit, or a ball for an actuator. The term mu |u_t|
// makes Coulomb's law an exact complementarity [De Saxce 1992]. The unknown is v, not r: the matrices are
// positive definite even if contacts are redundant, and have the sparsity pattern of the bodies. Outer
// iterations update the multipliers r and the shift s = mu |u_t| (augmented Lagrangian). Inside, Newton's
// method minimises over J v = c the convex function
//   1/2 v.A v - b.v + sum (z.p - |p|^2/2) / rho,    z = r - rho (u + s n),  p = Pi_K(z)                   (2)
// [Alart, Curnier 1991; Acary, Cadoux, Lemarechal, Malick 2011]. Newton's method on (1) itself
// (semismooth_newton.h) is tried first with an initial guess, with few rows that do not converge soon, and if
// sliding leaves a larger residual than an outer iteration does.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tumble/dynamics/solvers/cone_constraint.h"
#include "tumble/dynamics/solvers/solver_parameters.h"

namespace tumble::dynamics {

struct ContactReport {
  double residual = 0;  // ContactResidual::whole, the largest of all islands
  bool solved = true;   // the residual is within the tolerance, or acceptable in a hard problem, or rounding
  int outer_iterations = 0, factorisations = 0;  // the largest of all islands
};

struct ImpactWorkspace;  // impact_solver.h

class ContactSolver {
 public:
  explicit ContactSolver(const ContactSolverParameters& parameters = {});
  ~ContactSolver();
  ContactSolver(ContactSolver&&) noexcept;
  ContactSolver& operator=(ContactSolver&&) noexcept;
  const ContactSolverParameters& parameters() const;

  /// Solves (1) to a residual of `tolerance`, each island by itself. In a hard problem a residual of
  /// `acceptable` suffices. `matrix` holds A and J; its pattern must couple the bodies of every row; its
  /// factors include contacts afterwards. `v` is the initial guess, then the result, 6 numbers a body; `l`
  /// gets one number for each row of J.
  ContactReport solve(KktSolver& matrix, std::span<const double> b, std::span<const double> c,
                      std::vector<ConeConstraint>& rows, double tolerance, std::vector<double>& v,
                      std::vector<double>& l, double acceptable = 0);
  /// The same for the rows of one island, the one that the matrix has selected. begin() comes first; A and J
  /// must not change after it.
  void begin(KktSolver& matrix);
  ContactReport solve_island(std::span<const double> b, std::span<const double> c,
                             std::vector<ConeConstraint>& rows, double tolerance, std::vector<double>& v,
                             std::vector<double>& l, double acceptable);
  /// Workspace of solve_impacts().
  ImpactWorkspace& impact_workspace();

 private:
  class Island;
  struct Memory;
  std::unique_ptr<Memory> memory_;  // reused between problems
};

}  // namespace tumble::dynamics
