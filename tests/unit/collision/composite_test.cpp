// Contacts of bodies that enclose each other, of size 1 mm, 1 m and 1 km, at the origin and 1 km from it.
#include "composites.h"

#include <doctest/doctest.h>

#include "distance_oracle.h"
#include "support/sanitized.h"
#include "tumble/collision/certificate.h"
#include "tumble/collision/manifold.h"
#include "tumble/collision/parameters.h"
#include "tumble/geometry/mesh_check.h"

using namespace tumble;
using namespace tumble::test;
using collision::Contact;
using collision::ContactRange;
using collision::Motion;
using collision::Verdict;
using math::Pose;
using math::Quat;

namespace {

constexpr double kSmall = 1e-4;  // gap, in sizes

// Bodies are described at size 1. All inputs and results are in units of that size.
struct Size {
  double scale;
  Vec3 origin;

  Collider sheet(geometry::TriangleMesh m) const { return collider_of(scaled(std::move(m), scale)); }
  Collider mesh(geometry::TriangleMesh m) const {
    CHECK(geometry::check_mesh(m, {.self_intersection = false}).is_solid());
    return sheet(std::move(m));
  }
  Collider box(const Vec3& size) const { return Collider(collision::Box{scale * size}); }
  Collider sphere(double radius) const { return Collider(collision::Sphere{scale * radius}); }
  Placed place(const Collider& c, const Pose& X) const {
    return Placed(c, {X.rotation, origin + scale * X.translation});
  }
  // Rounding of a coordinate, in sizes.
  double rounding() const { return support::round_off(64, 1 + origin.norm() / scale); }

  std::vector<Contact> contacts(const Collider& a, const Pose& X_WA, const Collider& b, const Pose& X_WB,
                                double thickness = 2 * kSmall) const {
    std::vector<Contact> result;
    PairMemory memory;
    collision::ManifoldBuilder().build(place(a, X_WA), place(b, X_WB),
                                       {.max_gap = scale * thickness, .contact_offset = scale * kSmall},
                                       memory, result);
    for (Contact& c : result) c.point = (c.point - origin) / scale, c.gap /= scale;
    return result;
  }
  double distance(const Collider& a, const Pose& X_WA, const Collider& b, const Pose& X_WB) const {
    return compute_distance(place(a, X_WA), place(b, X_WB)).distance / scale;
  }
  // b is fixed. a moves about the origin of its frame.
  Verdict certify_moving(const Collider& a, const Pose& X, const Vec3& v, const Vec3& w, const Collider& b,
                         const Pose& X_WB, double h, double clearance) const {
    const Placed pa = place(a, X), pb = place(b, X_WB);
    PairMemory memory;
    Verdict verdict = certify(pa, {pa.p, scale * v, w, 0}, pb, {pb.p, Vec3::Zero(), Vec3::Zero(), 0}, h,
                              scale * clearance, memory);
    verdict.approach.point = (verdict.approach.point - origin) / scale, verdict.approach.gap /= scale;
    return verdict;
  }
};

const std::vector<Size>& all_sizes() {
  static const std::vector<Size> sizes = {
      {1, Vec3::Zero()},        {1e-3, Vec3::Zero()},         {1e3, Vec3::Zero()},
      {1, Vec3(600, 500, 620)}, {1e-3, Vec3(600, -500, 620)}, {1e3, Vec3(-600, 500, 620)}};
  return sizes;
}

double least_gap(const std::vector<Contact>& contacts) {
  double least = INFINITY;
  for (const Contact& c : contacts) least = std::min(least, c.gap);
  return least;
}

Pose moved_to(double x, double y, double z) { return {Quat(), Vec3(x, y, z)}; }

// The parameter at which a decreasing distance reaches `gap`, by bisection.
double touching_at(double far, double near, double gap, const std::function<double(double)>& distance) {
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (far + near);
    (distance(middle) > gap ? far : near) = middle;
  }
  return far;
}

void expect_points(const Size& size, const std::vector<Contact>& contacts, const std::vector<Vec3>& points) {
  CHECK(contacts.size() == points.size());
  for (const Vec3& point : points) {
    CAPTURE(point.transpose());
    CHECK(std::any_of(contacts.begin(), contacts.end(),
                      [&](const Contact& c) { return (c.point - point).norm() < 2.5 * kSmall; }));
  }
  for (const Contact& c : contacts) CHECK(std::abs(c.gap - kSmall) < 1e-6 * kSmall + size.rounding());
}

}  // namespace

