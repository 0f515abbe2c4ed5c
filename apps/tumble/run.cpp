// tumble run: simulates, writes the results to files, and prints one line about the run.
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

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
#include "tumble/simulate/simulation.h"
#include "verbs.h"

namespace tumble::app {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kFlushEvery{1}, kCheckpointEvery{10};
constexpr std::chrono::milliseconds kLookAtCpuEvery{1};  // a query takes a third of a microsecond

// CPU time of this process so far, all threads together, s.
double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::duration<double>(std::chrono::seconds(time.tv_sec) +
                                       std::chrono::nanoseconds(time.tv_nsec))
      .count();
}

// A time that belongs to a frame, with as many digits as it has.
std::string brief_time(double t) { return core::brief_number(t, 12); }

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

// What was said about the scene, as recordings keep it: files are relative to the scene's folder, so that the
// recording does not depend on where the scene lies.
std::vector<std::string> warning_texts(const core::Diagnostics& diagnostics, const std::string& scene_path) {
  const std::string folder = scene_path.substr(0, scene_path.find_last_of('/') + 1);
  std::vector<std::string> texts;
  for (core::Diagnostic diagnostic : diagnostics) {
    if (diagnostic.place.file.starts_with(folder)) diagnostic.place.file.erase(0, folder.size());
    texts.push_back(to_string(diagnostic));
  }
  return texts;
}

Outputs::Paths output_paths(const Arguments& arguments, const scene::ProgramOptions& program,
                            const scene::Scene& scene) {
  Outputs::Paths paths;
  paths.frames = arguments.all("-o");
  paths.log = program.log;
  paths.summary = program.summary;
  paths.checkpoint = program.checkpoint;
  paths.reactions = program.reactions;
  paths.contacts = program.contacts;
  const std::filesystem::path folder = std::filesystem::path(arguments.operands()[0]).parent_path();
  for (const scene::SceneFile& file : scene.files) paths.inputs.push_back((folder / file.path).string());
  if (!program.inputs.empty()) paths.inputs.push_back(program.inputs);
  return paths;
}

// Reads the checkpoint of --resume and restores `simulation` from it. Empty without --resume. Throws
// UsageError if the checkpoint belongs to another run.
std::optional<record::Checkpoint> resume(const std::string& path, uint64_t hash,
                                         const std::vector<std::string>& settings,
                                         simulate::Simulation& simulation) {
  if (path.empty()) return std::nullopt;
  core::Expected<record::Checkpoint> checkpoint = record::read_checkpoint(path);
  if (!checkpoint) throw UsageError(to_string(checkpoint.diagnostics().front()));
  const simulate::SimulationOptions& options = simulation.options();
  const auto had = nlohmann::json::parse(checkpoint->options_json, nullptr, false);
  if (checkpoint->scene_hash != hash)
    throw UsageError(path + ": is a checkpoint of another scene, or the scene has changed");
  if (options.reactions && had.is_object() && !had.value("reactions", false) &&
      !simulation.model().joints().empty())
    throw UsageError(path + ": was written without --reactions; start the run again to add --reactions");
  if (checkpoint->options_json != motion_json(options, settings))
    throw UsageError(path + ": was written with other options: " + checkpoint->options_json + ", now " +
                     motion_json(options, settings));
  if (checkpoint->progress.frames > options.frame_count() || checkpoint->time > options.end_time())
    throw UsageError(path + ": is later than the end of the run; give a longer --duration");
  if (checkpoint->version != core::kVersion)
    throw UsageError(path + ": was written by version " + checkpoint->version + "; this is version " +
                     core::kVersion);
  if (const core::Diagnostics faults = simulation.restore(checkpoint->simulation); !faults.empty())
    throw UsageError(path + ": " + faults.front().message);
  return std::move(checkpoint).value();
}

record::RecordingInfo recording_info(const scene::Scene& scene, const simulate::SimulationOptions& options,
                                     const std::string& inputs) {
  record::RecordingInfo info;
  info.scene_name = scene.model.name();
  info.fps = options.fps;
  info.frames = options.frame_count();
  info.method = to_string(options.method);
  info.integrator = options.integrator_name();
  info.accuracy = *options.accuracy;
  info.files = scene.files;
  info.version = core::kVersion;
  info.settings = scene.settings;
  info.inputs = inputs;
  info.fixed_step = options.fixed_step.value_or(0);
  info.contacts = options.contacts;
  info.reactions = options.reactions;
  for (const model::BodyId body : options.log_bodies) info.log_bodies.push_back(scene.model.body(body).name);
  return info;
}

