// Broad phase by dynamic trees of boxes: the default.
//
// A leaf holds a fat box, larger than the item's own and reaching where the item is heading. While the item stays inside,
// nothing in the tree changes; the fat pairs, those of leaves that meet, are kept from step to step, and the answer is
// the fat pairs whose own boxes meet. Items that left their fat box get a new one, and a new place. When they are many, the
// tree is built anew for all, which costs less than moving them one by one.
//
// Fat boxes are single precision numbers relative to an origin near the items. Both roundings, x -> x - origin and
// double -> float, keep the order of numbers (x <= y gives f(x) <= f(y)), hence without any outward rounding
//   f(box) inside fat box for a and b, and box of a meets box of b   =>   fat box of a meets that of b          (1)
// Items that reach to infinity, or further than floats can square, are in no tree: they make a fat pair with every item.
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
  enum class Where : uint8_t { absent, in_tree, outside };
  struct Place {
    Where where = Where::absent;
    Mobility mobility = Mobility::moving;
    bool operator==(const Place&) const = default;
  };
  struct Made {
    float center[3] = {};  // twice that of the item's box when its fat box was made
    uint32_t step = 0;
    bool is_new = true;  // no fat box yet
  };
  struct Change {
    uint32_t item;
    Place place;  // the new one
  };

  detail::BoxTree& tree_of(Place place) { return place.mobility == Mobility::moving ? moving_ : fixed_; }
  detail::FloatBox narrowed(const geometry::Bounds& box) const;
  bool stays_inside(const detail::FloatBox& fat, const geometry::Bounds& box) const;
  void find_changes(std::span<const geometry::Bounds> boxes, std::span<const Mobility> mobility);
  bool choose_origin(std::span<const geometry::Bounds> boxes);
  void fatten(uint32_t item, const geometry::Bounds& box);
  bool apply_changes(std::span<const geometry::Bounds> boxes);
  void rebuild(Mobility mobility, std::span<const geometry::Bounds> boxes);
  void forget();
  void find_all_fat_pairs();
  void update_fat_pairs();
  void add_pairs_of(uint32_t item);
  void sort_found();
  std::span<const ItemPair> filter_pairs(std::span<const geometry::Bounds> boxes);

  detail::BoxTree moving_, fixed_;
  math::Vec3 origin_ = math::Vec3::Zero();
  uint32_t step_ = 0;
  std::vector<Place> places_;          // by item, as are the next two
  std::vector<detail::FloatBox> fat_;  // of those in a tree
  std::vector<Made> made_;
  std::vector<uint32_t> outside_;    // items in no tree
  std::vector<uint64_t> fat_pairs_;  // first << 32 | second, sorted
  std::vector<ItemPair> pairs_;      // room for as many; the answer is the first of them

  // scratch of an update
  std::vector<Change> changes_;
  std::vector<uint8_t> is_changed_;
  std::vector<uint32_t> items_, starts_;
  std::vector<uint64_t> found_, sorted_;
};

}  // namespace tumble::collision
