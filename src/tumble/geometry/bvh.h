// Bounding volume hierarchy of axis-aligned boxes over items that do not move. Built once by the surface area
// heuristic. The same boxes give the same tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tumble/geometry/triangle_mesh.h"

namespace tumble::geometry {

inline bool overlap(const Bounds& a, const Bounds& b) {
  return (a.lower.array() <= b.upper.array()).all() && (b.lower.array() <= a.upper.array()).all();
}

class Bvh {
 public:
  /// One box per item; an item is numbered by its index in the list. Boxes must be finite.
  explicit Bvh(std::span<const Bounds> boxes);

  /// Calls visit(item) for every item whose box overlaps `box`, touching included. visit returns false to
  /// stop.
  template <typename Visit>
  void for_each_overlap(const Bounds& box, Visit&& visit) const;
  /// Calls visit(i, j), i < j, once for every pair of items whose boxes overlap. visit returns false to stop.
  template <typename Visit>
  void for_each_pair(Visit&& visit) const;

  /// An inner node has the children `first` and `first + 1`. A leaf has items()[first] .. items()[first +
  /// count - 1].
  struct Node {
    Bounds box;
    uint32_t first = 0;
    uint32_t count = 0;  // 0 for an inner node
    bool is_leaf() const { return count > 0; }
  };
  static constexpr uint32_t kLeafItems = 4;  // maximum
  /// At most this many nodes wait in a search that goes to one child first.
  static constexpr int kMaxDepth = 80;
  struct NodePair {
    uint32_t a, b;
  };
  /// For other kinds of searches. The root comes first. Without items there are no nodes.
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<uint32_t>& items() const { return items_; }

 private:
  template <typename Visit>
  bool visit_leaf_pair(const Node& a, const Node& b, Visit&& visit) const;

  std::vector<Node> nodes_;      // root first
  std::vector<uint32_t> items_;  // in the order of the leaves
  std::vector<Bounds> boxes_;    // box of items_[i]
};

template <typename Visit>
void Bvh::for_each_overlap(const Bounds& box, Visit&& visit) const {
  if (nodes_.empty()) return;
  std::vector<uint32_t> open = {0};
  while (!open.empty()) {
    const Node& node = nodes_[open.back()];
    open.pop_back();
    if (!overlap(node.box, box)) continue;
    if (!node.is_leaf()) {
      open.push_back(node.first + 1);
      open.push_back(node.first);
      continue;
    }
    for (uint32_t i = node.first; i < node.first + node.count; ++i)
      if (overlap(boxes_[i], box) && !visit(items_[i])) return;
  }
}

template <typename Visit>
bool Bvh::visit_leaf_pair(const Node& a, const Node& b, Visit&& visit) const {
  for (uint32_t i = a.first; i < a.first + a.count; ++i) {
    for (uint32_t j = &a == &b ? i + 1 : b.first; j < b.first + b.count; ++j) {
      if (!overlap(boxes_[i], boxes_[j])) continue;
      if (!visit(std::min(items_[i], items_[j]), std::max(items_[i], items_[j]))) return false;
    }
  }
  return true;
}

template <typename Visit>
void Bvh::for_each_pair(Visit&& visit) const {
  if (nodes_.empty()) return;
  std::vector<NodePair> open = {{0, 0}};
  while (!open.empty()) {
    const NodePair pair = open.back();
    open.pop_back();
    const Node &a = nodes_[pair.a], &b = nodes_[pair.b];
    if (pair.a != pair.b && !overlap(a.box, b.box)) continue;
    if (a.is_leaf() && b.is_leaf()) {
      if (!visit_leaf_pair(a, b, visit)) return;
    } else if (pair.a == pair.b) {
      open.insert(open.end(), {{a.first, a.first}, {a.first + 1, a.first + 1}, {a.first, a.first + 1}});
    } else if (b.is_leaf() ||
               (!a.is_leaf() && (a.box.upper - a.box.lower).sum() > (b.box.upper - b.box.lower).sum())) {
      open.insert(open.end(), {{a.first, pair.b}, {a.first + 1, pair.b}});
    } else {
      open.insert(open.end(), {{pair.a, b.first}, {pair.a, b.first + 1}});
    }
  }
}

}  // namespace tumble::geometry
