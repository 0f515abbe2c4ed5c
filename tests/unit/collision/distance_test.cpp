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
