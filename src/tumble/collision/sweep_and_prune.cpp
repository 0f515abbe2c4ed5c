#include "tumble/collision/sweep_and_prune.h"

#include <algorithm>
#include <bit>

#include "tumble/collision/parameters.h"

namespace tumble::collision {

using geometry::Bounds;

namespace {

ItemPair pair_of(uint32_t a, uint32_t b) { return a < b ? ItemPair{a, b} : ItemPair{b, a}; }

void sort_and_unite(std::vector<ItemPair>& pairs) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

}  // namespace

std::span<const ItemPair> SweepAndPrune::update(std::span<const Bounds> boxes,
                                                std::span<const Mobility> mobility) {
  require_sizes(boxes, mobility);
  for (size_t i = 0; i < boxes.size(); ++i) require_box(boxes[i], i);
  work_ = {};
  come_.clear();
  gone_.clear();
  take_over(boxes, mobility);
  const uint64_t count = ends_[0].size(), most = kBroadPhase.most_exchanges * count * std::bit_width(count);
  bool coherent = true;
  for (std::vector<End>& ends : ends_) coherent = coherent && mend_order(ends, most);
  if (coherent)
    change_pairs();
  else
    sweep_afresh();
  work_.box_tests += boxes.size() + 3 * count + work_.exchanges;
  return pairs_;
}

bool SweepAndPrune::makes_pair(uint32_t a, uint32_t b) const {
  return !(mobility_[a] == Mobility::fixed && mobility_[b] == Mobility::fixed) &&
         geometry::overlap(boxes_[a], boxes_[b]);
}

// New boxes in the old order. Items that go leave the lists; those that come stand at the end, where they overlap nothing.
// An item that is fixed from now on, or no longer, goes and comes again.
void SweepAndPrune::take_over(std::span<const Bounds> boxes, std::span<const Mobility> mobility) {
  const auto mobility_of = [&](size_t i) { return mobility.empty() ? Mobility::moving : mobility[i]; };
  arrives_.assign(boxes.size(), 0);
  leaves_.assign(boxes_.size(), 0);
  bool some_leave = false;
  for (size_t i = 0; i < std::max(boxes.size(), boxes_.size()); ++i) {
    const bool was = i < boxes_.size() && !is_absent(boxes_[i]),
               is = i < boxes.size() && !is_absent(boxes[i]);
    const bool stays = was && is && mobility_[i] == mobility_of(i);
    if (is && !stays) arrives_[i] = 1;
    if (was && !stays) leaves_[i] = 1;
    some_leave |= was && !stays;
  }
  if (some_leave) {
    for (std::vector<End>& ends : ends_)
      std::erase_if(ends, [this](const End& end) { return leaves_[end.item]; });
    std::erase_if(pairs_, [this](const ItemPair& p) { return leaves_[p.first] || leaves_[p.second]; });
  }
  boxes_.assign(boxes.begin(), boxes.end());
  mobility_.resize(boxes.size());
  for (uint32_t i = 0; i < boxes.size(); ++i) {
    mobility_[i] = mobility_of(i);
    if (arrives_[i])
      for (std::vector<End>& ends : ends_) ends.insert(ends.end(), {{0, i, false}, {0, i, true}});
  }
  for (int axis = 0; axis < 3; ++axis)
    for (End& end : ends_[axis])
      end.at = (end.is_upper ? boxes[end.item].upper : boxes[end.item].lower)[axis];
}

// Insertion sort. Whether it ended within so many exchanges; if not, the lists are good for a fresh sort alone.
bool SweepAndPrune::mend_order(std::vector<End>& ends, uint64_t most_exchanges) {
  for (size_t i = 1; i < ends.size(); ++i) {
    const End end = ends[i];
    size_t to = i;
    for (; to > 0 && end.before(ends[to - 1]); --to) {
      const End& passed = ends[to] = ends[to - 1];
      if (end.is_upper == passed.is_upper) continue;
      const ItemPair pair = pair_of(end.item, passed.item);
      if (!end.is_upper && makes_pair(end.item, passed.item)) come_.push_back(pair);
      if (end.is_upper && std::binary_search(pairs_.begin(), pairs_.end(), pair)) gone_.push_back(pair);
    }
    ends[to] = end;
    work_.exchanges += i - to;
    if (work_.exchanges > most_exchanges) return false;
  }
  return true;
}

void SweepAndPrune::change_pairs() {
  if (come_.empty() && gone_.empty()) return;
  sort_and_unite(come_);
  sort_and_unite(gone_);
  scratch_.clear();
  std::set_difference(pairs_.begin(), pairs_.end(), gone_.begin(), gone_.end(), std::back_inserter(scratch_));
  pairs_.clear();
  std::set_union(scratch_.begin(), scratch_.end(), come_.begin(), come_.end(), std::back_inserter(pairs_));
}

void SweepAndPrune::sweep_afresh() {
  const std::vector<End>* best = nullptr;
  uint64_t fewest = 0;
  for (std::vector<End>& ends : ends_) {
    std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.before(b); });
    uint64_t open = 0, overlaps = 0;
    for (const End& end : ends) {
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
  place_in_open_.resize(boxes_.size());
  for (const End& end : *best) {
    if (!end.is_upper) {
      for (const uint32_t other : open_)
        if (makes_pair(end.item, other)) pairs_.push_back(pair_of(end.item, other));
      place_in_open_[end.item] = static_cast<uint32_t>(open_.size());
      open_.push_back(end.item);
    } else {
      const uint32_t last = open_.back(), place = place_in_open_[end.item];
      open_[place] = last;
      place_in_open_[last] = place;
      open_.pop_back();
    }
  }
  std::sort(pairs_.begin(), pairs_.end());
}

size_t SweepAndPrune::memory_bytes() const {
  size_t bytes = boxes_.capacity() * sizeof(Bounds) + mobility_.capacity() * sizeof(Mobility) +
                 arrives_.capacity() + leaves_.capacity() +
                 (open_.capacity() + place_in_open_.capacity()) * sizeof(uint32_t);
  for (const std::vector<End>& ends : ends_) bytes += ends.capacity() * sizeof(End);
  for (const std::vector<ItemPair>* pairs : {&pairs_, &come_, &gone_, &scratch_})
    bytes += pairs->capacity() * sizeof(ItemPair);
  return bytes;
}

}  // namespace tumble::collision
