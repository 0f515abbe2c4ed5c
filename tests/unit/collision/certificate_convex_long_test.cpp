// slow: a hundred thousand motions of every pair of shapes
#include <doctest/doctest.h>

#include "certificate_oracle.h"

TEST_CASE("no two convex shapes in motion are called safe that come too near, a hundred thousand times") {
  using namespace tumble::test;
  check_certificates(100'000, 50, 2'000'000, 1, Vec3::Zero(), Group::convex);
}
