// The fast driver: large steps of one length, cut or halved where they must be, contact with friction solved at each.
//
// Positions at t_n, momenta half way between (dynamics/kick_problem.h). A step drifts to its end, looks there for contacts, and finds the
// momenta of the next drift: every contact row asks that the gap be what is kept when that drift ends, and the drift is taken
// only if no two bodies can come nearer than half of that on the way (collision/certificate.h); pairs that would are given
// the row they lack, and the step is solved again. What a state says of velocities is those at t_n, the mean of the two halves.
#pragma once

#include <optional>
#include <string>

#include "tumble/contact/pair_tracker.h"
#include "tumble/dynamics/kick_problem.h"
#include "tumble/dynamics/solvers/impact_solver.h"
#include "tumble/simulate/leapfrog/compliant_rows.h"
#include "tumble/simulate/scales.h"
#include "tumble/simulate/tolerances.h"

namespace tumble::simulate {

struct LeapfrogOptions {
  double accuracy = kDefaultFastAccuracy;
  double fps = 60;                        // the step divides 1/fps
  std::optional<double> fixed_step = {};  // s
  bool reactions = false;                 // fills model::State::impulses
};

/// What is known of a contact from step to step.
struct ContactMemory {
  uint32_t a = 0, b = 0;  // items of the pair tracker
  collision::FeatureKey key;
  math::Vec3 impulse = math::Vec3::Zero();  // N s, of the last step, world axes, on a
  bool sticks = false;
  // m, of a on b since it began to stick, world axes: to be taken back; of soft contact how far the layer is sheared
  math::Vec3 slip = math::Vec3::Zero();
  math::Vec3 place = math::Vec3::Zero();  // m, in axes of body a
  math::Vec3 point = math::Vec3::Zero();  // m, world
  double foreseen = 0;                    // m: the gap at the end of the last drift, had it changed evenly
  double drift = 0;                       // s, of that drift
};

/// And of a limit of a joint that had a row.
struct LimitMemory {
  size_t limit = 0;     // index into Model::limits()
  double impulse = 0;   // N s or N m s, of the last step
  double foreseen = 0;  // m or rad: what was left of it at the end of the last drift, had it changed evenly
};

/// What, beside the state, decides the next step.
struct LeapfrogMemory {
  double next_step = 0;  // s; 0: not begun
  double left = 0;       // s, of the whole step of which the next is a part
  double bound = 0;      // s; parts are at most twice this, where one was halved; 0: as long as they like
  std::vector<double> velocities;       // of the drift to come, 6 a moving body
  std::vector<double> momenta;          // M v of that
  std::vector<double> told;             // model::State::y that goes with it: another one begins anew
  std::vector<ContactMemory> contacts;  // sorted by items and key
  std::vector<LimitMemory> limits;      // sorted
  std::vector<double> drives;           // and of drives at their largest effort, 3 each
  std::vector<contact::PairTracker::Note> pairs;  // what collision knew when the last step ended
  std::vector<double> reactions;                  // model::kReactionSize a joint, per s: in the last kick
  double layers = 0;                              // J, in layers of soft contact
  std::vector<double> forces;  // 12 a law: what it did to its bodies in the last kick, per s
  std::vector<double> powers;  // W, of moving constraints at the end of the last step

  const LimitMemory* recall_limit(size_t limit) const;
};

template <class Archive>
void archive(Archive& ar, ContactMemory& m) {
  ar(m.a, m.b, m.key, m.impulse, m.sticks, m.slip, m.place, m.point, m.foreseen, m.drift);
}
template <class Archive>
void archive(Archive& ar, LimitMemory& m) {
  ar(m.limit, m.impulse, m.foreseen);
}
template <class Archive>
void archive(Archive& ar, contact::PairTracker::Note& n) {
  ar(n.a, n.b, n.normal, n.primitives[0], n.primitives[1], n.features);
}
template <class Archive>
void archive(Archive& ar, LeapfrogMemory& m) {
  ar(m.next_step, m.left, m.bound, m.layers, m.velocities, m.momenta, m.told, m.forces, m.powers, m.drives,
     m.reactions, m.limits, m.contacts, m.pairs);
}

struct LeapfrogReport {
  bool good = true;
  double h = 0;                          // s
  double residual = 0;                   // of contact
  int contacts = 0, factorisations = 0;  // rows
  int impacts = 0;                       // instants at which something was hit
  int unsolved = 0;                      // contact problems left above the residual asked for
  int resolved = 0;   // how often rows were added, or the drift cut, for pairs too near or limits passed
  int halved = 0;     // how often the step was, because joints did not close or a body turned too far
  int holds = 0;      // times that no rows kept a pair apart, and bodies stayed where they were
  int freezes = 0;    // times that this had to spread to others
  int passed = 0;     // times that limits of joints were passed
  core::BodyId body;  // whose motion is no number
};

/// "t = 1.25 s: body "box": ...": for people.
std::string describe(const LeapfrogReport& report, const model::Model& model, double time);

/// A contact that passed on an impulse at one time.
struct ContactPoint {
  uint32_t a = 0, b = 0;  // items of the pair tracker
  collision::FeatureKey key;
  math::Vec3 point = math::Vec3::Zero(), normal = math::Vec3::Zero();  // m; unit, from b to a; world
  double gap = 0;                                                      // m
  math::Vec3 impulse = math::Vec3::Zero();                             // N s, on a, world axes
  double slip = 0;                                                     // m/s
  enum class State { stick, slip, impact } state = State::stick;
  double from = 0, to = 0;  // s: passed on evenly between these times; an impact at once
};

/// Where the time went, s.
struct StepTimes {
  double collision = 0, contact = 0, certificate = 0;
};

class LeapfrogStepper {
 public:
  LeapfrogStepper(const model::Model& model, const LeapfrogOptions& options);

