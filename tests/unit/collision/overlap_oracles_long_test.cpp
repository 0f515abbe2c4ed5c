// slow: a hundred thousand random cases of each pair of shapes
#include "unit/collision/overlap_oracles.h"

using namespace tumble::test::overlap_oracles;

TEST_CASE("depths of boxes agree with fifteen axes, in 100,000 cases") { check_boxes(100000); }

TEST_CASE("depths of convex shapes agree with a search over directions, in 100,000 cases each") {
  for (size_t i = 0; i < convex_names().size(); ++i)
    for (size_t j = i; j < convex_names().size(); ++j)
      check_convex_pair(convex_names()[i], convex_names()[j], 100000, 40);
}

TEST_CASE("depths of balls and capsules in an L agree with the closed form, in 100,000 cases") {
  check_l_against_balls(100000);
}

TEST_CASE("depths of boxes, cylinders, cones and an L in an L agree with sampling, in 100,000 cases") {
  check_l_against_bodies(100000);
}
