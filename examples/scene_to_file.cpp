// A scene to a file: load, run, write. Three bricks fall on a slab. The file opens in Blender or a browser.
//   example_scene_to_file [SCENE.xml [FILE]]      FILE ends in .glb, .gltf, .csv, .txt or .tumble
// Exits with 1 if no bodies touched, or if the run or the file failed.
#include "tumble/tumble.h"

using namespace tumble;

constexpr const char* kBricks = R"(
<scene name="bricks">
  <simulation duration="2" fps="60"/>
  <body name="slab" fixed="true"> <box size="2 0.1 2"/> </body>
  <body name="brick1" position="0 0.3 0"> <box size="0.24 0.07 0.12"/> </body>
  <body name="brick2" position="0.05 0.5 0" rotate="0 0 1 20deg"> <box size="0.24 0.07 0.12"/> </body>
  <body name="brick3" position="0 0.7 0" rotate="0 1 0 70deg"> <box size="0.24 0.07 0.12"/> </body>
</scene>)";

int main(int argc, char** argv) {
  const scene::Scene scene =
      (argc > 1 ? scene::load_scene(argv[1]) : scene::load_scene_text(kBricks)).value();
  const simulate::SimulationOptions options = simulate::requested_options(scene.model);
  simulate::Simulation simulation = simulate::Simulation::create(scene.model, options).value();
  const record::RecordingInfo info{.fps = options.fps, .frames = options.frame_count(), .files = scene.files};
  const auto writer =
      record::open_frame_writer(argc > 2 ? argv[2] : "bricks.glb", simulation.model(), info).value();
  while (const std::optional<simulate::Event> event = simulation.next())
    if (const auto* frame = std::get_if<simulate::Frame>(&*event))
      if (writer->write_frame(frame->index, *frame->state)) return 1;
  if (writer->finish({}) || !simulation.failure().empty()) return 1;
  return argc > 1 || simulation.statistics().count("max_contacts") > 0 ? 0 : 1;  // the bricks touch
}
