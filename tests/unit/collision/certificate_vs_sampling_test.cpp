// slow: two thousand motions of every pair of shapes, each looked at up to a hundred times
#include <doctest/doctest.h>

#include "certificate_oracle.h"
#include "support/sanitized.h"

namespace {

constexpr int kCertificateCases = support::kSanitized ? 60 : 2000;

}  // namespace

TEST_CASE("no two moving shapes are called safe that come too near, and none is stopped long before") {
  tumble::test::check_certificates(kCertificateCases, 100, 3);
}
