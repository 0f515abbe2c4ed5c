// slow: two thousand motions of every pair of shapes, each with up to a hundred samples
#include <doctest/doctest.h>

#include "certificate_oracle.h"
#include "support/sanitized.h"

namespace {

constexpr int kCertificateCases = support::kSanitized ? 60 : 2000;

}  // namespace

TEST_CASE("no moving pair is certified wrongly, and violations are not reported much too early") {
  tumble::test::check_certificates(kCertificateCases, 100, 3);
}
