#include "tumble/collision/patch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/math/elementary.h"

namespace tumble::collision {

using math::Vec3;

void PlaceIndex::clear(double cell, size_t most, double reach) {
  scale_ = 1 / cell, reach_ = reach, count_ = 0;
  next_.clear();
  size_t slots = 0;
  if (most > kFewPlaces && scale_ < kFinestGrid)
    for (slots = 64; slots < 2 * most;) slots *= 2;
  first_.assign(slots, kNone);
}

PlaceIndex::Cell PlaceIndex::cell_of(const Vec3& place) const {
  return (scale_ * place).array().max(-kFarthestCell).min(kFarthestCell).floor().cast<int64_t>();
}

size_t PlaceIndex::slot_of(const Cell& cell) const {
  uint64_t hash = 0;
  for (int k = 0; k < 3; ++k)
    hash = (hash ^ static_cast<uint64_t>(cell[k])) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
  return hash & (first_.size() - 1);
}

void PlaceIndex::add(const Vec3& place) {
  const uint32_t i = count_++;
  if (first_.empty()) return;
  uint32_t& first = first_[slot_of(cell_of(place))];
  next_.push_back(first);
  first = i;
}

template <typename Visit>
bool PlaceIndex::any_near(const Vec3& place, double radius, Visit&& visit) const {
  const Vec3 around = Vec3::Constant(reach_ * radius);
  const Cell from = cell_of(place - around), to = cell_of(place + around);
  // Where there are more cells to visit than places, the places are visited.
  double cells = 1;
  for (int k = 0; k < 3; ++k) cells *= static_cast<double>(to[k] - from[k]) + 1;
  if (first_.empty() || !(cells < static_cast<double>(count_))) {
    for (uint32_t i = 0; i < count_; ++i)
      if (visit(i)) return true;
    return false;
  }
  for (int64_t x = from.x(); x <= to.x(); ++x)
    for (int64_t y = from.y(); y <= to.y(); ++y)
      for (int64_t z = from.z(); z <= to.z(); ++z)
        for (uint32_t i = first_[slot_of({x, y, z})]; i != kNone; i = next_[i])
          if (visit(i)) return true;
  return false;
}

PatchReducer::PatchReducer(const ManifoldParameters& manifold, const PatchParameters& patch)
    : par_(patch),
      coincident_(manifold.coincident),
      corner_cosine_(math::cos(patch.corner_angle)),
      patch_cosine_(math::cos(patch.angle)) {}

// Of spots_[0] to spots_[count - 1], the one that `value` is largest for, and of those as large but for the width the one with the
// largest `then`; and that largest value.
template <typename Value, typename Then>
std::pair<PatchReducer::Spot, double> PatchReducer::find_extreme(size_t count, double width, Value&& value,
                                                                 Then&& then) {
  const Spot* spots = spots_.data();
  double* values = values_.data();
  double most = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < count; ++i) {
    values[i] = value(spots[i]);
    most = std::max(most, values[i]);
  }
  const Spot* best = nullptr;
  double farthest = 0;
  for (size_t i = 0; i < count; ++i) {
    if (values[i] < most - width) continue;
    const double far = then(spots[i]);
    if (!best || far > farthest) best = &spots[i], farthest = far;
  }
  return {*best, most};
}

// Corners from one to the other, without the last; of what lies beyond the line between them, the first `count` are all.
void PatchReducer::add_hull_between(const Spot& from, const Spot& to, size_t count, double width) {
  const double ds = to.s - from.s, dt = to.t - from.t, length = math::sqrt(ds * ds + dt * dt);
  if (count > 0 && length > width && kept_.size() < spots_.size()) {
    const double is = ds / length, it = dt / length;
    const auto [corner, distance] = find_extreme(
        count, width, [&](const Spot& x) { return (x.s - from.s) * it - (x.t - from.t) * is; },
        [&](const Spot& x) { return x.s * is + x.t * it; });
    if (distance > width) {
      size_t beyond = 0;
      for (size_t i = 0; i < count; ++i)
        if (values_[i] > width) std::swap(spots_[i], spots_[beyond++]);
      add_hull_between(from, corner, beyond, width);
      return add_hull_between(corner, to, beyond, width);
    }
  }
  kept_.push_back(from);
}

