#include <doctest/doctest.h>

#include <cmath>

#include "solids.h"
#include "tumble/collision/certificate.h"

using namespace tumble;
using collision::Collider;
using collision::Motion;
using collision::PairMemory;
using collision::Placed;
using collision::Verdict;
using math::Pose;
using math::Quat;
using math::Vec3;

namespace {

struct Moving {
  Placed placed;
  Motion motion;
};

Verdict certify_pair(const Moving& a, const Moving& b, double h, double clearance) {
  PairMemory memory;
  return certify(a.placed, a.motion, b.placed, b.motion, h, clearance, memory);
}

double distance_at(const Moving& a, const Moving& b, double t) {
  return compute_distance(placed_after(a.placed, a.motion, t), placed_after(b.placed, b.motion, t)).distance;
}

constexpr double kStep = 1.0 / 300, kSpin = 20;  // s, rad/s
constexpr double kSmallGap = 1e-5;               // for bodies of size 1

}  // namespace

TEST_CASE("rocking, rolling and toppling at the contact offset needs at most four distance evaluations") {
  const Collider cube(collision::Box{Vec3::Ones()}), plane(collision::Plane{Vec3::UnitY()}),
      floor(collision::Box{Vec3(10, 1, 10)}),
      mesh = test::collider_of(collision::tessellate(collision::Box{Vec3::Ones()}, 1)),
      wheel(collision::Cylinder{0.5, 0.2}), domino(collision::Box{Vec3(0.2, 1, 0.5)}),
      ball(collision::Sphere{0.5});
  // A hull that rolls: a prism with twelve sides.
  std::vector<std::array<double, 2>> polygon;
  std::vector<geometry::Triangle> cut;
  for (uint32_t i = 0; i < 12; ++i) {
    polygon.push_back({0.5 * std::cos(math::kPi * i / 6), 0.5 * std::sin(math::kPi * i / 6)});
    if (i > 1) cut.push_back({0, i - 1, i});
  }
  const Collider hull = test::collider_of(test::make_prism(polygon, cut, 0.4));
  const Moving ground{Placed(plane, {}), {}}, slab{Placed(floor, {Quat(), Vec3(0, -0.5, 0)}), {}};
  const double clearance = 0.5 * kSmallGap;
  int worst = 0;
  for (const Moving* below : {&ground, &slab})
    for (const double spin : {0.1, 1.0, 5.0, kSpin, -kSpin}) {
      CAPTURE(spin);
      // Rotation about an edge that stays fixed.
      const auto rock = [&](const Collider& shape, const Vec3& center, const Quat& q, const Vec3& pivot) {
        const Vec3 w(0, 0, spin);
        return Moving{Placed(shape, {q, center}), {center, w.cross(center - pivot), w, 0}};
      };
      const Quat tilt = Quat::from_axis_angle(Vec3::UnitZ(), 0.2);
      for (const Collider* shape : {&cube, &mesh}) {
        const Vec3 corner = tilt * Vec3(-0.5, -0.5, 0), center = Vec3(0, kSmallGap, 0) - corner;
        // Away from the floor, or back onto it but not within this step.
        const Moving body = rock(*shape, center, tilt, Vec3(0, kSmallGap, 0));
        const Verdict v = certify_pair(body, *below, kStep, clearance);
        CHECK(v.safe);
        CHECK(v.evaluations <= 4);
        worst = std::max(worst, v.evaluations);
      }
      {
        const Vec3 corner = tilt * Vec3(-0.1, -0.5, 0);
        const Verdict v =
            certify_pair(rock(domino, Vec3(0, kSmallGap, 0) - corner, tilt, Vec3(0, kSmallGap, 0)), *below,
                         kStep, clearance);
        CHECK(v.safe);
        CHECK(v.evaluations <= 4);
        worst = std::max(worst, v.evaluations);
      }
      const Quat lying = Quat::from_axis_angle(Vec3::UnitX(), math::kPi / 2);
      for (const Collider* shape : {&wheel, &ball}) {
        const Vec3 center(0, 0.5 + kSmallGap, 0), w(0, 0, spin);
        const Moving body{Placed(*shape, {lying, center}), {center, Vec3(-0.5 * spin, 0, 0), w, 0}};
        const Verdict v = certify_pair(body, *below, kStep, clearance);
        CHECK(v.safe);
        CHECK(v.evaluations <= 4);
        worst = std::max(worst, v.evaluations);
      }
      {
        // On one of its edges, rolling over it.
        const Vec3 center(0, 0.5 + kSmallGap, 0), pivot(0, kSmallGap, 0), w(0, 0, spin);
        const Pose X{Quat::from_axis_angle(Vec3::UnitZ(), 0.05),
                     center};  // tilted so that one edge is lowest
        const Vec3 edge = X * Vec3(0.5 * std::cos(1.5 * math::kPi), 0.5 * std::sin(1.5 * math::kPi), 0);
        const Pose lifted{X.rotation, X.translation + Vec3(0, kSmallGap - edge.y(), 0)};
        const Vec3 touching = lifted * Vec3(0, -0.5, 0);
        const Moving body{Placed(hull, lifted),
                          {lifted.translation, w.cross(lifted.translation - touching), w, 0}};
        const Verdict v = certify_pair(body, *below, kStep, clearance);
        CHECK(v.safe);
        CHECK(v.evaluations <= 4);
        worst = std::max(worst, v.evaluations);
      }
    }
  MESSAGE("most evaluations: " << worst);
}

