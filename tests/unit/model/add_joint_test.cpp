#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "support/tolerance.h"
#include "tumble/model/joint_forces.h"
#include "tumble/model/limits.h"
#include "tumble/model/model_builder.h"

using namespace tumble;
using namespace tumble::model;

namespace {

// Two boxes in arbitrary poses and a fixed box, for tests of joints between them.
struct Workshop {
  ModelBuilder builder;
  BodyId thigh, shin, ground;

  Workshop() {
    BodySpec body;
    body.shapes.push_back({collision::Box{Vec3(0.2, 0.5, 0.1)}, {}, {}, true, {}});
    body.name = "thigh";
    body.X_WB = {Quat::from_axis_angle(Vec3(1, 2, -1), 0.7), Vec3(0.3, 1, 0)};
    thigh = builder.add_body(body);
    body.name = "shin";
    body.X_WB = {Quat::from_axis_angle(Vec3(0, 2, 1), -1.7), Vec3(-0.3, 0.4, 0.2)};
    shin = builder.add_body(body);
    body.name = "ground";
    body.fixed = true;
    ground = builder.add_body(body);
  }
  JointSpec knee() const {
    return {.name = "knee",
            .type = JointType::hinge,
            .a = thigh,
            .b = shin,
            .at = {0, 0.5, 0},
            .axis = {1, 0, 0}};
  }
  std::string errors() {
    std::string text;
    const core::Expected<Model> model = builder.finish();
    for (const core::Diagnostic& d : model.diagnostics()) text += d.message + "\n";
    return text;
  }
};

// The error messages of the builder for one joint that `spoil` has changed.
std::string refusal(const std::function<void(JointSpec&, const Workshop&)>& spoil) {
  Workshop shop;
  JointSpec spec = shop.knee();
  spoil(spec, shop);
  shop.builder.add_joint(spec);
  return shop.errors();
}

BodyMotion at_start(const Model& model, BodyId id) {
  BodyMotion motion;
  if (!id.valid()) return motion;
  const Body& body = model.body(id);
  motion.center = body.X_WB * body.center_B;
  motion.rotation = body.X_WB.rotation.to_matrix();
  return motion;
}

}  // namespace

TEST_CASE("a joint of every type is satisfied in the start pose, and its bodies do not collide") {
  for (const JointType type : {JointType::ball, JointType::universal, JointType::constant_velocity,
                               JointType::hinge, JointType::slider, JointType::cylindrical, JointType::fixed,
                               JointType::distance, JointType::point_on_plane, JointType::point_on_line})
    for (const bool to_world : {false, true}) {
      Workshop shop;
      JointSpec spec = shop.knee();
      spec.type = type;
      if (to_world) spec.a = {};
      if (type == JointType::universal || type == JointType::constant_velocity)
        spec.axis2 = Vec3(0.5, -1, 0.3);
      if (type == JointType::distance) spec.at_b = Vec3(1, 1, 1);
      shop.builder.add_joint(spec);
      const core::Expected<Model> model = shop.builder.finish();
      REQUIRE(model);
      REQUIRE(model->constraints().size() == 1);
      const Constraint& joint = *model->constraints()[0];
      CHECK(joint.type() == to_string(type));
      ConstraintRows rows;
      joint.evaluate(0, at_start(*model, joint.a()), at_start(*model, joint.b()), rows);
      // Rounding error of a few rotations of points within 2 m.
      for (int i = 0; i < joint.rows(); ++i) CHECK(std::abs(rows.value[i]) < support::round_off(32));
      CHECK(model->ignored_pairs().size() == (to_world ? 0 : 1));
    }
}