// Corners of the convex hull in the plane, counter-clockwise, none nearer to a side than `width`, into kept_. Spots in line differ by
// rounding, so the one farthest from a side may be any of those on the side across: the end of these is the corner.
void PatchReducer::find_plane_hull(double width) {
  kept_.clear();
  if (spots_.size() < 3) {
    kept_ = spots_;
    return;
  }
  const size_t count = spots_.size();
  values_.resize(count);
  const auto s = [](const Spot& x) { return x.s; };
  const auto minus_s = [](const Spot& x) { return -x.s; };
  const auto t = [](const Spot& x) { return x.t; };
  const auto minus_t = [](const Spot& x) { return -x.t; };
  const Spot left = find_extreme(count, width, minus_s, minus_t).first,
             right = find_extreme(count, width, s, t).first;
  add_hull_between(left, right, count, width);
  add_hull_between(right, left, count, width);
}

// Gap of the lower hull of the kept spots at a place, or infinity outside of them all.
double PatchReducer::lower_hull_at(const Spot& at, double flat) const {
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < kept_.size(); ++i)
    for (size_t j = i + 1; j < kept_.size(); ++j) {
      const double ds = kept_[j].s - kept_[i].s, dt = kept_[j].t - kept_[i].t, length = ds * ds + dt * dt;
      // on the segment i, j
      if (std::abs(turn(kept_[i], kept_[j], at)) <= flat && length > 0) {
        const double x = ((at.s - kept_[i].s) * ds + (at.t - kept_[i].t) * dt) / length;
        if (x >= 0 && x <= 1)
          least = std::min(least, (1 - x) * kept_[i].contact->gap + x * kept_[j].contact->gap);
      }
      for (size_t k = j + 1; k < kept_.size(); ++k) {
        const double area = turn(kept_[i], kept_[j], kept_[k]);
        if (std::abs(area) <= flat) continue;
        const double u = turn(kept_[j], kept_[k], at) / area, v = turn(kept_[k], kept_[i], at) / area,
                     w = 1 - u - v;
        if (u < 0 || v < 0 || w < 0) continue;
        least = std::min(least,
                         u * kept_[i].contact->gap + v * kept_[j].contact->gap + w * kept_[k].contact->gap);
      }
    }
  return least;
}

// No more than `most`: the deepest, then always the one farthest from those taken.
void PatchReducer::thin_out(size_t most) {
  if (kept_.size() <= most) return;
  chosen_.clear();
  far_.assign(kept_.size(), std::numeric_limits<double>::infinity());
  size_t next = 0;
  for (size_t i = 1; i < kept_.size(); ++i)
    if (is_deeper(kept_[i], kept_[next])) next = i;
  while (chosen_.size() < most) {
    const Spot last = kept_[next];
    chosen_.push_back(last);
    double farthest = -1;
    for (size_t i = 0; i < kept_.size(); ++i) {
      const double far =
          std::min(far_[i], math::square(kept_[i].s - last.s) + math::square(kept_[i].t - last.t));
      far_[i] = far;
      if (far > farthest || (far == farthest && kept_[i].contact->key < kept_[next].contact->key))
        farthest = far, next = i;
    }
  }
  kept_.swap(chosen_);
}

// What lies in patch_, the deepest first.
void PatchReducer::reduce_patch(const Shell& shell, std::vector<Contact>& corners) {
  if (patch_.size() == 1) return corners.push_back(*patch_[0]);
  const Vec3 n = patch_[0]->normal;
  int axis = 0;
  n.cwiseAbs().minCoeff(&axis);
  const Vec3 x = n.cross(Vec3::Unit(axis)).normalized(), y = n.cross(x);
  spots_.clear();
  double size = 0;
  for (const Contact* c : patch_) {
    const Vec3 d = c->point - patch_[0]->point;
    spots_.push_back({x.dot(d), y.dot(d), c});
    size = std::max({size, std::abs(spots_.back().s), std::abs(spots_.back().t)});
  }
  // Corners nearer to a side than rounding of the places are not corners.
  const double flat = par_.corner_round_off * size * size;
  find_plane_hull(par_.corner_round_off * size);
  thin_out(4 * shell.patch_corners);  // the corners of a fine rim are too many to be looked at three by three
  // The deepest is never lost. What lies deeper than the hull of those kept joins them, by more than a bump nobody feels.
  if (kept_.size() < spots_.size()) {
    const Spot low = *std::min_element(spots_.begin(), spots_.end(), is_deeper);
    const bool known = std::any_of(kept_.begin(), kept_.end(), [&](const Spot& spot) {
      return spot.contact->gap - low.contact->gap <= coincident_ * shell.kept;
    });
    if (!known) kept_.push_back(low);
  }
  double highest = -std::numeric_limits<double>::infinity();
  for (const Spot& spot : kept_) highest = std::max(highest, spot.contact->gap);
  for (bool more = kept_.size() < spots_.size(); more;) {
    more = false;
    double most = par_.bump * shell.kept;
    Spot deepest{};
    for (const Spot& spot : spots_) {
      if (highest - spot.contact->gap <= most) continue;
      const double interpolated = lower_hull_at(spot, flat);
      if (interpolated - spot.contact->gap > most && interpolated < std::numeric_limits<double>::infinity())
        most = interpolated - spot.contact->gap, deepest = spot, more = true;
    }
    if (more) kept_.push_back(deepest);
    more = more && kept_.size() < 4 * shell.patch_corners;
  }
  thin_out(shell.patch_corners);
  std::iter_swap(std::min_element(kept_.begin(), kept_.end(), is_deeper), kept_.begin());
  for (const Spot& spot : kept_) corners.push_back(*spot.contact);
}