// Prints the chosen parameters (--verbose), and the bodies that viewers of .glb cannot show.
void say_choices(const simulate::Simulation& simulation, const scene::ProgramOptions& program,
                 const Outputs::Paths& paths) {
  const simulate::SimulationOptions& options = simulation.options();
  if (program.verbose)
    say("time scale T = " + brief(simulation.scales().time) +
        " s, length scale L = " + brief(simulation.scales().length) + " m; " + to_string(options.method) +
        " with " + options.integrator_name() + ", accuracy " + brief(*options.accuracy) + "; " +
        std::to_string(options.frame_count()) + " frames");
  const bool shows_shapes =
      std::any_of(paths.frames.begin(), paths.frames.end(), [](const std::string& path) {
        return lower_extension(path) == ".glb" || lower_extension(path) == ".gltf";
      });
  if (const std::string shapeless = describe_shapeless(simulation.model());
      shows_shapes && !shapeless.empty() && !program.quiet)
    say(shapeless + ": viewers of .glb and .gltf do not show such bodies");
}

// One line about a completed run.
std::string describe_run(const simulate::Simulation& simulation, const record::Summary& summary,
                         const std::vector<std::string>& frame_paths) {
  const simulate::RunStatistics& statistics = simulation.statistics();
  const auto count = [&](const char* name) {
    return std::to_string(static_cast<size_t>(statistics.count(name)));
  };
  const bool touched = statistics.count("max_contacts") > 0;
  std::string text = summary.scene + ": " + brief(simulation.options().duration) + " s in " +
                     brief(summary.wall_seconds) + " s (" + brief(summary.realtime_factor) +
                     "x real time), " + count("steps") + " steps, energy " +
                     (touched ? "gain " + brief(statistics.max_energy_gain())
                              : "drift " + brief(statistics.max_energy_drift()));
  if (touched) text += ", at most " + count("max_contacts") + " contacts, " + count("impacts") + " impacts";
  if (const auto& estimate = simulation.error_estimate())
    text += ", estimated error " + brief(estimate->max_position_error) + " m and " +
            brief(estimate->max_angle_error) + " rad";
  if (statistics.max_penetration() > 0)
    text += ", deepest penetration " + brief(statistics.max_penetration()) + " m";
  if (const auto& deepest = simulation.deepest_overlap(); deepest && statistics.max_penetration() > 0)
    text += " (\"" + simulation.model().body(deepest->overlap.a).name + "\" and \"" +
            simulation.model().body(deepest->overlap.b).name + "\" at t = " + brief(deepest->time) + " s)";
  for (size_t i = 0; i < frame_paths.size(); ++i) text += (i == 0 ? "; wrote " : ", ") + frame_paths[i];
  return text;
}

void print_profile(const simulate::Simulation& simulation, const record::Summary& summary,
                   double write_seconds) {
  std::string text = "profile: ";
  const auto add = [&](const char* name, double seconds) {
    char item[80];
    std::snprintf(item, sizeof item, "%s %.3f s, ", name, seconds);
    text += item;
  };
  const bool fast = simulation.options().method == simulate::Method::fast;
  add("steps", simulation.timings().steps);
  if (fast) {
    add("of these collision", simulation.step_times().collision);
    add("contact", simulation.step_times().contact);
    add("certificate", simulation.step_times().certificate);
  }
  add("writing", write_seconds);
  if (!fast) add("first contacts", simulation.timings().first_contact);
  add("total", summary.wall_seconds);
  add("verification (not in the total)", summary.verify_seconds);
  const auto factorisations = static_cast<size_t>(simulation.statistics().count("factorisations"));
  text += fast ? std::to_string(factorisations) + " factorisations"
               : std::to_string(summary.evaluations) + " evaluations";
  const simulate::PairCounters pairs = simulation.pair_counters();
  text += "; near pairs resolved from cached features " + std::to_string(pairs.known) + ", searched " +
          std::to_string(pairs.searched);
  std::fprintf(stderr, "%s\n", text.c_str());
}

class Run {
 public:
  Run(const scene::Scene& scene, simulate::Simulation simulation, const RunOptions& options,
      const Arguments& arguments);
  int execute();

 private:
  void say_warnings();
  void write(const simulate::Event& event);
  void write_frame(const simulate::Frame& frame);
  void write_warnings();
  void flush_and_checkpoint();
  void look_at_cpu();
  void save_checkpoint();
  bool stopped() const { return !trouble().empty() || outputs_.failed() || interrupted_by() != 0; }
  const std::string& trouble() const { return trouble_.empty() ? simulation_.failure() : trouble_; }
  int finish();
  int say_outcome(const record::Summary& summary, const record::Failure& summary_failure) const;
  record::Summary summarize() const;

