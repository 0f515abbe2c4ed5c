#include "unit/collision/overlap_oracles.h"
#include "support/sanitized.h"

using namespace tumble::test::overlap_oracles;

namespace {

constexpr int kOverlapCases = support::kSanitized ? 60 : 2000;

}  // namespace

TEST_CASE("two boxes are as deep in each other as fifteen axes say, 2,000 times") {
  check_boxes(kOverlapCases);
}

TEST_CASE("no direction out is shorter than the checker's, for each pair of convex shapes, 2,000 times") {
  for (size_t i = 0; i < convex_names().size(); ++i)
    for (size_t j = i; j < convex_names().size(); ++j)
      check_convex_pair(convex_names()[i], convex_names()[j], kOverlapCases, 40);
}

TEST_CASE("balls and capsules in an L are as deep as its closed form says, 2,000 times") {
  check_l_against_balls(kOverlapCases);
}

TEST_CASE("boxes, cylinders, cones and an L in an L are as deep as points in both show, 2,000 times") {
  check_l_against_bodies(kOverlapCases);
}
