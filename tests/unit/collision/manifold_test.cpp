#include <doctest/doctest.h>

#include <cmath>

#include "solids.h"
#include "tumble/collision/manifold.h"

using namespace tumble;
using collision::Collider;
using collision::Contact;
using collision::ContactRange;
using collision::PairMemory;
using collision::Placed;
using math::Pose;
using math::Quat;
using math::Vec3;

namespace {

constexpr double kGap = 1e-4;  // for bodies of size 1
constexpr ContactRange kTestRange{.max_gap = 2 * kGap, .contact_offset = kGap};

std::vector<Contact> contacts_of(const Collider& a, const Pose& X_WA, const Collider& b, const Pose& X_WB,
                                 const ContactRange& range = kTestRange) {
  std::vector<Contact> contacts;
  PairMemory memory;
  collision::ManifoldBuilder().build(Placed(a, X_WA), Placed(b, X_WB), range, memory, contacts);
  return contacts;
}

Pose at(double x, double y, double z) { return {Quat::identity(), Vec3(x, y, z)}; }
Pose rotated(const Vec3& axis, double angle, const Vec3& p) {
  return {Quat::from_axis_angle(axis, angle), p};
}

// Every expected corner exists, with its gap and normal, and no other contact.
void expect_corners(const std::vector<Contact>& contacts, const std::vector<Vec3>& points,
                    const Vec3& normal) {
  CHECK(contacts.size() == points.size());
  for (const Vec3& point : points) {
    CAPTURE(point.transpose());
    CHECK(std::any_of(contacts.begin(), contacts.end(),
                      [&](const Contact& c) { return (c.point - point).norm() < 2.5 * kGap; }));
  }
  for (const Contact& c : contacts) {
    CHECK(c.normal.dot(normal) > 1 - 1e-9);
    CHECK(c.gap == doctest::Approx(kGap).epsilon(1e-6));
  }
}

geometry::TriangleMesh box_surface(const Vec3& size) {
  return collision::tessellate(collision::Box{size}, 1);
}

// The contacts are the same for boxes, for meshes of the boxes, and for other triangulations.
void expect_corners_of_boxes(const Vec3& size_a, const Pose& X_WA, const Vec3& size_b, const Pose& X_WB,
                             const std::vector<Vec3>& points, const Vec3& normal) {
  const Collider box_a(collision::Box{size_a}), box_b(collision::Box{size_b});
  expect_corners(contacts_of(box_a, X_WA, box_b, X_WB), points, normal);
  const Collider mesh_a = test::collider_of(box_surface(size_a)),
                 mesh_b = test::collider_of(box_surface(size_b));
  expect_corners(contacts_of(mesh_a, X_WA, mesh_b, X_WB), points, normal);
  expect_corners(contacts_of(box_a, X_WA, mesh_b, X_WB), points, normal);
  std::mt19937 random(5);
  for (int k = 0; k < 50; ++k) {
    const Collider fine_a = test::collider_of(test::refine(box_surface(size_a), random)),
                   fine_b = test::collider_of(test::refine(box_surface(size_b), random));
    CAPTURE(k);
    expect_corners(contacts_of(fine_a, X_WA, fine_b, X_WB), points, normal);
  }
}

const Vec3 kCube = Vec3::Ones(), kTable = Vec3(4, 1, 4), kUp = Vec3::UnitY();
constexpr double kTop = 0.5;  // height of the table's top

}  // namespace

TEST_CASE("a cube on a table has contacts at its four corners") {
  expect_corners_of_boxes(kCube, at(0, 1 + kGap, 0), kTable, at(0, 0, 0),
                          {{0.5, kTop, 0.5}, {0.5, kTop, -0.5}, {-0.5, kTop, 0.5}, {-0.5, kTop, -0.5}}, kUp);
}

TEST_CASE("a cube over an edge of the table has contacts at two corners and where edges cross") {
  expect_corners_of_boxes(kCube, at(1.8, 1 + kGap, 0.1), kTable, at(0, 0, 0),
                          {{1.3, kTop, 0.6}, {1.3, kTop, -0.4}, {2, kTop, 0.6}, {2, kTop, -0.4}}, kUp);
}

