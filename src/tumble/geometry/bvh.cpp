// Surface area heuristic: a split into left and right costs n_l A_l + n_r A_r, where A is the surface area of
// the box around each side. The cheapest of a few planes per axis is taken. [MacDonald and Booth 1990; bins
// after Wald 2007]
#include "tumble/geometry/bvh.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "tumble/core/require.h"

namespace tumble::geometry {

using math::Vec3;

namespace {

constexpr int kBins = 16;
constexpr int kMaxSkewedDepth =
    Bvh::kMaxDepth - 32;  // below this depth splits are at the median, so that the depth stays bounded

Bounds nothing() {
  constexpr double inf = std::numeric_limits<double>::infinity();
  return {Vec3::Constant(inf), Vec3::Constant(-inf)};
}
inline void extend(Bounds& box, const Bounds& by) {
  box.lower = box.lower.cwiseMin(by.lower);
  box.upper = box.upper.cwiseMax(by.upper);
}
double surface(const Bounds& box) {
  const Vec3 d = box.upper - box.lower;
  return d.x() * d.y() + d.y() * d.z() + d.z() * d.x();
}

struct Item {
  Bounds box;
  Vec3 center;
  uint32_t index;
};

struct Split {
  int axis = -1;  // -1: none found
  double scale = 0, offset = 0;
  int bin = 0;  // items in bins below this one go left
  double cost = std::numeric_limits<double>::infinity();

  int bin_of(const Item& item) const {
    return std::clamp(static_cast<int>((item.center[axis] - offset) * scale), 0, kBins - 1);
  }
};

struct Bin {
  Bounds box = nothing();
  uint32_t count = 0;
};
using Bins = std::array<Bin, kBins>;

// Finds the cheapest of the planes between the bins.
void find_cheapest(const Bins& bins, Split& split) {
  // First sum the costs of the right sides from the right, then the total costs from the left.
  std::array<double, kBins> right_cost{};
  Bounds box = nothing();
  uint32_t count = 0;
  for (size_t i = kBins - 1; i > 0; --i) {
    if (bins[i].count > 0) extend(box, bins[i].box);
    count += bins[i].count;
    right_cost[i] = count > 0 ? count * surface(box) : std::numeric_limits<double>::infinity();
  }
  box = nothing();
  count = 0;
  for (size_t i = 1; i < kBins; ++i) {
    if (bins[i - 1].count > 0) extend(box, bins[i - 1].box);
    count += bins[i - 1].count;
    const double cost =
        count > 0 ? count * surface(box) + right_cost[i] : std::numeric_limits<double>::infinity();
    if (cost < split.cost) {
      split.cost = cost;
      split.bin = static_cast<int>(i);
    }
  }
}

// Finds the best split, with all axes in one pass over the items.
Split find_split(std::span<const Item> items, const Bounds& centers) {
  Split splits[3];
  std::array<Bins, 3> bins;
  for (int axis = 0; axis < 3; ++axis) {
    Split& split = splits[axis];
    const double width = centers.upper[axis] - centers.lower[axis];
    split.scale = kBins / width;
    split.offset = centers.lower[axis];
    if (width > 0 && split.scale < std::numeric_limits<double>::max()) split.axis = axis;
  }
  for (const Item& item : items)
    for (int axis = 0; axis < 3; ++axis) {
      if (splits[axis].axis < 0) continue;
      Bin& bin = bins[static_cast<size_t>(axis)][static_cast<size_t>(splits[axis].bin_of(item))];
      extend(bin.box, item.box);
      ++bin.count;
    }
  Split best;
  for (int axis = 0; axis < 3; ++axis) {
    if (splits[axis].axis < 0) continue;
    find_cheapest(bins[static_cast<size_t>(axis)], splits[axis]);
    if (splits[axis].cost < best.cost) best = splits[axis];
  }
  return best;
}

// Reorders the items so that those of the left child come first. Returns their number.
size_t partition_items(std::span<Item> items, int depth) {
  Bounds centers = nothing();
  for (const Item& item : items) extend(centers, {item.center, item.center});
  if (depth < kMaxSkewedDepth) {
    const Split best = find_split(items, centers);
    if (best.axis >= 0) {
      const auto right = std::partition(items.begin(), items.end(),
                                        [&](const Item& item) { return best.bin_of(item) < best.bin; });
      return static_cast<size_t>(right - items.begin());
    }
  }
  int axis = 0;
  (centers.upper - centers.lower).maxCoeff(&axis);
  const size_t half = items.size() / 2;
  std::nth_element(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(half), items.end(),
                   [axis](const Item& a, const Item& b) {
                     return a.center[axis] != b.center[axis] ? a.center[axis] < b.center[axis]
                                                             : a.index < b.index;
                   });
  return half;
}

}  // namespace

Bvh::Bvh(std::span<const Bounds> boxes) {
  TUMBLE_REQUIRE(boxes.size() < std::numeric_limits<uint32_t>::max() / 2, "too many boxes for one tree");
  if (boxes.empty()) return;
  std::vector<Item> items;
  items.reserve(boxes.size());
  for (const Bounds& box : boxes)
    items.push_back({box, 0.5 * box.lower + 0.5 * box.upper, static_cast<uint32_t>(items.size())});

  struct Work {
    uint32_t node, begin, end;
    int depth;
  };
  std::vector<Work> open = {{0, 0, static_cast<uint32_t>(items.size()), 0}};
  nodes_.emplace_back();
  while (!open.empty()) {
    const Work work = open.back();
    open.pop_back();
    Bounds box = nothing();
    for (uint32_t i = work.begin; i < work.end; ++i) extend(box, items[i].box);
    nodes_[work.node].box = box;
    if (work.end - work.begin <= kLeafItems) {
      nodes_[work.node].first = work.begin;
      nodes_[work.node].count = work.end - work.begin;
      continue;
    }
    const std::span<Item> range(items.data() + work.begin, work.end - work.begin);
    const auto middle = static_cast<uint32_t>(work.begin + partition_items(range, work.depth));
    const auto children = static_cast<uint32_t>(nodes_.size());
    nodes_[work.node].first = children;
    nodes_.resize(nodes_.size() + 2);
    open.push_back({children + 1, middle, work.end, work.depth + 1});
    open.push_back({children, work.begin, middle, work.depth + 1});
  }

  items_.reserve(items.size());
  boxes_.reserve(items.size());
  for (const Item& item : items) {
    items_.push_back(item.index);
    boxes_.push_back(item.box);
  }
}

}  // namespace tumble::geometry