// Deepest first; what differs by rounding alone goes by rank, so that the choice does not flicker.
void PatchReducer::rank(const std::vector<Candidate>& candidates, double reach) {
  const double grain = par_.gap_grain * reach, scale = grain > 0 ? 1 / grain : 0;
  ranked_.clear();
  for (const Candidate& c : candidates)
    ranked_.push_back({std::floor(c.contact.gap * scale + 0.5), c.rank, c.contact.key, &c});
  std::sort(ranked_.begin(), ranked_.end());
}

// One corner is found in several ways.
bool PatchReducer::is_known(const Candidate& candidate, const Shell& shell) const {
  const Contact& c = candidate.contact;
  const double near = par_.same_corner * std::max(std::abs(c.gap), shell.kept);
  // Points that touch have no direction between them: what faces and crossing edges say there holds.
  const bool vague = candidate.rank > 0 && std::abs(c.gap) <= coincident_ * shell.kept;
  return places_.any_near(c.point, near, [&](uint32_t i) {
    return (distinct_[i]->point - c.point).squaredNorm() <= near * near &&
           (vague || distinct_[i]->normal.dot(c.normal) > corner_cosine_);
  });
}

// The first patch that the contact lies in, a new one if it lies in none.
uint32_t PatchReducer::find_patch(const Contact& c, double reach) {
  const auto none = static_cast<uint32_t>(heads_.size());
  uint32_t found = none;
  normals_.any_near(c.normal, par_.angle, [&](uint32_t i) {
    const Contact& head = *heads_[i];
    if (i < found && head.normal.dot(c.normal) > patch_cosine_ &&
        std::abs(head.normal.dot(c.point - head.point)) <= reach)
      found = i;
    return false;
  });
  if (found == none) heads_.push_back(&c), normals_.add(c.normal);
  return found;
}

void PatchReducer::reduce(const std::vector<Candidate>& candidates, const Shell& shell,
                          std::vector<Contact>& corners) {
  const double reach = std::max(shell.thickness, shell.deepest);
  rank(candidates, reach);
  distinct_.clear(), patch_of_.clear(), heads_.clear();
  places_.clear(4 * par_.same_corner * std::max(reach, shell.kept), candidates.size(), par_.search_reach);
  normals_.clear(2 * par_.angle, candidates.size(), par_.search_reach);
  for (const Ranked& ranked : ranked_) {
    if (is_known(*ranked.candidate, shell)) continue;
    const Contact& c = ranked.candidate->contact;
    distinct_.push_back(&c), places_.add(c.point);
    patch_of_.push_back(find_patch(c, reach));
  }
  if (heads_.size() == 1) {
    patch_.swap(distinct_);
    return reduce_patch(shell, corners);
  }
  begin_.assign(heads_.size() + 1, 0);
  for (const uint32_t p : patch_of_) ++begin_[p + 1];
  for (size_t p = 1; p < begin_.size(); ++p) begin_[p] += begin_[p - 1];
  members_.resize(distinct_.size());
  for (uint32_t i = 0; i < distinct_.size(); ++i) members_[begin_[patch_of_[i]]++] = i;
  for (size_t p = 0, first = 0; p < heads_.size(); first = begin_[p++]) {
    patch_.clear();
    for (size_t i = first; i < begin_[p]; ++i) patch_.push_back(distinct_[members_[i]]);
    reduce_patch(shell, corners);
  }
}

}  // namespace tumble::collision
