// Sizes from 1 mm to 1 km, mixtures of them, and positions 1 km from the origin give the same results.
#include <doctest/doctest.h>

#include "certificate_oracle.h"
#include "support/sanitized.h"
#include "tumble/collision/manifold.h"

using namespace tumble;
using namespace tumble::test;
using collision::Contact;

namespace {

constexpr int kScaleCases = support::kSanitized ? 3 : 60;

}  // namespace

TEST_CASE("distances, contacts and certificates scale exactly with powers of two") {
  Faults faults;
  for (const double scale : {0x1p-10, 0x1p10})
    for (int i = 0; i < kKinds; ++i)
      for (int j = 0; j < kKinds; ++j) {
        const auto ka = static_cast<Kind>(i), kb = static_cast<Kind>(j);
        if (ka == Kind::plane && kb == Kind::plane) continue;
        for (int k = 0; k < kScaleCases; ++k) {
          const std::string where =
              std::string(kKindNames[i]) + " " + kKindNames[j] + " case " + std::to_string(k);
          Separation s[2];
          Verdict v[2];
          std::vector<Contact> contacts[2];
          for (int n = 0; n < 2; ++n) {
            const double size = n == 0 ? 1 : scale;
            Dice dice(static_cast<unsigned>(1000 * i + 100 * j + k));
            const Pair pair = make_pair(dice, ka, kb, k % 3 == 0 ? Arrangement::aligned : Arrangement::near,
                                        size, 1, 1, Vec3::Zero());
            const Collider ca(pair.a.shape), cb(pair.b.shape);
            const Placed a(ca, pair.X_WA), b(cb, pair.X_WB);
            PairMemory memory;
            s[n] = compute_distance(a, b);
            collision::ManifoldBuilder().build(
                a, b, {.max_gap = 0x1p-12 * size, .contact_offset = 0x1p-14 * size}, memory, contacts[n]);
            const auto motion = [&](const Placed& p) {
              return Motion{p.p, size * dice.point(1), dice.point(10), 0};
            };
            const Motion still;
            const Motion ma = ka == Kind::plane ? still : motion(a),
                         mb = kb == Kind::plane ? still : motion(b);
            v[n] = certify(a, ma, b, mb, 0x1p-8, 0x1p-30 * size, memory);
          }
          faults.expect(s[1].distance == scale * s[0].distance &&
                            s[1].lower_bound == scale * s[0].lower_bound && s[1].normal == s[0].normal &&
                            s[1].on_a == scale * s[0].on_a,
                        "distance", 0, where);
          bool same = contacts[0].size() == contacts[1].size();
          for (size_t c = 0; same && c < contacts[0].size(); ++c)
            same = contacts[1][c].point == scale * contacts[0][c].point &&
                   contacts[1][c].normal == contacts[0][c].normal &&
                   contacts[1][c].gap == scale * contacts[0][c].gap &&
                   contacts[1][c].key == contacts[0][c].key;
          faults.expect(same, "contacts", 0, where);
          faults.expect(
              v[0].safe == v[1].safe && v[0].time == v[1].time && v[0].evaluations == v[1].evaluations,
              "certificate", 0, where);
        }
      }
  faults.report();
}

TEST_CASE("distances of bodies of 1 mm and of 1 km are as accurate as those of 1 m") {
  check_distances(kScaleCases, 50, {.size = 1e-3});
  check_distances(kScaleCases, 60, {.size = 1e3});
}

TEST_CASE("distances between bodies of 1 mm and 1 km are accurate relative to the larger one") {
  check_distances(2 * kScaleCases, 70, {.size = 1, .ratio = 1e6});
}

TEST_CASE("distances 1 km from the origin are accurate to the rounding of positions there") {
  check_distances(kScaleCases, 80, {.size = 1, .origin = Vec3(600, -500, 620)});
  check_distances(kScaleCases, 90, {.size = 1e-3, .origin = Vec3(600, -500, 620)});
}

TEST_CASE("certificates hold for 1 mm, for 1 km and 1 km from the origin") {
  check_certificates(kScaleCases, 60, 100, 1e-3);
  check_certificates(kScaleCases, 60, 110, 1e3);
  check_certificates(kScaleCases, 60, 120, 1, Vec3(600, -500, 620));
  check_certificates(kScaleCases, 60, 130, 1e-3, Vec3(600, -500, 620));
}