TEST_CASE("an invalid joint is an error with the joint's name and the reason") {
  const auto says = [](const std::string& text, const char* part) {
    INFO(text);
    CHECK(text.find("joint \"knee\"") == 0);
    CHECK(text.find(part) != std::string::npos);
  };
  says(refusal([](JointSpec& s, const Workshop&) { s.axis = Vec3::Zero(); }), "needs an axis");
  says(refusal([](JointSpec& s, const Workshop&) { s.b = {}; }), "needs a body b");
  says(refusal([](JointSpec& s, const Workshop&) { s.a = s.b; }), "the same body");
  says(refusal([](JointSpec& s, const Workshop& w) { s.b = w.ground, s.a = {}; }),
       "neither side can be pushed");
  says(refusal([](JointSpec& s, const Workshop&) { s.type = JointType::nail; }), "takes no a");
  says(refusal([](JointSpec& s, const Workshop&) { s.axis2 = Vec3(0, 1, 0); }), "axis2 has no meaning");
  says(refusal([](JointSpec& s, const Workshop&) { s.type = JointType::universal; }), "needs axis2");
  says(refusal([](JointSpec& s, const Workshop&) { s.type = JointType::ball, s.axis2 = Vec3(-2, 0, 0); }),
       "parallel");
  says(refusal([](JointSpec& s, const Workshop&) { s.type = JointType::distance; }), "coincide");
  says(refusal([](JointSpec& s, const Workshop&) { s.length = 1; }), "length has no meaning");
  says(refusal([](JointSpec& s, const Workshop&) {
         s.type = JointType::distance, s.at_a = Vec3(1, 1, 1), s.length = -1;
       }),
       "length must be a positive number");
  says(refusal([](JointSpec& s, const Workshop&) { s.at.x() = std::nan(""); }), "finite");
}

TEST_CASE("invalid limits, forces and scripts are errors with the joint's name and the reason") {
  const auto says = [](const std::string& text, const char* part) {
    INFO(text);
    CHECK(text.find("joint \"knee\"") == 0);
    CHECK(text.find(part) != std::string::npos);
  };
  using S = JointSpec;
  using W = Workshop;
  const auto ball = [](JointSpec& s) { s.type = JointType::ball, s.axis2 = Vec3(0, 1, 0); };
  says(refusal([&](S& s, const W&) { ball(s), s.limits = Range{0, 1}; }), "a ball joint has swing, twist");
  says(refusal([](S& s, const W&) { s.limits = Range{1, 0}; }), "the first below the second");
  says(refusal([&](S& s, const W&) { ball(s), s.twist = Range{-4, 4}; }), "less than a whole turn");
  says(refusal([](S& s, const W&) {
         s.limits = Range{0.5, 1};
       }),
       "it starts beyond its lower limit by 0.5 rad");
  says(refusal([](S& s, const W&) { s.twist = Range{0, 1}; }), "twist has no meaning");
  says(refusal([](S& s, const W&) { s.swing = {1}; }), "swing has no meaning");
  says(refusal([&](S& s, const W&) { ball(s), s.swing = {4}; }), "not beyond 180 deg");
  says(refusal([&](S& s, const W&) { ball(s), s.swing = {0}; }), "above 0");
  says(refusal([&](S& s, const W&) { ball(s), s.swing = {0.1, 1, -1, 1}; }), "lo hi lo hi");
  says(refusal([&](S& s, const W&) { ball(s), s.swing = {1, 1, 1}; }), "one angle (a cone)");
  says(refusal([&](S& s, const W&) { ball(s), s.axis2 = Vec3::Zero(), s.swing = {1, 2}; }), "needs axis2");
  says(refusal([](S& s, const W&) {
         s.type = JointType::ball, s.axis = Vec3::Zero(), s.twist = Range{-1, 1};
       }),
       "twist needs the axis");
  says(refusal([](S& s, const W&) { s.limits_y = Range{-1, 1}; }), "limits-y has no meaning");
  says(refusal([](S& s, const W&) { s.comfort = Range{-1, 1}; }), "comfort needs the limits");
  says(refusal([](S& s, const W&) {
         s.limits = Range{-1, 1}, s.comfort = Range{-2, 0};
       }),
       "inside the limits");
  says(refusal([&](S& s, const W&) { ball(s), s.swing = {1}, s.comfort_swing = 2; }),
       "below the least angle");
  says(refusal([](S& s, const W&) { s.restitution = 2; }), "between 0 and 1");
  says(refusal([](S& s, const W&) { s.stiffness = -1; }), "must not be negative");
  says(refusal([](S& s, const W&) { s.type = JointType::fixed, s.damping = 1; }),
       "has no meaning for type=\"fixed\"");
  says(refusal([](S& s, const W&) { s.drives = {DriveSpec{.target = 1}}; }),
       "needs stiffness, damping or both");
  says(refusal([](S& s, const W&) { s.drives = {DriveSpec{.stiffness = 1, .max_force = -1}}; }), "max-force");
  says(refusal([](S& s, const W&) { s.script = {{0, 0}, {0, 1}}; }), "the times of its keys must increase");
  says(refusal([](S& s, const W&) {
         s.type = JointType::fixed, s.script = {{0, 0}, {1, 1}};
       }),
       "a script is for");
  says(refusal([](S& s, const W&) { s.range = Range{0, 1}; }), "range has no meaning");
  says(refusal([](S& s, const W&) { s.type = JointType::distance, s.range = Range{2, 1}; }), "range must be");
}

