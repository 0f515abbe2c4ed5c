// slow: a hundred thousand random cases of each pair of shapes
#include "unit/collision/overlap_oracles.h"

using namespace tumble::test::overlap_oracles;

TEST_CASE("two boxes are as deep in each other as fifteen axes say, 100,000 times") { check_boxes(100000); }

TEST_CASE("no direction out is shorter than the checker's, for each pair of convex shapes, 100,000 times") {
  for (size_t i = 0; i < convex_names().size(); ++i)
    for (size_t j = i; j < convex_names().size(); ++j)
      check_convex_pair(convex_names()[i], convex_names()[j], 100000, 40);
}

TEST_CASE("balls and capsules in an L are as deep as its closed form says, 100,000 times") {
  check_l_against_balls(100000);
}

TEST_CASE("boxes, cylinders, cones and an L in an L are as deep as points in both show, 100,000 times") {
  check_l_against_bodies(100000);
}
