// Writes a recording, swing.tumble: the scene, all frames, the log, warnings and a summary. Then reads it.
// Exits with 1 unless every frame comes back bit for bit.
//   tumble render swing.tumble --time 1 -o swing.png      shows it: the scene is inside
#include <cstdio>

#include "tumble/record/recording.h"
#include "tumble/scene/scene.h"
#include "tumble/simulate/simulation.h"

using namespace tumble;

constexpr const char* kSwing = R"(
<scene name="swing">
  <simulation duration="2" fps="50"/>
  <body name="seat" position="1 1 0"> <box size="0.4 0.05 0.2"/> </body>
  <joint name="rope" type="distance" b="seat" at-a="0 2 0" at-b="1 1 0"/>
</scene>)";

// Writers give back nothing, or why they failed. The first failure stays.
static bool is_good(const record::Failure& failure) {
  if (failure) std::puts(to_string(*failure).c_str());
  return !failure;
}

int main() {
  const scene::Scene scene = scene::load_scene_text(kSwing).value();
  simulate::SimulationOptions options = simulate::requested_options(scene.model);
  options.log = true;
  simulate::Simulation simulation = simulate::Simulation::create(scene.model, options).value();
  options = simulation.options();  // method and accuracy are chosen now

  // What the file says about the run. `files` puts the scene into it.
  const record::RecordingInfo info{.fps = options.fps,
                                   .frames = options.frame_count(),
                                   .method = to_string(options.method),
                                   .integrator = options.integrator_name(),
                                   .accuracy = *options.accuracy,
                                   .files = scene.files};
  const auto writer = record::open_frame_writer("swing.tumble", simulation.model(), info).value();

  std::vector<model::State> states;
  while (const std::optional<simulate::Event> event = simulation.next()) {
    record::Failure failure;
    if (const auto* frame = std::get_if<simulate::Frame>(&*event)) {
      failure = writer->write_frame(frame->index, *frame->state);
      states.push_back(*frame->state);
    } else if (const auto* row = std::get_if<model::LogRow>(&*event)) {
      failure = writer->write_log_row(*row);
    } else if (const auto* warning = std::get_if<simulate::Warning>(&*event)) {
      failure = writer->write_warning(warning->text);
    }
    if (!is_good(failure)) return 1;
  }
  if (!simulation.failure().empty()) return std::puts(simulation.failure().c_str()), 1;
  if (!is_good(writer->write_log_row(simulation.finish()))) return 1;

  record::Summary summary;
  summary.scene = scene.model.name();
  summary.method = info.method;
  summary.integrator = info.integrator;
  summary.accuracy = info.accuracy;
  summary.duration = options.duration;
  summary.frames = states.size();
  summary.numbers = simulation.statistics().values();
  summary.warnings = simulation.warnings();
  if (!is_good(writer->finish(summary))) return 1;

  const record::Recording recording = record::Recording::open("swing.tumble").value();
  bool same = recording.frame_count() == states.size();
  for (size_t k = 0; same && k < states.size(); ++k) same = recording.frame(k).value().y == states[k].y;
  std::printf("%zu frames, %zu rows of the log: %s\n", recording.frame_count(),
              recording.log_rows().value().size(), same ? "the same bits" : "different");
  return same ? 0 : 1;
}