TEST_CASE("adding a joint adds its limits and force laws") {
  Workshop shop;
  JointSpec knee = shop.knee();
  knee.zero = 0.3;  // so it starts at -0.3
  knee.limits = Range{-0.5, 2};
  knee.comfort = Range{-0.4, 1.8};
  knee.restitution = 0.5;
  knee.stiffness = 4, knee.damping = 1, knee.rest = 0.2;
  knee.drives = {DriveSpec{.target = 1, .stiffness = 2}, DriveSpec{.velocity = 3, .damping = 2}};
  shop.builder.add_joint(knee);
  shop.builder.add_joint({.name = "hip",
                          .type = JointType::ball,
                          .b = shop.thigh,
                          .at = {0.3, 1, 0},
                          .axis = {0, 1, 0},
                          .axis2 = {1, 0, 0},
                          .twist = Range{-0.5, 0.5},
                          .swing = {0.6, 0.8},
                          .limits_x = Range{-1, 1},
                          .comfort_swing = 0.4,
                          .stiffness = 3});
  shop.builder.add_joint({.name = "rope",
                          .type = JointType::distance,
                          .a = shop.ground,
                          .b = shop.shin,
                          .at_b = Vec3(0, 2, 0),
                          .range = Range{0, 3}});
  const core::Expected<Model> model = shop.builder.finish();
  REQUIRE(model);
  CHECK(model->constraints().size() == 2);  // a rope has no constraint
  std::string limits, forces;
  for (const auto& limit : model->limits()) limits += limit->name() + " " + limit->type() + ", ";
  for (const auto& law : model->forces()) forces += law->name() + ", ";
  CHECK(limits ==
        "knee lower limit, knee upper limit, hip lower twist limit, hip upper twist limit, hip swing limit, "
        "hip lower x limit, hip upper x limit, rope upper limit, ");
  CHECK(forces ==
        "knee.comfort-lower, knee.comfort-lower-damper, knee.comfort-upper, knee.comfort-upper-damper, "
        "knee.spring, "
        "knee.damper, knee.drive, knee.drive2, hip.comfort-swing, hip.comfort-swing-damper, hip.spring, ");
  CHECK(model->limits()[0]->restitution() == 0.5);

  const BodyMotion thigh = at_start(*model, shop.thigh), shin = at_start(*model, shop.shin);
  ConstraintRows rows;
  model->limits()[0]->evaluate(0, thigh, shin, rows);
  CHECK(std::abs(rows.value[0] - 0.2) < support::round_off(32));  // from -0.5 to -0.3
  Wrench on_thigh, on_shin;
  model->forces()[4]->apply(0, thigh, shin, on_thigh, on_shin);
  CHECK((on_shin.torque - Vec3(4 * 0.5, 0, 0)).norm() < support::round_off(64));  // from -0.3 to 0.2, along x
}

