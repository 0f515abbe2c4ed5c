#include "tumble/collision/patch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "tumble/collision/tolerances.h"
#include "tumble/math/elementary.h"

namespace tumble::collision {

using math::Vec3;

// Corners of the convex hull in the plane, counter-clockwise, none nearer to a side than `width`, into kept_. Spots in line differ by
// rounding, so the one farthest from a side may be any of those on the side across: the end of these is the corner.
void PatchReducer::find_plane_hull(double width) {
  kept_.clear();
  if (spots_.size() < 3) {
    kept_ = spots_;
    return;
  }
  // The spot that `value` is largest for, and of those as large but for the width the one with the largest `then`.
  const auto extreme = [&](auto&& value, auto&& then) {
    double most = -std::numeric_limits<double>::infinity();
    for (const Spot& spot : spots_) most = std::max(most, value(spot));
    const Spot* best = nullptr;
    for (const Spot& spot : spots_)
      if (value(spot) >= most - width && (!best || then(spot) > then(*best))) best = &spot;
    return std::pair(best, most);
  };
  const auto add_between = [&](const Spot& from, const Spot& to, auto&& again) -> void {
    kept_.push_back(from);
    const double ds = to.s - from.s, dt = to.t - from.t, length = math::sqrt(ds * ds + dt * dt);
    if (!(length > width)) return;
    const auto [corner, distance] = extreme([&](const Spot& x) { return turn(from, x, to) / length; },
                                            [&](const Spot& x) { return (x.s * ds + x.t * dt) / length; });
    if (!(distance > width) || kept_.size() > spots_.size()) return;
    kept_.pop_back();
    again(from, *corner, again);
    again(*corner, to, again);
  };
  const auto s = [](const Spot& x) { return x.s; };
  const auto minus_s = [](const Spot& x) { return -x.s; };
  const auto t = [](const Spot& x) { return x.t; };
  const auto minus_t = [](const Spot& x) { return -x.t; };
  const Spot left = *extreme(minus_s, minus_t).first, right = *extreme(s, t).first;
  add_between(left, right, add_between);
  add_between(right, left, add_between);
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
    if (std::tuple(kept_[i].contact->gap, kept_[i].contact->key) <
        std::tuple(kept_[next].contact->gap, kept_[next].contact->key))
      next = i;
  while (chosen_.size() < most) {
    chosen_.push_back(kept_[next]);
    const Spot& last = chosen_.back();
    for (size_t i = 0; i < kept_.size(); ++i)
      far_[i] = std::min(far_[i], math::square(kept_[i].s - last.s) + math::square(kept_[i].t - last.t));
    next = 0;
    for (size_t i = 1; i < kept_.size(); ++i)
      if (far_[i] > far_[next] || (far_[i] == far_[next] && kept_[i].contact->key < kept_[next].contact->key))
        next = i;
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
  const double flat = 1e-9 * size * size;
  find_plane_hull(1e-9 * size);
  // What lies deeper than the hull of those kept joins them, the deepest of all first.
  double highest = -std::numeric_limits<double>::infinity();
  for (const Spot& spot : kept_) highest = std::max(highest, spot.contact->gap);
  for (bool more = kept_.size() < spots_.size(); more;) {
    more = false;
    double most = 0.25 * shell.kept;
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
  const auto first = std::min_element(kept_.begin(), kept_.end(), [](const Spot& a, const Spot& b) {
    return std::tuple(a.contact->gap, a.contact->key) < std::tuple(b.contact->gap, b.contact->key);
  });
  std::swap(*first, kept_.front());
  for (const Spot& spot : kept_) corners.push_back(*spot.contact);
}

void PatchReducer::reduce(std::vector<Candidate>& candidates, const Shell& shell,
                          std::vector<Contact>& corners) {
  // Deepest first; what differs by rounding alone goes by rank, so that the choice does not flicker.
  const double grain = 1e-6 * std::max(shell.thickness, shell.deepest);
  const auto level = [&](const Candidate& c) {
    return grain > 0 ? std::floor(c.contact.gap / grain + 0.5) : 0.0;
  };
  std::sort(candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
    return std::tuple(level(a), a.rank, a.contact.key) < std::tuple(level(b), b.rank, b.contact.key);
  });
  distinct_.clear(), patch_of_.clear();
  const double same = math::cos(kSameNormal), alike = math::cos(kPatchAngle);
  const double reach = std::max(shell.thickness, shell.deepest);
  std::vector<const Contact*>& heads = patch_;  // the first of each patch
  heads.clear();
  for (const Candidate& candidate : candidates) {
    const Contact& c = candidate.contact;
    // One corner is found in several ways.
    const double near = math::square(kSameCorner * std::max(std::abs(c.gap), shell.kept));
    // Points that touch have no direction between them: what faces and crossing edges say there holds.
    const bool vague = candidate.rank > 0 && std::abs(c.gap) <= kTouching * shell.kept;
    const bool known = std::any_of(distinct_.begin(), distinct_.end(), [&](const Contact* other) {
      return (other->point - c.point).squaredNorm() <= near && (vague || other->normal.dot(c.normal) > same);
    });
    if (known) continue;
    distinct_.push_back(&c);
    const auto head = std::find_if(heads.begin(), heads.end(), [&](const Contact* h) {
      return h->normal.dot(c.normal) > alike && std::abs(h->normal.dot(c.point - h->point)) <= reach;
    });
    patch_of_.push_back(static_cast<int>(head - heads.begin()));
    if (head == heads.end()) heads.push_back(&c);
  }
  const int patches = static_cast<int>(heads.size());
  for (int p = 0; p < patches; ++p) {
    patch_.clear();
    for (size_t i = 0; i < distinct_.size(); ++i)
      if (patch_of_[i] == p) patch_.push_back(distinct_[i]);
    reduce_patch(shell, corners);
  }
}

}  // namespace tumble::collision
