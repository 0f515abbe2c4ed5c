// GJK distance of convex sets: how well its two bounds agree. The search stops when they agree to 1e-13 of
// the size, which is far above the rounding of a difference of two points. This test shows the error if it
// stops for another reason.
#include <doctest/doctest.h>

#include "distance_oracle.h"
#include "support/sanitized.h"

using namespace tumble;
using namespace tumble::test;
using collision::ConvexSet;

namespace {

constexpr int kConvexCases = support::kSanitized ? 500 : 4000;
constexpr Kind kConvexKinds[] = {Kind::sphere, Kind::capsule,  Kind::box,
                                 Kind::hull,   Kind::cylinder, Kind::cone};

// The core of a shape: a sphere is a point, a capsule a segment.
ConvexSet convex_set_of(const Reference& r, std::vector<Vec3>& points) {
  ConvexSet set;
  set.R = r.R, set.p = r.p;
  points.clear();
  if (std::holds_alternative<collision::Sphere>(r.shape)) points = {Vec3::Zero()};
  if (const auto* c = std::get_if<collision::Capsule>(&r.shape))
    points = {Vec3(0, -0.5 * c->length, 0), Vec3(0, 0.5 * c->length, 0)};
  if (std::holds_alternative<collision::Box>(r.shape)) points = collision::tessellate(r.shape, 1).vertices;
  if (r.mesh()) points = r.mesh()->vertices;
  if (const auto* c = std::get_if<collision::Cylinder>(&r.shape))
    set.kind = ConvexSet::Kind::cylinder, set.radius = c->radius, set.half_length = 0.5 * c->length;
  if (const auto* c = std::get_if<collision::Cone>(&r.shape))
    set.kind = ConvexSet::Kind::cone, set.radius = c->radius, set.half_length = 0.5 * c->length;
  set.points = points.data(), set.count = static_cast<int>(points.size());
  return set;
}

// The largest coordinate of its points.
double extent_of(const ConvexSet& set) {
  double most = 0;
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {-1.0, 1.0}) most = std::max(most, set.reach(sign * Vec3::Unit(axis)));
  return most;
}

}  // namespace

TEST_CASE("the bounds of GJK distances agree to 1e-13 for tilted, thin and touching sets of sizes 1 to 1e6") {
  Faults faults;
  std::vector<Vec3> points_a, points_b;
  for (const Kind ka : kConvexKinds)
    for (const Kind kb : kConvexKinds) {
      Dice dice(4000 + 10 * static_cast<unsigned>(ka) + static_cast<unsigned>(kb));
      for (int k = 0; k < kConvexCases; ++k) {
        const auto arrangement = static_cast<Arrangement>(dice.below(4));
        const double ratio = k % 3 == 0 ? 5 : 1e6;
        Pair pair = make_pair(dice, ka, kb, arrangement, 1, dice.order(1 / ratio, ratio),
                              k % 5 == 0 ? 1e6 : 1, Vec3::Zero());
        const bool tilted = k % 7 == 0 && arrangement == Arrangement::aligned;
        if (tilted)
          pair.a.R =
              math::Quat::from_rotation_vector(dice.order(1e-16, 1e-3) * dice.direction()).to_matrix() *
              pair.a.R;
        const ConvexSet a = convex_set_of(pair.a, points_a), b = convex_set_of(pair.b, points_b);
        const Vec3 guess = k % 2 == 0 ? dice.direction() : Vec3(a.p - b.p + Vec3(0, 1e-300, 0));
        const Separation s = compute_convex_distance(a, b, guess);
        const double size = s.distance + std::max(extent_of(a), extent_of(b));
        const std::string where = std::string(kKindNames[static_cast<int>(ka)]) + " " +
                                  kKindNames[static_cast<int>(kb)] + " case " + std::to_string(k) +
                                  " arrangement " + std::to_string(static_cast<int>(arrangement));
        // A few roundings of the size on top, for this comparison.
        faults.at_most(s.distance - s.lower_bound, 1e-13 * size + support::round_off(8, size), "bounds agree",
                       where);
        // Radii only reduce the distance of the surfaces.
        if (pair.apart > 0 && !tilted)
          faults.at_most(pair.apart - s.distance, support::round_off(64, size),
                         "at least the constructed gap", where);
      }
    }
  faults.report();
}

TEST_CASE("GJK measures gaps of 1e-14 to 1e-7 of the size of convex sets") {
  Faults faults;
  std::vector<Vec3> points_a, points_b;
  for (const Kind ka : {Kind::box, Kind::hull, Kind::cylinder, Kind::cone})
    for (const Kind kb : {Kind::box, Kind::hull, Kind::cylinder, Kind::cone}) {
      Dice dice(5000 + 10 * static_cast<unsigned>(ka) + static_cast<unsigned>(kb));
      for (int k = 0; k < kConvexCases / 4; ++k) {
        const double ratio = k % 3 == 0 ? 5 : 1e6;
        Pair pair = make_pair(dice, ka, kb, Arrangement::near, 1, dice.order(1 / ratio, ratio),
                              k % 5 == 0 ? 1e6 : 1, Vec3::Zero());
        const double gap = pair.size * dice.order(1e-14, 1e-7);
        pair.a.p += (gap - pair.apart) * pair.direction;
        const ConvexSet a = convex_set_of(pair.a, points_a), b = convex_set_of(pair.b, points_b);
        const Separation s = compute_convex_distance(a, b, dice.direction());
        const double size = gap + std::max(extent_of(a), extent_of(b));
        const std::string where = std::string(kKindNames[static_cast<int>(ka)]) + " " +
                                  kKindNames[static_cast<int>(kb)] + " case " + std::to_string(k);
        faults.at_most(std::abs(s.distance - gap), 1e-13 * size + support::round_off(16, size), "the gap",
                       where);
        // The gap was constructed with numbers as large as either shape.
        faults.at_most(s.lower_bound - gap, support::round_off(16, std::max(size, pair.size)),
                       "a lower bound", where);
      }
    }
  faults.report();
}
