// slow: a hundred thousand motions of every pair of shapes
#include <doctest/doctest.h>

#include "certificate_oracle.h"

TEST_CASE("certificates of moving convex shapes are never wrong, in 100,000 cases") {
  using namespace tumble::test;
  check_certificates(100'000, 50, 2'000'000, 1, Vec3::Zero(), Group::convex);
}
