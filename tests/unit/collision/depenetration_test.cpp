// The direction in which shapes that touch or overlap are separated.
#include "tumble/collision/depenetration.h"

#include <doctest/doctest.h>

#include "touching_oracle.h"

using namespace tumble;
using collision::Collider;
using collision::Contact;
using collision::Placed;
using math::Vec3;

namespace {

std::vector<Contact> separating_contacts(const Collider& a, const Vec3& at_a, const Collider& b,
                                         const Vec3& at_b, double depth = 0) {
  std::vector<Contact> contacts;
  collision::ManifoldBuilder builder;
  find_separating_contacts(Placed(a, {math::Quat::identity(), at_a}),
                           Placed(b, {math::Quat::identity(), at_b}), depth,
                           {.max_gap = 2e-5, .contact_offset = 1e-5}, builder, contacts);
  REQUIRE(!contacts.empty());
  return contacts;
}

}  // namespace

TEST_CASE("edges and corners that touch have the normal in the middle, whatever their gap") {
  test::check_touching(300, 1);
}

TEST_CASE("faces that touch keep their normals, also where their edges are flush") {
  const Collider cube(collision::Box{Vec3(1, 1, 1)}), plate(collision::Box{Vec3(3, 1, 3)});
  for (const double depth : {0.0, 1e-9, 1e-5})
    for (const Vec3& shift : {Vec3(0, 0, 0), Vec3(0.5, 0, 0.25), Vec3(0.999, 0, 0)}) {
      for (const Contact& c :
           separating_contacts(cube, Vec3(0, 1 - depth, 0) + shift, cube, Vec3::Zero(), depth))
        CHECK((c.normal - Vec3::UnitY()).norm() < 1e-12);
      for (const Contact& c :
           separating_contacts(cube, Vec3(1, 1 - depth, 0) + shift, plate, Vec3::Zero(), depth))
        CHECK((c.normal - Vec3::UnitY()).norm() < 1e-12);
    }
}

TEST_CASE("cubes that touch along an edge or in a corner are separated along the diagonal") {
  const Collider cube(collision::Box{Vec3(1, 1, 1)});
  for (const double x : {1.0, -1.0})
    for (const double z : {0.0, 1.0, -1.0}) {
      const Vec3 diagonal = Vec3(x, 1, z).normalized();
      for (const Contact& c : separating_contacts(cube, Vec3(x, 1, z), cube, Vec3::Zero()))
        CHECK((c.normal - diagonal).norm() < 1e-9);
    }
}

TEST_CASE("shapes that overlap deeply leave by the shortest way") {
  const Collider cube(collision::Box{Vec3(1, 1, 1)});
  // By 0.2 along y and by 0.3 along x.
  for (const Contact& c : separating_contacts(cube, Vec3(0.7, 0.8, 0), cube, Vec3::Zero(), 0.2)) {
    CHECK((c.normal - Vec3::UnitY()).norm() < 1e-12);
    CHECK(c.gap == doctest::Approx(-0.2));
  }
}
