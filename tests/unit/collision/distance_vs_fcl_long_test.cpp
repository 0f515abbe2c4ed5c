// slow: a hundred thousand random cases of every pair of shapes
#include <doctest/doctest.h>

#include "fcl_oracle.h"

TEST_CASE("the distance of every two shapes is that of FCL, or FCL is wrong, a hundred thousand times") {
  tumble::test::compare_with_fcl(100'000, 3'000'000);
}