TEST_CASE("the word start in place of a bound is the value of the coordinate in the start pose") {
  const auto bounds = [](const std::function<void(JointSpec&)>& spoil) {
    Workshop shop;
    JointSpec spec = shop.knee();
    spoil(spec);
    shop.builder.add_joint(spec);
    const core::Expected<Model> model = shop.builder.finish();
    REQUIRE(model);
    CHECK(model.diagnostics().empty());
    CHECK(model->joints()[0].widened.empty());
    return *model->joints()[0].spec;
  };
  const auto near = [](double a, double b) { return std::abs(a - b) <= support::round_off(10); };
  const JointSpec hinge = bounds([](JointSpec& s) { s.zero = 0.3, s.limits = Range{kAtStart, 1}; });
  CHECK(near(hinge.limits->lo, -0.3));
  CHECK(hinge.limits->hi == 1);
  const JointSpec turned = bounds([](JointSpec& s) { s.limits = Range{-1, kAtStart}; });
  CHECK(near(turned.limits->hi, 0));
  const JointSpec slider = bounds([](JointSpec& s) {
    s.type = JointType::slider, s.zero = 0.2, s.limits = Range{-1, kAtStart};
  });
  CHECK(near(slider.limits->hi, -0.2));
  const JointSpec cylindrical = bounds([](JointSpec& s) {
    s.type = JointType::cylindrical, s.limits = Range{kAtStart, 0.5}, s.twist = Range{-0.5, kAtStart};
  });
  CHECK(near(cylindrical.limits->lo, 0));
  CHECK(near(cylindrical.twist->hi, 0));
  const JointSpec rope = bounds([](JointSpec& s) {
    s.type = JointType::distance, s.at_a = Vec3(0, 1, 0), s.at_b = Vec3(0.3, 0.6, 0);
    s.range = Range{0, kAtStart};
  });
  CHECK(near(rope.range->hi, 0.5));
  // b is turned by -zero: about the second axis, by 0.4.
  const auto ball = [&](JointSpec& s) {
    s.type = JointType::ball, s.axis2 = {0, 1, 0}, s.zero_rotation = {0, 0.4, 0};
  };
  const JointSpec cone = bounds([&](JointSpec& s) { ball(s), s.swing = {kAtStart}; });
  CHECK(near(cone.swing[0], 0.4));
  const JointSpec ellipse = bounds([&](JointSpec& s) { ball(s), s.swing = {kAtStart, 1}; });
  CHECK(near(ellipse.swing[0], 0.4));
  const JointSpec uneven = bounds([&](JointSpec& s) { ball(s), s.swing = {kAtStart, 1, -1, 1}; });
  CHECK(near(uneven.swing[0], -0.4));
  const JointSpec vector = bounds([&](JointSpec& s) {
    ball(s), s.limits_x = Range{kAtStart, 1}, s.limits_y = Range{kAtStart, 0},
             s.limits_z = Range{-1, kAtStart};
  });
  CHECK(near(vector.limits_x->lo, 0));
  CHECK(near(vector.limits_y->lo, -0.4));
  CHECK(near(vector.limits_z->hi, 0));
}

TEST_CASE("a start that passes a limit by no more than 1e-4 widens it, with a warning; farther is an error") {
  struct Case {
    const char* limit;
    std::function<void(JointSpec&, double)> set;  // passed by so much
  };
  const auto ball = [](JointSpec& s) {
    s.type = JointType::ball, s.axis2 = {0, 1, 0}, s.zero_rotation = {0, 0.4, 0};
  };
  const Case cases[] = {{"lower limit",
                         [](JointSpec& s, double by) {
                           s.limits = Range{by, 1};
                         }},
                        {"upper limit",
                         [](JointSpec& s, double by) {
                           s.limits = Range{-1, -by};
                         }},
                        {"upper twist limit",
                         [](JointSpec& s, double by) {
                           s.type = JointType::cylindrical, s.twist = Range{-1, -by};
                         }},
                        {"swing limit", [&](JointSpec& s, double by) { ball(s), s.swing = {0.4 - by}; }},
                        {"swing limit",
                         [&](JointSpec& s, double by) {
                           ball(s), s.swing = {0.4 - by, 0.5};
                         }},
                        {"lower y limit", [&](JointSpec& s, double by) {
                           ball(s), s.limits_y = Range{by - 0.4, 1};
                         }}};
  for (const Case& c : cases)
    for (const double by : {0.5e-9, 1e-8, 0.9e-4, 1.2e-4}) {
      CAPTURE(c.limit);
      CAPTURE(by);
      Workshop shop;
      JointSpec spec = shop.knee();
      c.set(spec, by);
      shop.builder.add_joint(spec);
      const core::Expected<Model> model = shop.builder.finish();
      CHECK(static_cast<bool>(model) == (by < 1e-4));
      if (by < 1e-9) CHECK(model.diagnostics().empty());
      if (by > 1e-9) REQUIRE(model.diagnostics().size() == 1);
      if (by > 1e-9)
        CHECK(model.diagnostics()[0].message.find(std::string("beyond its ") + c.limit) != std::string::npos);
      if (!model || by < 1e-9) continue;
      const std::vector<WidenedLimit>& widened = model->joints()[0].widened;
      REQUIRE(widened.size() == 1);
      // A swing limit p = 0.4 - by has the value by + by^2 / 2p.
      CHECK(std::abs(widened[0].by - by) <= support::truncation(by, 2, 1 / 0.78) + support::round_off(10));
      for (const auto& limit : model->limits()) {
        ConstraintRows rows;
        limit->evaluate(0, at_start(*model, spec.a), at_start(*model, spec.b), rows);
        CHECK(rows.value[0] >= -support::round_off(10));
      }
    }
}

