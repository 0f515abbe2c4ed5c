// Contacts, limits and actuators of a kick as cone constraints of the contact solver.
#pragma once

#include "tumble/simulate/leapfrog/limit_rows.h"

namespace tumble::simulate {

/// m/s: two bodies that approach slower are not in an impact. `acceleration`: by which they approach, m/s^2;
/// `speed`: the sum of their speeds at the contact, m/s, for rounding; `bounces`: the restitution is not 0.
double compute_rest_speed(const StepContext& c, double acceleration, double speed, bool bounces);
/// m/s^2: acceleration of two nodes along a normal by the contacts and limits of the last kick.
double contact_acceleration_along(const KickRows& rows, const math::Vec3& normal, int a, int b);
/// Computes the approach speed and the rest speed of every contact point and limit from velocities v, six
/// numbers a node. If `half` is not 0, v are the velocities after forces and joints have acted for that time
/// (s), without contacts: their change along the normal is an approach of bodies at rest.
void measure_approach_speeds(const StepContext& c, const model::State& at, std::span<const double> v,
                             double half, KickRows& rows);

/// The accelerations of centres of mass by contacts and limits in a kick of this duration (s), three numbers
/// a node.
void save_contact_accelerations(const StepContext& c, const ConstraintSet& cones, double duration,
                                std::vector<double>& accelerations);

/// Predicts the curvature of gaps and limits in the coming drift. It is that of the last drift, which took
/// memory.h_next. All points of a patch get the same curvature; otherwise they would ask for a rotation that
/// no body performs. Only closing curvature counts.
void predict_gap_curvature(const StepContext& c, const model::State& at, const LeapfrogMemory& memory,
                           double h, KickRows& rows);
/// m/s^2: the largest gap curvature that rotation and sliding of the bodies can cause.
double bound_gap_curvature(const StepContext& c, const model::State& at, const contact::ContactPoint& point,
                           std::span<const double> v);
/// Predicts how the relative velocity of contacts changes until the middle of the coming drift, because lever
/// arms change. Without this the corner about which a box tips creeps with the square of its angular
/// velocity, and friction adds energy.
void predict_lever_arms(const StepContext& c, std::span<const double> v_half, contact::ContactSet& contacts);

/// The row of a contact for a drift of h: Jacobian, bias, friction. `warm` adds impulse and slip of the last
/// kick (warm start).
dynamics::ConeConstraint make_contact_cone(const StepContext& c, const model::State& at,
                                           const contact::ContactPoint& point, double h, bool warm);
/// Builds all cones for a drift of h, with warm-start impulses. `problem` is assembled for this drift.
void build_constraints(const StepContext& c, const model::State& at, double h, const KickRows& rows,
                       std::span<const math::Vec3> actuator_guess, dynamics::KickProblem& problem,
                       ConstraintSet& cones);
/// Stores the solution as the initial guess of another solve of the same kick.
void save_trial_impulses(const ConstraintSet& cones, KickRows& rows, KickSolution& solution);
/// Resets biases, and trial impulses of contacts. They are valid for one drift length only.
void clear_biases(KickRows& rows);

/// Stores impulses, slip and predicted gaps for the next kick.
void save_contacts(const StepContext& c, const contact::ContactSet& contacts, const ConstraintSet& cones,
                   std::span<const double> v, double h_prev, double h, contact::ContactCache& cache);

}  // namespace tumble::simulate
