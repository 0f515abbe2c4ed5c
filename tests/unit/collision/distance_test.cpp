// slow: two thousand random cases of every pair of shapes
// Distance against what is known by construction, against every pair of simplices, against searches over surfaces, and
// against bounds: with the two points on the surfaces, no distance is larger than theirs; along the normal, none of two
// solids smaller than between the planes that hold them.
#include <doctest/doctest.h>

#include <limits>

#include "distance_oracle.h"
#include "support/sanitized.h"

using namespace tumble;
using namespace tumble::test;

namespace {

constexpr int kDistanceCases = support::kSanitized ? 30 : 2000;

}  // namespace

TEST_CASE("the distance of every two shapes is what other means find") { check_distances(kDistanceCases, 1); }

TEST_CASE("edges that are nearly parallel are as far apart as they are, at any angle") {
  // Two segments that cross at an angle, one above the other by a height: that is their distance, whatever the angle. And capsules
  // round them, which a mesh's edges are with a radius of 0.
  Dice dice(12);
  double worst = 0;
  for (int k = 0; k < 4000; ++k) {
    const double angle = dice.order(1e-17, 1), height = dice.below(4) == 0 ? 0 : dice.order(1e-12, 1e-2);
    const Mat3 R = dice.turn().to_matrix();
    const Vec3 u = R * Vec3::UnitX(), w = R * Vec3(std::cos(angle), std::sin(angle), 0),
               up = R * Vec3::UnitZ();
    // They cross somewhere inside both, far from the middle of either.
    const double s = dice.between(0, 1), t = dice.between(0, 1), l = dice.order(0.1, 10);
    const Vec3 a[2] = {-s * u, (1 - s) * u}, b[2] = {-t * l * w - height * up, (1 - t) * l * w - height * up};
    const double truth = simplex_distance(a, 2, b, 2);
    for (const bool swap : {false, true}) {
      const double d = swap ? collision::compute_primitive_distance(b, 2, a, 2).distance
                            : collision::compute_primitive_distance(a, 2, b, 2).distance;
      worst = std::max(worst, std::abs(d - truth) / (1 + l));
    }
  }
  // A dozen operations that each round a coordinate lie between the corners and the distance.
  CHECK(worst <= support::round_off(16));
}
