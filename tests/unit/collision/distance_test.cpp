// slow: two thousand random cases of every pair of shapes
// Distance against what is known by construction, against every pair of simplices, against searches over surfaces, and
// against bounds: with the two points on the surfaces, no distance is larger than theirs; along the normal, none of two
// solids smaller than between the planes that hold them.
#include <doctest/doctest.h>

#include <limits>

#include "distance_oracle.h"

using namespace tumble;
using namespace tumble::test;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(TUMBLE_FEW_CASES)
constexpr int kDistanceCases = 100;
#else
constexpr int kDistanceCases = 2000;
#endif

}  // namespace

TEST_CASE("the distance of every two shapes is what other means find") { check_distances(kDistanceCases, 1); }
