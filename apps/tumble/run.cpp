// tumble run: steps the scene, hands every frame and row to the writers, keeps the books.
//
// What is written comes in an order that does not depend on where a run was stopped: the frames inside a
// step, then the log row of its end, then the next step. A checkpoint is the start of the step in hand
// (`Mark`) and the number of frames written; a resumed run takes that step again, with the same bits.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "exit_codes.h"
#include "interrupt.h"
#include "motion_source.h"
#include "outputs.h"
#include "progress.h"
#include "report.h"
#include "run_options.h"
#include "tumble/core/hash.h"
#include "tumble/core/version.h"
#include "tumble/scene/scene.h"
#include "tumble/simulate/contact_sums.h"
#include "tumble/simulate/first_contact.h"
#include "tumble/simulate/penetration_check.h"
#include "tumble/simulate/run_statistics.h"
#include "verbs.h"

namespace tumble::app {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kFlushEvery{1}, kCheckpointEvery{10};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

uint64_t hash_files(const std::vector<scene::SceneFile>& files) {
  uint64_t hash = core::kHashStart;
  for (const scene::SceneFile& file : files) {
    hash = core::hash_bytes(file.path, hash);
    hash = core::hash_bytes(std::string_view("\0", 1), hash);
    hash = core::hash_bytes(file.bytes, hash);
    hash = core::hash_bytes(std::string_view("\0", 1), hash);
  }
  return hash;
}

// Where a resumed run would begin: the start of the step in hand.
struct Mark {
  model::State state;
  simulate::RunStatistics ledger;
  size_t log_rows = 0, log_offset = 0, warnings = 0;
};

// What the first row of --reactions needs; empty without it.
record::ReactionStart reaction_start(const model::Model& model, const model::State& start,
                                     const ResolvedOptions& options, const record::Checkpoint* resumed) {
  if (!options.driver.reactions) return {};
  if (resumed && resumed->progress.frames > 0) return {{}, resumed->frame_impulses};
  if (options.is_fast())
    return {simulate::LeapfrogStepper(
                model, {.accuracy = options.driver.accuracy, .fixed_step = options.driver.fixed_step})
                .reactions_at(start),
            {}};
  dynamics::EquationsOfMotion equations(model, false, true);
  // Limits that carry a load at the start take part.
  std::vector<double> y = equations.vector_of(start);
  simulate::LimitEvents(model, equations, options.driver.accuracy, simulate::compute_scales(model).time)
      .resolve(start.time, y.data());
  return {equations.compute_reactions_at(start), {}};
}

// The same scene at a tenth of the accuracy number, led along frame by frame.
class Companion {
 public:
  Companion(const model::Model& model, const ResolvedOptions& options, const model::State& start)
      : model_(&model), driver_(tighter(options).make_stepper(model)), state_(start), at_frame_(start) {}

  /// False when the companion run fails.
  bool compare(const model::State& frame, record::ErrorEstimate& estimate) {
    while (state_.time < frame.time)
      if (!driver_->step(state_).trouble.empty()) return false;
    if (frame.time > 0) driver_->state_at(frame.time, at_frame_);
    record::ErrorEstimate::Frame row{.t = frame.time};
    for (size_t i = 0; i < model_->bodies().size(); ++i) {
      const model::BodyId id(i);
      row.position_error = std::max(row.position_error, (frame.position(id) - at_frame_.position(id)).norm());
      row.angle_error =
          std::max(row.angle_error, math::angle_between(frame.orientation(id), at_frame_.orientation(id)));
    }
    estimate.frames.push_back(row);
    estimate.max_position_error = std::max(estimate.max_position_error, row.position_error);
    estimate.max_angle_error = std::max(estimate.max_angle_error, row.angle_error);
    return true;
  }

 private:
  static ResolvedOptions tighter(ResolvedOptions options) {
    simulate::RungeKuttaOptions& driver = options.driver;
    driver.accuracy = std::max(driver.accuracy / 10, simulate::kFinestAccuracy);
    if (driver.fixed_step) driver.fixed_step = *driver.fixed_step / 2;
    return options;
  }
  const model::Model* model_;
  std::unique_ptr<simulate::Stepper> driver_;
  model::State state_, at_frame_;
};

class Run {
 public:
  Run(const scene::Scene& scene, const core::Expected<simulate::Start>& start, const ResolvedOptions& options,
      const Arguments& arguments);
  int execute();

