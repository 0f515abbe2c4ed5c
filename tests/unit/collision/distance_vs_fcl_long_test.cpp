// slow: a hundred thousand random cases of every pair of shapes
#include <doctest/doctest.h>

#include "fcl_oracle.h"

TEST_CASE("distances agree with FCL, or are proved more accurate, in 100,000 cases") {
  tumble::test::compare_with_fcl(100'000, 3'000'000);
}
