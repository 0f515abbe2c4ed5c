#include "tumble/collision/patch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/math/elementary.h"

namespace tumble::collision {

using math::Vec3;

void PointGrid::clear(double cell, size_t most, double reach) {
  scale_ = 1 / cell, reach_ = reach, count_ = 0;
  next_.clear();
  size_t slots = 0;
  if (most > kMinHashedPoints && scale_ < kFinestGrid)
    for (slots = 64; slots < 2 * most;) slots *= 2;
  first_.assign(slots, kNone);
}

PointGrid::Cell PointGrid::cell_of(const Vec3& point) const {
  return (scale_ * point).array().max(-kFarthestCell).min(kFarthestCell).floor().cast<int64_t>();
}

size_t PointGrid::slot_of(const Cell& cell) const {
  uint64_t hash = 0;
  for (int k = 0; k < 3; ++k)
    hash = (hash ^ static_cast<uint64_t>(cell[k])) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
  return hash & (first_.size() - 1);
}

void PointGrid::add(const Vec3& point) {
  const uint32_t i = count_++;
  if (first_.empty()) return;
  uint32_t& first = first_[slot_of(cell_of(point))];
  next_.push_back(first);
  first = i;
}

template <typename Visit>
bool PointGrid::any_near(const Vec3& point, double radius, Visit&& visit) const {
  const Vec3 around = Vec3::Constant(reach_ * radius);
  const Cell from = cell_of(point - around), to = cell_of(point + around);
  // If there are more cells to visit than points, visit all points.
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

// Among spots_[0] to spots_[count - 1], finds those with the largest `value`, up to `width`. Of these it
// returns the one with the largest `tie_break`, and the largest value.
template <typename Value, typename TieBreak>
std::pair<PatchReducer::Spot, double> PatchReducer::find_extreme(size_t count, double width, Value&& value,
                                                                 TieBreak&& tie_break) {
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
    const double far = tie_break(spots[i]);
    if (!best || far > farthest) best = &spots[i], farthest = far;
  }
  return {*best, most};
}

// Quickhull step: adds the corners from `from` to `to`, without `to`. The first `count` spots include all
// that lie beyond the line between them.
void PatchReducer::add_hull_between(const Spot& from, const Spot& to, size_t count, double width) {
  const double ds = to.s - from.s, dt = to.t - from.t, length = math::sqrt(ds * ds + dt * dt);
  if (count > 0 && length > width && hull_.size() < spots_.size()) {
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
  hull_.push_back(from);
}

// Stores the corners of the plane convex hull in hull_, counter-clockwise, none nearer to a side than
// `width`. Collinear spots differ by rounding, so the spot farthest from a side may be any spot on the
// opposite side. Therefore the end of these is taken as the corner.
void PatchReducer::find_plane_hull(double width) {
  hull_.clear();
  if (spots_.size() < 3) {
    hull_ = spots_;
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

// The triangle of three corners. `inside` is its smallest barycentric weight of the spot.
PatchReducer::Base PatchReducer::between(uint32_t i, uint32_t j, uint32_t k, const Spot& at, double flat,
                                         double& inside) const {
  const double area = cross(hull_[i], hull_[j], hull_[k]);
  inside = -std::numeric_limits<double>::infinity();
  if (std::abs(area) <= flat) return {};
  const double u = cross(hull_[j], hull_[k], at) / area, v = cross(hull_[k], hull_[i], at) / area,
               w = 1 - u - v;
  inside = std::min({u, v, w});
  return {{i, j, k}, 3, u * hull_[i].contact->gap + v * hull_[j].contact->gap + w * hull_[k].contact->gap};
}

// The segment of two corners, if the spot lies on it.
PatchReducer::Base PatchReducer::between(uint32_t i, uint32_t j, const Spot& at) const {
  const double ds = hull_[j].s - hull_[i].s, dt = hull_[j].t - hull_[i].t, length = ds * ds + dt * dt;
  if (!(length > 0)) return {};
  const double x = ((at.s - hull_[i].s) * ds + (at.t - hull_[i].t) * dt) / length;
  if (!(x >= 0 && x <= 1)) return {};
  return {{i, j, j}, 2, (1 - x) * hull_[i].contact->gap + x * hull_[j].contact->gap};
}

// A triangle of the plane hull, divided as a fan, or one of its sides.
PatchReducer::Base PatchReducer::find_base(const Spot& at, double flat) const {
  if (polygon_ > 2) {
    // The last corner that the spot lies to the left of, seen from the first.
    uint32_t begin = 1, end = static_cast<uint32_t>(polygon_) - 1;
    while (end - begin > 1) {
      const uint32_t middle = begin + (end - begin) / 2;
      (cross(hull_[0], hull_[middle], at) >= 0 ? begin : end) = middle;
    }
    double inside = 0;
    const Base base = between(0, begin, end, at, flat, inside);
    if (inside >= 0) return base;
  }
  for (uint32_t k = 0; k < polygon_; ++k) {
    const uint32_t next = k + 1 < polygon_ ? k + 1 : 0;
    if (next == k || std::abs(cross(hull_[k], hull_[next], at)) > flat) continue;
    if (const Base side = between(k, next, at); side.count > 0) return side;
  }
  return {};
}

// Goes from plane to lower plane until no corner lies below it: the simplex method on the lower hull.
void PatchReducer::lower_base(const Spot& at, double flat, Base& base) const {
  const auto gap = [&](uint32_t i) { return hull_[i].contact->gap; };
  for (;;) {
    const Spot& o = hull_[base.corners[0]];
    const Spot& p = hull_[base.corners[1]];
    Base lower = base;
    if (base.count == 2) {
      for (uint32_t k = 0; k < hull_.size(); ++k)
        for (const uint32_t end : {base.corners[0], base.corners[1]}) {
          if (k == end || std::abs(cross(hull_[k], hull_[end], at)) > flat) continue;
          if (const Base other = between(k, end, at); other.count > 0 && other.gap < lower.gap) lower = other;
        }
    } else {
      const Spot& q = hull_[base.corners[2]];
      const double area = cross(o, p, q), up = gap(base.corners[1]) - gap(base.corners[0]),
                   uq = gap(base.corners[2]) - gap(base.corners[0]),
                   gs = (up * (q.t - o.t) - uq * (p.t - o.t)) / area,
                   gt = (uq * (p.s - o.s) - up * (q.s - o.s)) / area;
      double deepest = 0;
      uint32_t corner = 0;
      for (uint32_t k = 0; k < hull_.size(); ++k) {
        const double below =
            gap(base.corners[0]) + gs * (hull_[k].s - o.s) + gt * (hull_[k].t - o.t) - gap(k);
        if (below > deepest) deepest = below, corner = k;
      }
      if (deepest > 0) {
        double most = -std::numeric_limits<double>::infinity();
        for (int k = 0; k < 3; ++k) {
          double inside = 0;
          const Base other = between(corner, base.corners[k], base.corners[(k + 1) % 3], at, flat, inside);
          if (inside > most) most = inside, lower = other;
        }
      }
    }
    if (!(lower.gap < base.gap)) return;
    base = lower;
  }
}

// Adds spots that are deeper than the lower hull of the corners by more than `least`, the deepest first, up
// to `most` corners. A further corner only lowers the hull, so a known depth is a bound.
void PatchReducer::add_bumps(double least, size_t most, double flat) {
  bases_.resize(spots_.size());
  bumps_.clear();
  double highest = -std::numeric_limits<double>::infinity();
  for (const Spot& spot : hull_) highest = std::max(highest, spot.contact->gap);
  for (uint32_t i = 0; i < spots_.size(); ++i) {
    const double gap = spots_[i].contact->gap;
    if (highest - gap <= least) continue;
    bases_[i] = find_base(spots_[i], flat);
    if (bases_[i].count > 0) bumps_.push_back({bases_[i].gap - gap, i, 0});
  }
  std::make_heap(bumps_.begin(), bumps_.end());
  while (!bumps_.empty() && bumps_.front().depth > least && hull_.size() < most) {
    std::pop_heap(bumps_.begin(), bumps_.end());
    Bump& bump = bumps_.back();
    const Spot& spot = spots_[bump.spot];
    if (bump.corners == hull_.size()) {
      hull_.push_back(spot), bumps_.pop_back();
      continue;
    }
    Base& base = bases_[bump.spot];
    lower_base(spot, flat, base);
    bump.depth = base.gap - spot.contact->gap, bump.corners = hull_.size();
    std::push_heap(bumps_.begin(), bumps_.end());
  }
}

// Reduces the corners to `most`: the deepest, then repeatedly the one farthest from those taken. They come in
// this order, or remain in their own.
void PatchReducer::limit_corners(size_t most, bool keep_order) {
  if (hull_.size() <= most) return;
  taken_.clear();
  far_.assign(hull_.size(), std::numeric_limits<double>::infinity());
  size_t next = 0;
  for (size_t i = 1; i < hull_.size(); ++i)
    if (is_deeper(hull_[i], hull_[next])) next = i;
  while (taken_.size() < most) {
    const Spot last = hull_[next];
    taken_.push_back(next);
    double farthest = -1;
    for (size_t i = 0; i < hull_.size(); ++i) {
      const double far =
          std::min(far_[i], math::square(hull_[i].s - last.s) + math::square(hull_[i].t - last.t));
      far_[i] = far;
      if (far > farthest || (far == farthest && hull_[i].contact->key < hull_[next].contact->key))
        farthest = far, next = i;
    }
  }
  if (keep_order) std::sort(taken_.begin(), taken_.end());
  chosen_.clear();
  for (const size_t i : taken_) chosen_.push_back(hull_[i]);
  hull_.swap(chosen_);
}

// Reduces the patch in patch_ and appends its corners, the deepest first.
void PatchReducer::reduce_patch(const ContactRange& range, std::vector<Contact>& corners) {
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
  // Corners nearer to a side than the rounding of positions are not corners.
  const double flat = par_.corner_round_off * size * size;
  find_plane_hull(par_.corner_round_off * size);
  limit_corners(4 * range.patch_corners, true);  // a fine rim has too many corners
  polygon_ = hull_.size();
  // The deepest spot is always kept. Then add spots that are deeper than the hull of the corners by more
  // than a bump.
  if (hull_.size() < spots_.size()) {
    const Spot low = *std::min_element(spots_.begin(), spots_.end(), is_deeper);
    const bool known = std::any_of(hull_.begin(), hull_.end(), [&](const Spot& spot) {
      return spot.contact->gap - low.contact->gap <= coincident_ * range.contact_offset;
    });
    if (!known) hull_.push_back(low);
    add_bumps(par_.bump * range.contact_offset, 4 * range.patch_corners, flat);
  }
  limit_corners(range.patch_corners, false);
  std::iter_swap(std::min_element(hull_.begin(), hull_.end(), is_deeper), hull_.begin());
  for (const Spot& spot : hull_) corners.push_back(*spot.contact);
}

// Sorts candidates by gap, the deepest first. If gaps differ only by rounding, sorts by rank, so that the
// choice does not flicker.
void PatchReducer::sort_by_depth(const std::vector<Candidate>& candidates, double reach) {
  const double grain = par_.gap_grain * reach, scale = grain > 0 ? 1 / grain : 0;
  ranked_.clear();
  for (const Candidate& c : candidates)
    ranked_.push_back({std::floor(c.contact.gap * scale + 0.5), c.rank, c.contact.key, &c});
  std::sort(ranked_.begin(), ranked_.end());
}

// The same corner is often found by several pairs of features.
bool PatchReducer::is_duplicate(const Candidate& candidate, const ContactRange& range) const {
  const Contact& c = candidate.contact;
  const double near = par_.same_corner * std::max(std::abs(c.gap), range.contact_offset);
  // The direction between points that coincide is undefined. There, normals of faces and crossing edges
  // decide.
  const bool no_direction = candidate.rank > 0 && std::abs(c.gap) <= coincident_ * range.contact_offset;
  return point_grid_.any_near(c.point, near, [&](uint32_t i) {
    return (distinct_[i]->point - c.point).squaredNorm() <= near * near &&
           (no_direction || distinct_[i]->normal.dot(c.normal) > corner_cosine_);
  });
}

// The first patch that contains the contact, or a new one.
uint32_t PatchReducer::find_patch(const Contact& c, double reach) {
  const auto none = static_cast<uint32_t>(leaders_.size());
  uint32_t found = none;
  normal_grid_.any_near(c.normal, par_.angle, [&](uint32_t i) {
    const Contact& leader = *leaders_[i];
    if (i < found && leader.normal.dot(c.normal) > patch_cosine_ &&
        std::abs(leader.normal.dot(c.point - leader.point)) <= reach)
      found = i;
    return false;
  });
  if (found == none) leaders_.push_back(&c), normal_grid_.add(c.normal);
  return found;
}

void PatchReducer::reduce(const std::vector<Candidate>& candidates, const ContactRange& range,
                          std::vector<Contact>& corners) {
  const double reach = std::max(range.max_gap, range.max_penetration);
  sort_by_depth(candidates, reach);
  distinct_.clear(), patch_of_.clear(), leaders_.clear();
  point_grid_.clear(4 * par_.same_corner * std::max(reach, range.contact_offset), candidates.size(),
                    par_.search_reach);
  normal_grid_.clear(2 * par_.angle, candidates.size(), par_.search_reach);
  for (const Ranked& ranked : ranked_) {
    if (is_duplicate(*ranked.candidate, range)) continue;
    const Contact& c = ranked.candidate->contact;
    distinct_.push_back(&c), point_grid_.add(c.point);
    patch_of_.push_back(find_patch(c, reach));
  }
  if (leaders_.size() == 1) {
    patch_.swap(distinct_);
    return reduce_patch(range, corners);
  }
  begin_.assign(leaders_.size() + 1, 0);
  for (const uint32_t p : patch_of_) ++begin_[p + 1];
  for (size_t p = 1; p < begin_.size(); ++p) begin_[p] += begin_[p - 1];
  members_.resize(distinct_.size());
  for (uint32_t i = 0; i < distinct_.size(); ++i) members_[begin_[patch_of_[i]]++] = i;
  for (size_t p = 0, first = 0; p < leaders_.size(); first = begin_[p++]) {
    patch_.clear();
    for (size_t i = first; i < begin_[p]; ++i) patch_.push_back(distinct_[members_[i]]);
    reduce_patch(range, corners);
  }
}

}  // namespace tumble::collision
