// Contacts and reactions: a box stands on a floor, a lamp hangs on a joint. Both are weighed by what carries
// them. Writes a recording too. Exits with 1 unless both weights are right to a millionth.
#include <cmath>
#include <cstdio>

#include "tumble/model/model_builder.h"
#include "tumble/record/frame_writer.h"
#include "tumble/simulate/simulation.h"

using namespace tumble;
using model::Vec3;

namespace {

model::BodySpec make_body(const char* name, const Vec3& place, const collision::Shape& shape) {
  model::BodySpec spec;
  spec.name = name;
  spec.X_WB.translation = place;
  spec.shapes.emplace_back().shape = shape;
  return spec;
}

}  // namespace

int main() {
  model::ModelBuilder builder("weigh");
  model::BodySpec ground = make_body("floor", Vec3::Zero(), collision::Plane{Vec3(0, 1, 0)});
  ground.fixed = true;
  builder.add_body(ground);
  const core::BodyId box =
      builder.add_body(make_body("box", Vec3(0, 0.1, 0), collision::Box{Vec3(0.4, 0.2, 0.3)}));
  const core::BodyId lamp = builder.add_body(make_body("lamp", Vec3(2, 1, 0), collision::Sphere{0.1}));
  builder.add_joint({.name = "hook", .type = model::JointType::ball, .b = lamp, .at = Vec3(2, 1.5, 0)});
  const model::Model model = builder.finish().value();

  const simulate::SimulationOptions options{.duration = 1, .fps = 60, .contacts = true, .reactions = true};
  simulate::Simulation simulation = simulate::Simulation::create(model, options).value();

  const record::RecordingInfo info{.fps = options.fps, .frames = options.frame_count()};
  const auto writer = record::open_frame_writer("weigh.csv", model, info);
  if (!writer) return std::puts(to_string(writer.diagnostics().front()).c_str()), 1;

  double on_floor = 0, on_hook = 0;  // N, in the last frame
  while (const std::optional<simulate::Event> event = simulation.next()) {
    const auto* frame = std::get_if<simulate::Frame>(&*event);
    if (!frame) continue;
    if (const record::Failure failure = (*writer)->write_frame(frame->index, *frame->state))
      return std::puts(to_string(*failure).c_str()), 1;
    on_floor = 0;
    for (const model::ContactRow& contact : frame->contacts)
      on_floor += std::abs(contact.impulse.y()) * options.fps;  // impulses are those since the frame before
    on_hook = frame->reactions[1];  // of the first joint: force of a on b (x, y, z), torque (x, y, z), effort
  }
  if ((*writer)->finish({})) return 1;

  const double box_weight = model.body(box).mass * 9.81, lamp_weight = model.body(lamp).mass * 9.81;
  std::printf("box: %.6f N of %.6f N, lamp: %.6f N of %.6f N\n", on_floor, box_weight, on_hook, lamp_weight);
  const auto is_right = [](double a, double b) { return std::abs(a - b) < 1e-6 * b; };
  return is_right(on_floor, box_weight) && is_right(on_hook, lamp_weight) ? 0 : 1;
}
