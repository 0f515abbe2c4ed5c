// Velocities under contact with friction, limits and drives, joints hard: with A the masses (and implicit
// parts), b the momenta they would have without contact, u = G v + w the velocities at the contacts in their
// frames (normal first), r the impulses:
//   A v + J^T l = b + G^T r,    J v = c,    K + r  _|_  u + mu |u_t| n + K*                                     (1)
// K being the cone of friction |r_t| <= mu r_n, or r >= 0 for a limit, or a ball for a drive; the term mu
// |u_t| makes Coulomb's law an exact complementarity [De Saxce 1992]. Unknown is v, not r: the matrices are
// positive definite whatever contacts are redundant, and have the pattern of the bodies. Outside, multipliers
// r and the shift s = mu |u_t| are updated (augmented Lagrangian); inside, Newton's method minimises over J v
// = c the convex
//   1/2 v.A v - b.v + sum (z.p - |p|^2/2) / rho,    z = r - rho (u + s n),  p = Pi_K(z)                          (2)
// [Alart, Curnier 1991; Acary, Cadoux, Lemarechal, Malick 2011]. From a guess, where few rows do not converge
// soon, and where sliding leaves more than an outer iteration does, Newton's method on (1) itself is tried
// first (semismooth_newton.h).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tumble/dynamics/solvers/cone_constraint.h"
#include "tumble/dynamics/solvers/solver_parameters.h"

namespace tumble::dynamics {

struct ContactReport {
  double residual = 0;  // ContactResidual::whole, the largest of any island
  bool solved = true;   // the residual is what was asked for, or enough where it is hard, or rounding
  int outer_iterations = 0, factorisations = 0;  // the most of any island
};

struct ImpactWorkspace;  // impact_solver.h

class ContactSolver {
 public:
  explicit ContactSolver(const ContactSolverParameters& parameters = {});
  ~ContactSolver();
  ContactSolver(ContactSolver&&) noexcept;
  ContactSolver& operator=(ContactSolver&&) noexcept;
  const ContactSolverParameters& parameters() const;

  /// Solves (1) to a residual, each island for itself, or, where that is hard, to `enough` if that is more.
  /// `matrix` holds A and J; its pattern must couple the bodies of every row; its factors are left with the
  /// contacts in them. `v` is a guess, then the result, 6 numbers a body; `l` gets one number for each row of
  /// J.
  ContactReport solve(KktSolver& matrix, std::span<const double> b, std::span<const double> c,
                      std::vector<ConeConstraint>& rows, double tolerance, std::vector<double>& v,
                      std::vector<double>& l, double enough = 0);
  /// The same for the rows of one island alone, that on which the matrix works then: A and J are first said,
  /// and stay.
  void begin(KktSolver& matrix);
  ContactReport solve_island(std::span<const double> b, std::span<const double> c,
                             std::vector<ConeConstraint>& rows, double tolerance, std::vector<double>& v,
                             std::vector<double>& l, double enough);
  /// Memory of resolve_impacts().
  ImpactWorkspace& impact_workspace();

 private:
  class Island;
  struct Memory;
  std::unique_ptr<Memory> memory_;  // what the last problems needed
};

}  // namespace tumble::dynamics
