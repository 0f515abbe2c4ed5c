// Drives with an effort limit in leapfrog steps.
#include <doctest/doctest.h>

#include "support/simulate.h"
#include "support/tolerance.h"
#include "tumble/simulate/leapfrog/stepper.h"
#include "tumble/simulate/start/prepare_start.h"

using namespace tumble;
using model::BodyId;
using model::JointType;
using model::Vec3;

namespace {

constexpr double kMoment = 0.5;  // kg m^2, of the wheel about its axis

// A wheel on an axis through its centre; without an axis, on a ball joint.
model::Model build_driven_wheel(const model::DriveSpec& drive, JointType type = JointType::hinge) {
  model::ModelBuilder builder("wheel");
  builder.set_gravity(Vec3::Zero());
  model::BodySpec wheel;
  wheel.name = "wheel";
  wheel.inertia = model::GivenInertia{.mass = 2, .moments = Vec3(kMoment, kMoment, kMoment)};
  const BodyId b = builder.add_body(wheel);
  model::JointSpec joint{.name = "axle", .type = type, .b = b};
  if (type == JointType::hinge) joint.axis = Vec3::UnitZ();
  joint.drives = {drive};
  builder.add_joint(joint);
  return support::finished(builder);
}

struct DrivenRun {
  model::Model model;
  simulate::LeapfrogStepper stepper;
  model::State state;
  simulate::LeapfrogMemory memory;
  double most = 0, residual = 0;  // effort

  DrivenRun(const model::Model& m, double h)
      : model(m),
        stepper(model, {.fixed_step = h, .reactions = true}),
        state(simulate::prepare_start(model).value().state) {}
  void step() {
    const simulate::StepReport report = stepper.step(state, memory);
    REQUIRE(report.good());
    most = std::max(most, std::abs(memory.last_kick.reactions[6]));
    residual = std::max(residual, report.residual);
  }
  double speed() const { return angular_velocity(model, state, BodyId(0)).z(); }
};

}  // namespace

TEST_CASE("a strong motor turns a wheel with its largest torque until the wheel has its target speed") {
  const double torque = 3, speed = 10, h = 1.0 / 60;
  for (const double damping : {1e2, 1e5, 1e8}) {
    DrivenRun run(build_driven_wheel({.velocity = speed, .damping = damping, .max_force = torque}), h);
    const double reached = speed * kMoment / torque;
    CAPTURE(damping);
    while (run.state.time < 2 * reached) {
      run.step();
      const double t = run.state.time, slip = torque / damping;  // below this the law requires less torque
      if (t < reached - 2 * h - slip * kMoment / torque)
        CHECK(run.speed() == doctest::Approx(torque * t / kMoment).epsilon(1e-9));
    }
    CHECK(run.speed() == doctest::Approx(speed).epsilon(1e-6));
    CHECK(run.most <= torque * (1 + 1e-8));
    CHECK(run.residual <= 1e-6);
  }
}

TEST_CASE("a drive that is strong enough holds an arm, and with a weaker one the arm sinks as predicted") {
  const double mass = 2, arm = 0.5, moment = 0.1, g = 9.81, load = mass * g * arm;
  const auto build = [&](double most) {
    model::ModelBuilder builder("arm");
    model::BodySpec body;
    body.name = "arm";
    body.X_WB.translation = Vec3(arm, 0, 0);
    body.inertia = model::GivenInertia{.mass = mass, .moments = Vec3(moment, moment, moment)};
    const BodyId b = builder.add_body(body);
    model::JointSpec joint{.name = "shoulder", .type = JointType::hinge, .b = b, .axis = Vec3::UnitZ()};
    joint.drives = {{.stiffness = 1e8, .damping = 1e4, .max_force = most}};
    builder.add_joint(joint);
    return support::finished(builder);
  };
  DrivenRun holds(build(1.01 * load), 1.0 / 60), slips(build(0.9 * load), 1.0 / 240);
  while (holds.state.time < 2) holds.step();
  CHECK(std::abs(holds.state.position(BodyId(0)).y()) < 1e-6);
  CHECK(holds.memory.last_kick.reactions[6] == doctest::Approx(load).epsilon(1e-6));
  while (slips.state.time < 0.1 - 1e-9) slips.step();
  // theta'' = (0.9 - cos theta) load/I: in 0.1 s theta is 0.8 % of a radian, and the cosine 1.
  const double t = slips.state.time, turned = 0.05 * load / (moment + mass * arm * arm) * t * t;
  CHECK(slips.state.position(BodyId(0)).y() == doctest::Approx(-arm * turned).epsilon(1e-3));
  CHECK(slips.memory.last_kick.reactions[6] == doctest::Approx(0.9 * load).epsilon(1e-8));
}

TEST_CASE("drives of any stiffness and damping stay bounded at 1/60 s and within their effort limit") {
  for (const double stiffness : {1.0, 20.0, 1e3, 1e5, 1e8})
    for (const double damping : {0.0, 1.0, 1e3, 1e6})
      for (const JointType type : {JointType::hinge, JointType::ball}) {
        CAPTURE(stiffness);
        CAPTURE(damping);
        CAPTURE(static_cast<int>(type));
        model::DriveSpec drive{.stiffness = stiffness, .damping = damping, .max_force = 5};
        const double target = 2;
        drive.target = target, drive.target_rotation = target * Vec3(2, -1, 2) / 3;
        DrivenRun run(build_driven_wheel(drive, type), 1.0 / 60);
        // The distance to the target never grows, except by a step at the speed that the effort causes over
        // it.
        const double farthest = target + math::sqrt(2 * drive.max_force * target / kMoment) / 60;
        const Vec3 goal = type == JointType::hinge ? Vec3(0, 0, target) : drive.target_rotation;
        double left = 0;
        while (run.state.time < 20) {
          run.step();
          left =
              math::angle_between(run.state.orientation(BodyId(0)), math::Quat::from_rotation_vector(goal));
          REQUIRE(left < farthest);
        }
        CHECK(run.most <= drive.max_force * (1 + 1e-8));
        CHECK(run.residual <= 1e-6);
        // It decays at d/2I or k/d, whichever is less: at 1/s or faster with these.
        if (damping == 1 || (damping > 1 && stiffness >= 1e3 * damping)) CHECK(left < 1e-3);
      }
}

TEST_CASE("a soft drive that reaches its effort limit moves as in the precise method") {
  const model::Model model =
      build_driven_wheel({.target = 1.5, .stiffness = 6, .damping = 0.3, .max_force = 4});
  const double end = 1;
  const auto angle = [](const model::State& state) {
    const math::Quat q = state.orientation(BodyId(0));
    return 2 * math::atan2(q.z(), q.w());
  };
  const double exact = angle(support::simulate_to(model, end, {.accuracy = 1e-10}));
  std::vector<double> steps, errors;
  for (const int n : {40, 80, 160}) {
    DrivenRun run(model, end / n);
    for (int i = 0; i < n; ++i) run.step();
    steps.push_back(end / n), errors.push_back(std::abs(angle(run.state) - exact));
  }
  MESSAGE("errors " << errors[0] << ", " << errors[1] << ", " << errors[2]);
  CHECK(errors[2] < 1e-3);
  CHECK(support::fitted_slope(steps, errors) > 1.5);
}
