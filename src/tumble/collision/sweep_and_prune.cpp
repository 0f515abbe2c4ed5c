#include "tumble/collision/sweep_and_prune.h"

#include <algorithm>
#include <bit>

#include "tumble/collision/parameters.h"

namespace tumble::collision {

using geometry::Bounds;

namespace {

ItemPair pair_of(uint32_t a, uint32_t b) { return a < b ? ItemPair{a, b} : ItemPair{b, a}; }

void sort_unique(std::vector<ItemPair>& pairs) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

}  // namespace

std::span<const ItemPair> SweepAndPrune::update(std::span<const Bounds> boxes,
                                                std::span<const Mobility> mobility) {
  require_sizes(boxes, mobility);
  for (size_t i = 0; i < boxes.size(); ++i) require_box(boxes[i], i);
  work_ = {};
  added_.clear();
  removed_.clear();
  update_boxes(boxes, mobility);
  const uint64_t count = ends_[0].size(), most = kBroadPhase.max_swaps * count * std::bit_width(count);
  bool coherent = true;
  for (std::vector<Endpoint>& ends : ends_) coherent = coherent && insertion_sort(ends, most);
  if (coherent)
    update_pairs();
  else
    sort_and_sweep();
  work_.box_tests += boxes.size() + 3 * count + work_.swaps;
  return pairs_;
}

bool SweepAndPrune::is_pair(uint32_t a, uint32_t b) const {
  return !(mobility_[a] == Mobility::fixed && mobility_[b] == Mobility::fixed) &&
         geometry::overlap(boxes_[a], boxes_[b]);
}

// Updates the boxes in the sorted lists. Removes items that leave. Appends new items at the end, where they
// overlap nothing. An item whose mobility changes is removed and added again.
void SweepAndPrune::update_boxes(std::span<const Bounds> boxes, std::span<const Mobility> mobility) {
  const auto mobility_of = [&](size_t i) { return mobility.empty() ? Mobility::moving : mobility[i]; };
  arriving_.assign(boxes.size(), 0);
  leaving_.assign(boxes_.size(), 0);
  bool some_leave = false;
  for (size_t i = 0; i < std::max(boxes.size(), boxes_.size()); ++i) {
    const bool was = i < boxes_.size() && !is_absent(boxes_[i]),
               is = i < boxes.size() && !is_absent(boxes[i]);
    const bool stays = was && is && mobility_[i] == mobility_of(i);
    if (is && !stays) arriving_[i] = 1;
    if (was && !stays) leaving_[i] = 1;
    some_leave |= was && !stays;
  }
  if (some_leave) {
    for (std::vector<Endpoint>& ends : ends_)
      std::erase_if(ends, [this](const Endpoint& end) { return leaving_[end.item]; });
    std::erase_if(pairs_, [this](const ItemPair& p) { return leaving_[p.first] || leaving_[p.second]; });
  }
  boxes_.assign(boxes.begin(), boxes.end());
  mobility_.resize(boxes.size());
  for (uint32_t i = 0; i < boxes.size(); ++i) {
    mobility_[i] = mobility_of(i);
    if (arriving_[i])
      for (std::vector<Endpoint>& ends : ends_) ends.insert(ends.end(), {{0, i, false}, {0, i, true}});
  }
  for (int axis = 0; axis < 3; ++axis)
    for (Endpoint& end : ends_[axis])
      end.at = (end.is_upper ? boxes[end.item].upper : boxes[end.item].lower)[axis];
}

// Insertion sort. Returns whether it needed at most that many swaps. If not, the lists must be sorted again.
bool SweepAndPrune::insertion_sort(std::vector<Endpoint>& ends, uint64_t max_swaps) {
  for (size_t i = 1; i < ends.size(); ++i) {
    const Endpoint end = ends[i];
    size_t to = i;
    for (; to > 0 && end.before(ends[to - 1]); --to) {
      const Endpoint& passed = ends[to] = ends[to - 1];
      if (end.is_upper == passed.is_upper) continue;
      const ItemPair pair = pair_of(end.item, passed.item);
      if (!end.is_upper && is_pair(end.item, passed.item)) added_.push_back(pair);
      if (end.is_upper && std::binary_search(pairs_.begin(), pairs_.end(), pair)) removed_.push_back(pair);
    }
    ends[to] = end;
    work_.swaps += i - to;
    if (work_.swaps > max_swaps) return false;
  }
  return true;
}

void SweepAndPrune::update_pairs() {
  if (added_.empty() && removed_.empty()) return;
  sort_unique(added_);
  sort_unique(removed_);
  scratch_.clear();
  std::set_difference(pairs_.begin(), pairs_.end(), removed_.begin(), removed_.end(),
                      std::back_inserter(scratch_));
  pairs_.clear();
  std::set_union(scratch_.begin(), scratch_.end(), added_.begin(), added_.end(), std::back_inserter(pairs_));
}

void SweepAndPrune::sort_and_sweep() {
  const std::vector<Endpoint>* best = nullptr;
  uint64_t fewest = 0;
  for (std::vector<Endpoint>& ends : ends_) {
    std::sort(ends.begin(), ends.end(), [](const Endpoint& a, const Endpoint& b) { return a.before(b); });
    uint64_t open = 0, overlaps = 0;
    for (const Endpoint& end : ends) {
      if (!end.is_upper) overlaps += open;
      open += end.is_upper ? -1 : 1;
    }
    if (!best || overlaps < fewest) {
      best = &ends;
      fewest = overlaps;
    }
    work_.box_tests += ends.size() * std::bit_width(ends.size());
  }
  work_.box_tests += fewest;

  pairs_.clear();
  open_.clear();
  index_in_open_.resize(boxes_.size());
  for (const Endpoint& end : *best) {
    if (!end.is_upper) {
      for (const uint32_t other : open_)
        if (is_pair(end.item, other)) pairs_.push_back(pair_of(end.item, other));
      index_in_open_[end.item] = static_cast<uint32_t>(open_.size());
      open_.push_back(end.item);
    } else {
      const uint32_t last = open_.back(), index = index_in_open_[end.item];
      open_[index] = last;
      index_in_open_[last] = index;
      open_.pop_back();
    }
  }
  std::sort(pairs_.begin(), pairs_.end());
}

size_t SweepAndPrune::memory_bytes() const {
  size_t bytes = boxes_.capacity() * sizeof(Bounds) + mobility_.capacity() * sizeof(Mobility) +
                 arriving_.capacity() + leaving_.capacity() +
                 (open_.capacity() + index_in_open_.capacity()) * sizeof(uint32_t);
  for (const std::vector<Endpoint>& ends : ends_) bytes += ends.capacity() * sizeof(Endpoint);
  for (const std::vector<ItemPair>* pairs : {&pairs_, &added_, &removed_, &scratch_})
    bytes += pairs->capacity() * sizeof(ItemPair);
  return bytes;
}

}  // namespace tumble::collision
