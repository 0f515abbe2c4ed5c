// The cache of a pair saves work and changes no result.
#include <doctest/doctest.h>

#include "distance_oracle.h"
#include "support/sanitized.h"
#include "tumble/collision/manifold.h"

using namespace tumble;
using namespace tumble::test;
using collision::Contact;

constexpr int kMemoryCases = support::kSanitized ? 60 : 200;  // of each pair of shapes

TEST_CASE("contacts are the same with and without a cache of the last step") {
  Faults faults;
  int compared = 0;
  for (int i = 0; i < kKinds; ++i)
    for (int j = 0; j < kKinds; ++j) {
      const auto ka = static_cast<Kind>(i), kb = static_cast<Kind>(j);
      if (ka == Kind::plane && kb == Kind::plane) continue;
      // The position of a corner on a curved surface depends on the direction found, which rounding may
      // change.
      const bool curved = is_curved(ka) || is_curved(kb);
      Dice dice(static_cast<unsigned>(500 + 10 * i + j));
      collision::ManifoldBuilder with;
      for (int k = 0; k < kMemoryCases; ++k) {
        const Pair pair = make_pair(dice, ka, kb, k % 2 == 0 ? Arrangement::aligned : Arrangement::near, 1,
                                    dice.order(0.3, 3), 1, Vec3::Zero());
        const Collider ca(pair.a.shape), cb(pair.b.shape);
        Placed a(ca, pair.X_WA), b(cb, pair.X_WB);
        const collision::ContactRange range{.max_gap = 2e-3, .contact_offset = 1e-4};
        PairMemory memory;
        std::vector<Contact> first, warm, fresh;
        with.build(a, b, range, memory, first);
        // Tilt and shift the one that may move a little.
        Placed& mover = ka == Kind::plane ? b : a;
        const double amount = dice.order(1e-6, 1e-2);
        mover.R = math::Quat::from_rotation_vector(amount * dice.point(1)).to_matrix() * mover.R;
        mover.p += 0.1 * amount * dice.point(1);
        with.build(a, b, range, memory, warm);
        PairMemory none;
        collision::ManifoldBuilder().build(a, b, range, none, fresh);
        const std::string where = std::string(kKindNames[i]) + " " + kKindNames[j] + " case " +
                                  std::to_string(k) + " contacts " + std::to_string(warm.size()) + " fresh " +
                                  std::to_string(fresh.size());
        if (curved) {
          double least[2] = {INFINITY, INFINITY};
          for (const Contact& c : warm) least[0] = std::min(least[0], c.gap);
          for (const Contact& c : fresh) least[1] = std::min(least[1], c.gap);
          faults.expect(warm.empty() == fresh.empty() &&
                            (warm.empty() || std::abs(least[0] - least[1]) <=
                                                 0.25 * range.contact_offset + accuracy().search * pair.size),
                        "curved: same least gap", std::abs(least[0] - least[1]), where);
          ++compared;
          continue;
        }
        ++compared;
        bool same = warm.size() == fresh.size();
        for (size_t c = 0; same && c < warm.size(); ++c)
          same = warm[c].key == fresh[c].key && warm[c].point == fresh[c].point &&
                 warm[c].normal == fresh[c].normal && warm[c].gap == fresh[c].gap;
        faults.expect(same, "the same contacts to the bit", 0, where);
      }
    }
  faults.report();
  CHECK(compared > 50 * kMemoryCases);
}

TEST_CASE("a reused builder finds the same contacts as a new one") {
  Dice dice(600);
  collision::ManifoldBuilder used;
  int different = 0;
  for (int k = 0; k < 3000; ++k) {
    const auto ka = static_cast<Kind>(dice.below(kKinds)), kb = static_cast<Kind>(dice.below(kKinds));
    if (ka == Kind::plane && kb == Kind::plane) continue;
    const Pair pair =
        make_pair(dice, ka, kb, k % 2 == 0 ? Arrangement::aligned : Arrangement::near, 1, 1, 1, Vec3::Zero());
    const Collider ca(pair.a.shape), cb(pair.b.shape);
    const Placed a(ca, pair.X_WA), b(cb, pair.X_WB);
    const collision::ContactRange range{.max_gap = 2e-3, .contact_offset = 1e-4};
    std::vector<Contact> first, second;
    PairMemory memory, other;
    used.build(a, b, range, memory, first);
    collision::ManifoldBuilder().build(a, b, range, other, second);
    bool same = first.size() == second.size();
    for (size_t c = 0; same && c < first.size(); ++c)
      same =
          first[c].key == second[c].key && first[c].point == second[c].point && first[c].gap == second[c].gap;
    different += same ? 0 : 1;
  }
  CHECK(different == 0);
}
