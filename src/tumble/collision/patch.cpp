#include "tumble/collision/patch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/collision/tolerances.h"
#include "tumble/math/elementary.h"

namespace tumble::collision {

using math::Vec3;

namespace {

// A contact seen along the patch's normal.
struct Spot {
  double s, t;
  const Contact* contact;
};

double turn(const Spot& o, const Spot& a, const Spot& b) {
  return (a.s - o.s) * (b.t - o.t) - (a.t - o.t) * (b.s - o.s);
}

// Corners of the convex hull in the plane, counter-clockwise, none on a straight side. [Andrew 1979]
std::vector<Spot> plane_hull(std::vector<Spot> spots, double flat) {
  std::sort(spots.begin(), spots.end(), [](const Spot& a, const Spot& b) {
    return std::tuple(a.s, a.t, a.contact->key) < std::tuple(b.s, b.t, b.contact->key);
  });
  if (spots.size() < 3) return spots;
  std::vector<Spot> hull;
  const auto add_half = [&](auto begin, auto end) {
    const size_t first = hull.size();
    for (auto it = begin; it != end; ++it) {
      while (hull.size() >= first + 2 && turn(hull[hull.size() - 2], hull.back(), *it) <= flat)
        hull.pop_back();
      hull.push_back(*it);
    }
    hull.pop_back();
  };
  add_half(spots.begin(), spots.end());
  add_half(spots.rbegin(), spots.rend());
  return hull;
}

// Gap of the lower hull of the kept spots at a place, or infinity outside of them all.
double lower_hull_at(const std::vector<Spot>& kept, const Spot& at, double flat) {
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < kept.size(); ++i)
    for (size_t j = i + 1; j < kept.size(); ++j) {
      const double ds = kept[j].s - kept[i].s, dt = kept[j].t - kept[i].t, length = ds * ds + dt * dt;
      // on the segment i, j
      if (std::abs(turn(kept[i], kept[j], at)) <= flat && length > 0) {
        const double x = ((at.s - kept[i].s) * ds + (at.t - kept[i].t) * dt) / length;
        if (x >= 0 && x <= 1)
          least = std::min(least, (1 - x) * kept[i].contact->gap + x * kept[j].contact->gap);
      }
      for (size_t k = j + 1; k < kept.size(); ++k) {
        const double area = turn(kept[i], kept[j], kept[k]);
        if (std::abs(area) <= flat) continue;
        const double u = turn(kept[j], kept[k], at) / area, v = turn(kept[k], kept[i], at) / area,
                     w = 1 - u - v;
        if (u < 0 || v < 0 || w < 0) continue;
        least =
            std::min(least, u * kept[i].contact->gap + v * kept[j].contact->gap + w * kept[k].contact->gap);
      }
    }
  return least;
}

// No more than `most`: the deepest, then always the one farthest from those taken.
void thin_out(std::vector<Spot>& spots, size_t most) {
  if (spots.size() <= most) return;
  std::vector<Spot> kept;
  std::vector<double> far(spots.size(), std::numeric_limits<double>::infinity());
  size_t next = 0;
  for (size_t i = 1; i < spots.size(); ++i)
    if (std::tuple(spots[i].contact->gap, spots[i].contact->key) <
        std::tuple(spots[next].contact->gap, spots[next].contact->key))
      next = i;
  while (kept.size() < most) {
    kept.push_back(spots[next]);
    for (size_t i = 0; i < spots.size(); ++i)
      far[i] = std::min(far[i],
                        math::square(spots[i].s - spots[next].s) + math::square(spots[i].t - spots[next].t));
    next = 0;
    for (size_t i = 1; i < spots.size(); ++i)
      if (far[i] > far[next] || (far[i] == far[next] && spots[i].contact->key < spots[next].contact->key))
        next = i;
  }
  spots = kept;
}

void reduce_patch(const std::vector<const Contact*>& patch, const Shell& shell,
                  std::vector<Contact>& corners) {
  if (patch.size() == 1) return corners.push_back(*patch[0]);
  const Vec3 n = patch[0]->normal;
  int axis = 0;
  n.cwiseAbs().minCoeff(&axis);
  const Vec3 x = n.cross(Vec3::Unit(axis)).normalized(), y = n.cross(x);
  std::vector<Spot> spots;
  double size = 0;
  for (const Contact* c : patch) {
    const Vec3 d = c->point - patch[0]->point;
    spots.push_back({x.dot(d), y.dot(d), c});
    size = std::max({size, std::abs(spots.back().s), std::abs(spots.back().t)});
  }
  // Corners nearer to a side than rounding of the places are not corners.
  const double flat = 1e-9 * size * size;
  std::vector<Spot> kept = plane_hull(spots, flat);
  // What lies deeper than the hull of those kept joins them, the deepest of all first.
  double highest = -std::numeric_limits<double>::infinity();
  for (const Spot& spot : kept) highest = std::max(highest, spot.contact->gap);
  for (bool more = kept.size() < spots.size(); more;) {
    more = false;
    double most = 0.25 * shell.kept;
    Spot deepest{};
    for (const Spot& spot : spots) {
      if (highest - spot.contact->gap <= most) continue;
      const double interpolated = lower_hull_at(kept, spot, flat);
      if (interpolated - spot.contact->gap > most && interpolated < std::numeric_limits<double>::infinity())
        most = interpolated - spot.contact->gap, deepest = spot, more = true;
    }
    if (more) kept.push_back(deepest);
    more = more && kept.size() < 4 * shell.patch_corners;
  }
  thin_out(kept, shell.patch_corners);
  for (const Spot& spot : kept) corners.push_back(*spot.contact);
}

}  // namespace

void reduce_to_corners(std::vector<Candidate>& candidates, const Shell& shell,
                       std::vector<Contact>& corners) {
  // Deepest first; what differs by rounding alone goes by rank, so that the choice does not flicker.
  const double grain = 1e-6 * std::max(shell.thickness, shell.deepest);
  const auto level = [&](const Candidate& c) {
    return grain > 0 ? std::floor(c.contact.gap / grain + 0.5) : 0.0;
  };
  std::sort(candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
    return std::tuple(level(a), a.rank, a.contact.key) < std::tuple(level(b), b.rank, b.contact.key);
  });
  std::vector<std::vector<const Contact*>> patches;
  std::vector<const Contact*> kept;
  const double same = std::cos(kSameNormal), alike = std::cos(kPatchAngle);
  for (const Candidate& candidate : candidates) {
    const Contact& c = candidate.contact;
    // One corner is found in several ways.
    const double near = math::square(kSameCorner * std::max(std::abs(c.gap), shell.kept));
    const bool known = std::any_of(kept.begin(), kept.end(), [&](const Contact* other) {
      return (other->point - c.point).squaredNorm() <= near && other->normal.dot(c.normal) > same;
    });
    if (known) continue;
    kept.push_back(&c);
    const auto patch = std::find_if(patches.begin(), patches.end(), [&](const auto& p) {
      return p[0]->normal.dot(c.normal) > alike &&
             std::abs(p[0]->normal.dot(c.point - p[0]->point)) <= std::max(shell.thickness, shell.deepest);
    });
    if (patch != patches.end())
      patch->push_back(&c);
    else
      patches.push_back({&c});
  }
  for (const auto& patch : patches) reduce_patch(patch, shell, corners);
}

}  // namespace tumble::collision
