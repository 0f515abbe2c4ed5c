// A binary tree of boxes whose leaves come, go and move.
//
// A branch is one cache line: the boxes of its two children side by side, so that a visit reads one line and tests both.
// The box of a branch stands in its parent, in the `slot` 2 * branch + side; the root's in slot 0.
//
// The cost of a tree is the sum of the surfaces of its boxes: what a random query is likely to visit. A leaf goes where
// it adds least to it, and on the way back up a child changes places with a grandchild wherever that makes the sum smaller.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tumble::collision::detail {

inline constexpr uint32_t kLeaf = 1u << 31;       // a child that is an item
inline constexpr uint32_t kNoChild = 0xffffffff;  // the root slot of an empty tree; "no slot"

/// In single precision, as fast as a tree asks for. `child` and `parent` fill the gaps in a slot of a tree.
struct alignas(32) FloatBox {
  float lower[3] = {};
  uint32_t child = kNoChild;
  float upper[3] = {};
  uint32_t parent = 0;  // of side 0 alone: the slot in which the box of this branch stands
  bool is_leaf() const { return (child & kLeaf) != 0; }
  uint32_t item() const { return child & ~kLeaf; }
};

#if defined(__SSE2__)
// The fourth lane holds no number and is left out of every answer.
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
  /// `boxes` is indexed by item. The branches come out in the order of a walk over the tree.
  void build(std::span<const uint32_t> items, std::span<const FloatBox> boxes);
  void insert(uint32_t item, const FloatBox& box);
  void remove(uint32_t item);

  /// emit(item) for each leaf whose box meets this one.
  template <typename Emit>
  void query(const FloatBox& box, Emit&& emit);
  /// emit(item, item) once for each two leaves that meet. For a tree from which nothing was removed since build().
  template <typename Emit>
  void collide_self(Emit&& emit);
  /// emit(item of this tree, item of the other) for each two that meet.
  template <typename Emit>
  void collide(const BoxTree& other, Emit&& emit);

  size_t size() const { return size_; }
  size_t memory_bytes() const;
  /// Boxes looked at since this was last called.
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
  /// Puts a child with its box into a slot and tells the child.
  void place(uint32_t s, const FloatBox& content);
  void rotate(uint32_t branch);
  void build_range(size_t begin, size_t end, std::span<const FloatBox> boxes, uint32_t s);
  size_t part(size_t begin, size_t end, int axis, float middle);
  template <typename Emit>
  void descend(const BoxTree& other, SlotPair start, Emit&& emit);

  std::vector<Branch> branches_ = std::vector<Branch>(1);  // the first holds the root slot alone
  std::vector<uint32_t> free_;                             // branches
  std::vector<uint32_t> slot_of_;                          // by item
  size_t size_ = 0;
  uint64_t work_ = 0;
  std::vector<Center> centers_, parted_;  // scratch
  std::vector<uint32_t> open_;            // scratch
  std::vector<SlotPair> meeting_;         // scratch
};

template <typename Emit>
void BoxTree::query(const FloatBox& box, Emit&& emit) {
  if (size_ == 0 || !meets(slot(0), box)) return;
  if (slot(0).is_leaf()) return emit(slot(0).item());
  uint64_t visits = 0;
  open_.assign(1, slot(0).child);
  while (!open_.empty()) {
    const Branch& branch = branches_[open_.back()];
    open_.pop_back();
    ++visits;
    for (const FloatBox& side : branch.side) {
      if (!meets(side, box)) continue;
      if (side.is_leaf())
        emit(side.item());
      else
        open_.push_back(side.child);
    }
  }
  work_ += 2 * visits;
}

// Takes pairs that meet off the list and looks at their children, until all are leaves.
template <typename Emit>
void BoxTree::descend(const BoxTree& other, SlotPair start, Emit&& emit) {
  uint64_t visits = 0;
  size_t open = 0;
  const auto push = [&](uint32_t a, uint32_t b) {
    meeting_[open] = {a, b};
    open += meets(slot(a), other.slot(b)) ? 1 : 0;
  };
  if (meeting_.empty()) meeting_.resize(64);
  meeting_[open++] = start;
  while (open > 0) {
    if (open + 4 > meeting_.size()) meeting_.resize(2 * meeting_.size());
    const SlotPair pair = meeting_[--open];
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
