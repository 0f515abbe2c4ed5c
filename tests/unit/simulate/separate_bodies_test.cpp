// Bodies that touch or overlap at the start: what is reported, what is moved, and how far.
#include "tumble/simulate/start/separate_bodies.h"

#include <doctest/doctest.h>

#include <random>

#include "support/simulate.h"
#include "tumble/collision/distance.h"
#include "tumble/contact/pair_tracker.h"
#include "tumble/dynamics/equations_of_motion.h"
#include "tumble/simulate/penetration_check.h"
#include "tumble/simulate/start/prepare_start.h"
#include "unit/collision/composites.h"

using namespace tumble;
using model::BodyId;
using model::Vec3;

namespace {

constexpr double kAccuracy = 1e-6;

struct Frame {
  math::Quat R = {};
  Vec3 p = Vec3::Zero();
};

model::BodySpec solid(const std::string& name, const collision::Shape& shape, const Vec3& at,
                      const Frame& frame = {}) {
  model::BodySpec body;
  body.name = name;
  body.X_WB.rotation = frame.R;
  body.X_WB.translation = frame.R * at + frame.p;
  body.shapes = {{.shape = shape}};
  return body;
}

model::BodySpec ground(const Frame& frame = {}) {
  model::BodySpec body = solid("ground", collision::Plane{Vec3(0, 1, 0)}, Vec3::Zero(), frame);
  body.fixed = true;
  return body;
}

// The distance of two bodies in units of their contact offset.
double least_gap(const model::Model& scene, const model::State& state) {
  contact::PairTracker proximity(scene);
  std::vector<double> margins;
  for (const model::Body& body : scene.bodies()) margins.push_back(body.is_fixed() ? 0 : 1e-3 * body.radius);
  double least = 1e9;
  for (const auto& pair : proximity.update(state, margins)) {
    const double offset = contact::compute_contact_offset(
        scene, proximity.items()[pair.a].body, proximity.items()[pair.b].body, kAccuracy, proximity.extent());
    least = std::min(
        least,
        collision::compute_distance(proximity.placed(pair.a), proximity.placed(pair.b)).lower_bound / offset);
  }
  return least;
}

std::string words(const core::Diagnostics& diagnostics) {
  std::string text;
  for (const core::Diagnostic& d : diagnostics) text += d.message + "\n";
  return text;
}

simulate::Separated part(const model::Model& scene, bool settle = false) {
  auto result = simulate::separate(scene, model::start_state(scene), kAccuracy, settle);
  REQUIRE_MESSAGE(result, words(result.diagnostics()));
  CHECK(least_gap(scene, result->state) > 0.98);
  CHECK(simulate::find_overlaps(scene, result->state).empty());
  return *result;
}

std::string refusal_of(const model::Model& scene, bool settle = false) {
  const auto result = simulate::separate(scene, model::start_state(scene), kAccuracy, settle);
  CHECK_FALSE(result);
  return words(result.diagnostics());
}

// Displacements of the centres.
double farthest_move(const model::Model& scene, const model::State& state) {
  const model::State start = model::start_state(scene);
  double far = 0;
  for (size_t i = 0; i < scene.bodies().size(); ++i)
    far = std::max(far, (state.position(BodyId(i)) - start.position(BodyId(i))).norm());
  return far;
}

const Frame kFrames[] = {
    {},
    {math::Quat::from_rotation_vector(Vec3(0.3, -1.1, 0.7))},
    {math::Quat::from_rotation_vector(Vec3(-0.2, 0.4, 2.0)), Vec3(1000, -700, 500)},
};

const std::pair<const char*, collision::Shape> kSolids[] = {{"sphere", collision::Sphere{0.5}},
                                                            {"box", collision::Box{Vec3(1, 1, 1)}},
                                                            {"capsule", collision::Capsule{0.3, 0.4}},
                                                            {"cylinder", collision::Cylinder{0.4, 1}},
                                                            {"cone", collision::Cone{0.4, 1}}};

}  // namespace