 private:
  void write_warnings();
  void take_mark();
  void advance();
  void write_frame();
  void write_contacts(double t);
  void write_log_row(const model::State& state, double h, const dynamics::Balance& balance,
                     double joint_error);
  dynamics::Balance balance_of(const model::State& state) const;
  double measure_joints(const model::State& state);
  void keep_house();
  void save_checkpoint();
  void warn(const std::string& kind, const std::string& text);
  bool warned_of(const std::string& kind) const;
  void look_for_meetings(const model::State& state);
  void verify(const model::State& state);
  bool stopped() const { return !trouble_.empty() || outputs_.failure() || interrupted_by() != 0; }
  int finish();
  void print_profile(const record::Summary& summary) const;
  record::Summary summarize() const;

  const model::Model& model_;
  ResolvedOptions options_;
  bool quiet_, verbose_;
  Outputs::Paths paths_;
  uint64_t scene_hash_;
  std::optional<record::Checkpoint> resumed_;
  Outputs outputs_;
  std::unique_ptr<simulate::Stepper> driver_;
  std::optional<Companion> companion_;
  std::optional<record::ErrorEstimate> estimate_;
  std::optional<simulate::PenetrationCheck>
      overlaps_;         // empty when no one wants to know, or nothing can collide
  std::string deepest_;  // where, if it was found by this process
  simulate::FirstContactSearch meetings_;

  model::State state_, frame_;
  std::vector<double> frame_impulses_;  // at the last frame written
  dynamics::EquationsOfMotion joints_;  // measures how far they are open
  dynamics::Balance balance_;           // of state_
  double joint_error_ = 0;              // m, of state_
  simulate::RunStatistics ledger_;
  Mark mark_;
  size_t frames_written_ = 0, log_rows_ = 0;
  double last_h_ = 0;
  size_t contacts_ = 0;                 // at state_
  simulate::ContactSums contact_sums_;  // of steps up to the mark, as far as frames to come need them
  bool row_due_ = true;                 // the log has no row yet for the state in hand
  std::vector<std::string> warnings_;
  size_t warnings_given_ = 0;  // to the writers
  std::string trouble_;

