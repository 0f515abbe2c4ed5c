// Broad phase by dynamic bounding volume hierarchies. This is the default.
//
// A leaf holds a fat box: the item's box with a margin, extended in the direction of motion. While the item
// stays inside, the tree does not change. Fat pairs, the pairs of overlapping leaves, are kept from step to
// step. The result is the fat pairs whose exact boxes overlap. An item that leaves its fat box gets a new one
// and is reinserted. If there are many such items, the tree is rebuilt, which costs less than reinserting
// them one by one.
//
// Fat boxes are single precision numbers relative to an origin near the items. Both roundings, x -> x -
// origin and double -> float, are monotonic (x <= y implies f(x) <= f(y)). Hence, without outward rounding,
//   f(box) inside fat box for a and b, and box of a meets box of b   =>   fat box of a meets that of b    (1)
// Items that reach to infinity, or so far that squares of floats overflow, are in no tree. They form a fat
// pair with every item.
#pragma once

#include <vector>

#include "tumble/collision/broad_phase.h"
#include "tumble/collision/detail/box_tree.h"

namespace tumble::collision {

class DynamicTree final : public BroadPhase {
 public:
  std::span<const ItemPair> update(std::span<const geometry::Bounds> boxes,
                                   std::span<const Mobility> mobility = {}) override;
  size_t memory_bytes() const override;

 private:
  enum class Container : uint8_t { absent, in_tree, outside };
  struct Membership {
    Container container = Container::absent;
    Mobility mobility = Mobility::moving;
    bool operator==(const Membership&) const = default;
  };
  struct FatBoxHistory {
    float center[3] = {};  // twice the centre of the item's box when its fat box was made
    uint32_t step = 0;
    bool is_new = true;  // has no fat box yet
  };
  struct Change {
    uint32_t item;
    Membership membership;  // new membership
  };

  detail::BoxTree& tree_of(Membership membership) {
    return membership.mobility == Mobility::moving ? moving_ : fixed_;
  }
  detail::FloatBox to_float(const geometry::Bounds& box) const;
  bool stays_inside(const detail::FloatBox& fat, const geometry::Bounds& box) const;
  void find_changes(std::span<const geometry::Bounds> boxes, std::span<const Mobility> mobility);
  bool choose_origin(std::span<const geometry::Bounds> boxes);
  void fatten(uint32_t item, const geometry::Bounds& box);
  bool apply_changes(std::span<const geometry::Bounds> boxes);
  void rebuild(Mobility mobility, std::span<const geometry::Bounds> boxes);
  void clear();
  void find_all_fat_pairs();
  void update_fat_pairs();
  void add_pairs_of(uint32_t item);
  void sort_found();
  std::span<const ItemPair> filter_pairs(std::span<const geometry::Bounds> boxes);

  detail::BoxTree moving_, fixed_;
  math::Vec3 origin_ = math::Vec3::Zero();
  uint32_t step_ = 0;
  std::vector<Membership> memberships_;  // by item, as are the next two
  std::vector<detail::FloatBox> fat_;    // of items in a tree
  std::vector<FatBoxHistory> history_;
  std::vector<uint32_t> outside_;    // items in no tree
  std::vector<uint64_t> fat_pairs_;  // first << 32 | second, sorted
  std::vector<ItemPair> pairs_;      // buffer; the result is its first part

  // Scratch memory of an update.
  std::vector<Change> changes_;
  std::vector<uint8_t> is_changed_;
  std::vector<uint32_t> items_, starts_;
  std::vector<uint64_t> found_, sorted_;
};

}  // namespace tumble::collision
