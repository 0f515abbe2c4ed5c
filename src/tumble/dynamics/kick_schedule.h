// The order in which a kick problem is assembled. Bodies are taken in elimination order, in parts. Each part
// comes with the laws and joints whose first body is in it. The data of a part stay in the L1 cache; those of
// the next part are prefetched.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "tumble/dynamics/linear/kkt_solver.h"

namespace tumble::dynamics {

/// Bodies of a part: their data fit into the L1 cache.
inline constexpr size_t kBodiesPerPart = 16;

inline void prefetch(const void* from, size_t bytes) {
  constexpr size_t kCacheLine = 64;  // bytes
  const char* first = static_cast<const char*>(from);
  for (size_t at = 0; at < bytes; at += kCacheLine) __builtin_prefetch(first + at);
}

/// The part of each node, and of pairs of nodes.
class PartOfNodes {
 public:
  explicit PartOfNodes(std::span<const int> order) : part_of_(order.size()) {
    for (size_t k = 0; k < order.size(); ++k) part_of_[static_cast<size_t>(order[k])] = k / kBodiesPerPart;
  }
  /// The part of the node that comes first. Pairs without a moving body belong to the first part.
  size_t operator()(int a, int b) const {
    const size_t none = a == kNone && b == kNone ? 0 : part_of_.max_size();
    return std::min(a == kNone ? none : part_of_[static_cast<size_t>(a)],
                    b == kNone ? none : part_of_[static_cast<size_t>(b)]);
  }
  /// Stable sort of a list by part.
  template <class List, class Part>
  static void sort(List& list, const Part& part) {
    std::stable_sort(list.begin(), list.end(),
                     [&](const auto& x, const auto& y) { return part(x) < part(y); });
  }

 private:
  std::vector<size_t> part_of_;  // by node
};

class KickLaws;
class KickJoints;

/// Constant for the life of a problem.
struct KickSchedule {
  /// Where a part begins: its nodes in `order`, nodes first used by it in `first_uses`, its laws, points and
  /// other joints.
  struct Part {
    size_t node = 0, first_use = 0, law = 0, point = 0, other = 0;
  };
  std::vector<int> order;       // nodes in elimination order of the matrix without contacts
  std::vector<int> first_uses;  // nodes in the order of their first use
  std::vector<Part> parts;      // and the end
};

/// `laws` and `joints` are sorted by part already.
KickSchedule plan_schedule(std::span<const int> order, const KickLaws& laws, const KickJoints& joints);

}  // namespace tumble::dynamics
