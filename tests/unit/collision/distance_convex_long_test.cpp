// slow: a hundred thousand random cases of every pair of shapes
#include <doctest/doctest.h>

#include "distance_oracle.h"

TEST_CASE("distances of convex shapes agree with independent methods, in 100,000 cases") {
  using namespace tumble::test;
  check_distances(100'000, 1'000'000, {}, Group::convex);
}
