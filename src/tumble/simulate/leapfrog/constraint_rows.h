// Contacts, limits and actuators of a kick as cones of the contact solver.
#pragma once

#include "tumble/simulate/leapfrog/limit_rows.h"

namespace tumble::simulate {

/// Sets the approach speed of every contact point and limit with velocities v, six a node.
void measure_approach_speeds(const StepContext& c, const model::State& at, std::span<const double> v,
                             KickRows& rows);

/// How gaps and limits will curve in the coming drift: as they did in the last one, which took memory.h_next. All points of a patch
/// curve alike, or they would ask for a turn that no body makes. Only closing counts.
void predict_gap_curvature(const StepContext& c, const model::State& at, const LeapfrogMemory& memory,
                           double h, KickRows& rows);
/// The largest curvature of a gap that the bodies' turning and sliding can make, m/s^2.
double bound_gap_curvature(const StepContext& c, const model::State& at, const contact::ContactPoint& point,
                           std::span<const double> v);
/// How the relative velocity of contacts will change with their lever arms until the middle of the coming drift. Without this the
/// corner about which a box tips creeps with the square of its angular velocity, and friction gives it energy.
void predict_lever_arms(const StepContext& c, std::span<const double> v_half, contact::ContactSet& contacts);

/// The row of a contact for a drift of h: Jacobian, bias, friction. With `warm` also the impulse and slip of the last kick.
dynamics::ConeConstraint make_contact_cone(const StepContext& c, const model::State& at,
                                           const contact::ContactPoint& point, double h, bool warm);
/// All cones for a drift of h, with first guesses of their impulses. `problem` is assembled for it.
void build_constraints(const StepContext& c, const model::State& at, double h, const KickRows& rows,
                       std::span<const math::Vec3> actuator_guess, dynamics::KickProblem& problem,
                       ConstraintSet& cones);
/// Makes the solution the first guess of another solve of the same kick.
void keep_trial_impulses(const ConstraintSet& cones, KickRows& rows, KickSolution& solution);
/// Biases, and trial impulses of contacts, belong to a drift of one length: forgets them.
void clear_biases(KickRows& rows);

/// For the next kick: impulses, slip and predicted gaps.
void save_contacts(const StepContext& c, const contact::ContactSet& contacts, const ConstraintSet& cones,
                   std::span<const double> v, double h_prev, double h, contact::ContactCache& cache);

}  // namespace tumble::simulate
