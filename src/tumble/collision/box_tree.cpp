#include "tumble/collision/detail/box_tree.h"

#include <algorithm>

#include "tumble/collision/parameters.h"

namespace tumble::collision::detail {

namespace {

// Half the surface area. Boxes of a tree are at most 1e18 m from the origin, so that no product overflows.
float surface(const FloatBox& box) {
  const float x = box.upper[0] - box.lower[0], y = box.upper[1] - box.lower[1],
              z = box.upper[2] - box.lower[2];
  return x * y + y * z + z * x;
}

// Union of two boxes. Keeps child and parent of a.
FloatBox united(const FloatBox& a, const FloatBox& b) {
  FloatBox box = a;
  for (int k = 0; k < 3; ++k) {
    box.lower[k] = std::min(a.lower[k], b.lower[k]);
    box.upper[k] = std::max(a.upper[k], b.upper[k]);
  }
  return box;
}

bool same_corners(const FloatBox& a, const FloatBox& b) { return contains(a, b) && contains(b, a); }

}  // namespace

uint32_t BoxTree::new_branch() {
  if (free_.empty()) {
    branches_.emplace_back();
    return static_cast<uint32_t>(branches_.size() - 1);
  }
  const uint32_t branch = free_.back();
  free_.pop_back();
  return branch;
}

void BoxTree::set_slot(uint32_t s, const FloatBox& content) {
  FloatBox& target = slot(s);
  std::copy_n(content.lower, 3, target.lower);
  std::copy_n(content.upper, 3, target.upper);
  target.child = content.child;
  if (content.is_leaf())
    slot_of_[content.item()] = s;
  else
    branches_[content.child].side[0].parent = s;
}

void BoxTree::insert(uint32_t item, const FloatBox& box) {
  FloatBox leaf = box;
  leaf.child = kLeaf | item;
  if (slot_of_.size() <= item) slot_of_.resize(item + 1, kNoChild);
  if (size_++ == 0) return set_slot(0, leaf);

  // Descend. A new branch here costs its surface. Descending costs the growth of this box, and more below.
  uint32_t at = 0;
  while (true) {
    FloatBox& here = slot(at);
    const FloatBox grown = united(here, leaf);
    work_ += 3;
    if (here.is_leaf()) break;
    const float with_leaf = surface(grown), growth = with_leaf - surface(here);
    float below[2];
    for (uint32_t side = 0; side < 2; ++side) {
      const FloatBox& child = slot(2 * here.child + side);
      below[side] = growth + surface(united(child, leaf)) - (child.is_leaf() ? 0 : surface(child));
    }
    if (with_leaf <= below[0] && with_leaf <= below[1]) break;
    const uint32_t next = 2 * here.child + (below[1] < below[0] ? 1 : 0);
    here = grown;
    at = next;
  }

  const uint32_t branch = new_branch();
  const FloatBox sibling = slot(at);
  FloatBox both = united(sibling, leaf);
  both.child = branch;
  set_slot(2 * branch, sibling);
  set_slot(2 * branch + 1, leaf);
  set_slot(at, both);
  for (uint32_t b = at >> 1; b != 0; b = branches_[b].side[0].parent >> 1) rotate(b);
}

void BoxTree::remove(uint32_t item) {
  const uint32_t at = std::exchange(slot_of_[item], kNoChild), branch = at >> 1;
  if (--size_ == 0) {
    slot(0).child = kNoChild;
    return;
  }
  uint32_t s = branches_[branch].side[0].parent;
  set_slot(s, FloatBox(slot(at ^ 1)));
  free_.push_back(branch);
  while (s != 0) {
    const uint32_t b = s >> 1;
    s = branches_[b].side[0].parent;
    ++work_;
    FloatBox& here = slot(s);
    const FloatBox box = united(slot(2 * b), slot(2 * b + 1));
    if (same_corners(here, box)) break;
    std::copy_n(box.lower, 3, here.lower);
    std::copy_n(box.upper, 3, here.upper);
  }
}

// Tree rotation: a child X and its sibling (Y, Z) become Y and (X, Z), or Z and (Y, X), if that makes the
// inner box smaller.
void BoxTree::rotate(uint32_t branch) {
  float best_gain = 0;
  uint32_t best_child = kNoChild, best_grandchild = kNoChild;
  for (uint32_t side = 0; side < 2; ++side) {
    const uint32_t child = 2 * branch + side, sibling = child ^ 1;
    if (slot(sibling).is_leaf()) continue;
    const uint32_t below = slot(sibling).child;
    const float now = surface(slot(sibling));
    for (uint32_t other = 0; other < 2; ++other) {
      const float gain = now - surface(united(slot(child), slot(2 * below + (other ^ 1))));
      if (gain > best_gain) {
        best_gain = gain;
        best_child = child;
        best_grandchild = 2 * below + other;
      }
    }
    work_ += 2;
  }
  if (best_child == kNoChild) return;
  const FloatBox child = slot(best_child), grandchild = slot(best_grandchild);
  set_slot(best_child, grandchild);
  set_slot(best_grandchild, child);
  FloatBox& inner = slot(best_child ^ 1);
  const FloatBox box = united(child, slot(best_grandchild ^ 1));
  std::copy_n(box.lower, 3, inner.lower);
  std::copy_n(box.upper, 3, inner.upper);
}

void BoxTree::build(std::span<const uint32_t> items, std::span<const FloatBox> boxes) {
  size_ = items.size();
  free_.clear();
  branches_.clear();
  branches_.reserve(std::max<size_t>(size_, 1));
  branches_.emplace_back();
  slot_of_.assign(boxes.size(), kNoChild);
  centers_.resize(size_);
  partitioned_.resize(size_);
  for (size_t i = 0; i < size_; ++i) {
    const FloatBox& b = boxes[items[i]];
    for (int k = 0; k < 3; ++k) centers_[i].at[k] = b.lower[k] + b.upper[k];
    centers_[i].item = items[i];
  }
  if (size_ > 0) build_range(0, size_, boxes, 0);
}

// Splits the box of the centres in the middle of its longest side.
void BoxTree::build_range(size_t begin, size_t end, std::span<const FloatBox> boxes, uint32_t s) {
  const size_t count = end - begin;
  work_ += count;
  if (count == 1) {
    FloatBox leaf = boxes[centers_[begin].item];
    leaf.child = kLeaf | centers_[begin].item;
    return set_slot(s, leaf);
  }
  float lower[3], upper[3];
  for (int k = 0; k < 3; ++k) lower[k] = upper[k] = centers_[begin].at[k];
  for (size_t i = begin + 1; i < end; ++i) {
    for (int k = 0; k < 3; ++k) {
      lower[k] = std::min(lower[k], centers_[i].at[k]);
      upper[k] = std::max(upper[k], centers_[i].at[k]);
    }
  }
  int axis = 0;
  for (int k = 1; k < 3; ++k)
    if (upper[k] - lower[k] > upper[axis] - lower[axis]) axis = k;
  const size_t split = begin + partition(begin, end, axis, lower[axis] + (upper[axis] - lower[axis]) / 2);
  const uint32_t branch = new_branch();
  build_range(begin, split, boxes, 2 * branch);
  build_range(split, end, boxes, 2 * branch + 1);
  FloatBox both = united(slot(2 * branch), slot(2 * branch + 1));
  both.child = branch;
  set_slot(s, both);
}

// Moves the centres below `middle` to the front, or the lower half if the split would be too unbalanced.
// Returns their number. Each centre is written to both ends and counted at one: a mispredicted branch costs
// more.
size_t BoxTree::partition(size_t begin, size_t end, int axis, float middle) {
  const size_t count = end - begin;
  size_t left = 0, right = count;
  Center* const partitioned = &partitioned_[begin];
  for (size_t i = begin; i < end; ++i) {
    const Center center = centers_[i];
    const auto is_left = static_cast<size_t>(center.at[axis] < middle);
    partitioned[left] = center;
    partitioned[right - 1] = center;
    left += is_left;
    right -= 1 - is_left;
  }
  std::copy_n(partitioned, count, &centers_[begin]);
  if (left * kBroadPhase.max_imbalance >= count && (count - left) * kBroadPhase.max_imbalance >= count)
    return left;
  const auto first = centers_.begin() + static_cast<std::ptrdiff_t>(begin);
  std::nth_element(first, first + static_cast<std::ptrdiff_t>(count / 2),
                   first + static_cast<std::ptrdiff_t>(count),
                   [axis](const Center& a, const Center& b) { return a.at[axis] < b.at[axis]; });
  return count / 2;
}

size_t BoxTree::memory_bytes() const {
  return branches_.capacity() * sizeof(Branch) +
         (centers_.capacity() + partitioned_.capacity()) * sizeof(Center) +
         pair_stack_.capacity() * sizeof(SlotPair) +
         (free_.capacity() + slot_of_.capacity() + stack_.capacity()) * sizeof(uint32_t);
}

}  // namespace tumble::collision::detail
