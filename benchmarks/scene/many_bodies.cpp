// Wall time and memory, on one core, of 10,000 free bodies for 10 s at 60 frames per second, recorded as
// .glb. Then the same for 20 s: memory must not grow.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <random>

#include "tumble/model/model_builder.h"
#include "tumble/record/frame_writer.h"
#include "tumble/simulate/simulation.h"

using namespace tumble;

namespace {

constexpr size_t kBodies = 10000;
constexpr double kFps = 60;

model::Model many_bodies() {
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> spin(-6, 6), speed(-2, 2);
  model::ModelBuilder builder("many");
  for (size_t i = 0; i < kBodies; ++i) {
    model::BodySpec body;
    body.name = "b" + std::to_string(i);
    body.X_WB.translation = 2.0 * model::Vec3(double(i % 25), double(i / 25 % 20), double(i / 500));
    body.velocity = model::Vec3(speed(generator), speed(generator), speed(generator));
    body.angular_velocity = model::Vec3(spin(generator), spin(generator), spin(generator));
    body.shapes.push_back({collision::Box{model::Vec3(0.3, 0.5, 0.8)}, {}, {}, true, {}});
    builder.add_body(body);
  }
  return builder.finish().value();
}

bool run(const model::Model& model, double duration) {
  const std::string path = (std::filesystem::temp_directory_path() / "tumble_many_bodies.glb").string();
  const auto begin = std::chrono::steady_clock::now();
  record::RecordingInfo info;
  info.scene_name = "many";
  info.fps = kFps;
  info.frames = static_cast<size_t>(duration * kFps) + 1;
  auto writer = record::open_frame_writer(path, model, info);
  if (!writer) return false;
  simulate::Simulation simulation = simulate::Simulation::create(model, {.duration = duration,
                                                                         .fps = kFps,
                                                                         .method = simulate::Method::precise,
                                                                         .verify = simulate::Verify::off})
                                        .value();
  for (size_t k = 0; k < info.frames; ++k) {
    const double t = static_cast<double>(k) / kFps;
    if (!simulation.run_until(t)) return false;
    if ((*writer)->write_frame(k, simulation.state_at(t))) return false;
  }
  const auto steps = static_cast<long>(simulation.statistics().count("steps"));
  if ((*writer)->finish({})) return false;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "%6.0f s simulated: %6.2f s of wall time, %ld steps, %.0f MB written, %.0f MB of memory at most\n",
      duration, seconds, steps, static_cast<double>(std::filesystem::file_size(path)) / 1e6,
      static_cast<double>(usage.ru_maxrss) / 1e3);
  std::filesystem::remove(path);
  return true;
}

}  // namespace

int main() {
  const model::Model model = many_bodies();
  std::printf("%zu free bodies at %.0f frames/s into a .glb, one core\n", kBodies, kFps);
  return run(model, 10) && run(model, 20) ? 0 : 1;
}
