// slow: a hundred thousand random scenes of ten steps each
#include <doctest/doctest.h>

#include "unit/collision/moving_boxes.h"

TEST_CASE("tree and sweep find the same pairs as brute force, in 100,000 scenes") {
  const tumble::test::BroadPhaseOutcome outcome = tumble::test::run_random_scenes(2, 100'000);
  CHECK(outcome.differences == 0);
  CHECK(outcome.pairs > 5'000'000);
}
