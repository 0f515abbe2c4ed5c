#include <doctest/doctest.h>

#include <cmath>

#include "tumble/model/model_builder.h"
#include "tumble/model/state.h"
#include "unit/geometry/meshes.h"

using namespace tumble;
using namespace tumble::model;

namespace {

BodySpec box(const std::string& name, const Vec3& size, MaterialId material = {}) {
  BodySpec body;
  body.name = name;
  body.shapes.push_back({collision::Box{size}, {}, material, true, {}});
  return body;
}

std::string errors(core::Expected<Model> result) {
  std::string text;
  for (const core::Diagnostic& d : result.diagnostics()) text += to_string(d) + "\n";
  return result ? "" : text;
}

}  // namespace

TEST_CASE("a body with two shapes of different materials has their combined mass, centre and inertia") {
  ModelBuilder builder;
  const MaterialId light = builder.add_material({.name = "light", .density = 100});
  const MaterialId heavy = builder.add_material({.name = "heavy", .density = 300});
  BodySpec body = box("dumbbell", Vec3(1, 1, 1), light);
  body.shapes.push_back({collision::Box{Vec3(1, 1, 1)}, {Quat::identity(), Vec3(4, 0, 0)}, heavy, true, {}});
  body.X_WB.translation = Vec3(10, 0, 0);
  const BodyId id = builder.add_body(body);
  CHECK((builder.start_center(id) - Vec3(13, 0, 0)).norm() < 1e-14);
  const core::Expected<Model> model = builder.finish();
  REQUIRE(model);
  const Body& made = model->body(id);
  CHECK(made.mass == doctest::Approx(400).epsilon(1e-15));
  CHECK((made.center_B - Vec3(3, 0, 0)).norm() < 1e-14);
  const double own = 400.0 / 6, apart = 100 * 9 + 300 * 1;
  CHECK(made.inertia_B(0, 0) == doctest::Approx(own).epsilon(1e-14));
  CHECK(made.inertia_B(1, 1) == doctest::Approx(own + apart).epsilon(1e-14));
  CHECK((made.inertia_B * made.inverse_inertia_B - Mat3::Identity()).norm() < 1e-14);
  CHECK(made.radius == doctest::Approx(std::sqrt(3.5 * 3.5 + 0.5)).epsilon(1e-15));
}

TEST_CASE("finish() reports all errors at once, each with its body") {
  ModelBuilder builder;
  builder.add_material({.name = "void", .density = -1, .friction = -2, .restitution = 3});
  builder.add_body(box("twin", Vec3(1, 1, 1)));
  builder.add_body(box("twin", Vec3(1, 1, 1)));
  BodySpec empty;
  empty.name = "ghost";
  builder.add_body(empty);
  BodySpec thin;
  thin.name = "impossible";
  thin.inertia = GivenInertia{};
  thin.inertia->mass = 1;
  thin.inertia->moments = Vec3(1, 1, 3);
  builder.add_body(thin);
  thin.name = "flat";
  thin.inertia->moments = Vec3(1, 1, 2);  // a plate: equality in the triangle inequality
  builder.add_body(thin);
  BodySpec endless;
  endless.name = "endless";
  endless.shapes.push_back({collision::Plane{Vec3::UnitY()}, {}, {}, true, {}});
  builder.add_body(endless);
  const std::string text = errors(builder.finish());
  for (const char* part :
       {"density", "friction", "restitution", "\"twin\"", "\"ghost\"", "\"impossible\"", "\"endless\""})
    CHECK_MESSAGE(text.find(part) != std::string::npos, part << " in\n" << text);
  CHECK(text.find("\"flat\"") == std::string::npos);
}

TEST_CASE("an open mesh is an error, unless its body has an explicit mass or is fixed") {
  const auto open = std::make_shared<geometry::TriangleMesh>();
  open->vertices = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  open->triangles = {{0, 1, 2}};
  BodySpec sheet;
  sheet.name = "sheet";
  sheet.shapes.push_back({collision::Mesh{open}, {}, {}, true, {}});
  {
    ModelBuilder builder;
    builder.add_body(sheet);
    CHECK(errors(builder.finish()).find("open edge") != std::string::npos);
  }
  sheet.fixed = true;
  {
    ModelBuilder builder;
    builder.add_body(sheet);
    CHECK(errors(builder.finish()).empty());
  }
  sheet.fixed = false;
  sheet.inertia = GivenInertia{};
  sheet.inertia->mass = 1;
  sheet.inertia->moments = Vec3(1, 1, 1);
  {
    ModelBuilder builder;
    builder.add_body(sheet);
    CHECK(errors(builder.finish()).empty());
  }
}

TEST_CASE("a height field is allowed on fixed bodies only, even with an explicit mass") {
  const auto sheet = std::make_shared<geometry::TriangleMesh>();
  sheet->vertices = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, 1), Vec3(1, 0, 1)};
  sheet->triangles = {{0, 2, 1}, {1, 2, 3}};
  BodySpec ground;
  ground.name = "ground";
  ground.shapes.push_back({collision::HeightField{sheet}, {}, {}, true, {}});
  for (const bool given : {false, true}) {
    if (given) ground.inertia = GivenInertia{.mass = 1, .moments = Vec3(1, 1, 1)};
    ground.fixed = false;
    ModelBuilder moving;
    moving.add_body(ground);
    CHECK(errors(moving.finish()).find("a height field is a sheet") != std::string::npos);
    ground.fixed = true;
    ModelBuilder resting;
    resting.add_body(ground);
    CHECK(errors(resting.finish()).empty());
  }
}