  /// Advances `state` by one step.
  LeapfrogReport step(model::State& state, LeapfrogMemory& control);
  /// The state at a time inside the last step, if it was a good one: on the very path that was found free of collisions. At its end it is what step() gave: what
  /// was hit there has been.
  void state_at(double time, model::State& state) const;
  /// Forces in the joints at a state with which a run begins, numbers as in model::State::impulses, per second.
  std::vector<double> reactions_at(const model::State& state);
  /// What passed on an impulse at the end of the last step, and, if it was the first one, at its start.
  const std::vector<ContactPoint>& contacts() const { return contacts_; }
  const contact::PairTracker::Item& item(uint32_t i) const { return pair_tracker_.items()[i]; }

  double step_length() const { return h_; }
  const Scales& scales() const { return scales_; }
  const StepTimes& times() const { return times_; }
  const collision::ManifoldBuilder::Counters& pair_counters() const { return builder_.counters(); }

 private:
  // A contact as the solver sees it.
  struct Row {
    uint32_t a = 0, b = 0;  // items
    collision::Contact contact = {};
    double kept = 0;            // m
    contact::PairLaw law = {};  // its layer is 0 where it is pressed through
    double bend =
        0;  // m/s^2: what turning makes of the gap, over the square of the time, as far as it was seen in the last drift
    double push = 0;                         // m/s, asked for on top because bodies turn
    math::Vec3 turn = math::Vec3::Zero();    // m/s^2, world: how the velocity of a on b changes with the arms
    std::optional<math::Vec3> impulse = {};  // N s, along the axes: of the last solution for this very step
    bool struck = false;                     // had a part in the impact of this instant
    math::Vec3 place;                        // m, in axes of body a
    math::Vec3 axes[3];                      // normal from b to a, two tangents
  };
  // A limit of a joint that may be reached: C >= 0 when the drift ends.
  struct LimitRow {
    size_t limit = 0;  // of the model
    double value = 0;  // C; m or rad
    double bend = 0;   // C is not linear: as it was seen in the last drift, over the square of the time
    double push = 0;   // per s, asked for on top
    dynamics::ConeConstraint cone = {};  // without a bias
  };
  // Two bodies that come too near in a drift.
  struct Approach {
    uint32_t a = 0, b = 0;  // items
    double kept = 0;        // m
    double nearest = 0;     // m: what they are not to come nearer than
    double time = 0;        // s, from the start of the drift
    collision::Contact contact = {};
    math::Vec3 v_a, v_b;  // m/s, there
  };
  contact::PairLaw law_of(uint32_t a, uint32_t b) const;
  void collide(const model::State& state, std::span<const double> momenta, double h);
  void foresee_bends(const model::State& state, const LeapfrogMemory& control, double h);
  double largest_bend(const model::State& state, const Row& row, const std::vector<double>& v) const;
  void foresee_turns(const LeapfrogMemory& control);
  void add_row(const model::State& state, uint32_t a, uint32_t b, const collision::Contact& contact,
               double kept);
  dynamics::ConeConstraint make_cone(const model::State& state, const Row& row, double h,
                                     const std::vector<ContactMemory>& memory) const;
  // In fast_limits.cpp.
  void find_limits(const model::State& state, std::span<const double> momenta, double h);
  void add_limit(size_t limit);
  bool is_reached(const LimitRow& row) const;
  dynamics::ConeConstraint limit_cone(const LimitRow& row, double h) const;
  bool keep_limits(const model::State& state, const std::vector<double>& v, double h, bool last,
                   double& safe);
  void remember_limits(const std::vector<double>& v, double h, LeapfrogMemory& control) const;
  double unit_of_limit(size_t limit) const;
  // In fast_layers.cpp.
  void soften_cone(const Row& row, const std::vector<ContactMemory>& memory,
                   dynamics::ConeConstraint& cone) const;
  math::Vec3 sheared(const Row& row, const dynamics::ConeConstraint& cone, const math::Vec3& u, double h,
                     const std::vector<ContactMemory>& earlier) const;
  math::Vec3 shear_of(const Row& row, const std::vector<ContactMemory>& memory) const;
  double energy_of_layers(const std::vector<ContactMemory>& memory) const;
  const ContactMemory* recall(const Row& row, const std::vector<ContactMemory>& memory) const;
  bool has_stayed(const Row& row, const Approach& approach) const;
  Row* find_row(const Approach& approach, const math::Vec3& place, const std::vector<double>& v);
  double pair_size(uint32_t a, uint32_t b) const;
  double same_place(uint32_t a, uint32_t b) const;
  bool is_round(uint32_t item) const;
  void forget_pushes();
  void guess_impulses(const LeapfrogMemory& control);
  void keep_impulses(LeapfrogMemory& control);
  void kick(model::State& state, const LeapfrogMemory& before, double h_before, LeapfrogMemory& after,
            LeapfrogReport& report);
  bool resolve_hits(const model::State& state, double h_before, double h, const std::vector<double>& momenta,
                    std::vector<double>& after_hit, LeapfrogReport& report);
  void leave_out_bounces(const model::State& state, const std::vector<double>& momenta);
  std::vector<Approach> find_approaches(const model::State& state, const std::vector<double>& v, double h);
  void keep_apart(const model::State& state, const Approach& approach, const std::vector<double>& v, double h,
                  double& safe);
  void hold(const model::State& state, std::vector<Approach> approaches, double h, std::vector<double>& v,
            LeapfrogReport& report);
  void solve(const model::State& state, double h_before, double h, const std::vector<double>& momenta,
             const LeapfrogMemory& before, LeapfrogMemory& after, LeapfrogReport& report);
  void note_efforts(const std::vector<double>& v, double kick, LeapfrogMemory& after);
  std::vector<double> velocities_from(const std::vector<double>& momenta);
  std::vector<ContactMemory> remember(const std::vector<double>& v, double h,
                                      const std::vector<ContactMemory>& earlier) const;
  void tell_momenta(const std::vector<double>& momenta, model::State& state) const;
  void tell_mean(const std::vector<double>& earlier, const std::vector<double>& later, double share,
                 model::State& state) const;
  double approach_threshold() const;
  // In fast_reactions.cpp.
  struct LimitPush {
    size_t limit;
    double impulse;
  };
  enum class Laws { none, before, over };  // in an impact; in the half step before it; in a whole kick
  std::vector<double> collect_reactions(std::span<const double> l, const std::vector<LimitPush>& limits,
                                        std::span<const double> v, Laws laws);
  const dynamics::ConeConstraint* row_of_drive(size_t law, Laws laws) const;
  std::vector<LimitPush> pushes_of_limits(const std::vector<size_t>& limits) const;
  void note_hit(const std::vector<size_t>& limits);
  void pass_on(const LeapfrogMemory& control, const LeapfrogMemory& after, bool impact, model::State& end);
  // In fast_books.cpp.
  void note_contacts(std::span<const double> v, double from, double to);
  void check_finite(const model::State& state, LeapfrogReport& report) const;
  void compute_forces(std::span<const double> v, Laws laws, std::vector<double>& forces);
  std::vector<double> compute_script_powers(const model::State& state);
  void keep_books(const LeapfrogMemory& control, bool impact, LeapfrogMemory& after, model::State& state);
  void count_work(const LeapfrogMemory& control, const std::vector<double>& later);

