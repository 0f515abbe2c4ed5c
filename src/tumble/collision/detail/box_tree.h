// Dynamic bounding volume hierarchy: a binary tree of boxes whose leaves are added, removed and moved.
//
// A branch is one cache line with the boxes of its two children, so that a visit reads one line and tests
// both. The box of a branch itself is stored in its parent, in the slot 2 * branch + side. The box of the
// root is in slot 0.
//
// The cost of a tree is the sum of the surface areas of its boxes, which is the expected cost of a random
// query. A leaf is inserted where it adds least to the cost. On the way back up, a child and a grandchild are
// swapped wherever that reduces the cost.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tumble::collision::detail {

inline constexpr uint32_t kLeaf = 1u << 31;       // flag of a child that is an item
inline constexpr uint32_t kNoChild = 0xffffffff;  // the root slot of an empty tree; also "no slot"

/// A box in single precision. `child` and `parent` use the padding.
struct alignas(32) FloatBox {
  float lower[3] = {};
  uint32_t child = kNoChild;
  float upper[3] = {};
  uint32_t parent = 0;  // side 0 only: the slot that holds the box of this branch
  bool is_leaf() const { return (child & kLeaf) != 0; }
  uint32_t item() const { return child & ~kLeaf; }
};

#if defined(__SSE2__)
// The fourth lane is not a number and is masked out.
inline bool meets(const FloatBox& a, const FloatBox& b) {
  const __m128 apart = _mm_or_ps(_mm_cmpgt_ps(_mm_load_ps(a.lower), _mm_load_ps(b.upper)),
                                 _mm_cmpgt_ps(_mm_load_ps(b.lower), _mm_load_ps(a.upper)));
  return (_mm_movemask_ps(apart) & 7) == 0;
}
#else
inline bool meets(const FloatBox& a, const FloatBox& b) {
  bool apart = false;
  for (int k = 0; k < 3; ++k) apart |= a.lower[k] > b.upper[k] || b.lower[k] > a.upper[k];
  return !apart;
}
#endif

inline bool contains(const FloatBox& outer, const FloatBox& inner) {
  bool inside = true;
  for (int k = 0; k < 3; ++k) inside &= outer.lower[k] <= inner.lower[k] && inner.upper[k] <= outer.upper[k];
  return inside;
}

class BoxTree {
 public:
  /// `boxes` is indexed by item. Branches are stored in depth-first order.
  void build(std::span<const uint32_t> items, std::span<const FloatBox> boxes);
  void insert(uint32_t item, const FloatBox& box);
  void remove(uint32_t item);

  /// Calls emit(item) for each leaf whose box overlaps this one.
  template <typename Emit>
  void query(const FloatBox& box, Emit&& emit);
  /// Calls emit(item, item) once for each pair of overlapping leaves. Only valid if nothing was removed since
  /// build().
  template <typename Emit>
  void collide_self(Emit&& emit);
  /// Calls emit(item of this tree, item of the other) for each overlapping pair.
  template <typename Emit>
  void collide(const BoxTree& other, Emit&& emit);

  size_t size() const { return size_; }
  size_t memory_bytes() const;
  /// The number of boxes visited since the last call.
  uint64_t take_work() { return std::exchange(work_, 0); }

 private:
  struct alignas(64) Branch {
    FloatBox side[2];
  };
  struct Center {
    float at[3];
    uint32_t item;
  };
  struct SlotPair {
    uint32_t a, b;
  };

  FloatBox& slot(uint32_t s) { return branches_[s >> 1].side[s & 1]; }
  const FloatBox& slot(uint32_t s) const { return branches_[s >> 1].side[s & 1]; }
  uint32_t new_branch();
  /// Writes a box with its child to a slot, and updates the child's reference to the slot.
  void set_slot(uint32_t s, const FloatBox& content);
  void rotate(uint32_t branch);
  void build_range(size_t begin, size_t end, std::span<const FloatBox> boxes, uint32_t s);
  size_t partition(size_t begin, size_t end, int axis, float middle);
  template <typename Emit>
  void descend(const BoxTree& other, SlotPair start, Emit&& emit);

  std::vector<Branch> branches_ = std::vector<Branch>(1);  // the first holds only the root slot
  std::vector<uint32_t> free_;                             // unused branches
  std::vector<uint32_t> slot_of_;                          // by item
  size_t size_ = 0;
  uint64_t work_ = 0;
  std::vector<Center> centers_, partitioned_;  // scratch
  std::vector<uint32_t> stack_;                // scratch
  std::vector<SlotPair> pair_stack_;           // scratch
};

template <typename Emit>
void BoxTree::query(const FloatBox& box, Emit&& emit) {
  if (size_ == 0 || !meets(slot(0), box)) return;
  if (slot(0).is_leaf()) return emit(slot(0).item());
  uint64_t visits = 0;
  stack_.assign(1, slot(0).child);
  while (!stack_.empty()) {
    const Branch& branch = branches_[stack_.back()];
    stack_.pop_back();
    ++visits;
    for (const FloatBox& side : branch.side) {
      if (!meets(side, box)) continue;
      if (side.is_leaf())
        emit(side.item());
      else
        stack_.push_back(side.child);
    }
  }
  work_ += 2 * visits;
}

// Pops overlapping pairs from a stack and pushes pairs of their children, until all are leaves.
template <typename Emit>
void BoxTree::descend(const BoxTree& other, SlotPair start, Emit&& emit) {
  uint64_t visits = 0;
  size_t open = 0;
  const auto push = [&](uint32_t a, uint32_t b) {
    pair_stack_[open] = {a, b};
    open += meets(slot(a), other.slot(b)) ? 1 : 0;
  };
  if (pair_stack_.empty()) pair_stack_.resize(64);
  pair_stack_[open++] = start;
  while (open > 0) {
    if (open + 4 > pair_stack_.size()) pair_stack_.resize(2 * pair_stack_.size());
    const SlotPair pair = pair_stack_[--open];
    const FloatBox &a = slot(pair.a), &b = other.slot(pair.b);
    ++visits;
    if (a.is_leaf() && b.is_leaf()) {
      emit(a.item(), b.item());
    } else if (b.is_leaf()) {
      push(2 * a.child, pair.b);
      push(2 * a.child + 1, pair.b);
    } else if (a.is_leaf()) {
      push(pair.a, 2 * b.child);
      push(pair.a, 2 * b.child + 1);
    } else {
      const uint32_t below_a = 2 * a.child, below_b = 2 * b.child;
      push(below_a, below_b);
      push(below_a, below_b + 1);
      push(below_a + 1, below_b);
      push(below_a + 1, below_b + 1);
    }
  }
  work_ += 2 * visits;
}

template <typename Emit>
void BoxTree::collide_self(Emit&& emit) {
  for (uint32_t b = 1; b < branches_.size(); ++b)
    if (meets(branches_[b].side[0], branches_[b].side[1])) descend(*this, {2 * b, 2 * b + 1}, emit);
  work_ += branches_.size();
}

template <typename Emit>
void BoxTree::collide(const BoxTree& other, Emit&& emit) {
  if (size_ > 0 && other.size_ > 0 && meets(slot(0), other.slot(0))) descend(other, {0, 0}, emit);
}

}  // namespace tumble::collision::detail
