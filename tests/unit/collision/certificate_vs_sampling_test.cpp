// slow: two thousand motions of every pair of shapes, each looked at up to a hundred times
#include <doctest/doctest.h>

#include "certificate_oracle.h"

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(TUMBLE_FEW_CASES)
constexpr int kCertificateCases = 60;
#else
constexpr int kCertificateCases = 2000;
#endif

}  // namespace

TEST_CASE("no two moving shapes are called safe that come too near, and none is stopped long before") {
  tumble::test::check_certificates(kCertificateCases, 100, 3);
}
