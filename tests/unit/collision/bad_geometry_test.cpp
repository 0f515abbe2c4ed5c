// Needles, slivers, coincident points, triangles without area, huge and tiny coordinates: no result is NaN,
// every query terminates, and bounds stay in order.
#include <doctest/doctest.h>

#include "bad_geometry.h"
#include "composites.h"
#include "distance_oracle.h"

using namespace tumble;
using namespace tumble::test;

TEST_CASE("degenerate meshes give finite results") {
  Dice dice(21);
  int faults = 0, cases = 0;
  std::string first;
  for (int k = 0; k < 20000; ++k) {
    const auto number = [&] {
      switch (dice.below(12)) {
        case 0:
          return 0.0;
        case 1:
          return dice.between(-1, 1) * 1e100;
        case 2:
          return dice.between(-1, 1) * 1e-100;
        case 3:
          return dice.between(-1, 1) * dice.order(1e-15, 1e15);
        default:
          return static_cast<double>(dice.below(5) - 2) +
                 (dice.below(3) == 0 ? dice.between(-1, 1) * 1e-14 : 0);
      }
    };
    // Half of them have one order of magnitude.
    const double unit = dice.below(2) == 0 ? 0 : std::pow(10.0, dice.below(201) - 100);
    const auto coordinate = [&] { return unit > 0 ? unit * dice.between(-1, 1) : number(); };
    const auto mesh = [&] {
      geometry::TriangleMesh m;
      const auto n = static_cast<uint32_t>(3 + dice.below(8));
      for (uint32_t i = 0; i < n; ++i) {
        const double x = coordinate(), y = coordinate();
        m.vertices.push_back({x, y, coordinate()});
      }
      for (int t = 1 + dice.below(12); t > 0; --t) {
        const auto pick = [&] { return static_cast<uint32_t>(dice.below(static_cast<int>(n))); };
        const uint32_t a = pick(), b = pick();
        m.triangles.push_back({a, b, pick()});
      }
      return m;
    };
    const auto shape = [&]() -> collision::Shape {
      const double x = std::abs(coordinate()) + 1e-100, y = std::abs(coordinate()) + 1e-100,
                   z = std::abs(coordinate()) + 1e-100;
      switch (dice.below(9)) {
        case 0:
          return collision::Sphere{x};
        case 1:
          return collision::Capsule{x, y};
        case 2:
          return collision::Box{Vec3(x, y, z)};
        case 3:
          return collision::Cylinder{x, y};
        case 4:
          return collision::Cone{x, y};
        case 5:
          return collision::Plane{dice.direction()};
        default:
          return collision::Mesh{std::make_shared<const geometry::TriangleMesh>(mesh())};
      }
    };
    const collision::Shape a = shape(), b = shape();
    const auto pose = [&] {
      const double x = coordinate(), y = coordinate();
      return math::Pose{dice.rotation(), Vec3(x, y, coordinate())};
    };
    const math::Pose X_WA = pose(), X_WB = pose();
    const Vec3 v(coordinate(), coordinate(), 0), w = dice.point(1) * (unit > 0 ? 1 : std::abs(number()));
    const std::string fault = run_all_queries(a, X_WA, b, X_WB, v, w);
    ++cases;
    if (fault.empty()) continue;
    ++faults;
    if (first.empty())
      first = std::to_string(k) + " " + fault + " " + shape_name(a) + " " + shape_name(b) + " unit " +
              std::to_string(unit);
  }
  CAPTURE(first);
  CHECK(faults == 0);
  CHECK(cases == 20000);
}

TEST_CASE("a blade makes contact at its edge, however thin") {
  for (const double angle : {1e-2, 1e-5, 1e-7, 1e-9}) {
    CAPTURE(angle);
    // A wedge with its edge down, along x.
    geometry::TriangleMesh wedge;
    const double t = 0.5 * angle;
    wedge.vertices = {{-0.5, 0, 0}, {0.5, 0, 0}, {-0.5, 1, t}, {0.5, 1, t}, {-0.5, 1, -t}, {0.5, 1, -t}};
    wedge.triangles = {{0, 1, 3}, {0, 3, 2}, {1, 0, 4}, {1, 4, 5},
                       {2, 3, 5}, {2, 5, 4}, {0, 2, 4}, {1, 5, 3}};
    const Collider blade = collider_of(wedge), rod(collision::Capsule{0.1, 1}), ball(collision::Sphere{0.1}),
                   edge(collision::Box{Vec3::Ones()});
    const double gap = 1e-4;
    const auto contacts_under = [&](const Collider& below, const math::Pose& X) {
      std::vector<collision::Contact> contacts;
      PairMemory memory;
      collision::ManifoldBuilder().build(Placed(blade, {}), Placed(below, X),
                                         {.max_gap = 2 * gap, .contact_offset = gap}, memory, contacts);
      return contacts;
    };
    const math::Quat across = math::Quat::from_axis_angle(Vec3::UnitX(), math::kPi / 2);
    const math::Quat on_edge = across * math::Quat::from_axis_angle(Vec3::UnitY(), math::kPi / 4);
    for (const auto& contacts : {contacts_under(rod, {across, Vec3(0.1, -0.1 - gap, 0)}),
                                 contacts_under(ball, {math::Quat(), Vec3(0.1, -0.1 - gap, 0)}),
                                 contacts_under(edge, {on_edge, Vec3(0.1, -std::sqrt(0.5) - gap, 0)})}) {
      CHECK(contacts.size() == 1);
      for (const auto& c : contacts) {
        CHECK(std::abs(c.gap - gap) < 1e-6 * gap);
        CHECK(c.normal.y() > 1 - 1e-6);
        CHECK((c.point - Vec3(0.1, 0, 0)).norm() < 3 * gap);
      }
    }
  }
}

TEST_CASE("a contact range of 2e9 times the contact offset still gives contacts") {
  // Two wavy sheets, far apart compared to the contact offset, but within the contact range.
  geometry::TriangleMesh sheet;
  constexpr uint32_t n = 12;
  for (uint32_t i = 0; i <= n; ++i)
    for (uint32_t j = 0; j <= n; ++j) sheet.vertices.push_back({0.1 * i, 0.01 * ((i + j) % 2), 0.1 * j});
  for (uint32_t i = 0; i < n; ++i)
    for (uint32_t j = 0; j < n; ++j) {
      const uint32_t a = i * (n + 1) + j, b = a + n + 1;
      sheet.triangles.push_back({a, a + 1, b});
      sheet.triangles.push_back({b, a + 1, b + 1});
    }
  const Collider below = collider_of(sheet), above = collider_of(sheet);
  std::vector<collision::Contact> contacts;
  PairMemory memory;
  collision::ManifoldBuilder().build(Placed(above, {math::Quat(), Vec3(0.03, 0.1, 0.02)}), Placed(below, {}),
                                     {.max_gap = 0.2, .contact_offset = 1e-10}, memory, contacts);
  CHECK_FALSE(contacts.empty());
}
