// slow: two thousand random cases of every pair of shapes
// Compares distances with constructed values, with brute force over all pairs of simplices, with searches
// over surfaces, and with bounds: no distance is larger than that of two points on the surfaces, and no
// distance of solids is smaller than that of supporting planes along the normal.
#include <doctest/doctest.h>

#include <limits>

#include "distance_oracle.h"
#include "support/sanitized.h"

using namespace tumble;
using namespace tumble::test;

namespace {

constexpr int kDistanceCases = support::kSanitized ? 30 : 2000;

}  // namespace

TEST_CASE("distances of all pairs of shapes agree with independent methods") {
  check_distances(kDistanceCases, 1);
}

TEST_CASE("distances of nearly parallel edges are accurate at any angle") {
  // Two segments cross at an angle, one above the other by a height. The height is their distance, whatever
  // the angle.
  Dice dice(12);
  double worst = 0;
  for (int k = 0; k < 4000; ++k) {
    const double angle = dice.order(1e-17, 1), height = dice.below(4) == 0 ? 0 : dice.order(1e-12, 1e-2);
    const Mat3 R = dice.rotation().to_matrix();
    const Vec3 u = R * Vec3::UnitX(), w = R * Vec3(std::cos(angle), std::sin(angle), 0),
               up = R * Vec3::UnitZ();
    // They cross inside both, far from the middle of either.
    const double s = dice.between(0, 1), t = dice.between(0, 1), l = dice.order(0.1, 10);
    const Vec3 a[2] = {-s * u, (1 - s) * u}, b[2] = {-t * l * w - height * up, (1 - t) * l * w - height * up};
    const double truth = simplex_distance(a, 2, b, 2);
    for (const bool swap : {false, true}) {
      const double d = swap ? collision::compute_primitive_distance(b, 2, a, 2).distance
                            : collision::compute_primitive_distance(a, 2, b, 2).distance;
      worst = std::max(worst, std::abs(d - truth) / (1 + l));
    }
  }
  // There are about a dozen roundings of coordinates between the corners and the distance.
  CHECK(worst <= support::round_off(16));
}
