#include <doctest/doctest.h>

#include <cmath>

#include "tumble/model/model_builder.h"

using namespace tumble;
using namespace tumble::model;

namespace {

// Two boxes turned and placed anyhow, a fixed one, and what the builder says about joints between them.
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

// What the builder says about one joint beside nothing else.
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
      // Round-off of a few rotations of points within 2 m.
      for (int i = 0; i < joint.rows(); ++i) CHECK(std::abs(rows.value[i]) < 32 * 2.3e-16);
      CHECK(model->ignored_pairs().size() == (to_world ? 0 : 1));
    }
}

TEST_CASE("what makes no sense in a joint is refused with its name and the reason") {
  const auto says = [](const std::string& text, const char* part) {
    INFO(text);
    CHECK(text.find("joint \"knee\"") == 0);
    CHECK(text.find(part) != std::string::npos);
  };
  says(refusal([](JointSpec& s, const Workshop&) { s.axis = Vec3::Zero(); }), "needs an axis");
  says(refusal([](JointSpec& s, const Workshop&) { s.b = {}; }), "needs a body b");
  says(refusal([](JointSpec& s, const Workshop&) { s.a = s.b; }), "the same body");
  says(refusal([](JointSpec& s, const Workshop& w) { s.b = w.ground, s.a = {}; }), "both sides are fixed");
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

TEST_CASE("two joints of one name are refused, and a constraint on a body that is not there") {
  Workshop shop;
  shop.builder.add_joint(shop.knee());
  shop.builder.add_joint(shop.knee());
  shop.builder.add_constraint(
      std::make_shared<Joint>("stray", JointType::ball, BodyId(0), BodyId(7), JointFrames{}));
  const std::string text = shop.errors();
  CHECK(text.find("joint \"knee\": another joint has this name already") != std::string::npos);
  CHECK(text.find("constraint \"stray\" ties a body that is not in the model") != std::string::npos);
}