TEST_CASE("a peg in a hole has four contacts with every wall") {
  for (const Size& size : all_sizes())
    for (const uint32_t corners : {4u, 16u}) {
      CAPTURE(size.scale);
      CAPTURE(corners);
      std::mt19937 random(corners);
      const geometry::TriangleMesh block = make_holed_block(corners, 0.5, 2);
      const double r = (0.5 - kSmall) / std::cos(math::kPi / corners);
      std::vector<std::array<double, 2>> polygon;
      std::vector<geometry::Triangle> cut;
      for (uint32_t i = 0; i < corners; ++i) {
        const double angle = 2 * math::kPi * i / corners;
        polygon.push_back({r * std::cos(angle), r * std::sin(angle)});
        if (i > 1) cut.push_back({0, i - 1, i});
      }
      geometry::TriangleMesh peg = make_prism(polygon, cut, 3);
      for (Vec3& v : peg.vertices) v = Vec3(v.x(), v.z() - 1, -v.y());
      const Collider straight = size.mesh(peg);
      for (int k = 0; k < 10; ++k) {
        const Collider holed = size.mesh(k == 0 ? block : split_edges(refine(block, random), random));
        const std::vector<Contact> contacts = size.contacts(straight, {}, holed, {});
        CHECK(contacts.size() == 4 * corners);
        for (const Contact& c : contacts) {
          CHECK(std::abs(c.gap - kSmall) < 1e-6 * kSmall + size.rounding());
          CHECK(std::abs(c.normal.y()) < 1e-9);
          CHECK(Vec3(c.point.x(), 0, c.point.z()).dot(c.normal) < 0);  // from the block to the peg: inwards
          CHECK(std::min(std::abs(c.point.y()), std::abs(c.point.y() - 1)) < kSmall);
        }
      }
    }
}

TEST_CASE("a nut on a bolt moves along the thread and cannot be pulled off") {
  const double pitch = 0.3, depth = 0.12, clearance = 0.05;
  const auto thread = [=](double angle, double y) {
    const double x = y / pitch - angle / (2 * math::kPi);
    return 1 + depth * 2 * std::abs(x - std::floor(x + 0.5));
  };
  const uint32_t around = 20, rows = 4;  // per pitch
  const geometry::TriangleMesh bolt = make_tube(
      around, 5 * rows, 5 * pitch, [](double, double) { return 0.3; }, thread);
  const geometry::TriangleMesh nut = make_tube(
      around, rows, pitch, [&](double a, double y) { return thread(a, y) + clearance; },
      [](double, double) { return 1.6; });
  for (const Size& size : all_sizes()) {
    CAPTURE(size.scale);
    const Collider male = size.mesh(bolt), female = size.mesh(nut);
    const Pose start = moved_to(0, 2 * pitch, 0);
    const double apart = size.distance(female, start, male, {});
    CHECK(apart > 0.2 * clearance);
    CHECK(apart <= clearance);
    // Pulled without rotation it meets the thread before half a pitch, since the thread is deeper than the
    // clearance.
    const double speed = 1;
    for (const double sign : {1.0, -1.0}) {
      const Verdict pulled =
          size.certify_moving(female, start, Vec3(0, sign * speed, 0), Vec3::Zero(), male, {}, pitch, 1e-4);
      CHECK(!pulled.safe);
      CHECK(pulled.time < 0.5 * pitch / speed);
      const double y = touching_at(0, sign * 0.5 * pitch, kSmall, [&](double dy) {
        return size.distance(female, moved_to(0, 2 * pitch + dy, 0), male, {});
      });
      const Pose touching = moved_to(0, 2 * pitch + y, 0);
      const std::vector<Contact> contacts = size.contacts(female, touching, male, {});
      CHECK(contacts.size() >= 3);
      CHECK(std::abs(least_gap(contacts) - size.distance(female, touching, male, {})) <
            1e-6 * 2 * kSmall + size.rounding());
      for (const Contact& c : contacts) CHECK(sign * c.normal.y() < 0);  // held back
    }
    // It moves along the thread.
    const double w = 1, along = pitch * w / (2 * math::kPi);
    CHECK(size.certify_moving(female, start, Vec3(0, along, 0), Vec3(0, w, 0), male, {}, 0.2, 1e-4).safe);
    // It does not move against the thread.
    CHECK(!size.certify_moving(female, start, Vec3(0, -along, 0), Vec3(0, w, 0), male, {}, 1.5, 1e-4).safe);
  }
}

