#include <doctest/doctest.h>

#include "fcl_oracle.h"
#include "support/sanitized.h"

using namespace tumble;
using namespace tumble::test;

namespace {

constexpr int kPeerCases = support::kSanitized ? 50 : 2000;

}  // namespace

TEST_CASE("distances agree with FCL, or are proved more accurate") { compare_with_fcl(kPeerCases, 7); }