TEST_CASE("a rotated cube over a corner of the table has contacts at the corners of the common polygon") {
  // The corner of the table lies under the cube. Two edges of the cube extend beyond the table.
  const double a = 0.3, c = std::cos(a), s = std::sin(a);
  const Vec3 center(1.9, 0, 1.9);
  const auto corner = [&](double x, double z) -> Vec3 {
    return center + Vec3(c * x + s * z, kTop, -s * x + c * z);
  };
  std::vector<Vec3> expected = {Vec3(2, kTop, 2)};
  const Vec3 corners[4] = {corner(0.5, 0.5), corner(0.5, -0.5), corner(-0.5, -0.5), corner(-0.5, 0.5)};
  for (int i = 0; i < 4; ++i) {
    const Vec3 p = corners[i], q = corners[(i + 1) % 4];
    if (p.x() < 2 && p.z() < 2) expected.push_back(p);
    for (const int k : {0, 2})
      if (const double t = (2 - p[k]) / (q[k] - p[k]); t > 0 && t < 1)
        if (const Vec3 x = p + t * (q - p); x[2 - k] < 2) expected.push_back(x);
  }
  expect_corners_of_boxes(kCube, rotated(kUp, a, center + Vec3(0, 1 + kGap, 0)), kTable, at(0, 0, 0),
                          expected, kUp);
}

TEST_CASE("equal cubes have four contacts if aligned, and eight if rotated by 45 degrees") {
  expect_corners_of_boxes(kCube, at(0, 1 + kGap, 0), kCube, at(0, 0, 0),
                          {{0.5, kTop, 0.5}, {0.5, kTop, -0.5}, {-0.5, kTop, 0.5}, {-0.5, kTop, -0.5}}, kUp);
  const double r = std::sqrt(0.5) - 0.5;
  std::vector<Vec3> expected;
  for (const double x : {-0.5, 0.5})
    for (const double z : {-r, r}) expected.insert(expected.end(), {Vec3(x, kTop, z), Vec3(z, kTop, x)});
  expect_corners_of_boxes(kCube, rotated(kUp, math::kPi / 4, Vec3(0, 1 + kGap, 0)), kCube, at(0, 0, 0),
                          expected, kUp);
}

TEST_CASE("equal cubes shifted by less than the gap still have the face normal") {
  for (const double offset : {1e-12, 1e-9, 1e-7, 1e-5, 5e-5}) {
    CAPTURE(offset);
    expect_corners_of_boxes(kCube, at(offset, 1 + kGap, 0.7 * offset), kCube, at(0, 0, 0),
                            {{0.5, kTop, 0.5}, {0.5, kTop, -0.5}, {-0.5, kTop, 0.5}, {-0.5, kTop, -0.5}},
                            kUp);
  }
}

TEST_CASE("a cube on its edge has two contacts, on its corner and edge across edge one") {
  expect_corners_of_boxes(kCube,
                          rotated(Vec3::UnitZ(), math::kPi / 4, Vec3(0, kTop + std::sqrt(0.5) + kGap, 0)),
                          kTable, at(0, 0, 0), {{0, kTop, 0.5}, {0, kTop, -0.5}}, kUp);
  const Vec3 axis = Vec3(1, 0, -1).normalized();
  const double down = std::atan(std::sqrt(2.0));
  expect_corners_of_boxes(kCube, rotated(axis, down, Vec3(0, kTop + std::sqrt(0.75) + kGap, 0)), kTable,
                          at(0, 0, 0), {{0, kTop, 0}}, kUp);
  expect_corners_of_boxes(kCube, rotated(Vec3::UnitZ(), math::kPi / 4, Vec3(0, 2 * std::sqrt(0.5) + kGap, 0)),
                          kCube, rotated(Vec3::UnitX(), math::kPi / 4, Vec3::Zero()),
                          {{0, std::sqrt(0.5), 0}}, kUp);
}

TEST_CASE("interlocked L shapes have contacts on three faces, a cube in the inner corner on two") {
  const geometry::TriangleMesh L = test::make_l_prism();
  std::mt19937 random(3);
  for (int k = 0; k <= 50; ++k) {
    CAPTURE(k);
    const Collider first = test::collider_of(k == 0 ? L : test::refine(L, random)),
                   second = test::collider_of(k == 0 ? L : test::refine(L, random));
    // Rotated by half a turn, its inner corner encloses the outer corner of the other, and the other way
    // round.
    const std::vector<Contact> locked = contacts_of(
        first, rotated(Vec3::UnitZ(), math::kPi, Vec3(3 + kGap, 2 + kGap, 0)), second, at(0, 0, 0));
    CHECK(locked.size() == 12);
    for (const Contact& c : locked) {
      CHECK(c.gap == doctest::Approx(kGap).epsilon(1e-6));
      CHECK(std::max(std::abs(c.normal.x()), std::abs(c.normal.y())) > 1 - 1e-9);
    }
    const Collider cube(collision::Box{Vec3::Constant(0.6)});
    const std::vector<Contact> held = contacts_of(cube, at(1.3 + kGap, 1.3 + kGap, 0.5), first, at(0, 0, 0));
    CHECK(held.size() == 8);
    for (const Contact& c : held) CHECK(c.gap == doctest::Approx(kGap).epsilon(1e-6));
  }
}