TEST_CASE("gear teeth make contact along their whole width and drive each other") {
  const uint32_t teeth = 12;
  const double root = 0.85, tip = 1.15, width = 0.4;
  for (const Size& size : all_sizes()) {
    CAPTURE(size.scale);
    const Collider gear = size.mesh(make_gear(teeth, root, tip, width));
    const Pose fixed = moved_to(2.02, 0, 0);
    // A tooth of the first lies in a gap of the second. Rotated by half a tooth, the second has a gap at
    // angle pi.
    const Quat half = Quat::from_axis_angle(Vec3::UnitZ(), math::kPi / teeth);
    const Pose second{half, fixed.translation};
    const auto rotated_by = [&](double angle) {
      return Pose{Quat::from_axis_angle(Vec3::UnitZ(), angle), Vec3::Zero()};
    };
    CHECK(size.distance(gear, rotated_by(0), gear, second) > 10 * kSmall);
    for (const double sign : {1.0, -1.0}) {
      const double angle = touching_at(0, sign * 0.4 * math::kPi / teeth, kSmall, [&](double a) {
        return size.distance(gear, rotated_by(a), gear, second);
      });
      const std::vector<Contact> contacts = size.contacts(gear, rotated_by(angle), gear, second);
      // Ends of a line: as many at z = 0 as at z = width, none between.
      int low = 0, high = 0;
      for (const Contact& c : contacts) {
        low += std::abs(c.point.z()) < 2 * kSmall ? 1 : 0;
        high += std::abs(c.point.z() - width) < 2 * kSmall ? 1 : 0;
        CHECK(std::abs(c.normal.z()) < 1e-9);
        // Against the motion.
        CHECK(sign * c.normal.dot(Vec3::UnitZ().cross(c.point)) < 0);
      }
      CHECK(low > 0);
      CHECK(low == high);
      CHECK(static_cast<size_t>(low + high) == contacts.size());
      CHECK(std::abs(least_gap(contacts) - kSmall) < 2e-6 * kSmall + size.rounding());
      const Verdict driven =
          size.certify_moving(gear, rotated_by(0), Vec3::Zero(), Vec3(0, 0, sign), gear, second, 0.3, kSmall);
      CHECK(!driven.safe);
      CHECK(driven.time <= std::abs(angle) * (1 + 1e-9) + size.rounding());
      CHECK(driven.time > 0.9 * std::abs(angle));
    }
  }
}

TEST_CASE("two linked rings make contact on the inside and hold each other") {
  const geometry::TriangleMesh ring = make_torus(1, 0.2);
  std::mt19937 random(4);
  for (const Size& size : all_sizes()) {
    CAPTURE(size.scale);
    for (int k = 0; k < 5; ++k) {
      const Collider first = size.mesh(k == 0 ? ring : refine(ring, random)), second = size.mesh(ring);
      // The second stands upright through the first and is pulled outwards.
      const Quat upright = Quat::from_axis_angle(Vec3::UnitX(), math::kPi / 2);
      const auto at = [&](double x) { return Pose{upright, Vec3(x, 0, 0)}; };
      CHECK(size.distance(second, at(1), first, {}) > 0.5);
      for (const double end : {2.2, -0.2}) {
        const double x = touching_at(1, end, kSmall,
                                     [&](double at_x) { return size.distance(second, at(at_x), first, {}); });
        CHECK(std::abs(x - 1) > 0.5);
        const std::vector<Contact> contacts = size.contacts(second, at(x), first, {});
        CHECK(!contacts.empty());
        CHECK(contacts.size() <= 16);
        CHECK(std::abs(least_gap(contacts) - kSmall) < 2e-6 * kSmall + size.rounding());
        for (const Contact& c : contacts) CHECK(c.normal.x() * (end - 1) < 0);
        for (const double speed : {0.1, 10.0, 1000.0}) {
          const Verdict pulled = size.certify_moving(second, at(1), Vec3(end > 1 ? speed : -speed, 0, 0),
                                                     Vec3::Zero(), first, {}, 10 / speed, kSmall);
          CHECK(!pulled.safe);
          CHECK(pulled.time * speed <= std::abs(x - 1) * (1 + 1e-9) + size.rounding());
          CHECK(pulled.time * speed > 0.99 * std::abs(x - 1));
        }
      }
    }
  }
}

