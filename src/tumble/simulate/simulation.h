// A whole run: choice of method, steps, frames, statistics, warnings, verification, error estimate, save and restore.
//
// The caller asks, the library never calls back:
//   core::Expected<Simulation> simulation = Simulation::create(model, {.duration = 2});
//   while (const std::optional<Event> event = simulation->next()) ...
//
// Events come in an order that does not depend on where a run was stopped: the frames inside a step, the row of the log
// of its end, new warnings, the next step. A run is saved as the start of its last step and the number of frames handed
// out. A restored run takes that step again and goes on with the same bits.
//
// A program changes the model while it runs by set() and push(). What it asks for waits until the next step begins: frames
// inside the last step are still made by the numbers that step was made with. Both the numbers in force and those that
// wait are part of a saved run. Changes that are known before the run are a list, SimulationOptions::inputs.
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

/// The state at t = index/fps exactly. What it refers to is valid until the next call of the simulation.
struct Frame {
  size_t index = 0;
  const model::State* state = nullptr;
  std::span<const model::ContactRow> contacts =
      {};  // since the frame before; with SimulationOptions::contacts
  /// Mean reactions of joints since the frame before (at frame 0: those at the start), model::kReactionSize per joint, in N
  /// and N m; with SimulationOptions::reactions.
  std::span<const double> reactions = {};
};

/// Each kind of warning is given once.
struct Warning {
  std::string text;
};

/// A StepReport says that a step was made: state() is at its end.
using Event = std::variant<StepReport, Frame, model::LogRow, Warning>;

/// Where two bodies are deepest in each other.
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

  /// Prepares the start (joints closed, touching bodies apart). Errors: options that cannot be met, inputs
  /// that cannot be, a start that is not possible. The model is copied.
  static core::Expected<Simulation> create(const model::Model& model, const SimulationOptions& options = {});

  /// Works until there is something to hand out. Nothing: the run has covered its duration and all frames, or it has
  /// failed (failure()).
  std::optional<Event> next();
  /// After the last event of a run that has not failed: the row of the log at exactly its end. Completes statistics().
  model::LogRow finish();

  /// One step, whatever the duration. Frames and rows that were due before it are left out.
  StepReport step();
  /// Steps until time() >= t. False when a step fails. State at t: state_at(t).
  bool run_until(double t);
  /// The state at a time inside the last step.
  model::State state_at(double t);

  /// Changes a number, or all numbers, of the model from the first step on that begins after the call. Addresses and checks
  /// are those of model::LiveModel: set("world.gravity", Vec3(0, 0, 0)), set("elbow.drive.target", 0.5). Step length and
  /// tolerances stay those of the start. Errors: why it cannot be; then nothing has changed. A limit that is put where its
  /// joint is already beyond it: fast brings the joint back slowly, precise refuses. Refused with
  /// SimulationOptions::estimate_error, whose second run would not have the change.
  core::Diagnostics set(std::string_view address, std::span<const double> value);
  core::Diagnostics set(std::string_view address, double value) { return set(address, std::span(&value, 1)); }
  core::Diagnostics set(std::string_view address, const model::Vec3& value) {
    return set(address, std::span(value.data(), 3));
  }
  /// Likewise what is done to a body of SimulationOptions::live; {} lets it go.
  core::Diagnostics push(model::BodyId body, const model::Push& push);
  /// The numbers of an attribute as set() left them.
  core::Expected<std::vector<double>> get(std::string_view address) const {
    return live_.get_staged(address);
  }

  /// With the numbers of the last step.
  const model::Model& model() const { return live_.model(); }
  /// As resolve() made them.
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
  /// Where, when and why the run could not go on; empty: it did. state() is then the last good one.
  const std::string& failure() const { return results_.failure; }
  const std::optional<model::ErrorEstimate>& error_estimate() const { return results_.error_estimate; }
  const std::optional<DeepestOverlap>& deepest_overlap() const { return results_.deepest_overlap; }
  long long evaluations() const;  // of forces, by this object

  const Timings& timings() const { return results_.timings; }
  StepTimes step_times() const;
  PairCounters pair_counters() const;

  /// The start of the last step, where a restored run goes on; log rows and warnings are those handed out before it.
  struct StepStart {
    model::State state;
    RunStatistics statistics;
    size_t log_rows = 0, warnings = 0;
  };
  const StepStart& step_start() const { return step_start_; }

  /// The run as bytes, as of the last event handed out. An error estimate is not part of it.
  std::string save() const;
  /// Goes on where save() was called, for the same model and options (duration, verify and log may differ). Errors: bytes that
  /// are damaged or belong to another run; then the simulation is as it was.
  core::Diagnostics restore(std::string_view bytes);

 private:
  // The state in hand and what is known of it.
  struct Now {
    model::State state;
    StepReport step;  // that led here
    dynamics::Balance balance;
    double joint_error = 0;  // m
  };
  // The frame made last, and what the next one needs of it.
  struct FrameBuffer {
    model::State state;
    size_t count = 0;              // frames handed out
    double previous_time = 0;      // s: sums and means of the next frame begin here
    std::vector<double> impulses;  // model::State::impulses there
    std::vector<model::ContactRow> contacts;
    std::vector<double> reactions;
  };
  // The method, and what checks the run. Types that only the library needs stay out of this header.
  struct Internals;
  struct Results {
    RunStatistics statistics;
    WarningList warnings;
    std::string failure;
    std::optional<model::ErrorEstimate> error_estimate;
    std::optional<DeepestOverlap> deepest_overlap;
    Timings timings;
  };
  // What next() has to hand out before the next step.
  enum class Due { start_warnings, row, warnings, step };
  struct Saved;

  Simulation(model::LiveModel live, const SimulationOptions& options);
  void begin(const core::Expected<Start>& start);
  std::optional<Event> make_frame();
  void fill_contacts_and_reactions(double t);
  model::LogRow make_row(const model::State& state, double h, const dynamics::Balance& balance,
                         double joint_error) const;
  bool begin_step();
  core::Diagnostics stage(std::span<const model::LiveModel::NewValue> changes);
  bool is_event_due() const;
  bool stage_events();
  void take_inputs();
  StepReport take_step(double end);
  void measure(const model::State& state, dynamics::Balance& balance, double& joint_error) const;
  void verify(const model::State& state);
  bool is_covered() const;

  model::LiveModel live_;  // steppers and checks refer to its model
  SimulationOptions options_;
  std::unique_ptr<Internals> internals_;
  Now now_;
  FrameBuffer frame_;
  StepStart step_start_;
  Results results_;
  Due due_ = Due::start_warnings;
  size_t log_rows_ = 0;  // handed out
  bool finished_ = false;
  bool step_again_ =
      false;  // the next step is one that was made before save(), when inputs that wait were not yet given
};

}  // namespace tumble::simulate