  Clock::time_point begin_ = Clock::now(), last_flush_ = begin_, last_checkpoint_ = begin_;
  double step_seconds_ = 0, write_seconds_ = 0, check_seconds_ = 0, verify_seconds_ = 0;
  bool profile_;
};

Outputs::Paths output_paths(const Arguments& arguments, const scene::ProgramWishes& wishes,
                            const scene::Scene& scene) {
  Outputs::Paths paths;
  paths.frames = arguments.all("-o");
  paths.log = wishes.log;
  paths.summary = wishes.summary;
  paths.checkpoint = wishes.checkpoint;
  paths.reactions = wishes.reactions;
  paths.contacts = wishes.contacts;
  const std::filesystem::path folder = std::filesystem::path(arguments.operands()[0]).parent_path();
  for (const scene::SceneFile& file : scene.files) paths.inputs.push_back((folder / file.path).string());
  return paths;
}

// Throws UsageError when the checkpoint belongs to another run.
std::optional<record::Checkpoint> read_resume(const model::Model& model, uint64_t hash,
                                              const ResolvedOptions& options) {
  const std::string& path = options.program.resume;
  if (path.empty()) return std::nullopt;
  core::Expected<record::Checkpoint> checkpoint = record::read_checkpoint(path);
  if (!checkpoint) throw UsageError(to_string(checkpoint.diagnostics().front()));
  if (checkpoint->scene_hash != hash ||
      checkpoint->state.y.size() != model.bodies().size() * model::kBodySize)
    throw UsageError(path + ": is a checkpoint of another scene, or the scene has changed since");
  if (options.driver.reactions && checkpoint->state.impulses.empty() && !model.joints().empty())
    throw UsageError(path + ": was written without --reactions, which cannot begin in the middle of a run");
  if (checkpoint->options_json != options.to_json())
    throw UsageError(path + ": was written with other flags: " + checkpoint->options_json + ", now " +
                     options.to_json());
  if (checkpoint->progress.frames > options.frames() || checkpoint->state.time > options.end())
    throw UsageError(path + ": has come farther than the duration asked for; give a longer --duration");
  if (checkpoint->version != core::kVersion)
    throw UsageError(path + ": was written by version " + checkpoint->version + ", this is " +
                     core::kVersion);
  return std::move(checkpoint).value();
}

record::RecordingInfo recording_info(const scene::Scene& scene, const ResolvedOptions& options) {
  record::RecordingInfo info;
  info.scene_name = scene.model.name();
  info.fps = options.fps;
  info.frames = options.frames();
  info.method = options.method;
  info.integrator = options.integrator();
  info.accuracy = options.driver.accuracy;
  for (const scene::SceneFile& file : scene.files) info.files.push_back({file.path, file.bytes});
  info.version = core::kVersion;
  return info;
}

Run::Run(const scene::Scene& scene, const core::Expected<simulate::Start>& start,
         const ResolvedOptions& options, const Arguments& arguments)
    : model_(scene.model),
      options_(options),
      quiet_(options.program.quiet),
      verbose_(options.program.verbose),
      paths_(output_paths(arguments, options.program, scene)),
      scene_hash_(hash_files(scene.files)),
      resumed_(read_resume(model_, scene_hash_, options)),
      outputs_(paths_, model_, recording_info(scene, options),
               reaction_start(model_, start->state, options, resumed_ ? &*resumed_ : nullptr),
               resumed_ ? &*resumed_ : nullptr),
      driver_(options.make_stepper(model_)),
      meetings_(model_, options.driver.accuracy),
      joints_(model_),
      profile_(options.program.profile) {
  if (options.program.estimate_error) {
    companion_.emplace(model_, options, start->state);
    estimate_.emplace();
  }
  if (options.verify != "off") {
    overlaps_.emplace(model_);
    if (!overlaps_->needed()) overlaps_.reset();
  }
  if (resumed_) {
    state_ = resumed_->state;
    driver_->resume(resumed_->controller);
    ledger_ = simulate::RunStatistics(resumed_->ledger);
    frames_written_ = resumed_->progress.frames;
    log_rows_ = resumed_->progress.log_rows;
    warnings_ = resumed_->warnings;
    warnings_given_ = resumed_->progress.warnings;
    row_due_ = log_rows_ == 0;
    frame_impulses_ = resumed_->frame_impulses;
    contact_sums_ = simulate::ContactSums::from(resumed_->contacts);
  } else {
    state_ = start->state;
    if (options.driver.reactions) state_.impulses.assign(model_.joints().size() * model::kReactionSize, 0.0);
    ledger_ = simulate::RunStatistics(dynamics::compute_balance(model_, state_));
    for (const core::Diagnostic& warning : start.diagnostics()) warn(warning.message, "");
  }
  balance_ = balance_of(state_);
  joint_error_ = measure_joints(state_);
  take_mark();
  frame_ = state_;
}

int Run::execute() {
  watch_for_interrupts();
  if (verbose_)
    say("time scale T = " + brief(driver_->scales().time) +
        " s, length scale L = " + brief(driver_->scales().length) + " m; " + options_.method + " with " +
        options_.integrator() + ", accuracy " + brief(options_.driver.accuracy) + "; " +
        std::to_string(options_.frames()) + " frames");
  const bool shows_shapes =
      std::any_of(paths_.frames.begin(), paths_.frames.end(), [](const std::string& path) {
        return lower_extension(path) == ".glb" || lower_extension(path) == ".gltf";
      });
  if (const std::string shapeless = describe_shapeless(model_); shows_shapes && !shapeless.empty() && !quiet_)
    say(shapeless + ": viewers of .glb and .gltf show nothing of such a body");
  ProgressBar bar(!quiet_, state_.time, options_.end());
  while (frames_written_ < options_.frames() && !stopped()) {
    const double next_frame = static_cast<double>(frames_written_) / options_.fps;
    if (next_frame > state_.time)
      advance();
    else
      write_frame();
    keep_house();
    bar.show(state_.time, contacts_);
  }
  while (!stopped() && state_.time < options_.end()) advance();
  bar.clear();
  return finish();
}

// One step; before it, the row of the state it starts from.
void Run::advance() {
  if (outputs_.wants_contacts() && state_.time > mark_.state.time)
    contact_sums_.add(driver_->fast()->contacts());
  if (row_due_) {
    write_log_row(state_, last_h_, balance_, joint_error_);
    take_mark();
    row_due_ = false;
  }
  const Clock::time_point begin = Clock::now();
  const simulate::StepOutcome step = driver_->step(state_);
  step_seconds_ += seconds_since(begin);
  if (!step.trouble.empty()) {
    trouble_ = step.trouble;
    return;
  }
  if (driver_->limited_by_rounding())
    warn("double precision, not accuracy, limits the error of some steps",
         ": the scene is far from the origin, or very fast, for its size");
  if (step.residual > simulate::kResidualWarning)
    warn("contact was not solved as well as it should be in some steps",
         ": first at t = " + brief(state_.time) + " s, to a residual of " + brief(step.residual));
  if (step.passed > 0)
    warn("a limit of a joint could not be kept in some steps", ": first at t = " + brief(state_.time) + " s");
  row_due_ = true;
  last_h_ = step.h;
  contacts_ = static_cast<size_t>(step.contacts);
  ledger_.count_step(step);
  balance_ = balance_of(state_);
  joint_error_ = measure_joints(state_);
  if (state_.time > options_.end()) return;
  ledger_.enter(balance_, joint_error_);
  if (options_.verify == "steps") verify(state_);
}

void Run::write_warnings() {
  for (; warnings_given_ < warnings_.size(); ++warnings_given_)
    outputs_.write_warning(warnings_[warnings_given_]);
}

void Run::take_mark() {
  write_warnings();
  driver_->mark();
  mark_ = {state_, ledger_, log_rows_, outputs_.log_offset(), warnings_given_};
}

void Run::write_contacts(double t) {
  if (!outputs_.wants_contacts()) return;
  const double last_frame = (static_cast<double>(frames_written_) - 1) / options_.fps;
  // Of the step in hand, too: it is not kept with them, since a resumed run takes it again.
  simulate::ContactSums all = contact_sums_;
  if (state_.time > mark_.state.time) all.add(driver_->fast()->contacts());
  std::vector<simulate::ContactSum> sums = all.between(last_frame, t);
  const std::vector<simulate::PatchSum> patches = find_patches(sums);
  const auto name_of = [&](uint32_t item) { return model_.body(driver_->fast()->item(item).body).name; };
  for (const simulate::ContactSum& sum : sums) {
    const contact::ContactEvent& p = sum.point;
    const simulate::PatchSum& patch = patches[sum.patch];
    using State = contact::ContactEvent::State;
    outputs_.write_contact({t, name_of(p.a), name_of(p.b), p.point, p.normal, p.gap, sum.normal_impulse,
                            p.impulse, p.slip,
                            p.state == State::impact  ? "impact"
                            : p.state == State::stick ? "stick"
                                                      : "slip",
                            sum.patch + 1, patch.impulse, patch.center, patch.moment});
  }
  contact_sums_.forget_until(t);
}

void Run::write_frame() {
  const double t = static_cast<double>(frames_written_) / options_.fps;
  if (t == state_.time)
    frame_ = state_;
  else
    driver_->state_at(t, frame_);
  const Clock::time_point begin = Clock::now();
  if (!options_.is_fast()) look_for_meetings(frame_);
  check_seconds_ += seconds_since(begin);
  verify(frame_);
  for (size_t i = 0; i < frame_.y.size(); ++i)
    if (!std::isfinite(frame_.y[i])) {
      trouble_ = "t = " + brief(t) + " s: body \"" + model_.bodies()[i / model::kBodySize].name +
                 "\": the motion is no longer a finite number inside a step of " + brief(last_h_) + " s";
      return;
    }
  if (!std::all_of(frame_.impulses.begin(), frame_.impulses.end(),
                   [](double v) { return std::isfinite(v); })) {
    trouble_ = "t = " + brief(t) + " s: the forces in the joints are no longer finite numbers";
    return;
  }
  const Clock::time_point write_begin = Clock::now();
  outputs_.write_frame(frames_written_, frame_);
  write_contacts(t);
  write_seconds_ += seconds_since(write_begin);
  ++frames_written_;
  frame_impulses_ = frame_.impulses;
  if (companion_ && !companion_->compare(frame_, *estimate_)) {
    warn("the comparison run of --estimate-error failed",
         " at t = " + brief(t) + " s; no estimate from there on");
    companion_.reset();
  }
}

// With what is stored in soft contact.
dynamics::Balance Run::balance_of(const model::State& state) const {
  dynamics::Balance balance = dynamics::compute_balance(model_, state);
  balance.potential += driver_->stored_energy(state.time);
  return balance;
}

double Run::measure_joints(const model::State& state) {
  return joints_.has_constraints() ? joints_.compute_gap(state.time, state.y.data()).error : 0;
}

void Run::write_log_row(const model::State& state, double h, const dynamics::Balance& balance,
                        double joint_error) {
  record::LogRow row;
  row.max_penetration = ledger_.take_penetration();
  if (!outputs_.wants_log()) return;
  row.t = state.time;
  row.h = h;
  row.kinetic = balance.kinetic;
  row.potential = balance.potential;
  row.energy = balance.energy();
  row.momentum = balance.momentum;
  row.angular_momentum = balance.angular_momentum;
  row.contacts = contacts_;
  row.max_joint_error = joint_error;
  row.impacts = ledger_.impacts();
  row.work = balance.work;
  row.work_by_force = state.work;
  outputs_.write_log_row(row);
  ++log_rows_;
}

// Files on disk stay readable, and a checkpoint is never old.
void Run::keep_house() {
  const Clock::time_point now = Clock::now();
  if (now - last_flush_ >= kFlushEvery) {
    outputs_.flush();
    last_flush_ = now;
  }
  if (!paths_.checkpoint.empty() && now - last_checkpoint_ >= kCheckpointEvery) {
    save_checkpoint();
    last_checkpoint_ = now;
  }
}

void Run::save_checkpoint() {
  if (paths_.checkpoint.empty()) return;
  outputs_.flush();
  record::Checkpoint checkpoint;
  checkpoint.version = core::kVersion;
  checkpoint.scene_hash = scene_hash_;
  checkpoint.options_json = options_.to_json();
  checkpoint.state = mark_.state;
  checkpoint.frame_impulses = frame_impulses_;
  checkpoint.controller = driver_->marked();
  // What was looked at since the mark is not looked at again, or found to be the same.
  simulate::RunStatistics ledger = mark_.ledger;
  ledger.copy_penetrations(ledger_);
  checkpoint.ledger = ledger.numbers();
  checkpoint.progress = {frames_written_, mark_.log_rows, mark_.warnings};
  checkpoint.log_offset = mark_.log_offset;
  checkpoint.contacts_offset = outputs_.contacts_offset();
  checkpoint.contacts = contact_sums_.numbers();
  checkpoint.warnings = warnings_;
  if (const record::Failure failure = write_checkpoint(paths_.checkpoint, checkpoint))
    trouble_ = "checkpoint: " + to_string(*failure);
}

// Each kind of warning, known by how it begins, is given once.
void Run::warn(const std::string& kind, const std::string& text) {
  if (warned_of(kind)) return;
  warnings_.push_back(kind + text);
  if (!quiet_) say("warning: " + warnings_.back());
}

bool Run::warned_of(const std::string& kind) const {
  return std::any_of(warnings_.begin(), warnings_.end(),
                     [&](const std::string& w) { return w.starts_with(kind); });
}

void Run::look_for_meetings(const model::State& state) {
  const std::string kind = "contact is not simulated by the precise method, bodies pass through each other: ";
  if (warned_of(kind)) return;
  if (const std::optional<simulate::FirstContact> meeting = meetings_.find(state))
    warn(kind, "\"" + model_.body(meeting->a).name + "\" and \"" + model_.body(meeting->b).name +
                   "\" touch at t = " + brief(state.time) + " s");
}

// The independent checker; what it finds changes nothing but the books.
void Run::verify(const model::State& state) {
  if (!overlaps_) return;
  const Clock::time_point begin = Clock::now();
  const simulate::BodyOverlap deepest = overlaps_->find_deepest(state);
  if (deepest.depth > ledger_.max_penetration())
    deepest_ = " (\"" + model_.body(deepest.a).name + "\" and \"" + model_.body(deepest.b).name +
               "\" at t = " + brief(state.time) + " s)";
  ledger_.enter_penetration(deepest.depth);
  verify_seconds_ += seconds_since(begin);
}

record::Summary Run::summarize() const {
  record::Summary summary;
  summary.scene = model_.name();
  summary.version = core::kVersion;
  summary.method = options_.method;
  summary.integrator = options_.integrator();
  summary.accuracy = options_.driver.accuracy;
  summary.duration = frames_written_ == options_.frames()
                         ? options_.duration
                         : static_cast<double>(frames_written_) / options_.fps;
  summary.frames = frames_written_;
  summary.steps = ledger_.steps();
  summary.rejected_steps = ledger_.rejected_steps();
  summary.evaluations = static_cast<size_t>(driver_->evaluations());
  summary.implicit_steps = ledger_.implicit_steps();
  summary.energy_start = ledger_.energy_start();
  summary.energy_end = ledger_.energy_end();
  summary.max_energy_gain = ledger_.max_gain();
  summary.max_energy_drift = ledger_.max_drift();
  summary.max_joint_error = ledger_.max_joint_error();
  summary.impacts = ledger_.impacts();
  summary.substeps = ledger_.substeps();
  summary.holds = ledger_.holds();
  summary.freezes = ledger_.freezes();
  summary.factorisations = ledger_.factorisations();
  summary.max_contacts = ledger_.max_contacts();
  summary.max_contact_residual = ledger_.max_residual();
  summary.max_penetration = ledger_.max_penetration();
  summary.verify_seconds = verify_seconds_;
  summary.wall_seconds = seconds_since(begin_) - verify_seconds_;
  const double simulated = frame_.time - (resumed_ ? resumed_->state.time : 0);
  summary.realtime_factor = summary.wall_seconds > 0 ? simulated / summary.wall_seconds : 0;
  summary.warnings = warnings_;
  summary.error_estimate = estimate_;
  summary.stopped = trouble_;
  if (outputs_.failure()) summary.stopped = to_string(*outputs_.failure());
  if (interrupted_by() != 0) summary.stopped = "interrupted";
  return summary;
}

void Run::print_profile(const record::Summary& summary) const {
  std::string text = "profile: ";
  const auto add = [&](const char* name, double seconds) {
    char item[80];
    std::snprintf(item, sizeof item, "%s %.3f s, ", name, seconds);
    text += item;
  };
  add("steps", step_seconds_);
  if (const simulate::LeapfrogStepper* fast = driver_->fast()) {
    add("of these collision", fast->times().collision);
    add("contact", fast->times().contact);
    add("certificate", fast->times().certificate);
  }
  add("writing", write_seconds_);
  if (!options_.is_fast()) add("meetings", check_seconds_);
  add("whole", summary.wall_seconds);
  add("apart from it verifying", verify_seconds_);
  text += options_.is_fast() ? std::to_string(summary.factorisations) + " factorisations"
                             : std::to_string(summary.evaluations) + " evaluations";
  const collision::ManifoldBuilder::Counters& pairs =
      options_.is_fast() ? driver_->fast()->pair_counters() : meetings_.counters();
  text += "; near pairs told by known features " + std::to_string(pairs.known) + ", searched " +
          std::to_string(pairs.searched);
  std::fprintf(stderr, "%s\n", text.c_str());
}

int Run::finish() {
  save_checkpoint();
  write_warnings();  // in the order a resumed run gives them
  // A run that came to its end has its last row there, inside the step in hand.
  if (!stopped()) {
    model::State end = state_;
    if (state_.time != options_.end()) driver_->state_at(options_.end(), end);
    const dynamics::Balance balance = balance_of(end);
    const double joint_error = measure_joints(end);
    if (options_.verify == "steps" && state_.time != options_.end()) verify(end);
    write_log_row(end, state_.time > options_.end() ? options_.end() - mark_.state.time : last_h_, balance,
                  joint_error);
    ledger_.enter(balance, joint_error);
  }
  write_warnings();
  const record::Summary summary = summarize();
  outputs_.finish(summary);
  record::Failure failure = outputs_.failure();
  if (!paths_.summary.empty())
    if (const record::Failure f = write_summary(paths_.summary, summary); f && !failure) failure = f;

  if (profile_) print_profile(summary);
  if (failure) {
    say("stopped at t = " + brief(frame_.time) + " s: " + to_string(*failure) +
        "; what was written before is kept");
    return kExitNotHeld;
  }
  if (!trouble_.empty()) {
    say("stopped: " + trouble_ + "; frames up to t = " + brief(frame_.time) + " s are kept");
    return kExitNotHeld;
  }
  if (const int signal = interrupted_by()) {
    if (!quiet_) say("interrupted: " + std::to_string(frames_written_) + " frames are kept");
    return 128 + signal;
  }
  if (!quiet_) {
    std::string text = model_.name() + ": " + brief(options_.duration) + " s in " +
                       brief(summary.wall_seconds) + " s (" + brief(summary.realtime_factor) +
                       "x real time), " + std::to_string(summary.steps) + " steps, energy " +
                       (summary.max_contacts > 0 ? "gain " + brief(summary.max_energy_gain)
                                                 : "drift " + brief(summary.max_energy_drift));
    if (summary.max_contacts > 0)
      text += ", at most " + std::to_string(summary.max_contacts) + " contacts, " +
              std::to_string(summary.impacts) + " impacts";
    if (estimate_)
      text += ", estimated error " + brief(estimate_->max_position_error) + " m and " +
              brief(estimate_->max_angle_error) + " rad";
    if (summary.max_penetration > 0)
      text += ", deepest overlap " + brief(summary.max_penetration) + " m" + deepest_;
    for (size_t i = 0; i < paths_.frames.size(); ++i) text += (i == 0 ? "; wrote " : ", ") + paths_.frames[i];
    say(text);
  }
  return kExitDone;
}

int run(const Arguments& arguments) {
  arguments.require_operands(1, 1);
  const core::Expected<scene::Scene> scene = scene::load_scene(arguments.operands()[0]);
  print_diagnostics(scene.diagnostics());
  if (!scene) return kExitBadInput;
  const ResolvedOptions options = resolve_options(*scene, arguments);
  const core::Expected<simulate::Start> start =
      start_of(*scene, arguments.operands()[0], options.driver.accuracy);
  if (!start) print_diagnostics(start.diagnostics());  // its warnings are told by the run
  if (!start) return kExitBadInput;
  return Run(*scene, start, options, arguments).execute();
}

}  // namespace