TEST_CASE("two crossing needles have one contact") {
  // A double pyramid 1 long and 1/1000 thick, lying along x with an edge up.
  geometry::TriangleMesh needle;
  const double t = 0.5e-3;
  needle.vertices = {{0, t, 0}, {0, 0, t}, {0, -t, 0}, {0, 0, -t}, {0.5, 0, 0}, {-0.5, 0, 0}};
  for (uint32_t i = 0; i < 4; ++i) {
    needle.triangles.push_back({i, (i + 1) % 4, 4});
    needle.triangles.push_back({(i + 1) % 4, i, 5});
  }
  for (Vec3& v : needle.vertices) v = Vec3(v.x(), v.y(), -v.z());
  for (geometry::Triangle& f : needle.triangles) std::swap(f[1], f[2]);
  for (const Size& size : all_sizes()) {
    CAPTURE(size.scale);
    const Collider thin = size.mesh(needle), capsule(collision::Capsule{size.scale * t, size.scale});
    for (const double angle : {0.05, 0.7, math::kPi / 2}) {
      // Edge over edge, each at a quarter of its needle, where it is half as thick.
      CAPTURE(angle);
      const Quat across = Quat::from_axis_angle(Vec3::UnitY(), angle);
      const Pose below = {across, Vec3::Zero()};
      const double y = touching_at(
          0.1, 0, kSmall, [&](double h) { return size.distance(thin, moved_to(0.1, h, 0), thin, below); });
      const std::vector<Contact> contacts = size.contacts(thin, moved_to(0.1, y, 0), thin, below);
      CHECK(contacts.size() == 1);
      CHECK(std::abs(least_gap(contacts) - kSmall) < 2e-6 * kSmall + size.rounding());
      // Round needles.
      const Quat lying = Quat::from_axis_angle(Vec3::UnitZ(), math::kPi / 2);
      const std::vector<Contact> round = size.contacts(capsule, {lying, Vec3(0.1, 2 * t + kSmall, 0)},
                                                       capsule, {across * lying, Vec3::Zero()});
      CHECK(round.size() == 1);
      for (const Contact& c : round) CHECK(c.normal.y() > 1 - 1e-9);
      CHECK(std::abs(least_gap(round) - kSmall) < 2e-6 * kSmall + size.rounding());
    }
    // Tip on the middle of the other.
    const Quat down = Quat::from_axis_angle(Vec3::UnitZ(), math::kPi / 2);
    const std::vector<Contact> tip =
        size.contacts(thin, {down, Vec3(0, 0.5 + t + kSmall, 0)}, thin, moved_to(0.2, 0, 0), 5 * kSmall);
    CHECK(tip.size() >= 1);
    CHECK(std::abs(least_gap(tip) - size.distance(thin, {down, Vec3(0, 0.5 + t + kSmall, 0)}, thin,
                                                  moved_to(0.2, 0, 0))) < 5e-6 * kSmall + size.rounding());
  }
}

