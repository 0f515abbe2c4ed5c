// A whole run: choice of method, steps, frames, statistics, warnings, verification, error estimate, save and
// restore.
//
// The caller asks, the library never calls back:
//   core::Expected<Simulation> simulation = Simulation::create(model, {.duration = 2});
//   while (const std::optional<Event> event = simulation->next()) ...
//
// The order of events does not depend on where a run was stopped: the frames inside a step, the log row at
// its end, new warnings, the next step. A run is saved as the start of its last step and the number of frames
// handed out. A restored run repeats that step and continues with the same bits.
//
// A program changes the model during a run by set() and push(). Changes are staged until the next step
// begins: frames inside the last step still use the numbers of that step. Both the current and the staged
// numbers are part of a saved run. Changes that are known before the run are a list,
// SimulationOptions::inputs.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tumble/core/expected.h"
#include "tumble/model/live_model.h"
#include "tumble/model/run_output.h"
#include "tumble/simulate/penetration_check.h"
#include "tumble/simulate/run_statistics.h"
#include "tumble/simulate/scales.h"
#include "tumble/simulate/simulation_options.h"
#include "tumble/simulate/warning_list.h"

namespace tumble::simulate {

struct Start;

/// The state at t = index/fps exactly. Pointers and spans are valid until the next call of the simulation.
struct Frame {
  size_t index = 0;
  const model::State* state = nullptr;
  /// Contacts since the previous frame; with SimulationOptions::contacts.
  std::span<const model::ContactRow> contacts = {};
  /// Mean joint reactions since the previous frame (at frame 0: those at the start), model::kReactionSize per
  /// joint, in N and N m; with SimulationOptions::reactions.
  std::span<const double> reactions = {};
};

/// Each kind of warning is given once.
struct Warning {
  std::string text;
};

/// A StepReport means that a step was made: state() is at its end.
using Event = std::variant<StepReport, Frame, model::LogRow, Warning>;

/// The deepest overlap of two bodies, and its time.
struct DeepestOverlap {
  BodyOverlap overlap;
  double time = 0;  // s
};

/// Wall time in parts of the run, s.
struct Timings {
  double steps = 0, first_contact = 0, verify = 0;
};

class Simulation {
 public:
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  /// Prepares the start: closes joints, separates touching bodies. Errors: invalid options or inputs, or a
  /// start that is not possible. The model is copied.
  static core::Expected<Simulation> create(const model::Model& model, const SimulationOptions& options = {});

  /// Computes until the next event. Empty: the run has covered its duration and all frames, or it has failed
  /// (failure()).
  std::optional<Event> next();
  /// To be called after the last event of a run that has not failed: the log row at exactly its end.
  /// Completes statistics(). failure() is set if the step that the run ends in breaks a promise.
  model::LogRow finish();

  /// Makes one step, whatever the duration. Frames and log rows that were due before it are skipped.
  StepReport step();
  /// Steps until time() >= t. Returns false if a step fails. state_at(t) is the state at t.
  bool run_until(double t);
  /// The state at a time inside the last step.
  model::State state_at(double t);

  /// Changes an attribute of the model, from the next step on. Addresses and checks are those of
  /// model::LiveModel: set("world.gravity", Vec3(0, 0, 0)), set("elbow.drive.target", 0.5). Step length and
  /// tolerances stay those of the start. On an error nothing has changed. If a limit is set that its joint
  /// already exceeds, fast brings the joint back slowly, precise refuses. Refused with
  /// SimulationOptions::estimate_error, whose second run would not have the change.
  core::Diagnostics set(std::string_view address, std::span<const double> value);
  core::Diagnostics set(std::string_view address, double value) { return set(address, std::span(&value, 1)); }
  core::Diagnostics set(std::string_view address, const model::Vec3& value) {
    return set(address, std::span(value.data(), 3));
  }
  /// Likewise sets the push on a body of SimulationOptions::live; {} ends it.
  core::Diagnostics push(model::BodyId body, const model::Push& push);
  /// The numbers of an attribute as set() left them.
  core::Expected<std::vector<double>> get(std::string_view address) const {
    return live_.get_staged(address);
  }

  /// The memory of a program that acts on the run, e.g. the integral term of a controller. The library does
  /// not look at these numbers. They are part of save(), and restore() brings back those that belong to
  /// state().
  void set_user_data(std::vector<double> numbers) {
    (step_again_ ? step_start_.user_data : user_data_) = std::move(numbers);
  }
  const std::vector<double>& user_data() const { return step_again_ ? step_start_.user_data : user_data_; }

