// Many random impacts.
#include <doctest/doctest.h>

#include "crash.h"

TEST_CASE("100,000 random impacts gain no energy, conserve momentum, and leave no approach") {
  tumble::test::check_random_impacts(100'000, 12);
}