TEST_CASE("a box at half its height on a plane is lifted by the contact offset, upright, and reported") {
  for (const Frame& frame : kFrames) {
    model::ModelBuilder builder("one");
    builder.add_body(ground(frame));
    builder.add_body(solid("box", collision::Box{Vec3(0.2, 0.1, 0.3)}, Vec3(0.3, 0.05, 0.1), frame));
    const model::Model scene = support::finished(builder);
    const simulate::Separated apart = part(scene);
    REQUIRE(apart.touching.size() == 1);
    CHECK(apart.touching[0].a == BodyId(0));
    CHECK(apart.touching[0].b == BodyId(1));
    const double rounding = 16 * 2.3e-16 * (1 + 2 * frame.p.norm()), offset = 1e-8 * scene.bodies()[1].radius;
    CHECK(std::abs(apart.touching[0].gap) <= rounding);
    const Vec3 moved = frame.R.conjugate() *
                       (apart.state.position(BodyId(1)) - model::start_state(scene).position(BodyId(1)));
    CHECK(moved.y() == doctest::Approx(offset).epsilon(0.02 + rounding / offset));
    CHECK(std::hypot(moved.x(), moved.z()) <= 0.01 * offset + rounding);
    const math::Quat turn = apart.state.orientation(BodyId(1)) * frame.R.conjugate();
    CHECK(std::hypot(turn.x(), turn.y(), turn.z()) * 0.2 <= 0.02 * offset + rounding);
  }
}

TEST_CASE("ten boxes stacked without gaps are separated, each by the contact offset from the one below") {
  for (const Frame& frame : kFrames) {
    model::ModelBuilder builder("stack");
    builder.add_body(ground(frame));
    for (int i = 0; i < 10; ++i)
      builder.add_body(
          solid("box" + std::to_string(i), collision::Box{Vec3(1, 1, 1)}, Vec3(0, 0.5 + i, 0), frame));
    const model::Model scene = support::finished(builder);
    const simulate::Separated apart = part(scene);
    CHECK(apart.touching.size() == 10);
    const double offset = 1e-8 * scene.bodies()[1].radius;
    CHECK(farthest_move(scene, apart.state) <= 10.2 * offset + 1e-12);
    CHECK(farthest_move(scene, apart.state) >= 9.8 * offset - 1e-12);
  }
}

TEST_CASE("every shape that stands or lies on every other, touching or slightly overlapping, is separated") {
  // Each is 1 m high except for round ones that lie on their side.
  const math::Quat lying = math::Quat::from_rotation_vector(Vec3(0, 0, 0.5 * math::kPi));
  for (const auto& [below_name, below] : kSolids)
    for (const auto& [above_name, above] : kSolids)
      for (const bool on_side : {false, true})
        for (const double depth : {0.0, 1e-13, 1e-9, 3e-5})
          for (const Frame& frame : kFrames) {
            const std::string which = std::string(below_name) + " under " + above_name;
            CAPTURE(which);
            CAPTURE(on_side);
            CAPTURE(depth);
            const bool round = std::string(above_name) == "cylinder" || std::string(above_name) == "capsule";
            if (on_side && !round) continue;
            const double height = !on_side ? 1 : std::string(above_name) == "cylinder" ? 0.8 : 0.6;
            model::ModelBuilder builder("two");
            builder.add_body(solid("below", below, Vec3(0.02, 0, 0.01), frame));
            model::BodySpec top = solid("above", above, Vec3(0.02, 0.5 + 0.5 * height - depth, 0.01), frame);
            if (on_side) top.X_WB.rotation = frame.R * lying;
            builder.add_body(top);
            const model::Model scene = support::finished(builder);
            const simulate::Separated apart = part(scene);
            CHECK(apart.touching.size() == 1);
            const double rounding = 32 * 2.3e-16 * (1 + 2 * frame.p.norm());
            CHECK(farthest_move(scene, apart.state) <= 1.05 * (depth + 2e-8) + rounding);
          }
}