  /// The model with the numbers of the last step.
  const model::Model& model() const { return live_.model(); }
  /// Resolved by resolve().
  const SimulationOptions& options() const { return options_; }
  const model::State& state() const { return now_.state; }
  double time() const { return now_.state.time; }  // s
  const StepReport& last_step() const { return now_.step; }
  const dynamics::Balance& balance() const { return now_.balance; }  // energy and momentum of state()
  const Scales& scales() const;
  size_t frames() const { return frame_.count; }           // handed out
  double frame_time() const { return frame_.state.time; }  // s, of the frame made last

  const RunStatistics& statistics() const { return results_.statistics; }
  const std::vector<std::string>& warnings() const { return results_.warnings.texts(); }
  /// Where, when and why the run has failed; empty: it has not. After a failure state() is the last good one.
  const std::string& failure() const { return results_.failure; }
  const std::optional<model::ErrorEstimate>& error_estimate() const { return results_.error_estimate; }
  const std::optional<DeepestOverlap>& deepest_overlap() const { return results_.deepest_overlap; }
  long long evaluations() const;  // of forces

  const Timings& timings() const { return results_.timings; }
  StepTimes step_times() const;
  PairCounters pair_counters() const;

  /// The start of the last step, where a restored run continues; log_rows and warnings count those handed out
  /// before it.
  struct StepStart {
    model::State state;
    RunStatistics statistics;
    size_t log_rows = 0, warnings = 0;
    std::vector<double> user_data = {};
  };
  const StepStart& step_start() const { return step_start_; }

  /// The run as bytes, at the last event handed out. An error estimate is not part of it.
  std::string save() const;
  /// Continues from where save() was called, for the same model and options (duration, verify and log may
  /// differ). Errors: bytes that are damaged or belong to another run; then the simulation is unchanged.
  core::Diagnostics restore(std::string_view bytes);

 private:
  // The current state, and what was computed from it.
  struct Now {
    model::State state;
    StepReport step;  // the last one
    dynamics::Balance balance;
    double joint_error = 0;  // m
  };
  // The last frame, and what the next one needs of it.
  struct FrameBuffer {
    model::State state;
    size_t count = 0;              // frames handed out
    double previous_time = 0;      // s: sums and means of the next frame begin here
    std::vector<double> impulses;  // model::State::impulses at that time
    std::vector<model::ContactRow> contacts;
    std::vector<double> reactions;
  };
  // The stepper and the checks. Types that only the library needs stay out of this header.
  struct Internals;
  struct Results {
    RunStatistics statistics;
    WarningList warnings;
    std::string failure;
    std::optional<model::ErrorEstimate> error_estimate;
    std::optional<DeepestOverlap> deepest_overlap;
    Timings timings;
  };
  // What next() has to hand out next.
  enum class Due { start_warnings, row, warnings, step };
  struct Saved;

  Simulation(model::LiveModel live, const SimulationOptions& options, const contact::TightPairs& tight);
  void build_internals(const std::optional<Scales>& scales);
  void release_bodies();
  void begin(const core::Expected<Start>& start);
  std::optional<Event> next_frame();
  void warn_of_first_contact(double t);
  bool is_frame_finite(double t);
  void fill_contacts_and_reactions(double t);
  model::LogRow make_row(const model::State& state, double h, const dynamics::Balance& balance,
                         double joint_error) const;
  bool begin_step();
  core::Diagnostics stage(std::span<const model::LiveModel::NewValue> changes);
  bool is_event_due() const;
  bool stage_events();
  void apply_inputs();
  StepReport take_step(double end);
  void measure(const model::State& state, dynamics::Balance& balance, double& joint_error) const;
  void verify(const model::State& state);
  void judge_end(const model::State& end);
  bool is_covered() const;

  model::LiveModel live_;  // steppers and checks refer to its model
  SimulationOptions options_;
  std::unique_ptr<Internals> internals_;
  Now now_;
  FrameBuffer frame_;
  StepStart step_start_;
  std::vector<double> user_data_;  // at state(), unless step_again_
  Results results_;
  Due due_ = Due::start_warnings;
  size_t log_rows_ = 0;  // handed out
  bool finished_ = false;
  // The next step repeats one that was made before save(), when staged inputs were not yet given.
  bool step_again_ = false;
};

}  // namespace tumble::simulate
