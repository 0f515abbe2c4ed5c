// slow: a hundred thousand motions of every pair of shapes
#include <doctest/doctest.h>

#include "certificate_oracle.h"

TEST_CASE("no two moving shapes are called safe that come too near, a hundred thousand times") {
  tumble::test::check_certificates(100'000, 50, 2'000'000);
}