TEST_CASE("bodies that overlap by more than touching are refused by name, with depth and source location") {
  model::ModelBuilder builder("deep");
  builder.add_body(ground());
  model::BodySpec box = solid("crate", collision::Box{Vec3(1, 1, 1)}, Vec3(0, 0.4, 0));
  box.place = {"yard.xml", 7, 3};
  builder.add_body(box);
  builder.add_body(solid("ball", collision::Sphere{0.5}, Vec3(0, 1.2, 0)));
  const model::Model scene = support::finished(builder);
  const auto result = simulate::separate(scene, model::start_state(scene), kAccuracy, false);
  REQUIRE_FALSE(result);
  REQUIRE(result.diagnostics().size() == 2);
  const core::Diagnostic& first = result.diagnostics()[0];
  CHECK(first.place.file == "yard.xml");
  CHECK(first.place.line == 7);
  CHECK(first.message.find("bodies \"ground\" and \"crate\" overlap by 0.1 m at the start") == 0);
  CHECK(result.diagnostics()[1].message.find("bodies \"crate\" and \"ball\" overlap by 0.2 m") == 0);
  // A body that lies wholly inside another overlaps it, too.
  model::ModelBuilder inside("inside");
  inside.add_body(solid("shell", collision::Box{Vec3(1, 1, 1)}, Vec3(0, 0, 0)));
  inside.add_body(solid("seed", collision::Sphere{0.1}, Vec3(0.1, 0, 0)));
  CHECK(refusal_of(support::finished(inside)).find("overlap by 0.5 m") != std::string::npos);
}

TEST_CASE("the largest depth that counts as touching is a ten-thousandth of the smaller body") {
  for (const double part_of : {0.99e-4, 1.01e-4}) {
    model::ModelBuilder builder("limit");
    builder.add_body(ground());
    builder.add_body(solid("ball", collision::Sphere{0.5}, Vec3(0, 0.5 - part_of * 0.5, 0)));
    const model::Model scene = support::finished(builder);
    CHECK(bool(simulate::separate(scene, model::start_state(scene), kAccuracy, false)) == (part_of < 1e-4));
  }
}

TEST_CASE("bodies that may not collide may overlap") {
  const auto scene_with = [](const std::function<void(model::ModelBuilder&)>& also, bool collide = true) {
    model::ModelBuilder builder("filtered");
    model::BodySpec a = solid("a", collision::Box{Vec3(1, 1, 1)}, Vec3(0, 0, 0)),
                    b = solid("b", collision::Box{Vec3(1, 1, 1)}, Vec3(0.5, 0, 0));
    a.group = "left", b.group = "right";
    b.shapes[0].collide = collide;
    builder.add_body(a);
    builder.add_body(b);
    also(builder);
    return support::finished(builder);
  };
  CHECK_FALSE(refusal_of(scene_with([](model::ModelBuilder&) {})).empty());
  part(scene_with([](model::ModelBuilder& m) { m.ignore_pair(BodyId(0), BodyId(1)); }));
  part(scene_with([](model::ModelBuilder& m) { m.ignore_groups("left", "right"); }));
  part(scene_with([](model::ModelBuilder&) {}, false));
  model::JointSpec hinge;
  hinge.name = "pin", hinge.type = model::JointType::hinge;
  hinge.a = BodyId(0), hinge.b = BodyId(1), hinge.axis = Vec3(0, 0, 1);
  part(scene_with([&](model::ModelBuilder& m) { m.add_joint(hinge); }));
}

