// Degrees of freedom and redundant rows, compared with counts from mechanics.
#include "tumble/dynamics/joint_report.h"

#include <doctest/doctest.h>

#include "tumble/model/joint_spec.h"
#include "tumble/model/model_builder.h"

using namespace tumble;
using math::Vec3;
using model::BodyId;
using model::JointType;

namespace {

BodyId add_box(model::ModelBuilder& builder, const char* name, const Vec3& at) {
  model::BodySpec body;
  body.name = name;
  body.X_WB.translation = at;
  body.shapes.push_back({collision::Box{Vec3(1, 0.2, 0.3)}, {}, {}, true, {}});
  return builder.add_body(body);
}

std::vector<dynamics::IslandReport> report(model::ModelBuilder& builder) {
  const model::Model model = builder.finish().value();
  return dynamics::report_on_joints(model, start_state(model));
}

}  // namespace

TEST_CASE("three nails hold a table by rank 6 of 9 rows, unless they are in a line") {
  model::ModelBuilder builder;
  const BodyId table = add_box(builder, "table", Vec3::Zero());
  int n = 0;
  for (const Vec3& at : {Vec3(-0.5, 0, -0.1), Vec3(0.4, 0.1, 0), Vec3(0.2, -0.1, 0.15)})
    builder.add_joint({.name = "nail" + std::to_string(++n), .type = JointType::nail, .b = table, .at = at});
  const auto islands = report(builder);
  REQUIRE(islands.size() == 1);
  CHECK(islands[0].rows == 9);
  CHECK(islands[0].rank == 6);
  CHECK(islands[0].redundant_rows() == 3);
  CHECK(islands[0].degrees_of_freedom() == 0);
  CHECK(islands[0].loops == 2);
}

TEST_CASE("three nails in a line leave the rotation about that line") {
  model::ModelBuilder builder;
  const BodyId table = add_box(builder, "table", Vec3::Zero());
  for (const double x : {-0.5, 0.1, 0.4})
    builder.add_joint(
        {.name = std::to_string(x), .type = JointType::nail, .b = table, .at = Vec3(x, 0.1, 0.05)});
  CHECK(report(builder).at(0).degrees_of_freedom() == 1);
}

TEST_CASE("a planar parallelogram with four hinges has one degree of freedom: 20 rows of rank 17") {
  model::ModelBuilder builder;
  const BodyId left = add_box(builder, "left", Vec3(0, 0.5, 0)),
               coupler = add_box(builder, "coupler", Vec3(1, 1, 0)),
               right = add_box(builder, "right", Vec3(2, 0.5, 0));
  const auto hinge = [&](const char* name, BodyId a, BodyId b, const Vec3& at) {
    builder.add_joint(
        {.name = name, .type = JointType::hinge, .a = a, .b = b, .at = at, .axis = Vec3::UnitZ()});
  };
  hinge("A", {}, left, Vec3(0, 0, 0));
  hinge("B", left, coupler, Vec3(0.3, 1, 0));
  hinge("C", coupler, right, Vec3(2.3, 1, 0));
  hinge("D", {}, right, Vec3(2, 0, 0));
  const auto islands = report(builder);
  REQUIRE(islands.size() == 1);
  CHECK(islands[0].bodies.size() == 3);
  CHECK(islands[0].trees == 1);
  CHECK(islands[0].loops == 1);
  CHECK(islands[0].rows == 20);
  CHECK(islands[0].rank == 17);
  CHECK(islands[0].degrees_of_freedom() == 1);
}

TEST_CASE("bodies without a joint between them are separate islands, and free bodies are none") {
  model::ModelBuilder builder;
  const BodyId one = add_box(builder, "one", Vec3(0, 0, 0)), two = add_box(builder, "two", Vec3(5, 0, 0));
  add_box(builder, "free", Vec3(0, 5, 0));
  builder.add_joint({.name = "ball", .type = JointType::ball, .b = one, .at = Vec3(0.5, 0, 0)});
  builder.add_joint({.name = "weld", .type = JointType::fixed, .b = two, .at = Vec3(5, 0, 0)});
  const auto islands = report(builder);
  REQUIRE(islands.size() == 2);
  CHECK(islands[0].degrees_of_freedom() == 3);
  CHECK(islands[1].degrees_of_freedom() == 0);
}