TEST_CASE("bodies sliding and rolling over a floor of many triangles meet no bump") {
  std::mt19937 random(11);
  const geometry::TriangleMesh sheet = make_floor(4, 24, random);
  // The same as the top of a slab.
  geometry::TriangleMesh slab = collision::tessellate(collision::Box{Vec3(4, 1, 4)}, 1);
  for (Vec3& v : slab.vertices) v.y() -= 0.5;
  slab = split_edges(refine(slab, random, 150), random, 150);
  const Vec3 half(0.25, 0.15, 0.2);
  for (const Size& size : all_sizes()) {
    CAPTURE(size.scale);
    const Collider floors[2] = {size.sheet(sheet), size.mesh(slab)};
    const Collider box = size.box(2 * half),
                   box_mesh = size.mesh(collision::tessellate(collision::Box{2 * half}, 1)),
                   ball = size.sphere(0.1), cylinder(collision::Cylinder{0.1 * size.scale, 0.3 * size.scale});
    for (const Collider& floor : floors)
      for (int k = 0; k <= 60; ++k) {
        CAPTURE(k);
        // Half of them are straight and stop at grid points.
        const bool straight = k % 2 == 0;
        const double x = -1 + 2 * k / 48.0, z = straight ? 0 : 0.3 * x;
        const Quat q = Quat::from_axis_angle(Vec3::UnitY(), straight ? 0 : 0.05 * k);
        std::vector<Vec3> corners;
        for (const double sx : {-1.0, 1.0})
          for (const double sz : {-1.0, 1.0})
            corners.push_back(Vec3(x, 0, z) + q * Vec3(sx * half.x(), 0, sz * half.z()));
        for (const Collider* body : {&box, &box_mesh}) {
          const std::vector<Contact> contacts =
              size.contacts(*body, {q, Vec3(x, half.y() + kSmall, z)}, floor, {});
          expect_points(size, contacts, corners);
          for (const Contact& c : contacts) CHECK((c.normal - Vec3::UnitY()).norm() < 1e-12);
        }
        const std::vector<Contact> rolling = size.contacts(ball, {q, Vec3(x, 0.1 + kSmall, z)}, floor, {});
        expect_points(size, rolling, {Vec3(x, 0, z)});
        for (const Contact& c : rolling) CHECK((c.normal - Vec3::UnitY()).norm() < 1e-9);
        const Quat lying = q * Quat::from_axis_angle(Vec3::UnitX(), math::kPi / 2);
        const std::vector<Contact> wheel =
            size.contacts(cylinder, {lying, Vec3(x, 0.1 + kSmall, z)}, floor, {});
        CHECK(wheel.size() == 2);
        for (const Contact& c : wheel) CHECK((c.normal - Vec3::UnitY()).norm() < 1e-9);
        CHECK(std::abs(least_gap(wheel) - kSmall) < 2e-6 * kSmall + size.rounding());
      }
  }
}

TEST_CASE("a ball that passes the edge of a table 1 mm away at 10 m/s has no contact") {
  const double radius = 0.05, beside = 1e-3, h = 1.0 / 300, speed = 10;
  const double contact_offset = 1e-5 * radius, thickness = contact_offset + 2 * 9.81 * h * h;
  const Collider ball(collision::Sphere{radius}), table(collision::Box{Vec3(1, 0.1, 1)}),
      mesh = collider_of(collision::tessellate(collision::Box{Vec3(1, 0.1, 1)}, 1));
  const Vec3 out = Vec3(1, 1, 0).normalized();
  // Along the edge, past the edge over the top, and down past the side.
  const struct {
    Vec3 from, v;
  } paths[] = {{Vec3(0.5, 0.05, -0.8) + (radius + beside) * out, Vec3(0, 0, speed)},
               {Vec3(-0.2, 0.05 + radius + beside, 0.1), Vec3(speed, 0, 0)},
               {Vec3(0.5 + radius + beside, 0.6, 0.1), Vec3(0, -speed, 0)},
               {Vec3(0.5, 0.05, 0) + (radius + beside) * out - 0.5 * Vec3(1, -1, 0).normalized(),
                speed * Vec3(1, -1, 0).normalized()}};
  for (const Collider* ground : {&table, &mesh})
    for (const auto& path : paths)
      for (int k = 0; k < 45; ++k) {
        const Vec3 p = path.from + k * h * path.v;
        const Placed a(ball, {Quat(), p}), b(*ground, {});
        std::vector<Contact> contacts;
        PairMemory memory;
        collision::ManifoldBuilder().build(a, b, {.max_gap = thickness, .contact_offset = contact_offset},
                                           memory, contacts);
        CHECK(contacts.empty());
        const Verdict v = certify(a, {p, path.v, Vec3(0, 30, 100), 0}, b, {}, h, contact_offset, memory);
        CHECK(v.safe);
        CHECK(v.evaluations <= 4);
      }
}