  simulate::Simulation simulation_;
  scene::ProgramOptions program_;
  Outputs::Paths paths_;
  uint64_t scene_hash_;
  std::vector<std::string> settings_;
  std::optional<record::Checkpoint> resumed_;
  Outputs outputs_;
  size_t log_offset_;  // bytes of the log at the start of the last step
  size_t warnings_written_, warnings_said_;
  std::string trouble_;  // why the run must stop: the checkpoint failed, or --max-cpu is used up
  struct Clocks {
    Clock::time_point begin = Clock::now(), last_flush = begin, last_checkpoint = begin, last_look = begin;
    double write_seconds = 0;  // s, of wall time
  } clocks_;
};

Run::Run(const scene::Scene& scene, simulate::Simulation simulation, const RunOptions& options,
         const Arguments& arguments)
    : simulation_(std::move(simulation)),
      program_(options.program),
      paths_(output_paths(arguments, options.program, scene)),
      scene_hash_(hash_files(scene.files)),
      settings_(scene.settings),
      resumed_(resume(options.program.resume, scene_hash_, settings_, simulation_)),
      outputs_(paths_, simulation_.model(), recording_info(scene, simulation_.options(), options.inputs),
               resumed_ ? &*resumed_ : nullptr),
      log_offset_(outputs_.log_offset()),
      warnings_written_(resumed_ ? resumed_->progress.warnings : 0),
      warnings_said_(resumed_ ? simulation_.warnings().size() : options.simulation.warnings.size()) {}

int Run::execute() {
  say_warnings();
  say_choices(simulation_, program_, paths_);
  ProgressBar bar(!program_.quiet, simulation_.time(), simulation_.options().end_time());
  while (!stopped()) {
    const std::optional<simulate::Event> event = simulation_.next();
    say_warnings();
    if (!event) break;
    write(*event);
    flush_and_checkpoint();
    look_at_cpu();
    bar.show(simulation_.time(), static_cast<size_t>(simulation_.last_step().contacts));
  }
  bar.clear();
  return finish();
}

void Run::say_warnings() {
  for (; warnings_said_ < simulation_.warnings().size(); ++warnings_said_)
    if (!program_.quiet) say("warning: " + simulation_.warnings()[warnings_said_]);
}

void Run::write(const simulate::Event& event) {
  if (const auto* frame = std::get_if<simulate::Frame>(&event)) write_frame(*frame);
  if (const auto* row = std::get_if<record::LogRow>(&event)) outputs_.write_log_row(*row);
  if (std::holds_alternative<simulate::Warning>(event))
    outputs_.write_warning(simulation_.warnings()[warnings_written_++]);
  if (std::holds_alternative<simulate::StepReport>(event)) log_offset_ = outputs_.log_offset();
}

void Run::write_frame(const simulate::Frame& frame) {
  const Clock::time_point begin = Clock::now();
  outputs_.write_frame(frame);
  clocks_.write_seconds += seconds_since(begin);
}

void Run::write_warnings() {
  for (; warnings_written_ < simulation_.warnings().size(); ++warnings_written_)
    outputs_.write_warning(simulation_.warnings()[warnings_written_]);
}

// Keeps the files on disk readable and the checkpoint recent.
void Run::flush_and_checkpoint() {
  const Clock::time_point now = Clock::now();
  if (now - clocks_.last_flush >= kFlushEvery) {
    outputs_.flush();
    clocks_.last_flush = now;
  }
  if (!paths_.checkpoint.empty() && now - clocks_.last_checkpoint >= kCheckpointEvery) {
    save_checkpoint();
    clocks_.last_checkpoint = now;
  }
}

void Run::look_at_cpu() {
  if (program_.max_cpu <= 0) return;
  const Clock::time_point now = Clock::now();
  if (now - clocks_.last_look < kLookAtCpuEvery) return;
  clocks_.last_look = now;
  if (cpu_seconds() >= program_.max_cpu && trouble_.empty())
    trouble_ = "it has used the " + brief(program_.max_cpu) + " s of CPU time that --max-cpu allows";
}

void Run::save_checkpoint() {
  if (paths_.checkpoint.empty()) return;
  outputs_.flush();
  record::Checkpoint checkpoint;
  checkpoint.version = core::kVersion;
  checkpoint.scene_hash = scene_hash_;
  checkpoint.options_json = motion_json(simulation_.options(), settings_);
  const simulate::Simulation::StepStart& start = simulation_.step_start();
  checkpoint.time = start.state.time;
  checkpoint.progress = {simulation_.frames(), start.log_rows, start.warnings};
  checkpoint.log_offset = log_offset_;
  checkpoint.contacts_offset = outputs_.contacts_offset();
  checkpoint.simulation = simulation_.save();
  if (const record::Failure failure = write_checkpoint(paths_.checkpoint, checkpoint);
      failure && trouble_.empty())
    trouble_ = "checkpoint: " + to_string(*failure);
}

