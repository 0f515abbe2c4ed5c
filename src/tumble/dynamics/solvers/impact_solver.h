// What happens when bodies hit each other: in rounds over the contacts that approach, each in two phases.
// With u the velocities at the contacts, p impulses, W = G A^-1 G^T under the joints:
//   compression   Coulomb's problem of contact_solver.h with restitution 0, for approaching contacts only: p, and u_c after it
//   restitution   normal impulses a e_i p_n,i, friction that takes most energy within |q_t| <= mu a e_i p_n,i
//                 a = min(1, sqrt((p.Wp - 2 p.u_c) / (Dp.W Dp))),   D = diag(e_i)
// until none approaches. Contacts that only touch are left out of a round: an impulse travels through a row
// of balls from one to the next, and one ball leaves. When none approaches fast enough to bounce, all
// contacts come to rest in one problem. With x = a D p a possible second phase, p_i.u_c,i <= 0 by Coulomb and
// a as above, the energy cannot grow: E - E0 <= p.u_c - p.Wp/2 + a Dp.u_c + a^2 Dp.W Dp/2 <= 0. With one e
// for all, a = 1. [rounds: Smith, Kaufman, Vouga, Tamstorf, Grinspun 2012]
#pragma once

#include <vector>

#include "tumble/dynamics/solvers/contact_island.h"
#include "tumble/dynamics/solvers/contact_solver.h"

namespace tumble::dynamics {

struct ImpactReport {
  int rounds = 0;  // the most of any island
  /// The rounds did not come to an end (restitution in a wedge): all contacts at once, with restitution 0,
  /// took what was left.
  bool cut_short = false;
  double residual = 0;     // the largest of the contact problems solved
  int unsolved = 0;        // contact problems whose residual stayed above what was asked for, or rounding
  int reduced = 0;         // rounds whose impulses were made smaller because they would have given energy
  int factorisations = 0;  // the most of any island, over all its rounds
};

/// Memory of resolve_impacts(), kept from one impact to the next. Vectors of nodes have six numbers each, in
/// SI units.
struct ImpactWorkspace {
  RowsByIsland by_island;
  // Of one island, all of the length of the problem: velocities before a round; A v; pushes of a round, of
  // its compression and of its restitution; the change of velocities they make.
  std::vector<double> start, momenta, push, stopping, giving, change;
  std::vector<double> none, speeds, l;  // by row of J: 0; J v, which stays; multipliers
  // Rows of the island that take part in a round: their approach speeds (all rows), numbers among all rows,
  // restitutions, impulses of restitution; and those with friction in restitution, as discs.
  std::vector<double> approach, restitution;
  std::vector<ConeConstraint> hit, discs;
  std::vector<size_t> numbers, disc_of;
  std::vector<math::Vec3> given;
};

/// Changes v (6 numbers a body) until no contact approaches faster than `slowest`; those slower than `bounce`
/// have no restitution (both m/s, or rad/s where a row is an angle). `matrix` holds the masses and the
/// joints, whose speeds stay; rows have their biases ignored and get the sum of their impulses.
/// `restitution`: of each row.
ImpactReport resolve_impacts(KktSolver& matrix, std::vector<ConeConstraint>& rows,
                             std::span<const double> restitution, double slowest, double bounce,
                             double tolerance, ContactSolver& solver, std::vector<double>& v);

}  // namespace tumble::dynamics