Verb run_verb() {
  Verb verb{"run", "SCENE [-o FILE]...", "simulates and writes each FILE, its format by its extension",
            motion_flags(), run};
  const std::vector<Flag> flags = {
      {"-o", "FILE", "a recording: .glb, .tumble, .csv or .txt; may be given several times"},
      {"--threads", "N", "at most N threads; the result is the same for any N"},
      {"--summary", "FILE.json", "what the run came to, as one JSON object"},
      {"--log", "FILE.csv", "energy, momentum and work at every step"},
      {"--checkpoint", "FILE", "kept every 10 s of wall time, at the end and on Ctrl-C"},
      {"--resume", "FILE", "goes on from a checkpoint, continuing the same -o files in place"},
      {"--verify", "WHERE",
       "off, frames or steps: where a checker of its own measures how deep bodies overlap"},
      {"--estimate-error", "", "runs again at a tenth of the accuracy number and reports the difference"},
      {"--contacts", "FILE.csv", "every contact point of every frame: impulse, slip, patch"},
      {"--reactions", "FILE.csv", "mean forces and torques in joints, and the efforts of drives and scripts"},
      {"--profile", "", "tells where the time went"},
      {"--quiet", "", "says nothing unless something is wrong"},
      {"--verbose", "", "tells what was chosen"}};
  verb.flags.insert(verb.flags.begin(), flags.begin(), flags.begin() + 1);
  verb.flags.insert(verb.flags.end(), flags.begin() + 1, flags.end());
  return verb;
}

}  // namespace tumble::app