TEST_CASE("a hull must be the surface of a convex solid, on fixed bodies too") {
  const auto octahedron = std::make_shared<geometry::TriangleMesh>(test::sphere_mesh(0));
  BodySpec body;
  body.name = "gem";
  body.shapes.push_back({collision::Hull{octahedron}, {}, {}, true, {}});
  ModelBuilder good;
  const BodyId id = good.add_body(body);
  const auto model = good.finish();
  REQUIRE(model);
  CHECK(model->body(id).mass == doctest::Approx(1000.0 * 4 / 3).epsilon(1e-14));
  for (const bool fixed : {false, true}) {
    body.fixed = fixed;
    body.shapes[0].shape = collision::Hull{std::make_shared<geometry::TriangleMesh>(test::l_prism(1))};
    ModelBuilder builder;
    builder.add_body(body);
    CHECK(errors(builder.finish()).find("not the surface of a convex solid") != std::string::npos);
  }
}

TEST_CASE("the initial state has the position, pose and velocities of the body spec") {
  ModelBuilder builder;
  BodySpec body = box("brick", Vec3(1, 2, 3));
  body.shapes[0].X_BS.translation = Vec3(0.5, 0, 0);
  body.X_WB = {Quat::from_axis_angle(Vec3(1, 1, 0), 0.7), Vec3(4, 5, 6)};
  body.velocity = Vec3(1, -2, 0.5);
  body.angular_velocity = Vec3(0.1, 0.2, -0.3);
  const BodyId id = builder.add_body(body);
  const core::Expected<Model> model = builder.finish();
  REQUIRE(model);
  const State state = start_state(*model);
  CHECK((state.position(id) - (body.X_WB * Vec3(0.5, 0, 0))).norm() < 1e-14);
  CHECK((body_pose(*model, state, id).translation - Vec3(4, 5, 6)).norm() < 1e-14);
  CHECK((velocity(*model, state, id) - body.velocity).norm() < 1e-14);
  CHECK((angular_velocity(*model, state, id) - body.angular_velocity).norm() < 1e-14);
  CHECK(model->find_body("brick") == id);
  CHECK_FALSE(model->find_body("brock").has_value());
}

TEST_CASE("ignored groups become ignored pairs, sorted and without duplicates") {
  ModelBuilder builder;
  for (const char* name : {"a", "b", "c"}) {
    BodySpec body = box(name, Vec3(1, 1, 1));
    body.group = name[0] == 'c' ? "h" : "g";
    builder.add_body(body);
  }
  builder.ignore_pair(BodyId(2), BodyId(0));
  builder.ignore_groups("g", "h");
  const core::Expected<Model> model = builder.finish();
  REQUIRE(model);
  const std::vector<std::pair<BodyId, BodyId>> expected = {{BodyId(0), BodyId(2)}, {BodyId(1), BodyId(2)}};
  CHECK(model->ignored_pairs() == expected);
}

TEST_CASE("add_forces_among adds one law per pair of a group, but none between fixed bodies") {
  ModelBuilder builder;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    BodySpec spec = box(name, Vec3(1, 1, 1));
    if (std::string(name) != "b") spec.group = "stars";
    spec.fixed = std::string(name) == "a" || std::string(name) == "e";
    builder.add_body(spec);
  }
  std::vector<std::pair<BodyId, BodyId>> asked;
  builder.add_forces_among("stars", [&](BodyId a, BodyId b) -> std::shared_ptr<const ForceLaw> {
    asked.emplace_back(a, b);
    if (b == BodyId(4)) return nullptr;  // no law for this pair
    return std::make_shared<InverseSquare>("pull", a, b, builder.body(a).mass * builder.body(b).mass);
  });
  const BodyId a(0), c(2), d(3), e(4);
  CHECK(asked == std::vector<std::pair<BodyId, BodyId>>{{a, c}, {a, d}, {c, d}, {c, e}, {d, e}});
  const core::Expected<Model> model = builder.finish();
  REQUIRE(model);
  REQUIRE(model->forces().size() == 3);
  const ForceLaw& last = *model->forces()[2];
  CHECK((last.a() == c && last.b() == d));
  CHECK(dynamic_cast<const InverseSquare&>(last).constant() == 1000.0 * 1000.0);
}

TEST_CASE("forces among a group of fewer than two bodies are an error") {
  ModelBuilder builder;
  BodySpec spec = box("lone", Vec3(1, 1, 1));
  spec.group = "star";
  builder.add_body(spec);
  builder.add_forces_among("star", [](BodyId, BodyId) { return nullptr; });
  builder.add_forces_among("stars", [](BodyId, BodyId) { return nullptr; });
  CHECK(errors(builder.finish()) ==
        "forces among the group \"star\": it needs two bodies, and has 1\n"
        "forces among the group \"stars\": it needs two bodies, and has 0\n");
}
