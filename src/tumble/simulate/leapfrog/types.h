// Data of the leapfrog stepper: what is saved between steps, and what flows between the stages of a step.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "tumble/contact/find_contacts.h"
#include "tumble/dynamics/joint_limits.h"
#include "tumble/dynamics/kick_problem.h"
#include "tumble/simulate/leapfrog/parameters.h"
#include "tumble/simulate/parameters.h"
#include "tumble/simulate/scales.h"
#include "tumble/simulate/step_report.h"

namespace tumble::simulate {

struct LeapfrogOptions {
  double accuracy = kDefaultFastAccuracy;
  double grid_rate = 60;                  // 1/s: an integer number of whole steps fits into 1/grid_rate
  std::optional<double> fixed_step = {};  // s
  bool reactions = false;                 // fills model::State::impulses
  std::optional<Scales> scales = {};      // those a run began with; none: of the model as it is
  LeapfrogParameters parameters = {};
  contact::ContactParameters contact = {};
  collision::CollisionParameters collision = {};
  dynamics::ContactSolverParameters solver = {};
  dynamics::KickParameters kick = {};
  contact::TightPairs tight = {};  // of the start
};

/// A joint limit that had a row in the last kick.
struct CachedLimit {
  size_t limit = 0;            // index into Model::limits()
  double impulse = 0;          // N s or N m s
  double predicted_value = 0;  // m or rad: C at the end of the drift by the solver's linear model
};

/// Mean forces of joints and force laws during a kick: impulses divided by its duration.
struct Efforts {
  std::vector<double> reactions;      // model::kReactionSize a joint: N, N m
  std::vector<double> nodal_shift;    // N s, N m s, like reactions: in impulses up to t_n; empty: none
  std::vector<double> law_forces;     // kLawForceSize a law: N, N m
  std::vector<double> script_forces;  // N, N m: multipliers of the rows of moving constraints
};

/// Size of a law's entry in Efforts::law_forces: force and torque on a, then on b.
inline constexpr size_t kLawForceSize = 12;

/// What determines the next step, besides the state. State and memory together determine all later steps, bit
/// for bit.
struct LeapfrogMemory {
  /// s, length of the coming drift. 0: no step yet, or the model has changed since. In the latter case
  /// contacts and v_half are those of the last drift.
  double h_next = 0;
  double h_left = 0;           // s, remainder of the whole step that the coming drift is a part of
  double h_half_cap = 0;       // s: after a halving, a drift is at most twice this long; 0: no cap
  std::vector<double> v_half;  // velocities of the coming drift, 6 a moving body
  std::vector<double> p_half;  // M v_half
  /// model::State::y that belongs to this memory. A step from another y starts anew.
  std::vector<double> expected_y;
  contact::ContactCache contacts;
  std::vector<CachedLimit> limits;         // sorted
  std::vector<math::Vec3> actuators;       // N s, impulses of laws with an effort limit
  std::vector<dynamics::LawHistory> laws;  // by index into Model::forces()
  std::vector<contact::PairTracker::SavedPair>
      pairs;  // cache of collision detection at the end of the last step
  Efforts last_kick;
  /// m/s^2, three numbers a node: accelerations of centres of mass by contacts and limits. Empty: none.
  std::vector<double> contact_accelerations;
  /// N and N m, six numbers a node: contacts, limits and dampers in the last kick. Empty if no law is very
  /// stiff.
  std::vector<double> other_forces;
  double compliant_energy = 0;  // J, stored in compliant contacts

  const CachedLimit* find_limit(size_t limit) const;
};

template <class Archive>
void archive(Archive& ar, CachedLimit& l) {
  ar(l.limit, l.impulse, l.predicted_value);
}
template <class Archive>
void archive(Archive& ar, LeapfrogMemory& m) {
  ar(m.h_next, m.h_left, m.h_half_cap, m.v_half, m.p_half, m.expected_y, m.contacts.contacts, m.limits,
     m.actuators, m.laws, m.pairs, m.last_kick.reactions, m.last_kick.nodal_shift, m.last_kick.law_forces,
     m.last_kick.script_forces, m.contact_accelerations, m.other_forces, m.compliant_energy);
}

/// Read-only context of the stages of a kick at t_n.
struct StepContext {
  const model::Model& model;
  const Scales& scales;
  const LeapfrogParameters& par;
  const contact::ContactFinder& shapes;
  const model::MovingBodies& bodies;
  double accuracy;
  double h_whole;    // s, length of a whole step
  double h_regular;  // s, the same after halvings; parts of a step that end at an event do not count
  double
      largest_joint_gap;  // parts of a body's size: a drift whose linear solution opens joints more is halved
  double
      largest_carried_rotation;  // rad: a drift in which a jointed body with a contact rotates more is halved
  bool reactions;                // joint reactions are requested
  bool script_jumps = false;     // the velocity of a script jumps at t_n
  bool second_half = false;  // only the second half of this kick: the model has changed after the first half