  const model::Model* model_;
  LeapfrogOptions options_;
  Scales scales_;
  double h_, joint_rest_, widest_layer_;
  contact::PairTracker pair_tracker_;
  dynamics::KickProblem problem_;
  dynamics::ContactSolver solver_;
  collision::ManifoldBuilder builder_;
  std::vector<Row> rows_;
  std::vector<LimitRow> limits_, all_limits_;  // those with a row; as they are where the drift begins
  std::vector<std::pair<int, int>> coupled_;   // nodes of these
  std::vector<dynamics::ConeConstraint>
      cones_;  // of the rows, in the same order, then of the limits, then of drives with a largest effort
  std::vector<collision::Contact> found_;
  std::vector<double>
      joint_forces_;  // N or N m: multipliers of the rows of joints in the last kick, by its time

  // What joints pass on, beside joint_forces_: laws with a largest effort and limits by the cone of each, and impulses from half a step
  // before what was hit until after it.
  std::vector<size_t> drives_;  // indices into Model::forces(), of the last cones_
  std::vector<double> hit_impulses_, before_hit_impulses_;
  // And what laws did in the half step before it, as LeapfrogMemory::forces, and the momenta there.
  std::vector<double> hit_forces_, before_hit_;

  // The last step: where and with what it began, and its end, with momenta from before what was hit there.
  model::State start_, end_;
  std::optional<model::State> struck_;  // and after it, where something was
  LeapfrogMemory last_;
  // Scratch.
  model::State next_;
  std::vector<double> velocities_;
  std::vector<ContactPoint> contacts_;
  StepTimes times_;
};

}  // namespace tumble::simulate
