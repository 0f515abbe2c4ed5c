// slow: a hundred thousand motions of every pair of shapes
#include <doctest/doctest.h>

#include "certificate_oracle.h"

TEST_CASE(
    "no mesh and mesh or shape with corners in motion are called safe that come too near, a hundred thousand "
    "times") {
  using namespace tumble::test;
  check_certificates(100'000, 50, 2'000'000, 1, Vec3::Zero(), Group::surface);
}