TEST_CASE("contact corners stay the same under small tilts") {
  const Collider cube(collision::Box{kCube}), table(collision::Box{kTable});
  std::mt19937 random(9);
  std::uniform_real_distribution<double> angle(0, 2 * math::kPi);
  for (const double tilt : {1e-6, 1e-5, 1e-4, 1e-3, 1e-2})
    for (int k = 0; k < 200; ++k) {
      const double direction = angle(random);
      const Quat q = Quat::from_axis_angle(Vec3(std::cos(direction), 0, std::sin(direction)), tilt) *
                     Quat::from_axis_angle(kUp, angle(random));
      double lowest = 1e9;
      for (int i = 0; i < 8; ++i)
        lowest = std::min(lowest, (q * Vec3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5)).y());
      const ContactRange wide{.max_gap = kGap + 1.5 * tilt, .contact_offset = kGap};
      const std::vector<Contact> contacts =
          contacts_of(cube, {q, Vec3(0.1, kTop + kGap - lowest, 0.05)}, table, at(0, 0, 0), wide);
      CAPTURE(tilt);
      CAPTURE(k);
      CHECK(contacts.size() == 4);
      double deepest = 1;
      for (const Contact& c : contacts) deepest = std::min(deepest, c.gap);
      CHECK(deepest == doctest::Approx(kGap).epsilon(1e-6));
    }
}

TEST_CASE("contacts of spheres and capsules with boxes, meshes, planes and each other agree with formulas") {
  const Collider sphere(collision::Sphere{0.5}), capsule(collision::Capsule{0.25, 1}),
      table(collision::Box{kTable}), plane(collision::Plane{kUp}),
      mesh = test::collider_of(box_surface(kTable));
  for (const Collider* ground : {&table, &mesh}) {
    expect_corners(contacts_of(sphere, at(0.3, 1 + kGap, -0.2), *ground, at(0, 0, 0)), {{0.3, kTop, -0.2}},
                   kUp);
    const Pose lying = rotated(Vec3::UnitZ(), math::kPi / 2, Vec3(0, kTop + 0.25 + kGap, 0));
    expect_corners(contacts_of(capsule, lying, *ground, at(0, 0, 0)), {{0.5, kTop, 0}, {-0.5, kTop, 0}}, kUp);
    // Half over the edge.
    const Pose over = rotated(Vec3::UnitZ(), math::kPi / 2, Vec3(1.9, kTop + 0.25 + kGap, 0));
    expect_corners(contacts_of(capsule, over, *ground, at(0, 0, 0)), {{1.4, kTop, 0}, {2, kTop, 0}}, kUp);
    // At the table's edge and corner.
    const Vec3 out = Vec3(1, 1, 0).normalized(), corner = Vec3(1, 1, 1).normalized();
    expect_corners(
        contacts_of(sphere, {Quat(), Vec3(2, kTop, 0.3) + (0.5 + kGap) * out}, *ground, at(0, 0, 0)),
        {{2, kTop, 0.3}}, out);
    expect_corners(
        contacts_of(sphere, {Quat(), Vec3(2, kTop, 2) + (0.5 + kGap) * corner}, *ground, at(0, 0, 0)),
        {{2, kTop, 2}}, corner);
  }
  expect_corners(contacts_of(sphere, at(0.3, 0.5 + kGap, -0.2), plane, at(0, 0, 0)), {{0.3, 0, -0.2}}, kUp);
  expect_corners(contacts_of(plane, at(0, 0, 0), sphere, at(0.3, 0.5 + kGap, -0.2)), {{0.3, 0, -0.2}}, -kUp);
  expect_corners(contacts_of(Collider(collision::Box{kCube}), at(0, 0.5 + kGap, 0), plane, at(0, 0, 0)),
                 {{0.5, 0, 0.5}, {0.5, 0, -0.5}, {-0.5, 0, 0.5}, {-0.5, 0, -0.5}}, kUp);
  expect_corners(contacts_of(sphere, at(0, 1 + kGap, 0), sphere, at(0, 0, 0)), {{0, 0.5, 0}}, kUp);
  // Parallel capsules, side by side and half past each other.
  const Pose along = rotated(Vec3::UnitZ(), math::kPi / 2, Vec3(0, 0.5 + kGap, 0)),
             along_low = rotated(Vec3::UnitZ(), math::kPi / 2, Vec3(0.4, 0, 0));
  expect_corners(contacts_of(capsule, along, capsule, along_low), {{0.5, 0.25, 0}, {-0.1, 0.25, 0}}, kUp);
  const Pose across = rotated(Vec3::UnitX(), math::kPi / 2, Vec3::Zero());
  expect_corners(contacts_of(capsule, along, capsule, across), {{0, 0.25, 0}}, kUp);
}