record::Summary Run::summarize() const {
  const simulate::SimulationOptions& options = simulation_.options();
  record::Summary summary;
  summary.scene = simulation_.model().name();
  summary.version = core::kVersion;
  summary.method = to_string(options.method);
  summary.integrator = options.integrator_name();
  summary.accuracy = *options.accuracy;
  summary.duration = simulation_.frames() == options.frame_count()
                         ? options.duration
                         : static_cast<double>(simulation_.frames()) / options.fps;
  summary.frames = outputs_.count_frames(simulation_.frames(), options.fps);
  summary.numbers = simulation_.statistics().values();
  summary.evaluations = static_cast<size_t>(simulation_.evaluations());
  summary.verify_seconds = simulation_.timings().verify;
  summary.wall_seconds = seconds_since(clocks_.begin) - summary.verify_seconds;
  const double simulated = simulation_.frame_time() - (resumed_ ? resumed_->time : 0);
  summary.realtime_factor = summary.wall_seconds > 0 ? simulated / summary.wall_seconds : 0;
  summary.warnings = simulation_.warnings();
  summary.error_estimate = simulation_.error_estimate();
  summary.stopped = trouble();
  if (interrupted_by() != 0) summary.stopped = "interrupted";
  if (outputs_.failed()) summary.stopped = outputs_.describe_failures().front();
  return summary;
}

int Run::finish() {
  if (!simulation_.failure().empty()) log_offset_ = outputs_.log_offset();  // the failed step had no event
  save_checkpoint();
  write_warnings();
  // The last log row of a completed run lies inside the last step. A checkpoint does not include it.
  if (!stopped()) {
    const record::LogRow row = simulation_.finish();
    if (simulation_.options().log) outputs_.write_log_row(row);
    say_warnings();
  }
  outputs_.flush();  // so that the summary in a recording has a full disk in it
  outputs_.finish(summarize());
  const record::Summary summary = summarize();
  record::Failure failure;
  if (!paths_.summary.empty()) failure = write_summary(paths_.summary, summary);
  if (program_.profile) print_profile(simulation_, summary, clocks_.write_seconds);
  return say_outcome(summary, failure);
}

int Run::say_outcome(const record::Summary& summary, const record::Failure& summary_failure) const {
  const std::string reached = brief_time(simulation_.frame_time());
  for (const std::string& line : outputs_.describe_failures()) say("stopped: " + line);
  if (summary_failure)
    say(to_string(*summary_failure) + "; there is no summary of this run, which reached t = " + reached +
        " s");
  if (!trouble().empty())
    say("stopped: " + trouble() + "; the files contain the frames up to t = " + reached + " s");
  if (outputs_.failed() || summary_failure || !trouble().empty()) return kExitNotHeld;
  if (const int signal = interrupted_by()) {
    if (!program_.quiet)
      say("interrupted at t = " + reached + " s: " + std::to_string(summary.frames) + " frames were written");
    return 128 + signal;
  }
  if (program_.quiet) return kExitDone;
  say(describe_run(simulation_, summary, paths_.frames));
  return kExitDone;
}

int run(const Arguments& arguments) {
  arguments.require_operands(1, 1);
  const std::string& path = arguments.operands()[0];
  const core::Expected<scene::Scene> scene = load_scene(path, arguments);
  print_diagnostics(scene.diagnostics());
  if (!scene) return exit_code_of(scene.diagnostics());
  RunOptions options = resolve_options(*scene, arguments);
  options.simulation.warnings = warning_texts(scene.diagnostics(), path);
  core::Expected<simulate::Simulation> simulation =
      simulate::Simulation::create(scene->model, options.simulation);
  if (!simulation) print_diagnostics(with_file(simulation.diagnostics(), path));
  if (!simulation) return kExitBadInput;
  watch_for_interrupts();  // before a file is opened
  return Run(*scene, std::move(simulation).value(), options, arguments).execute();
}

}  // namespace

Verb run_verb() {
  Verb verb{"run",
            "SCENE [-o FILE]...",
            "simulate a scene and write each FILE; its extension selects the format",
            {{"-o", "FILE", "write a recording: .glb, .gltf, .tumble, .csv or .txt; repeatable"}},
            run};
  for (const std::vector<Flag>& flags : {motion_flags(), output_flags()})
    verb.flags.insert(verb.flags.end(), flags.begin(), flags.end());
  return verb;
}

}  // namespace tumble::app
