// Data of the leapfrog stepper: what is saved between steps, and what flows between the stages of one.
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
  double fps = 60;                        // the whole step divides 1/fps
  std::optional<double> fixed_step = {};  // s
  bool reactions = false;                 // fills model::State::impulses
  LeapfrogParameters parameters = {};
  contact::ContactParameters contact = {};
  collision::CollisionParameters collision = {};
  dynamics::ContactSolverParameters solver = {};
  dynamics::KickParameters kick = {};
};

/// A joint limit that had a row in the last kick.
struct CachedLimit {
  size_t limit = 0;            // index into Model::limits()
  double impulse = 0;          // N s or N m s
  double predicted_value = 0;  // m or rad: C at the end of the drift by the solver's linear model
};

/// What joints and force laws did in a kick, per second of it.
struct Efforts {
  std::vector<double> reactions;      // model::kReactionSize a joint: N, N m
  std::vector<double> law_forces;     // kLawForceSize a law: N, N m
  std::vector<double> script_powers;  // W, of moving constraints at the end of the last step
};

/// Numbers a law in Efforts::law_forces: force and torque on a, then on b.
inline constexpr size_t kLawForceSize = 12;

/// What, beside the state, decides the next step. State and memory together have one future, bit for bit.
struct LeapfrogMemory {
  /// s, the coming drift; 0: not begun, or the model has changed since. Then contacts and v_half are those of the drift before.
  double h_next = 0;
  double h_left = 0;               // s, left of the whole step of which the coming drift is a part
  double h_cap = 0;                // s: parts are at most twice this, where one was halved; 0: no cap
  std::vector<double> v_half;      // of the coming drift, 6 a moving body
  std::vector<double> p_half;      // M v of that
  std::vector<double> expected_y;  // model::State::y that goes with it: a step from another one begins anew
  contact::ContactCache contacts;
  std::vector<CachedLimit> limits;                     // sorted
  std::vector<math::Vec3> actuators;                   // N s, of laws with a largest effort
  std::vector<contact::PairTracker::SavedPair> pairs;  // what collision knew when the last step ended
  Efforts last_kick;
  double compliant_energy = 0;  // J, stored in compliant contacts

  const CachedLimit* find_limit(size_t limit) const;
};

template <class Archive>
void archive(Archive& ar, CachedLimit& l) {
  ar(l.limit, l.impulse, l.predicted_value);
}
template <class Archive>
void archive(Archive& ar, LeapfrogMemory& m) {
  ar(m.h_next, m.h_left, m.h_cap, m.v_half, m.p_half, m.expected_y, m.contacts.contacts, m.limits,
     m.actuators, m.pairs, m.last_kick.reactions, m.last_kick.law_forces, m.last_kick.script_powers,
     m.compliant_energy);
}

/// What every stage of a kick at t_n may read.
struct StepContext {
  const model::Model& model;
  const Scales& scales;
  const LeapfrogParameters& par;
  const contact::ContactFinder& shapes;
  const model::MovingBodies& bodies;
  double accuracy;
  double h_whole;            // s, a whole step
  bool reactions;            // whether what joints pass on is asked for
  bool second_half = false;  // the first half of this kick was made before, by a model that has changed since

  /// m/s: contacts that approach faster are in an impact.
  double approach_threshold() const { return par.impact_speed * scales.acceleration * h_whole; }
  /// What 1 of a limit is: 1 rad, or the size of its bodies (m).
  double unit_of(size_t limit) const { return dynamics::unit_of_limit(model, limit); }
  /// m or rad: what a limit may be passed by.
  double limit_tolerance(size_t limit) const { return par.joint_tolerance * accuracy * unit_of(limit); }
};

/// A joint limit that may be reached: C >= 0 when the drift ends.
struct LimitRow {
  size_t limit = 0;           // index into Model::limits()
  double value = 0;           // C at t_n; m or rad
  double approach_speed = 0;  // m/s, as ContactPoint::approach_speed; an angle counts with the scene's length
  double gap_curvature = 0;   // per s^2: half the second derivative of C, as seen in the last drift
  double velocity_bias = 0;   // per s: asked for beyond the linear model
  std::optional<double> trial_impulse = {};  // N s or N m s: guess of the next solve
  dynamics::ConeConstraint cone = {};        // without a bias
};

/// The joint limits at t_n.
struct LimitSet {
  std::vector<LimitRow> all;   // every limit of the model, by index
  std::vector<LimitRow> rows;  // those with a row
};

/// All rows that a kick may need, and the nodes they couple. Rows that were dropped leave their couplings.
struct KickRows {
  contact::ContactSet contacts;
  LimitSet limits;
  std::vector<double> velocities;              // of nodes before the kick: P/m and I^-1 L, where rows are
  std::vector<std::pair<int, int>> couplings;  // sorted, each once, after merge_couplings()

  void clear() {
    contacts.clear(), limits.all.clear(), limits.rows.clear();
    couplings.clear(), merged_ = 0;
  }
  void couple(int i, int j) {
    if (i != model::kNone && j != model::kNone) couplings.emplace_back(std::min(i, j), std::max(i, j));
  }
  /// Sorts the couplings. True if there are new ones since the last call.
  bool merge_couplings() {
    std::sort(couplings.begin(), couplings.end());
    couplings.erase(std::unique(couplings.begin(), couplings.end()), couplings.end());
    return std::exchange(merged_, couplings.size()) != couplings.size();
  }

 private:
  size_t merged_ = 0;  // couplings after the last merge
};

/// The cones of a kick: contacts in the order of the ContactSet, limits in that of LimitSet::rows, actuators by ascending law.
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
  /// The cone of a law with a largest effort; null if it has none.
  const dynamics::ConeConstraint* actuator_of(size_t law) const;
};

/// The drifts before and after t_n, s. Right after an impact h_prev is 0: the momenta are those of t_n.
struct KickTimes {
  double h_prev = 0, h = 0;
  double duration() const { return 0.5 * (h_prev + h); }  // s, of the kick
};

/// The solution of a kick.
struct KickSolution {
  std::vector<double> v;              // of the coming drift; of held bodies 0
  bool held = false;                  // some bodies were held
  std::vector<double> v_solved;       // where some were: v before that
  std::vector<double> lambda;         // N s or N m s: of the rows of joints
  std::vector<math::Vec3> actuators;  // N s, of the last solve
  const std::vector<double>& solved() const { return held ? v_solved : v; }
};

/// What was hit at t_n, and what it changed.
struct Impact {
  bool any = false;
  std::vector<double> p_before, p_after;  // momenta
  std::vector<double> law_forces;         // N, N m: of laws in the half step before it
  std::vector<double> reactions_before,
      reactions;  // N s, N m s: of joints in that half step; and with the impact
};

}  // namespace tumble::simulate
