#include "tumble/collision/dynamic_tree.h"

#include <algorithm>
#include <cmath>

#include "tumble/collision/parameters.h"

namespace tumble::collision {

using detail::FloatBox;
using geometry::Bounds;

namespace {

uint64_t key_of(uint32_t a, uint32_t b) { return a < b ? uint64_t(a) << 32 | b : uint64_t(b) << 32 | a; }
uint32_t first_of(uint64_t key) { return static_cast<uint32_t>(key >> 32); }
uint32_t second_of(uint64_t key) { return static_cast<uint32_t>(key); }

bool is_ordered(const Bounds& box) {
  bool all = true;
  for (int k = 0; k < 3; ++k) all &= box.lower[k] <= box.upper[k];
  return all;
}

bool is_within(const Bounds& box, const math::Vec3& origin, double distance) {
  bool all = true;
  for (int k = 0; k < 3; ++k)
    all &= box.lower[k] - origin[k] >= -distance && box.upper[k] - origin[k] <= distance;
  return all;
}

// Tests one box against many. The corners are six consecutive numbers, read as 0 .. 3 and 2 .. 5. One lane of
// each four is unused.
class ExactTest {
 public:
#if defined(__AVX__)
  explicit ExactTest(const Bounds& box)
      : upper_(_mm256_setr_pd(box.upper.x(), box.upper.y(), box.upper.z(), kInfinity)),
        lower_(_mm256_setr_pd(-kInfinity, box.lower.x(), box.lower.y(), box.lower.z())) {}
  bool operator()(const Bounds& other) const {
    static_assert(sizeof(Bounds) == 6 * sizeof(double));
    const double* corners = other.lower.data();
    const __m256d below = _mm256_cmp_pd(_mm256_loadu_pd(corners), upper_, _CMP_LE_OQ),
                  above = _mm256_cmp_pd(_mm256_loadu_pd(corners + 2), lower_, _CMP_GE_OQ);
    return _mm256_movemask_pd(_mm256_and_pd(below, above)) == 15;
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  __m256d upper_, lower_;
#else
  explicit ExactTest(const Bounds& box) : box_(box) {}
  bool operator()(const Bounds& other) const { return overlap(box_, other); }

 private:
  const Bounds& box_;
#endif
};

}  // namespace

std::span<const ItemPair> DynamicTree::update(std::span<const Bounds> boxes,
                                              std::span<const Mobility> mobility) {
  require_sizes(boxes, mobility);
  work_ = {};
  if (moving_.size() + fixed_.size() == 0) choose_origin(boxes);
  find_changes(boxes, mobility);
  if (!changes_.empty()) {
    const bool rebuild_pairs = apply_changes(boxes);
    if (rebuild_pairs && choose_origin(boxes)) {
      clear();
      find_changes(boxes, mobility);
      apply_changes(boxes);
    }
    if (rebuild_pairs)
      find_all_fat_pairs();
    else
      update_fat_pairs();
  }
  work_.reinserted = changes_.size();
  work_.box_tests += boxes.size() + fat_pairs_.size() + moving_.take_work() + fixed_.take_work();
  ++step_;
  return filter_pairs(boxes);
}

FloatBox DynamicTree::to_float(const Bounds& box) const {
  FloatBox result;
  for (int k = 0; k < 3; ++k) {
    result.lower[k] = static_cast<float>(box.lower[k] - origin_[k]);
    result.upper[k] = static_cast<float>(box.upper[k] - origin_[k]);
  }
  return result;
}

// Is the box valid and, in single precision, inside the fat box?
bool DynamicTree::stays_inside(const FloatBox& fat, const Bounds& box) const {
#if defined(__AVX2__)
  const __m256d origin = _mm256_setr_pd(origin_.x(), origin_.y(), origin_.z(), 0);
  const __m256d lower = _mm256_loadu_pd(box.lower.data()),  // the fourth lane is unused
      upper = _mm256_permute4x64_pd(_mm256_loadu_pd(box.lower.data() + 2), 0b00'11'10'01);
  const __m128 below = _mm_cmpge_ps(_mm256_cvtpd_ps(_mm256_sub_pd(lower, origin)), _mm_load_ps(fat.lower)),
               above = _mm_cmple_ps(_mm256_cvtpd_ps(_mm256_sub_pd(upper, origin)), _mm_load_ps(fat.upper));
  const int inside = _mm_movemask_ps(_mm_and_ps(below, above)),
            in_order = _mm256_movemask_pd(_mm256_cmp_pd(lower, upper, _CMP_LE_OQ));
  return (inside & in_order & 7) == 7;
#else
  return is_ordered(box) && contains(fat, to_float(box));
#endif
}

// Moves the origin to the middle of all boxes if it is far from it. Returns whether it moved.
bool DynamicTree::choose_origin(std::span<const Bounds> boxes) {
  Bounds all = absent_box();
  for (const Bounds& box : boxes) {
    if (!is_ordered(box) || !is_within(box, math::Vec3::Zero(), kBroadPhase.tree_reach)) continue;
    all.lower = all.lower.cwiseMin(box.lower);
    all.upper = all.upper.cwiseMax(box.upper);
  }
  if (is_absent(all)) return false;
  const math::Vec3 middle = (all.lower + all.upper) / 2;
  const double extent = (all.upper - all.lower).maxCoeff();
  if ((middle - origin_).cwiseAbs().maxCoeff() <= kBroadPhase.far_origin * extent) return false;
  origin_ = middle;
  return true;
}

// Finds the items that are added, removed, change their tree, or have left their fat box.
void DynamicTree::find_changes(std::span<const Bounds> boxes, std::span<const Mobility> mobility) {
  changes_.clear();
  const size_t known = std::min(boxes.size(), memberships_.size());
  for (uint32_t i = 0; i < boxes.size(); ++i) {
    Membership membership{Container::in_tree, mobility.empty() ? Mobility::moving : mobility[i]};
    if (i < known && memberships_[i] == membership && stays_inside(fat_[i], boxes[i])) continue;
    require_box(boxes[i], i);
    if (!is_ordered(boxes[i]))
      membership = {};
    else if (!is_within(boxes[i], origin_, kBroadPhase.tree_reach))
      membership.container = Container::outside;
    if (i < known && membership == memberships_[i] && membership.container != Container::in_tree) continue;
    if (i < known || membership.container != Container::absent) changes_.push_back({i, membership});
  }
  for (size_t i = boxes.size(); i < memberships_.size(); ++i)
    if (memberships_[i].container != Container::absent) changes_.push_back({static_cast<uint32_t>(i), {}});
}

// Makes a fat box: the box with a margin, extended by the predicted motion since the last fat box.
void DynamicTree::fatten(uint32_t item, const Bounds& box) {
  FloatBox fat = to_float(box);
  float size = 0;
  for (int k = 0; k < 3; ++k) size = std::max(size, fat.upper[k] - fat.lower[k]);
  FatBoxHistory& history = history_[item];
  const auto steps = static_cast<float>(std::max(step_ - history.step, 1u));
  for (int k = 0; k < 3; ++k) {
    const float center = fat.lower[k] + fat.upper[k];
    const float motion = history.is_new ? 0 : (center - history.center[k]) / 2 / steps;
    const float ahead = std::clamp(kBroadPhase.look_ahead * motion, -kBroadPhase.max_extension * size,
                                   kBroadPhase.max_extension * size);
    fat.lower[k] += std::min(ahead, 0.0f) - kBroadPhase.fat_margin * size;
    fat.upper[k] += std::max(ahead, 0.0f) + kBroadPhase.fat_margin * size;
    history.center[k] = center;
  }
  history.step = step_;
  history.is_new = false;
  fat_[item] = fat;
}

// Returns whether the tree of moving items was rebuilt, so that all fat pairs must be found again.
bool DynamicTree::apply_changes(std::span<const Bounds> boxes) {
  const size_t old_size = memberships_.size();
  if (boxes.size() > old_size) {
    memberships_.resize(boxes.size());
    fat_.resize(boxes.size());
    history_.resize(boxes.size());
  }
  size_t moves[2] = {0, 0};
  bool outside_changed = false;
  for (const auto& [item, membership] : changes_) {
    for (const Membership& p : {memberships_[item], membership}) {
      if (p.container == Container::in_tree) ++moves[static_cast<int>(p.mobility)];
      outside_changed |= p.container == Container::outside;
    }
  }
  const bool rebuild[2] = {moves[0] * kBroadPhase.rebuild_share > 2 * moving_.size(),
                           moves[1] * kBroadPhase.rebuild_share > 2 * fixed_.size()};
  is_changed_.assign(memberships_.size(), 0);
  for (const auto& [item, membership] : changes_) {
    is_changed_[item] = 1;
    const Membership old = memberships_[item];
    if (old.container != Container::in_tree) history_[item].is_new = true;
    if (old.container == Container::in_tree && !rebuild[static_cast<int>(old.mobility)])
      tree_of(old).remove(item);
    if (membership.container == Container::in_tree && !rebuild[static_cast<int>(membership.mobility)]) {
      fatten(item, boxes[item]);
      tree_of(membership).insert(item, fat_[item]);
    }
    memberships_[item] = membership;
  }
  for (const Mobility m : {Mobility::moving, Mobility::fixed})
    if (rebuild[static_cast<int>(m)]) this->rebuild(m, boxes);
  if (outside_changed) {
    outside_.clear();
    for (uint32_t i = 0; i < boxes.size(); ++i)
      if (memberships_[i].container == Container::outside) outside_.push_back(i);
  }
  memberships_.resize(boxes.size());
  fat_.resize(boxes.size());
  history_.resize(boxes.size());
  return rebuild[0];
}

void DynamicTree::rebuild(Mobility mobility, std::span<const Bounds> boxes) {
  items_.clear();
  const Membership membership{Container::in_tree, mobility};
  for (uint32_t i = 0; i < boxes.size(); ++i) {
    if (memberships_[i] != membership) continue;
    items_.push_back(i);
    fatten(i, boxes[i]);
  }
  tree_of(membership).build(items_, fat_);
}

void DynamicTree::clear() {
  moving_.build({}, {});
  fixed_.build({}, {});
  memberships_.clear();
  outside_.clear();
  fat_pairs_.clear();
}

void DynamicTree::find_all_fat_pairs() {
  found_.clear();
  const auto add = [this](uint32_t a, uint32_t b) { found_.push_back(key_of(a, b)); };
  moving_.collide_self(add);
  moving_.collide(fixed_, add);
  is_changed_.assign(memberships_.size(), 0);
  for (const uint32_t item : outside_) is_changed_[item] = 1;
  for (const uint32_t item : outside_) add_pairs_of(item);
  sort_found();
  fat_pairs_.swap(found_);
}

void DynamicTree::update_fat_pairs() {
  std::erase_if(fat_pairs_,
                [this](uint64_t key) { return is_changed_[first_of(key)] || is_changed_[second_of(key)]; });
  found_.clear();
  for (const auto& [item, membership] : changes_)
    if (membership.container != Container::absent) add_pairs_of(item);
  sort_found();
  sorted_.resize(fat_pairs_.size() + found_.size());
  std::merge(fat_pairs_.begin(), fat_pairs_.end(), found_.begin(), found_.end(), sorted_.begin());
  fat_pairs_.swap(sorted_);
}

// Adds all pairs of the item, except those with a changed item of a lower number. That item adds them itself.
void DynamicTree::add_pairs_of(uint32_t item) {
  const Membership membership = memberships_[item];
  const auto add = [this, item](uint32_t other) {
    if (other != item && !(is_changed_[other] && other < item)) found_.push_back(key_of(item, other));
  };
  if (membership.container == Container::outside) {
    for (uint32_t other = 0; other < memberships_.size(); ++other)
      if (memberships_[other].container != Container::absent &&
          (membership.mobility == Mobility::moving || memberships_[other].mobility == Mobility::moving))
        add(other);
    return;
  }
  moving_.query(fat_[item], add);
  if (membership.mobility == Mobility::moving) fixed_.query(fat_[item], add);
  for (const uint32_t other : outside_)
    if (membership.mobility == Mobility::moving || memberships_[other].mobility == Mobility::moving)
      add(other);
}

// Sorts many pairs by counting sort on the first item. The lists per item are short.
void DynamicTree::sort_found() {
  if (found_.size() < memberships_.size() / 4) {
    std::sort(found_.begin(), found_.end());
    return;
  }
  starts_.assign(memberships_.size() + 1, 0);
  for (const uint64_t key : found_) ++starts_[first_of(key) + 1];
  for (size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  sorted_.resize(found_.size());
  for (const uint64_t key : found_) sorted_[starts_[first_of(key)]++] = key;
  size_t begin = 0;
  for (size_t i = 0; i + 1 < starts_.size(); ++i) {
    const size_t end = starts_[i];  // advanced past the items put there
    if (end - begin > 1)
      std::sort(sorted_.begin() + static_cast<std::ptrdiff_t>(begin),
                sorted_.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
  }
  found_.swap(sorted_);
}

std::span<const ItemPair> DynamicTree::filter_pairs(std::span<const Bounds> boxes) {
  if (pairs_.size() < fat_pairs_.size()) pairs_.resize(fat_pairs_.size());
  size_t count = 0;
  for (size_t k = 0; k < fat_pairs_.size();) {
    const uint32_t first = first_of(fat_pairs_[k]);
    const ExactTest meets_first(boxes[first]);
    for (; k < fat_pairs_.size() && first_of(fat_pairs_[k]) == first; ++k) {
      if (k + kBroadPhase.prefetch_pairs < fat_pairs_.size()) {
        const Bounds& ahead = boxes[second_of(fat_pairs_[k + kBroadPhase.prefetch_pairs])];
        __builtin_prefetch(&ahead.lower.x());
        __builtin_prefetch(&ahead.upper.z());  // often in the next cache line
      }
      const uint32_t second = second_of(fat_pairs_[k]);
      pairs_[count] = {first, second};
      count += meets_first(boxes[second]) ? 1 : 0;  // branch-free: a branch would be mispredicted
    }
  }
  return {pairs_.data(), count};
}

size_t DynamicTree::memory_bytes() const {
  return moving_.memory_bytes() + fixed_.memory_bytes() + memberships_.capacity() * sizeof(Membership) +
         fat_.capacity() * sizeof(FloatBox) + history_.capacity() * sizeof(FatBoxHistory) +
         pairs_.capacity() * sizeof(ItemPair) + changes_.capacity() * sizeof(Change) +
         is_changed_.capacity() +
         (outside_.capacity() + items_.capacity() + starts_.capacity()) * sizeof(uint32_t) +
         (fat_pairs_.capacity() + found_.capacity() + sorted_.capacity()) * sizeof(uint64_t);
}

}  // namespace tumble::collision