TEST_CASE("a ball dropped into a bowl stays inside") {
  const geometry::TriangleMesh bowl = make_grid(32, 18, true, true, [](double u, double v) {
    // Down the inner wall from the rim to near the pole, and back up outside.
    const auto k = static_cast<int>(std::lround(18 * v));
    const bool inside = k <= 8;
    const double latitude = 0.5 * math::kPi * (inside ? k : 17 - k) / 8.5, r = inside ? 1 : 1.1;
    return Vec3(r * std::cos(latitude) * std::cos(2 * math::kPi * u), -r * std::sin(latitude),
                -r * std::cos(latitude) * std::sin(2 * math::kPi * u));
  });
  for (const Size& size : all_sizes()) {
    CAPTURE(size.scale);
    const Collider vessel = size.mesh(bowl), ball = size.sphere(0.3);
    const Collider cube = size.box(Vec3::Constant(0.4));
    for (const Collider* content : {&ball, &cube}) {
      CHECK(size.distance(*content, moved_to(0.1, 0, 0), vessel, {}) > 0.3);  // inside, not its hull
      Dice dice(8);
      for (int k = 0; k < 40; ++k) {
        Vec3 d = dice.direction();
        d.y() = -std::abs(d.y()) - 0.3;
        d.normalize();
        const double speed = dice.order(1, 1000);
        const Verdict v = size.certify_moving(*content, moved_to(0, -0.05, 0), speed * d,
                                              dice.point(3 * speed), vessel, {}, 3 / speed, kSmall);
        CHECK(!v.safe);
        CHECK(v.time * speed > 0.1);
        CHECK(v.time * speed < 1.2);  // neither before nor beyond the wall
      }
    }
  }
}

TEST_CASE("contact corners do not depend on subdivided edges, in any orientation") {
  const Vec3 cube = Vec3::Ones(), table(4, 1, 4);
  std::mt19937 random(6);
  Dice dice(6);
  for (const Size& size : all_sizes())
    for (int k = 0; k < 50; ++k) {
      CAPTURE(size.scale);
      CAPTURE(k);
      // Rotate both together, so that no coordinate is a round number.
      const Pose all{dice.rotation(), dice.point(1)};
      const auto cut = [&](const Vec3& extent) {
        return size.mesh(split_edges(
            refine(split_edges(collision::tessellate(collision::Box{extent}, 1), random), random), random));
      };
      const Collider a = cut(cube), b = cut(table);
      const auto expect = [&](const Pose& X, std::vector<Vec3> points) {
        std::vector<Contact> contacts = size.contacts(a, all * X, b, all);
        for (Vec3& p : points) p = all * p;
        expect_points(size, contacts, points);
        for (const Contact& c : contacts) CHECK((c.normal - all.rotation * Vec3::UnitY()).norm() < 1e-7);
      };
      expect(moved_to(0, 1 + kSmall, 0),
             {{0.5, 0.5, 0.5}, {0.5, 0.5, -0.5}, {-0.5, 0.5, 0.5}, {-0.5, 0.5, -0.5}});
      expect(moved_to(1.8, 1 + kSmall, 0.1),
             {{1.3, 0.5, 0.6}, {1.3, 0.5, -0.4}, {2, 0.5, 0.6}, {2, 0.5, -0.4}});
      expect({Quat::from_axis_angle(Vec3::UnitZ(), math::kPi / 4), Vec3(0, 0.5 + std::sqrt(0.5) + kSmall, 0)},
             {{0, 0.5, 0.5}, {0, 0.5, -0.5}});
    }
}

