// Impacts, in rounds over the contacts that approach. Each round has two phases. With u the velocities at the
// contacts, p impulses, W = G A^-1 G^T under the joints:
//   compression   the Coulomb problem of contact_solver.h with restitution 0, for approaching contacts only:
//                 impulses p, and velocities u_c after it
//   restitution   normal impulses a e_i p_n,i; friction dissipates as much as it can within
//                 |q_t| <= mu a e_i p_n,i;   a = min(1, sqrt((p.Wp - 2 p.u_c) / (Dp.W Dp))),   D = diag(e_i)
// until no contact approaches. Contacts that only touch are left out of a round: so an impulse travels
// through a row of balls from one to the next, and one ball leaves. When no contact approaches fast
// acceptable to bounce_speed, all contacts come to rest in one problem. Energy cannot grow: x = a D p is
// admissible in the second phase, p_i.u_c,i <= 0 by Coulomb's law, and with a as above
//   E - E0 <= p.u_c - p.Wp/2 + a Dp.u_c + a^2 Dp.W Dp/2 <= 0.
// With the same e for all contacts a = 1. [rounds: Smith, Kaufman, Vouga, Tamstorf, Grinspun 2012]
#pragma once

#include <vector>

#include "tumble/dynamics/solvers/contact_island.h"
#include "tumble/dynamics/solvers/contact_solver.h"

namespace tumble::dynamics {

struct ImpactReport {
  int rounds = 0;  // the largest of all islands
  /// The rounds did not end (restitution in a wedge). All contacts at once, with restitution 0, absorbed the
  /// rest.
  bool cut_short = false;
  double residual = 0;     // the largest of the contact problems solved
  int unsolved = 0;        // contact problems whose residual stayed above the tolerance and above rounding
  int reduced = 0;         // rounds whose impulses were scaled down because they would have added energy
  int factorisations = 0;  // the largest of all islands, over all its rounds
};

/// Workspace of solve_impacts(), reused from one impact to the next. Vectors over nodes have six numbers
/// each, in SI units.
struct ImpactWorkspace {
  RowsByIsland by_island;
  // Of one island, each of the length of the problem: velocities before a round; momenta A v; impulses of a
  // round, of its compression and of its restitution; the change of velocities they cause.
  std::vector<double> start, momenta, impulse, compression, restitution_impulse, change;
  std::vector<double> zero, joint_speeds, l;  // by row of J: 0; J v, which stays; multipliers
  // Rows of the island that take part in a round: their approach speeds (all rows), restitutions, indices
  // among all rows, impulses of restitution. Rows with friction in restitution, as discs.
  std::vector<double> approach, restitution;
  std::vector<ConeConstraint> active, discs;
  std::vector<size_t> numbers, disc_of;
  std::vector<math::Vec3> restitution_impulses;
};

/// Changes v (6 numbers a body) until no contact approaches faster than `speed_tolerance`. Contacts that
/// approach slower than `bounce_speed` have no restitution (both m/s, or rad/s if a row is an angle).
/// `matrix` holds the masses and the joints, whose speeds stay. Biases of rows are ignored; each row gets the
/// sum of its impulses. `restitution`: of each row.
ImpactReport solve_impacts(KktSolver& matrix, std::vector<ConeConstraint>& rows,
                           std::span<const double> restitution, double speed_tolerance, double bounce_speed,
                           double tolerance, ContactSolver& solver, std::vector<double>& v);

}  // namespace tumble::dynamics