  /// m/s: the impact speed of a body with the acceleration of the whole scene.
  double typical_impact_speed() const { return par.impact_speed * scales.acceleration * h_whole; }
  /// m: bodies nearer than this touch.
  double touching_gap(double offset) const { return shapes.settings().par.touching * offset; }
  /// The unit of a limit: 1 rad, or the size of its bodies (m).
  double unit_of(size_t limit) const { return dynamics::unit_of_limit(model, limit); }
  /// m or rad: by how much a limit may be passed.
  double limit_tolerance(size_t limit) const { return par.joint_tolerance * accuracy * unit_of(limit); }
};

/// A joint limit that may be reached. Its row requires C >= 0 when the drift ends.
struct LimitRow {
  size_t limit = 0;           // index into Model::limits()
  double value = 0;           // C at t_n; m or rad
  double approach_speed = 0;  // m/s, as ContactPoint::approach_speed; an angle counts times the length scale
  double rest_speed = 0;      // m/s, likewise
  double gap_curvature = 0;   // per s^2: half the second derivative of C in the last drift
  double velocity_bias = 0;   // per s: added to the velocity that the linear model requires
  std::optional<double> trial_impulse = {};  // N s or N m s: initial guess of the next solve
  bool immobile = false;                     // joints and scripts determine C, so that it has no row
  dynamics::ConeConstraint cone = {};        // its bias is not set
};

/// The joint limits at t_n.
struct LimitSet {
  std::vector<LimitRow> all;   // every limit of the model, by index
  std::vector<LimitRow> rows;  // those with a row
};

/// All rows that a kick may need, and the pairs of nodes they couple. Dropped rows leave their couplings.
struct KickRows {
  contact::ContactSet contacts;
  LimitSet limits;
  std::vector<double> velocities;  // of nodes before the kick, P/m and I^-1 L; empty without rows
  std::span<const double> contact_accelerations;  // LeapfrogMemory::contact_accelerations of the last kick
  std::vector<std::pair<int, int>> couplings;     // sorted and unique after merge_couplings()

  void clear() {
    contacts.clear(), limits.all.clear(), limits.rows.clear();
    couplings.clear(), merged_ = 0;
  }
  void couple(int i, int j) {
    if (i != model::kNone && j != model::kNone) couplings.emplace_back(std::min(i, j), std::max(i, j));
  }
  /// Sorts the couplings. Returns true if there are new ones since the last call.
  bool merge_couplings() {
    std::sort(couplings.begin(), couplings.end());
    couplings.erase(std::unique(couplings.begin(), couplings.end()), couplings.end());
    return std::exchange(merged_, couplings.size()) != couplings.size();
  }

 private:
  size_t merged_ = 0;  // couplings after the last merge
};

/// The cones of a kick: contacts in the order of the ContactSet, limits in the order of LimitSet::rows,
/// actuators by ascending law.
struct ConstraintSet {
  std::vector<dynamics::ConeConstraint> cones;
  std::vector<size_t> actuator_laws;  // indices into Model::forces()
  size_t contact_count = 0, limit_count = 0;

  void clear() { cones.clear(), actuator_laws.clear(), contact_count = limit_count = 0; }
  std::span<dynamics::ConeConstraint> contacts() { return std::span(cones).first(contact_count); }
  std::span<const dynamics::ConeConstraint> contacts() const { return std::span(cones).first(contact_count); }
  std::span<dynamics::ConeConstraint> limits() {
    return std::span(cones).subspan(contact_count, limit_count);
  }
  std::span<const dynamics::ConeConstraint> limits() const {
    return std::span(cones).subspan(contact_count, limit_count);
  }
  std::span<dynamics::ConeConstraint> actuators() {
    return std::span(cones).subspan(contact_count + limit_count);
  }
  std::span<const dynamics::ConeConstraint> actuators() const {
    return std::span(cones).subspan(contact_count + limit_count);
  }
  /// The cone of a law with an effort limit; null if the law has none.
  const dynamics::ConeConstraint* actuator_of(size_t law) const;
};

/// Lengths of the drifts before and after t_n, s. Right after an impact h_prev is 0: the momenta are those at
/// t_n.
struct KickTimes {
  double h_prev = 0, h = 0;
  double duration() const { return 0.5 * (h_prev + h); }  // s, duration of the kick
};

/// The solution of a kick.
struct KickSolution {
  std::vector<double> v;              // velocities of the coming drift; 0 for held bodies
  bool held = false;                  // some bodies are held
  std::vector<double> v_solved;       // if some are: v before that
  std::vector<double> v_change;       // scratch: by closing joints
  std::vector<double> lambda;         // N s or N m s: multipliers of joint rows
  std::vector<math::Vec3> actuators;  // N s, impulses of the last solve
  const std::vector<double>& solved() const { return held ? v_solved : v; }
};

/// The impact at t_n, if there is one. A script whose velocity jumps at t_n is treated as an impact.
struct Impact {
  bool any = false;
  std::vector<double> p_before, p_after;  // momenta
  std::vector<double> law_forces;         // N, N m: of laws in the half step before the impact
  std::vector<double> reactions_before;   // N s, N m s: of joints in that half step
  std::vector<double> reactions;          // the same plus those of the impact
  std::vector<double> script_forces;      // N, N m: multipliers of moving constraints in that half step
  std::vector<double> script_work;        // J: of moving constraints in the impact
};

}  // namespace tumble::simulate