TEST_CASE("standing cylinders and cones have contacts on their rim, lying cylinders on a line") {
  const Collider cylinder(collision::Cylinder{0.5, 1}), cone(collision::Cone{0.5, 1}),
      plane(collision::Plane{kUp}), table(collision::Box{kTable});
  for (int k = 0; k < 20; ++k) {
    const Quat spin = Quat::from_axis_angle(kUp, 0.37 * k);
    for (const Collider* shape : {&cylinder, &cone})
      for (const Collider* ground : {&plane, &table}) {
        const double top = ground == &table ? kTop : 0;
        const std::vector<Contact> standing =
            contacts_of(*shape, {spin, Vec3(0, top + 0.5 + kGap, 0)}, *ground, at(0, 0, 0));
        CHECK(standing.size() == Collider::kRimCorners);
        for (const Contact& c : standing) {
          CHECK(c.gap == doctest::Approx(kGap).epsilon(1e-6));
          CHECK(Vec3(c.point.x(), 0, c.point.z()).norm() == doctest::Approx(0.5).epsilon(1e-9));
        }
      }
    // A lying cylinder keeps its contact line and its gap when rolled about its axis by any angle.
    const Quat lying = Quat::from_axis_angle(Vec3::UnitZ(), math::kPi / 2) * spin;
    expect_corners(contacts_of(cylinder, {lying, Vec3(0, 0.5 + kGap, 0)}, plane, at(0, 0, 0)),
                   {{0.5, 0, 0}, {-0.5, 0, 0}}, kUp);
    expect_corners(contacts_of(cylinder, {lying, Vec3(0, kTop + 0.5 + kGap, 0)}, table, at(0, 0, 0)),
                   {{0.5, kTop, 0}, {-0.5, kTop, 0}}, kUp);
  }
}

TEST_CASE("a cylinder in a groove has contacts on both sides, for any roll angle and slope") {
  const Collider cylinder(collision::Cylinder{0.5, 1});
  for (int k = 0; k < 20; ++k) {
    // Two sides through the axis z, with these normals. The cylinder's distance from both is its radius plus
    // the gap.
    const double lean[2] = {0.3 + 0.05 * k, -1.1 + 0.03 * k};
    const Vec3 normal[2] = {Vec3(-std::sin(lean[0]), std::cos(lean[0]), 0),
                            Vec3(-std::sin(lean[1]), std::cos(lean[1]), 0)};
    const Vec3 side[2] = {Vec3(std::cos(lean[0]), std::sin(lean[0]), 0),
                          Vec3(-std::cos(lean[1]), -std::sin(lean[1]), 0)};
    geometry::TriangleMesh groove;
    groove.vertices = {Vec3(0, 0, -2),
                       Vec3(0, 0, 2),
                       4 * side[0] + Vec3(0, 0, -2),
                       4 * side[0] + Vec3(0, 0, 2),
                       4 * side[1] + Vec3(0, 0, -2),
                       4 * side[1] + Vec3(0, 0, 2)};
    groove.triangles = {{0, 1, 2}, {1, 3, 2}, {0, 4, 1}, {1, 4, 5}};
    const Collider mesh = test::collider_of(groove);
    const double half = 0.5 * (lean[0] - lean[1]), middle = 0.5 * (lean[0] + lean[1]);
    const Vec3 center = (0.5 + kGap) / std::cos(half) * Vec3(-std::sin(middle), std::cos(middle), 0);
    const Quat lying =
        Quat::from_axis_angle(Vec3::UnitX(), math::kPi / 2) * Quat::from_axis_angle(kUp, 0.37 * k);
    CAPTURE(k);
    const auto expect = [&](const std::vector<Contact>& contacts, double sign) {
      for (const Vec3& n : normal) {
        std::vector<Contact> there;
        for (const Contact& c : contacts)
          if (sign * c.normal.dot(n) > 0.99) there.push_back(c);
        const Vec3 foot = center - 0.5 * n;
        expect_corners(there, {foot + Vec3(0, 0, 0.5), foot - Vec3(0, 0, 0.5)}, sign * n);
      }
      CHECK(contacts.size() == 4);
    };
    expect(contacts_of(cylinder, {lying, center}, mesh, at(0, 0, 0)), 1);
    expect(contacts_of(mesh, at(0, 0, 0), cylinder, {lying, center}), -1);
  }
}