TEST_CASE("no pair is certified wrongly, and violations are found in time") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::normal_distribution<double> normal;
  const auto random_rotation = [&] {
    return Quat::from_wxyz(normal(random), normal(random), normal(random), normal(random)).normalized();
  };
  const std::vector<Collider> shapes = {Collider(collision::Sphere{0.5}),
                                        Collider(collision::Capsule{0.3, 0.8}),
                                        Collider(collision::Box{Vec3(0.6, 0.9, 1.2)}),
                                        Collider(collision::Cylinder{0.4, 0.9}),
                                        Collider(collision::Cone{0.5, 1}),
                                        Collider(collision::Plane{Vec3::UnitY()}),
                                        test::collider_of(test::make_l_prism())};
  const double clearance = 1e-4, h = 0.01;
  constexpr int kCases = 40, kSamples = 200;
  for (size_t i = 0; i < shapes.size(); ++i)
    for (size_t j = 0; j < shapes.size(); ++j) {
      if (shapes[i].kind() == Collider::Kind::plane && shapes[j].kind() == Collider::Kind::plane) continue;
      double early = 0;
      int found = 0, alarms = 0;
      for (int k = 0; k < kCases; ++k) {
        const auto make = [&](const Collider& c, const Vec3& p) {
          const bool plane = c.kind() == Collider::Kind::plane;
          const Vec3 center = p + Vec3(unit(random), unit(random), unit(random)) * 0.1;
          return Moving{
              Placed(c, {random_rotation(), p}),
              {center, plane ? Vec3(Vec3::Zero()) : Vec3(30 * Vec3(unit(random), unit(random), unit(random))),
               plane ? Vec3(Vec3::Zero()) : Vec3(60 * Vec3(unit(random), unit(random), unit(random))), 0}};
        };
        Moving a = make(shapes[i], Vec3::Zero()), b = make(shapes[j], Vec3(3, 0.2 * unit(random), 0));
        // Move them towards each other along the normal, to a random gap.
        const collision::Separation s = compute_distance(a.placed, b.placed);
        const double gap = std::pow(10, -3.5 + 2.5 * (0.5 + 0.5 * unit(random)));
        if (s.distance <= 0) continue;
        Moving& mover = shapes[i].kind() == Collider::Kind::plane ? b : a;
        const Vec3 move = (&mover == &a ? -1.0 : 1.0) * (s.distance - gap) * s.normal;
        mover.placed.p += move, mover.motion.center += move;
        if (distance_at(a, b, 0) < 2 * clearance) continue;
        const Verdict v = certify_pair(a, b, h, clearance);
        double first = INFINITY;
        for (int n = 0; n <= kSamples && first == INFINITY; ++n)
          if (distance_at(a, b, h * n / kSamples) < clearance) first = h * n / kSamples;
        CAPTURE(i);
        CAPTURE(j);
        CAPTURE(k);
        CHECK((v.safe ? first == INFINITY : v.time <= first));
        if (v.safe) continue;
        // At the reported time the distance is only a little above the clearance.
        CHECK(distance_at(a, b, v.time) >= clearance);
        if (first < INFINITY) {
          // The true time lies between two samples.
          early += v.time > 0 ? std::max(first - h / kSamples, v.time) / v.time : 2;
          ++found;
        } else if (distance_at(a, b, v.time) > 1.5 * clearance) {
          ++alarms;
        }
      }
      CAPTURE(i);
      CAPTURE(j);
      CHECK((found == 0 || early / found <= 2));
      CHECK(alarms <= 2);
      MESSAGE(i << " " << j << ": found " << found << ", too early by " << (found ? early / found : 0)
                << ", false alarms " << alarms);
    }
}

