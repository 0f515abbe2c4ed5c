// slow: a hundred thousand random cases of every pair of shapes
#include <doctest/doctest.h>

#include "distance_oracle.h"

TEST_CASE("the distance of every two convex shapes is what other means find, a hundred thousand times") {
  using namespace tumble::test;
  check_distances(100'000, 1'000'000, {}, Group::convex);
}