TEST_CASE("a slider starts at minus its zero, and its travel is along its axis") {
  Workshop shop;
  JointSpec rail = shop.knee();
  rail.type = JointType::slider;
  rail.axis = Vec3(0, 3, 4);
  rail.zero = 0.25;
  rail.limits = Range{-1, 1};
  shop.builder.add_joint(rail);
  const core::Expected<Model> model = shop.builder.finish();
  REQUIRE(model);
  ConstraintRows rows;
  BodyMotion shin = at_start(*model, shop.shin);
  shin.center += Vec3(0, 0.06, 0.08);  // 0.1 along the axis
  model->limits()[0]->evaluate(0, at_start(*model, shop.thigh), shin, rows);
  CHECK(std::abs(rows.value[0] - (1 - 0.25 + 0.1)) < support::round_off(32));
  model->constraints()[0]->evaluate(0, at_start(*model, shop.thigh), shin, rows);
  for (int i = 0; i < 5; ++i) CHECK(std::abs(rows.value[i]) < support::round_off(32));
}

namespace {

// A shaft along x rotates by `in` and drives a second shaft at an angle of 40 degrees to it. Returns the
// rotation angle of the second shaft.
double output_angle(JointType type, double in) {
  const double bend = 40 * math::kPi / 180;
  const Vec3 shaft_a(1, 0, 0), shaft_b(std::cos(bend), std::sin(bend), 0);
  Workshop shop;
  JointSpec spec = shop.knee();
  spec.type = type;
  spec.at = Vec3::Zero();
  // The cross of a Cardan joint: the axis of a is perpendicular to the plane of the shafts, that of b is in
  // it.
  spec.axis = type == JointType::universal ? Vec3(0, 0, 1) : shaft_a;
  spec.axis2 = type == JointType::universal ? Vec3(-std::sin(bend), std::cos(bend), 0) : shaft_b;
  shop.builder.add_joint(spec);
  const core::Expected<Model> model = shop.builder.finish();
  REQUIRE(model);
  const auto row = [&](double out) {
    BodyMotion a = at_start(*model, shop.thigh), b = at_start(*model, shop.shin);
    a.rotation = Quat::from_axis_angle(shaft_a, in).to_matrix() * a.rotation;
    b.rotation = Quat::from_axis_angle(shaft_b, out).to_matrix() * b.rotation;
    ConstraintRows rows;
    model->constraints()[0]->evaluate(0, a, b, rows);
    return rows.value[3];
  };
  double lo = in - 0.5, hi = in + 0.5;
  REQUIRE(row(lo) * row(hi) < 0);
  for (int i = 0; i < 60; ++i) (row(0.5 * (lo + hi)) * row(hi) > 0 ? hi : lo) = 0.5 * (lo + hi);
  return 0.5 * (lo + hi);
}

}  // namespace

TEST_CASE("at 40 degrees between shafts, 45 degrees become 37.45 in a Cardan joint, 45 in a CV joint") {
  const double degree = math::kPi / 180, quarter = 45 * degree;
  CHECK(output_angle(JointType::universal, quarter) / degree ==
        doctest::Approx(37.45).epsilon(support::model(1e-4)));
  for (const double in : {0.1, 0.7, quarter, 1.2}) {
    const double closed_form = std::atan(std::tan(in) * std::cos(40 * degree));
    CHECK(std::abs(output_angle(JointType::universal, in) - closed_form) < support::round_off(64));
    CHECK(std::abs(output_angle(JointType::constant_velocity, in) - in) < support::round_off(64));
  }
}

TEST_CASE("two joints with the same name are an error, and a constraint on a body that does not exist") {
  Workshop shop;
  shop.builder.add_joint(shop.knee());
  shop.builder.add_joint(shop.knee());
  shop.builder.add_constraint(
      std::make_shared<Joint>("stray", JointType::ball, BodyId(0), BodyId(7), JointFrames{}));
  const std::string text = shop.errors();
  CHECK(text.find("joint \"knee\": another joint has this name already") != std::string::npos);
  CHECK(text.find("constraint \"stray\" ties a body that is not in the model") != std::string::npos);
}
