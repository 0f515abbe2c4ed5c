// slow: a hundred thousand random pairs of edges and corners
#include "touching_oracle.h"

TEST_CASE("edges and corners that touch have the normal in the middle, in 100,000 cases") {
  tumble::test::check_touching(100'000, 1'000'000);
}
