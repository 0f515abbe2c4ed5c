// Impacts, in rounds over the contacts that approach. Each round has two phases. With u the velocities at the
// contacts, p impulses, W = G A^-1 G^T under the joints:
//   compression   the Coulomb problem of contact_solver.h with restitution 0, for approaching contacts only:
//                 impulses p, and velocities u_c after it
//   restitution   normal impulses a e_i p_n,i; friction dissipates as much as it can within
//                 |q_t| <= mu a e_i p_n,i;   a = min(1, sqrt((p.Wp - 2 p.u_c) / (Dp.W Dp))),   D = diag(e_i)
// until no contact bounces. A round takes the fastest contacts: those that approach with at least the speed
// k s, with s the largest approach speed and k = 0.03, and with at least their own rest speed. Contacts that
// only touch, or approach by rounding errors, are left out: so an impulse travels through a row of balls from
// one to the next, and one ball leaves. Contacts of nearly equal speed are in the same round, so that
// symmetry is conserved. At last all contacts come to rest in one problem without restitution. Energy cannot
// grow: x = a D p is admissible in the second phase, p_i.u_c,i <= 0 by Coulomb's law, and with a as above
//   E - E0 <= p.u_c - p.Wp/2 + a Dp.u_c + a^2 Dp.W Dp/2 <= 0.
// With the same e for all contacts a = 1. [rounds: Smith, Kaufman, Vouga, Tamstorf, Grinspun 2012]
#pragma once

#include <vector>

#include "tumble/dynamics/solvers/contact_island.h"
#include "tumble/dynamics/solvers/contact_solver.h"

namespace tumble::dynamics {

/// How one row takes part in an impact.
struct ImpactLaw {
  double restitution = 0;
  double rest_speed = 0;  // m/s, or rad/s if the row is an angle: a slower approach does not bounce
};

struct ImpactReport {
  int rounds = 0;  // the largest of all islands
  /// J: the rounds did not end (restitution in a wedge), and all contacts at once, with restitution 0,
  /// absorbed this energy.
  double loss = 0;
  size_t loss_row = 0;     // where most of that energy was: the fastest row of that island
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
  // Approach speeds of all rows of the island. Rows that take part in a round: their restitutions, indices
  // among all rows, impulses of restitution. Rows with friction in restitution, as discs.
  std::vector<double> approach, restitution;
  std::vector<ConeConstraint> active, discs;
  std::vector<size_t> numbers, disc_of;
  std::vector<math::Vec3> restitution_impulses;
};

/// Changes v (6 numbers a body) until no contact approaches. `matrix` holds the masses and the joints, whose
/// speeds stay. Biases of rows are ignored; each row gets the sum of its impulses. `laws`: of each row.
/// `tolerance`: residual of a contact problem.
ImpactReport solve_impacts(KktSolver& matrix, std::vector<ConeConstraint>& rows,
                           std::span<const ImpactLaw> laws, double tolerance, ContactSolver& solver,
                           std::vector<double>& v);

}  // namespace tumble::dynamics
