// A program of another project: runs a scene and prints its last frame, as `tumble run SCENE -o x.csv` does.
//   consumer SCENE.xml
#include <tumble/tumble.h>

#include <cmath>
#include <cstdio>

using namespace tumble;

// Uses Eigen in the program, with memory that Eigen allocates. The library may be compiled for another
// instruction set.
static bool solve_something(Eigen::Index n) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Constant(n, n, 0.5) + Eigen::MatrixXd::Identity(n, n);
  const Eigen::VectorXd b = A * Eigen::VectorXd::LinSpaced(n, 0, 1);
  return (A.llt().solve(b) - Eigen::VectorXd::LinSpaced(n, 0, 1)).norm() < 1e-9;
}

// A force law of the program. The library calls it.
class Lift final : public model::ForceLaw {
 public:
  using ForceLaw::ForceLaw;
  void apply(double, const model::BodyMotion&, const model::BodyMotion&, model::Wrench& on_a,
             model::Wrench&) const override {
    on_a.force += model::Vec3(0, 2, 0);
  }
};

static bool lift_a_ball() {
  model::ModelBuilder builder("lift");
  builder.set_gravity(model::Vec3::Zero());
  model::BodySpec spec;
  spec.name = "ball";
  spec.shapes.emplace_back().shape = collision::Sphere{0.1};
  const core::BodyId ball = builder.add_body(spec);
  builder.add_force(std::make_shared<Lift>("lift", ball));
  auto simulation = simulate::Simulation::create(builder.finish().value()).value();
  if (!simulation.run_until(1)) return false;
  const double height = simulation.state_at(1).position(ball).y();
  return std::abs(height - 0.5 * 2 / simulation.model().body(ball).mass) < 1e-9;
}

int main(int argc, char** argv) {
  if (argc != 2 || !solve_something(7) || !lift_a_ball()) return 2;
  const core::Expected<scene::Scene> scene = scene::load_scene(argv[1]);
  for (const core::Diagnostic& diagnostic : scene.diagnostics()) std::puts(to_string(diagnostic).c_str());
  if (!scene) return 1;

  const model::Model& model = scene->model;
  auto simulation = simulate::Simulation::create(model, simulate::requested_options(model));
  if (!simulation) return 1;
  model::State last;
  while (const std::optional<simulate::Event> event = simulation->next())
    if (const auto* frame = std::get_if<simulate::Frame>(&*event)) last = *frame->state;
  if (!simulation->failure().empty()) return std::puts(simulation->failure().c_str()), 1;

  std::printf("%.17g", last.time);
  for (size_t i = 0; i < model.bodies().size(); ++i) {
    const core::BodyId body(i);
    const model::Pose pose = body_pose(model, last, body);
    const model::Vec3 x = pose.translation, v = velocity(model, last, body),
                      w = angular_velocity(model, last, body);
    const model::Quat q = pose.rotation;
    for (const double number :
         {x.x(), x.y(), x.z(), q.w(), q.x(), q.y(), q.z(), v.x(), v.y(), v.z(), w.x(), w.y(), w.z()})
      std::printf(",%.17g", number);
  }
  std::puts("");
  try {
    core::Expected<int>(core::error_at({}, "none")).value();
  } catch (const core::LogicError&) {
    return solve_something(33) ? 0 : 2;  // thrown in the library or in an inline function, caught here
  }
  return 2;
}