TEST_CASE("the least gap of a manifold is the distance of the shapes") {
  Faults faults;
  for (int i = 0; i < kKinds; ++i)
    for (int j = 0; j < kKinds; ++j) {
      const auto ka = static_cast<Kind>(i), kb = static_cast<Kind>(j);
      if (ka == Kind::plane && kb == Kind::plane) continue;
      Dice dice(static_cast<unsigned>(10 * i + j));
      for (int k = 0; k < (support::kSanitized ? 20 : 300); ++k) {
        const Arrangement arrangement = k % 3 == 0 ? Arrangement::aligned : Arrangement::near;
        const double scale = k % 4 == 3 ? dice.order(1e-3, 1e3) : 1;
        const double ratio = k % 8 == 7 ? dice.order(1e-6, 1e6) : dice.order(0.2, 5);
        const Pair pair = make_pair(dice, ka, kb, arrangement, scale, ratio, 1, Vec3::Zero());
        const Collider ca(pair.a.shape), cb(pair.b.shape);
        const Placed a(ca, pair.X_WA), b(cb, pair.X_WB);
        const double d = compute_distance(a, b).distance;
        const double rounding = support::round_off(2048, pair.size);
        if (!(d > 100 * rounding)) continue;
        const ContactRange range{.max_gap = d * dice.between(1.1, 3),
                                 .contact_offset = d * dice.between(0.2, 1)};
        std::vector<Contact> contacts;
        PairMemory memory;
        collision::ManifoldBuilder().build(a, b, range, memory, contacts);
        double least = INFINITY;
        for (const Contact& c : contacts) {
          least = std::min(least, c.gap);
          faults.at_most(std::abs(c.normal.norm() - 1), 1e-9, "unit normal",
                         kKindNames[i] + std::string(kKindNames[j]));
        }
        // A slightly higher candidate may replace the deepest point. A point beside a face by rounding counts
        // as over it.
        const double tolerance =
            rounding + 2e-6 * range.max_gap + 4 * collision::kPolyhedron.border * pair.size +
            collision::ManifoldParameters{}.coincident * range.contact_offset + accuracy().search * pair.size;
        const std::string where =
            std::string(kKindNames[i]) + " " + kKindNames[j] + " case " + std::to_string(k) +
            " arrangement " + std::to_string(static_cast<int>(arrangement)) + " log distance " +
            std::to_string(std::log10(d / pair.size)) + " ratio " + std::to_string(ratio);
        faults.expect(!contacts.empty(), "a contact", 0, where);
        if (contacts.empty()) continue;
        faults.at_most((least - d) / d, tolerance / d, "least gap is the distance", where);
        faults.at_most((d - least) / d, tolerance / d, "no contact deeper than the distance", where);
      }
    }
  faults.report();
}

TEST_CASE("bodies that touch or overlap slightly at the start have the same contact corners") {
  Dice dice(31);
  for (const Size& size : all_sizes())
    for (const double gap : {0.0, 1e-17, -1e-17, -1e-12, -1e-9, -1e-6, -5e-5})
      for (int k = 0; k < 12; ++k) {
        CAPTURE(size.scale);
        CAPTURE(gap);
        CAPTURE(k);
        // a along each axis, in a rotated frame.
        const int axis = k % 3;
        const double sign = k % 2 == 0 ? 1 : -1;
        const Pose all{k < 6 ? Quat() : dice.rotation(), k < 6 ? Vec3(Vec3::Zero()) : dice.point(1)};
        const Vec3 n = sign * Vec3::Unit(axis);
        std::vector<Vec3> expected;
        for (const double x : {-0.5, 0.5})
          for (const double y : {-0.5, 0.5}) {
            Vec3 p = 0.5 * n;
            p[(axis + 1) % 3] = x, p[(axis + 2) % 3] = y;
            expected.push_back(all * p);
          }
        const Collider box = size.box(Vec3::Ones()),
                       wide = size.box(Vec3::Constant(1.0) + 2 * (Vec3::Ones() - n.cwiseAbs())),
                       mesh = size.mesh(collision::tessellate(collision::Box{Vec3::Ones()}, 1));
        for (const Collider* a : {&box, &mesh})
          for (const Collider* b : {&box, &wide, &mesh}) {
            std::vector<Contact> contacts;
            PairMemory memory;
            collision::ManifoldBuilder().build(size.place(*a, all * Pose{Quat(), (1 + gap) * n}),
                                               size.place(*b, all),
                                               {.max_gap = size.scale * 2 * kSmall,
                                                .contact_offset = size.scale * kSmall,
                                                .max_penetration = size.scale * 1e-4},
                                               memory, contacts);
            CHECK(contacts.size() == 4);
            for (const Vec3& point : expected)
              CHECK(std::any_of(contacts.begin(), contacts.end(), [&](const Contact& c) {
                return ((c.point - size.origin) / size.scale - point).norm() < 2.5 * kSmall;
              }));
            for (const Contact& c : contacts) {
              CHECK((c.normal - all.rotation * n).norm() < 1e-7);
              CHECK(std::abs(c.gap / size.scale - gap) < size.rounding());
            }
          }
      }
}
