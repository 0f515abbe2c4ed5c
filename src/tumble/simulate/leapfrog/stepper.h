// The leapfrog stepper: large steps of constant length, cut or halved where necessary. Each step solves
// contact with friction.
//
// Positions are known at t_n, momenta half-way between (dynamics/kick_problem.h). A step is
//   drift    x(t_n) -> x(t_n + h) with the velocities of the last kick
//   kick     at the new time: impacts, then forces, joints, contacts and limits yield the velocities of the
//            next drift
// Every contact row requires that the gap is the contact offset when that drift ends. A drift is accepted
// only if a certificate proves that no two bodies come nearer than half the contact offset on the way
// (collision/certificate.h). Pairs that would come nearer get a row, and the kick is solved again. The
// velocities of a state are those at t_n, between the two halves of the kick.
#pragma once

#include "tumble/simulate/leapfrog/dense_output.h"
#include "tumble/simulate/leapfrog/impacts.h"
#include "tumble/simulate/leapfrog/refine.h"

namespace tumble::simulate {

class LeapfrogStepper {
 public:
  LeapfrogStepper(const model::Model& model, const LeapfrogOptions& options);
  LeapfrogStepper(const LeapfrogStepper&) = delete;  // its parts point to each other
  LeapfrogStepper& operator=(const LeapfrogStepper&) = delete;

  /// Advances `state` by one step. On failure the state is unchanged.
  StepReport step(model::State& state, LeapfrogMemory& memory);
  /// The state at a time inside the last good step (dense_output.h). At the end of the step it is the result
  /// of step(), after an impact there.
  void state_at(double time, model::State& state);
  /// To be called when numbers of the model have changed.
  void model_changed();
  /// To be called after model_changed(): the next step chooses its drift anew, from `state` on.
  void restart_from(const model::State& state, LeapfrogMemory& memory);
  /// Joint reactions at a start state: numbers as in model::State::impulses, per second.
  std::vector<double> reactions_at(const model::State& state);
  /// Contact events at the end of the last step and, if it was the first one, at its start.
  const std::vector<contact::ContactEvent>& contacts() const { return events_; }
  const contact::PairTracker::Item& item(uint32_t i) const { return finder_.item(i); }

  double step_length() const { return h_; }
  const Scales& scales() const { return scales_; }
  const StepTimes& times() const { return times_; }
  const collision::ManifoldBuilder::Counters& pair_counters() const { return finder_.counters(); }

 private:
  // Data that flow between the stages of a kick. The stages are free functions that take parts of it as
  // arguments. save_kick() and commit() read all of it.
  struct Workspace {
    KickRows rows;
    ImpactScratch impact_scratch;
    Impact impact;
    ConstraintSet cones;
    KickSolution kick;
    DriftCheck check;
    std::vector<LimitImpulse> limit_impulses;
    model::State end;  // of a trial drift
    std::vector<double> velocities, nodal_shift;
    // Of moving constraints: N, N m in the half step before t_n; N s, N m s by the nodal shift, or empty.
    std::vector<double> script_forces, nodal_script_impulses;
    std::vector<contact::PointName> point_names;
  };

  StepContext context(bool reactions, const LeapfrogMemory& last) const;
  void begin(model::State& start, LeapfrogMemory& memory, StepReport& report);
  KickTimes kick(const StepContext& c, model::State& at, const LeapfrogMemory& last, double h_prev,
                 double h_left, LeapfrogMemory& next, StepReport& report);
  void save_kick(const StepContext& c, const std::vector<double>& p, const KickTimes& times, model::State& at,
                 LeapfrogMemory& next);
  void store_nodal_momenta(const StepContext& c, const std::vector<double>& before, const KickTimes& times,
                           std::span<const double> v, LeapfrogMemory& next, model::State& at);
  void report_open_joint(const model::State& at, std::span<const double> v, double h, StepReport& report);
  double limit_drift(double time, double h) const;
  void add_impact_work(model::State& state) const;
  void commit(const LeapfrogMemory& last, const KickTimes& times, bool impact, LeapfrogMemory& next,
              model::State& state);

  const model::Model* model_;
  LeapfrogOptions options_;
  Scales scales_;
  double h_;                          // s, a whole step
  std::vector<double> switch_times_;  // s, of force laws, ascending: drifts end there
  std::vector<double> script_jumps_;  // s, where velocities of scripts jump: drifts end there, too
  dynamics::KickProblem problem_;
  dynamics::ContactSolver solver_;
  contact::ContactFinder finder_;
  JointedGroups groups_;
  Workspace ws_;
  DenseOutput path_;            // the last step
  bool impact_at_end_ = false;  // of that step
  model::State after_impact_;
  LeapfrogMemory next_;  // scratch; after a good step, the memory at its start
  std::vector<contact::ContactEvent> events_;
  StepTimes times_;
};

}  // namespace tumble::simulate