TEST_CASE("the contacts of a cylinder's end on an edge do not change under a tilt of the size of rounding") {
  const Collider cylinder(collision::Cylinder{0.5, 1}), cube(collision::Box{Vec3::Ones()}),
      mesh = test::collider_of(box_surface(Vec3::Ones()));
  const Pose on_edge = rotated(Vec3::UnitX(), math::kPi / 4, Vec3(0, -std::sqrt(0.5), 0));
  for (const Collider* below : {&cube, &mesh}) {
    const std::vector<Contact> level =
        contacts_of(cylinder, {Quat::identity(), Vec3(0.2, 0.5 + kGap, 0.1)}, *below, on_edge);
    REQUIRE(level.size() == 2);
    for (int k = 0; k < 20; ++k) {
      const Vec3 tilt = 1e-9 * Vec3(std::cos(1.7 * k), 0, std::sin(1.7 * k));
      const std::vector<Contact> contacts = contacts_of(
          cylinder, {Quat::from_rotation_vector(tilt), Vec3(0.2, 0.5 + kGap, 0.1)}, *below, on_edge);
      CAPTURE(k);
      REQUIRE(contacts.size() == 2);
      for (const Contact& c : contacts)
        CHECK(std::any_of(level.begin(), level.end(), [&](const Contact& known) {
          return c.key == known.key &&
                 (c.point - known.point).norm() < 1e-8;  // ten tilts of a body of size 1
        }));
    }
  }
}

TEST_CASE("a sphere of 20,000 triangles on a plane has its deepest point and at most 16 contacts") {
  geometry::TriangleMesh mesh;
  constexpr uint32_t rings = 70, around = 144;
  for (uint32_t i = 0; i <= rings; ++i)
    for (uint32_t j = 0; j < around; ++j) {
      const double latitude = math::kPi * i / rings, longitude = 2 * math::kPi * j / around;
      mesh.vertices.push_back(Vec3(std::sin(latitude) * std::cos(longitude), std::cos(latitude),
                                   -std::sin(latitude) * std::sin(longitude)));
    }
  for (uint32_t j = 0; j < around; ++j)
    mesh.vertices[j] = Vec3(0, 1, 0), mesh.vertices[rings * around + j] = Vec3(0, -1, 0);
  for (uint32_t i = 0; i < rings; ++i)
    for (uint32_t j = 0; j < around; ++j) {
      const uint32_t k = (j + 1) % around;
      mesh.triangles.push_back({i * around + j, (i + 1) * around + j, (i + 1) * around + k});
      mesh.triangles.push_back({i * around + j, (i + 1) * around + k, i * around + k});
    }
  const Collider sphere = test::collider_of(mesh), plane(collision::Plane{kUp});
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 50; ++k) {
    const Quat q =
        Quat::from_wxyz(normal(random), normal(random), normal(random), normal(random)).normalized();
    double lowest = 1;
    for (const Vec3& v : mesh.vertices) lowest = std::min(lowest, (q * v).y());
    for (const double thickness : {2 * kGap, 2e-3, 5e-3}) {
      const std::vector<Contact> contacts =
          contacts_of(sphere, {q, Vec3(0, kGap - lowest, 0)}, plane, at(0, 0, 0),
                      {.max_gap = thickness, .contact_offset = kGap});
      CHECK(contacts.size() >= 1);
      CHECK(contacts.size() <= 16);
      double deepest = 1;
      for (const Contact& c : contacts) deepest = std::min(deepest, c.gap);
      CHECK(deepest == doctest::Approx(kGap).epsilon(1e-9));
    }
  }
}