TEST_CASE("a body that rotates about a point 1000 km away is not certified within rounding") {
  // A ball on a pendulum passes its lowest point. There it is nearer to the floor than the clearance, by a
  // tenth of the rounding of positions on such an arm.
  const double arm = 1e6, h = 0.01, round_off = 0x1p-52 * arm;
  const Collider ball(collision::Sphere{0.5}), plane(collision::Plane{Vec3::UnitY()});
  std::mt19937 random(21);
  std::uniform_real_distribution<double> part(0.3, 0.9);
  for (int k = 0; k < 200; ++k) {
    const double spin = part(random), angle = spin * h * part(random);
    const Vec3 center(0, arm + 0.5 + 1e-8, 0);
    const Vec3 start = center + arm * Vec3(-std::sin(angle), -std::cos(angle), 0);
    const long double x = start.x(), y = static_cast<long double>(start.y()) - center.y();
    const auto lowest = static_cast<double>(center.y() - std::sqrt(x * x + y * y) - 0.5L);
    const Moving a{Placed(ball, {Quat(), start}), {center, Vec3::Zero(), spin * Vec3::UnitZ(), 0}},
        b{Placed(plane, {Quat(), Vec3(start.x(), 0, 0)}), {}};
    const double clearance = lowest + 0.1 * round_off;
    CAPTURE(k);
    REQUIRE(clearance > 0);
    CHECK(!certify_pair(a, b, h, clearance).safe);
    // No more is lost than the rounding.
    CHECK(certify_pair(a, b, h, 0.5 * lowest).safe);
  }
}

TEST_CASE("crossing edges that both rotate need at most four distance evaluations") {
  const Collider cube(collision::Box{Vec3::Ones()});
  const double clearance = 0.5 * kSmallGap, half = std::sqrt(0.5);
  int worst = 0;
  // Each cube stands on an edge. The two edges cross at some angle, a small gap apart. Both rotate about the
  // contact point.
  for (const double crossing : {0.1, 0.5, 1.0, math::kPi / 2})
    for (const double spin : {1.0, 5.0, kSpin})
      for (int k = 0; k < 24; ++k) {
        const double u = std::sin(1.7 * k), v = std::cos(2.3 * k), w = std::sin(0.9 * k + 1);
        const Quat down = Quat::from_rotation_vector(Vec3(0, 0, math::kPi / 4)),
                   across = Quat::from_rotation_vector(Vec3(0, crossing, 0));
        const auto rotating = [&](const Quat& q, const Vec3& center, const Vec3& at, const Vec3& by) {
          return Moving{Placed(cube, {q, center}), {center, by.cross(center - at), by}};
        };
        const Vec3 top(0, kSmallGap, 0);
        const Moving upper = rotating(across * down, Vec3(0, half + kSmallGap, 0), top, spin * Vec3(u, v, w)),
                     lower = rotating(down, Vec3(0, -half, 0), Vec3::Zero(), spin * Vec3(w, u, -v));
        const Verdict verdict = certify_pair(upper, lower, kStep, clearance);
        CAPTURE(crossing);
        CAPTURE(spin);
        CAPTURE(k);
        double least = 1;
        for (int j = 0; j <= 32; ++j) least = std::min(least, distance_at(upper, lower, kStep * j / 32));
        CHECK(verdict.safe == (least > clearance));
        // Edges may rotate past each other if they cross at less than the angles they rotate by, 2/15 in all.
        if (crossing > 0.2) CHECK(verdict.safe);
        if (verdict.safe) worst = std::max(worst, verdict.evaluations);
      }
  CHECK(worst <= 4);
}

