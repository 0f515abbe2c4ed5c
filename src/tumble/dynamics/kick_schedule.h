// In which order a kick problem is assembled. Bodies are taken in the order of elimination, a part at a time,
// each with the laws and joints whose first body is in the part: the numbers of a part stay in the nearest
// cache, those of the next are prefetched.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "tumble/dynamics/linear/kkt_solver.h"

namespace tumble::dynamics {

/// Bodies of a part: their numbers fit into the nearest cache.
inline constexpr size_t kBodiesPerPart = 16;

inline void prefetch(const void* from, size_t bytes) {
  constexpr size_t kCacheLine = 64;  // bytes
  const char* first = static_cast<const char*>(from);
  for (size_t at = 0; at < bytes; at += kCacheLine) __builtin_prefetch(first + at);
}

/// In which part each node is, and what ties two of them.
class PartOfNodes {
 public:
  explicit PartOfNodes(std::span<const int> order) : part_of_(order.size()) {
    for (size_t k = 0; k < order.size(); ++k) part_of_[static_cast<size_t>(order[k])] = k / kBodiesPerPart;
  }
  /// Of two nodes, the part of the one that comes first. What moves nothing goes with the first part.
  size_t operator()(int a, int b) const {
    const size_t none = a == kNone && b == kNone ? 0 : part_of_.max_size();
    return std::min(a == kNone ? none : part_of_[static_cast<size_t>(a)],
                    b == kNone ? none : part_of_[static_cast<size_t>(b)]);
  }
  /// Sorts what has a part, and keeps the order inside of each.
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
  /// Where the nodes of a part begin in `order`, those first needed there in `opened`, and its laws, points
  /// and other joints.
  struct Part {
    size_t node = 0, opened = 0, law = 0, point = 0, other = 0;
  };
  std::vector<int> order;   // nodes, as the matrix without contacts eliminates them
  std::vector<int> opened;  // nodes, as they are first needed
  std::vector<Part> parts;  // and the end
};

/// `laws` and `joints` are sorted by part already.
KickSchedule plan_schedule(std::span<const int> order, const KickLaws& laws, const KickJoints& joints);

}  // namespace tumble::dynamics
