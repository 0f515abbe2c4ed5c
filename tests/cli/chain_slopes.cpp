// chain_slopes N TIMES: evaluates the equations of motion of a chain of N links with ball joints TIMES times.
// Callgrind counts its instructions.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tumble/dynamics/equations_of_motion.h"
#include "tumble/model/joint_spec.h"
#include "tumble/model/model_builder.h"

using namespace tumble;

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const size_t links = std::strtoul(arguments[1], nullptr, 10);
  model::ModelBuilder builder("chain");
  model::BodyId last;
  for (size_t i = 0; i < links; ++i) {
    model::BodySpec link;
    link.name = "link" + std::to_string(i);
    link.X_WB.translation = model::Vec3(0.1 * (static_cast<double>(i) + 0.5), 0, 0);
    link.inertia = model::GivenInertia{.mass = 1, .moments = model::Vec3(0.2e-3, 0.9e-3, 1e-3)};
    const model::BodyId body = builder.add_body(link);
    builder.add_joint({.name = "joint" + std::to_string(i),
                       .type = model::JointType::ball,
                       .a = last,
                       .b = body,
                       .at = model::Vec3(0.1 * static_cast<double>(i), 0, 0)});
    last = body;
  }
  const model::Model model = builder.finish().value();
  dynamics::EquationsOfMotion equations(model);
  const model::State state = start_state(model);
  std::vector<double> y(equations.size(), 0.0), slope(equations.size(), 0.0);
  std::copy(state.y.begin(), state.y.end(), y.begin());
  for (long k = std::strtol(arguments[2], nullptr, 10); k > 0; --k)
    equations.compute_slope(0, y.data(), slope.data());
  std::printf("%g m/s^2\n", slope[(links - 1) * model::kBodySize + model::kMomentumAt + 1]);
}