TEST_CASE(
    "capsules, cylinders and cones that roll on an edge and rotate across it need at most 24 evaluations") {
  const Collider cube(collision::Box{Vec3::Ones()}), capsule(collision::Capsule{0.25, 1}),
      cylinder(collision::Cylinder{0.25, 1}), cone(collision::Cone{0.25, 1});
  const double clearance = 0.5 * kSmallGap, half = std::sqrt(0.5), lean = 0.7;
  // On its side, or on its rim: its rotation, and its centre relative to the contact point.
  struct Stance {
    const Collider* shape;
    Quat rotation;
    Vec3 middle;
  };
  const Quat lying = Quat::from_rotation_vector(Vec3(math::kPi / 2, 0, 0)),
             tilted = Quat::from_rotation_vector(Vec3(0, 0, -lean));
  const Vec3 over_rim(0.5 * std::sin(lean) - 0.25 * std::cos(lean),
                      0.5 * std::cos(lean) + 0.25 * std::sin(lean), 0);
  // The rotation that puts the side of a cone on the ground. Its centre is half as far from the ground as the
  // rim.
  const Quat on_side = Quat::from_rotation_vector(Vec3(0, 0, -math::kPi / 2 - std::atan2(0.25, 1)));
  for (const Stance& stance :
       {Stance{&capsule, lying, Vec3(0, 0.25, 0)}, Stance{&cylinder, lying, Vec3(0, 0.25, 0)},
        Stance{&cylinder, tilted, over_rim}, Stance{&cone, on_side, on_side * Vec3(-0.125, 0, 0)},
        Stance{&cone, tilted, over_rim}})
    for (const double crossing : {0.5, 1.0, math::kPi / 2})
      for (const double spin : {0.2, 1.0, 5.0})
        for (int k = 0; k < 24; ++k) {
          const double u = std::sin(1.7 * k), v = std::cos(2.3 * k), w = std::sin(0.9 * k + 1);
          const Quat across = Quat::from_rotation_vector(Vec3(0, crossing, 0));
          const Vec3 top(0, kSmallGap, 0), center = top + across * stance.middle;
          const Quat q = across * stance.rotation;
          const Vec3 by = spin * Vec3(u, v, w), below = spin * Vec3(w, u, -v), low(0, -half, 0);
          const Moving upper{Placed(*stance.shape, {q, center}),
                             {center, by.cross(center - top), by + kSpin * (q * Vec3::UnitY())}},
              lower{Placed(cube, {Quat::from_rotation_vector(Vec3(0, 0, math::kPi / 4)), low}),
                    {low, below.cross(low), below}};
          for (const bool swapped : {false, true}) {
            const Moving &first = swapped ? lower : upper, &second = swapped ? upper : lower;
            const Verdict verdict = certify_pair(first, second, kStep, clearance);
            CAPTURE(crossing);
            CAPTURE(spin);
            CAPTURE(k);
            CAPTURE(swapped);
            double least = 1;
            for (int j = 0; j <= 32; ++j) least = std::min(least, distance_at(upper, lower, kStep * j / 32));
            CHECK(verdict.safe == (least > clearance));
            // Round shapes are separated by a normal on a curved path. Its error is R (w t)^2/24 in a time t,
            // which may be a quarter of the gap. So eight evaluations suffice as long as the gap does not
            // shrink.
            if (verdict.safe) CHECK(verdict.evaluations <= 24);
          }
        }
}

TEST_CASE("a violation has the same key, gap and normal as the contact of the manifold") {
  const Collider cube(collision::Box{Vec3::Ones()}),
      mesh = test::collider_of(collision::tessellate(collision::Box{Vec3::Ones()}, 1)),
      plane(collision::Plane{Vec3::UnitY()}), floor(collision::Box{Vec3(10, 1, 10)}),
      ball(collision::Sphere{0.5});
  const Quat edge = Quat::from_rotation_vector(Vec3(0, 0, math::kPi / 4)),
             corner = Quat::from_rotation_vector(Vec3(0.6, 0, 0)) * edge;
  for (const Collider* shape : {&cube, &mesh, &ball})
    for (const Collider* below : {&plane, &floor})
      for (const Quat& q : {edge, corner}) {
        const Moving fall{Placed(*shape, {q, Vec3(0.1, 2, 0.2)}),
                          {Vec3(0.1, 2, 0.2), Vec3(0, -30, 0), Vec3::Zero()}},
            ground{Placed(*below, {Quat(), Vec3(0, below == &plane ? 0 : -0.5, 0)}), {}};
        const double clearance = 1e-3;
        const Verdict verdict = certify_pair(fall, ground, 0.1, clearance);
        REQUIRE_FALSE(verdict.safe);
        std::vector<collision::Contact> contacts;
        PairMemory memory;
        collision::ManifoldBuilder().build(
            placed_after(fall.placed, fall.motion, verdict.time), ground.placed,
            {.max_gap = 2 * clearance, .contact_offset = clearance}, memory, contacts);
        REQUIRE_FALSE(contacts.empty());
        // An edge that lies flat has two contacts, at its ends.
        if (contacts.size() == 1) CHECK(verdict.approach.key == contacts[0].key);
        CHECK(verdict.approach.gap == doctest::Approx(contacts[0].gap).epsilon(1e-9));
        CHECK((verdict.approach.normal - contacts[0].normal).norm() < 1e-9);
      }
}
