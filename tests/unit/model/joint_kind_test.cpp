#include "tumble/model/joints/joint_kind.h"

#include <doctest/doctest.h>

#include <set>

using namespace tumble::model;

TEST_CASE("every joint type is found by its name, and has rows and a description") {
  std::set<std::string> names;
  for (size_t i = 0; i < joint_kinds().size(); ++i) {
    const JointKind& kind = *joint_kinds()[i];
    CAPTURE(kind.name);
    CHECK(names.insert(kind.name).second);
    const std::optional<JointType> found = find_joint_type(kind.name);
    REQUIRE(found);
    CHECK(static_cast<size_t>(*found) == i);
    CHECK(&kind_of(*found) == &kind);
    CHECK(kind.rows >= 1);
    // A script adds a row for each of its coordinates.
    CHECK(kind.rows + (kind.has_rotation_vector() ? 3 : kind.has_scalar() ? 1 : 0) <= kMaxRows);
    CHECK(kind.lengths <= kind.rows);
    CHECK((kind.set_rows != nullptr));
    CHECK(std::string(kind.freedom) != "");
    CHECK((!kind.needs_axis2 || kind.axis2 != nullptr));
  }
  CHECK_FALSE(find_joint_type("hing"));
}

TEST_CASE("list_joint_types lists the joint types with a given property") {
  CHECK(list_joint_types(&JointKind::has_scalar) == "hinge, slider or cylindrical");
  CHECK(list_joint_types(&JointKind::takes_twist, ", ") == "ball, cylindrical");
  CHECK(list_joint_types(&JointKind::takes_length) == "distance");
  CHECK(list_joint_types([](const JointKind&) { return false; }) == "");
}