TEST_CASE("overlapping bodies are pushed apart if the scene asks for it, and warnings say so") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> at(-1, 1);
  for (int round = 0; round < 20; ++round) {
    model::ModelBuilder builder("heap");
    builder.add_body(ground());
    for (int i = 0; i < 12; ++i) {
      model::BodySpec body = solid("b" + std::to_string(i), kSolids[static_cast<size_t>(i) % 5].second,
                                   Vec3(1.2 * at(random), 1.2 + at(random), 1.2 * at(random)));
      body.X_WB.rotation = math::Quat::from_rotation_vector(3 * Vec3(at(random), at(random), at(random)));
      builder.add_body(body);
    }
    const model::Model scene = support::finished(builder);
    const auto result = simulate::separate(scene, model::start_state(scene), kAccuracy, true);
    REQUIRE_MESSAGE(result, words(result.diagnostics()));
    CHECK(result.diagnostics().size() > 3);
    CHECK(words(result.diagnostics()).find("they were pushed apart") != std::string::npos);
    CHECK(least_gap(scene, result->state) > 0.98);
    CHECK(simulate::find_overlaps(scene, result->state).empty());
    CHECK(farthest_move(scene, result->state) < 6);
  }
}

TEST_CASE("meshes that touch or enclose each other are separated without leaving what encloses them") {
  const auto mesh = [](geometry::TriangleMesh triangles) -> collision::Shape {
    return collision::Mesh{std::make_shared<const geometry::TriangleMesh>(std::move(triangles))};
  };
  for (const Frame& frame : kFrames)
    for (const double depth : {0.0, 1e-12, 2e-5}) {
      CAPTURE(depth);
      const double rounding = 64 * 2.3e-16 * (1 + 2 * frame.p.norm());
      // Two Ls with their inner corners facing each other, faces flush: one is rotated by half a turn.
      model::ModelBuilder ls("ls");
      ls.add_body(solid("l", mesh(test::make_l_prism()), Vec3(0, 0, 0), frame));
      model::BodySpec other = solid("r", mesh(test::make_l_prism()), Vec3(3 - depth, 3 - depth, 0), frame);
      other.X_WB.rotation = frame.R * math::Quat::from_rotation_vector(Vec3(0, 0, math::kPi));
      ls.add_body(other);
      const model::Model pair = support::finished(ls);
      CHECK(farthest_move(pair, part(pair).state) <= 3 * (depth + 2e-8) + rounding);
      // Two linked rings, one hanging in the other.
      model::ModelBuilder rings("rings");
      rings.add_body(solid("upper", mesh(test::make_torus(1, 0.2, 24, 12)), Vec3(0, 0, 0), frame));
      model::BodySpec lower =
          solid("lower", mesh(test::make_torus(1, 0.2, 24, 12)), Vec3(1.6 + depth, 0, 0), frame);
      lower.X_WB.rotation = frame.R * math::Quat::from_rotation_vector(Vec3(0.5 * math::kPi, 0, 0));
      rings.add_body(lower);
      const model::Model linked = support::finished(rings);
      CHECK(part(linked).touching.size() <= 1);
      // A square peg that touches one side of its hole.
      model::ModelBuilder peg("peg");
      model::BodySpec block = solid("block", mesh(test::make_holed_block(4, 0.3, 1)), Vec3(0, 0, 0), frame);
      block.fixed = true;
      peg.add_body(block);
      model::BodySpec pin = solid("pin", collision::Box{Vec3(0.5, 2, 0.5)}, Vec3(0, 0.5, 0), frame);
      const math::Quat eighth = math::Quat::from_rotation_vector(Vec3(0, 0.25 * math::kPi, 0));
      pin.X_WB.rotation = frame.R * eighth;
      pin.X_WB.translation += frame.R * (eighth * Vec3(0.05 + depth, 0, 0));
      peg.add_body(pin);
      const model::Model held = support::finished(peg);
      const simulate::Separated apart = part(held);
      CHECK(apart.touching.size() == 1);
      CHECK(farthest_move(held, apart.state) <= 2 * (depth + 2e-8) + rounding);
    }
}

