#include <doctest/doctest.h>

#include "fcl_oracle.h"
#include "support/sanitized.h"

using namespace tumble;
using namespace tumble::test;

namespace {

constexpr int kPeerCases = support::kSanitized ? 50 : 2000;

}  // namespace

TEST_CASE("the distance of every two shapes is that of FCL, or FCL is wrong") {
  compare_with_fcl(kPeerCases, 7);
}
