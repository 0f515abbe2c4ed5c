// The numbers of simulate::Parameters: their ranges, their effect on the method, and that three scenes do not
// depend on the choice of four of them. parameters_long_test.cpp varies all of them.
#include <doctest/doctest.h>

#include "parameters/vary_parameters.h"
#include "support/simulate.h"

using namespace tumble;
using simulate::Method;
using simulate::Parameter;
using simulate::Parameters;

TEST_CASE(
    "the shipped numbers are in their sane range, and so are their halves and doubles, if clipped to it") {
  Parameters parameters;
  CHECK(!find_fault(parameters));
  for (const Parameter& one : list_parameters(parameters)) {
    CAPTURE(one.name);
    CHECK(one.low < one.high);
    CHECK(one.halved() != one.value());
    CHECK(one.doubled() != one.value());
    for (const bool doubled : {false, true}) CHECK(!find_fault(vary::apply({one.name, doubled})));
  }
}

TEST_CASE("every number outside its range is refused by name") {
  Parameters parameters;
  const scene::Scene scene = support::load("projectile");
  for (const Parameter& one : list_parameters(parameters)) {
    CAPTURE(one.name);
    const double value = one.value();
    for (const double bad : {one.low - 1, 2 * one.high + 1}) {
      one.set(bad);
      simulate::SimulationOptions options;
      options.parameters = std::make_shared<const Parameters>(parameters);
      const simulate::ResolvedOptions resolved = resolve(scene.model, options);
      REQUIRE(resolved.fault);
      CHECK(resolved.fault->options == std::vector<std::string>{"parameters"});
      CHECK(resolved.fault->message.find(one.name) != std::string::npos);
    }
    one.set(value);
    CHECK(!find_fault(parameters));
  }
}

TEST_CASE("numbers have an effect on the method") {
  // Some of every group, each in a run that differs with another value in its range.
  struct Case {
    vary::SceneRun scene;
    std::string number;
    double value;
  };
  const Case cases[] = {
      {{"dominoes", 0.3}, "leapfrog.step_scale", 1.6},
      {{"dominoes", 0.3}, "leapfrog.residual", 2e-8},
      {{"break-shot", 0.3}, "contact.touching", 2},
      {{"break-shot", 0.3}, "leapfrog.impact_speed", 4},
      {{"hanging-chain", 0.3, Method::fast}, "leapfrog.joint_residual", 2e-3},
      {{"door", 3, Method::fast}, "leapfrog.limit_shell", 0.2},
      {{"double-pendulum", 0.3}, "runge_kutta.step_share", 0.02},
      {{"double-pendulum", 0.3}, "runge_kutta.safety", 0.8},
      {{"dominoes", 0.3}, "contact.certified", 0.75},
      {{"dominoes", 0.3}, "contact.min_gap_ratio", 0.8},
      {{"nut-on-bolt", 0.02}, "collision.patch.angle", 0.05},
      {{"dominoes", 0.3}, "collision.certificate.too_near", 2e-3},
      {{"dominoes", 0.3}, "solver.lagrangian.penalty", 2e4},
      {{"dominoes", 0.3}, "solver.near.regularization", 2e-4},
      {{"stiff-chain", 0.3}, "kick.laws.half_damped", 80},
      {{"hand", 0.1}, "kick.laws.soft_step", 0.6},
      {{"heavy-stack", 0.02}, "start.pass_residual", 0.1},
      {{"heavy-stack", 0.02}, "start.max_steps", 500},
  };
  for (const Case& one : cases) {
    CAPTURE(one.scene.name());
    CAPTURE(one.number);
    CHECK(vary::run(one.scene, {}).differs_from(vary::run(one.scene, vary::with(one.number, one.value))));
  }
}

TEST_CASE("halving and doubling keeps the promises of three scenes") {
  const char* const numbers[] = {"leapfrog.step_scale", "leapfrog.impact_speed", "contact.certified",
                                 "collision.certificate.too_near"};
  for (const vary::SceneRun& scene :
       {vary::SceneRun{"dominoes", 0.5}, {"slope-topple", 1}, {"ten-boxes", 0.6}}) {
    const vary::Outcome shipped = vary::run(scene, {});
    for (const vary::Violation& violation : judge(shipped, nullptr))
      FAIL_CHECK("as shipped, " << scene.name() << ": " << violation.text);
    for (const char* number : numbers)
      for (const bool doubled : {false, true}) {
        const vary::Variation variation{number, doubled};
        for (const vary::Violation& violation : judge(vary::run(scene, apply(variation)), &shipped))
          FAIL_CHECK(variation.name() << ", " << scene.name() << ": " << violation.text);
      }
  }
}