TEST_CASE("without enough room the two bodies that cannot be separated are named") {
  const auto press = [](double height) {
    model::ModelBuilder builder("press");
    for (const double y : {-1.0, 1.0}) {
      model::BodySpec wall = solid(y < 0 ? "anvil" : "hammer", collision::Box{Vec3(5, 1, 5)}, Vec3(0, y, 0));
      wall.fixed = true;
      builder.add_body(wall);
    }
    builder.add_body(solid("plate", collision::Box{Vec3(1, height, 1)}, Vec3(0, 0, 0)));
    return support::finished(builder);
  };
  // With exactly its own height between them the plate has no room to part: both pairs are tight.
  const model::Model exact = press(1);
  const auto start = simulate::separate(exact, model::start_state(exact), kAccuracy, false);
  REQUIRE(start);
  CHECK(start->tight.pairs.size() == 2);
  CHECK(simulate::find_overlaps(exact, start->state).empty());
  const std::string what = refusal_of(press(1 + 2e-6));
  CHECK(what.find("\"plate\" cannot be brought apart") != std::string::npos);
  CHECK(what.find("there is no room") != std::string::npos);
}

TEST_CASE("a hinged arm whose end lies on the ground is rotated about its hinge, which stays closed") {
  model::ModelBuilder builder("arm");
  builder.add_body(ground());
  builder.add_body(solid("arm", collision::Box{Vec3(1, 0.1, 0.1)}, Vec3(0.5, 0.05 - 2e-6, 0)));
  model::JointSpec hinge;
  hinge.name = "pin", hinge.type = model::JointType::hinge;
  hinge.b = BodyId(1);
  hinge.at = Vec3(0.5, 0.05, 0), hinge.axis = Vec3(0, 0, 1);
  builder.add_joint(hinge);
  // Hinged at its middle, it cannot raise both ends.
  const std::string what = refusal_of(support::finished(builder));
  CHECK(what.find("cannot be brought apart") != std::string::npos);

  model::ModelBuilder free_end("arm");
  free_end.add_body(ground());
  model::BodySpec arm = solid("arm", collision::Box{Vec3(1, 0.1, 0.1)}, Vec3(0.5, 0.05 - 2e-6, 0));
  arm.X_WB.rotation = math::Quat::from_rotation_vector(Vec3(0, 0, -0.1));
  // Its lowest corner is at the same depth as before.
  arm.X_WB.translation.y() = 0.5 * std::sin(0.1) + 0.05 * std::cos(0.1) - 2e-6;
  free_end.add_body(arm);
  hinge.at = arm.X_WB.translation + arm.X_WB.rotation * Vec3(-0.5, 0, 0);
  free_end.add_joint(hinge);
  const model::Model scene = support::finished(free_end);
  const simulate::Separated apart = part(scene);
  dynamics::ConstrainedBodies bodies(scene);
  CHECK(bodies.compute_gap(0, apart.state.y.data()).error < 1e-14);
  CHECK(farthest_move(scene, apart.state) < 2e-6);
}

TEST_CASE("a scene scaled by a power of two is separated by the scaled displacements, bit for bit") {
  const auto apart_at = [](double scale) {
    model::ModelBuilder builder("scaled");
    builder.add_body(ground());
    for (int i = 0; i < 3; ++i)
      builder.add_body(solid("box" + std::to_string(i), collision::Box{scale * Vec3(1, 0.5, 2)},
                             scale * Vec3(0.1 * i, 0.25 + 0.5 * i - 1e-6, 0.05 * i)));
    const model::Model scene = support::finished(builder);
    return part(scene).state;
  };
  const model::State one = apart_at(1), large = apart_at(1024);
  for (size_t i = 1; i < 4; ++i) {
    CHECK(one.position(BodyId(i)) * 1024 == large.position(BodyId(i)));
    CHECK(one.orientation(BodyId(i)).to_matrix() == large.orientation(BodyId(i)).to_matrix());
  }
}
