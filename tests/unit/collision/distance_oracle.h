// Properties that every result of compute_distance must have, over random pairs of all kinds.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "pairs.h"
#include "support/tolerance.h"
#include "tumble/collision/distance.h"

namespace tumble::test {

using collision::Collider;
using collision::PairMemory;
using collision::Placed;
using collision::Separation;

/// Faults by claim: count, worst violation (in sizes), and its case.
class Faults {
 public:
  void expect(bool holds, const char* claim, double by, const std::string& where) {
    if (holds) return;
    Entry& e = entries_[claim];
    ++e.count;
    if (!(by <= e.worst) || e.count == 1) e.worst = by, e.where = where;
  }
  /// Expects value <= limit. Fails for NaN.
  void at_most(double value, double limit, const char* claim, const std::string& where) {
    expect(value <= limit, claim, value, where);
  }
  void report() const {
    CHECK(entries_.empty());
    for (const auto& entry : entries_) {
      CAPTURE(entry.first);
      CAPTURE(entry.second.worst);
      CAPTURE(entry.second.where);
      CHECK(entry.second.count == 0);  // shows the worst
    }
  }
  bool empty() const { return entries_.empty(); }

 private:
  struct Entry {
    int count = 0;
    double worst = 0;
    std::string where;
  };
  std::map<std::string, Entry> entries_;
};

/// Largest separation of two solids found by ascent over directions. Never more than their distance.
inline double best_gap(const Reference& a, const Reference& b, Vec3 n) {
  double best = -INFINITY;
  double step = 1;
  for (int k = 0; k < 200; ++k) {
    const Vec3 w = a.farthest(-n) - b.farthest(n);
    if (const double gap = n.dot(w); gap > best) best = gap;
    if (!(w.norm() > 0)) break;
    n = (n + step * w.normalized()).normalized();
    step *= 0.97;
  }
  return best;
}

/// The distance by brute force, or `limit` if that is smaller. -1 if brute force does not apply.
inline double brute_distance(const Pair& pair, Kind ka, Kind kb, double limit) {
  const Reference::Simplices a = pair.a.simplices(), b = pair.b.simplices();
  if (!a.corners.empty() && !b.corners.empty()) return surface_distance(a, b, limit);
  if (pair.a.is_plane() || pair.b.is_plane()) {
    const Reference &other = pair.a.is_plane() ? pair.b : pair.a,
                    &plane = pair.a.is_plane() ? pair.a : pair.b;
    const Vec3 n = plane.plane_normal();
    return std::max(0.0, n.dot(other.farthest(-n) - plane.p));
  }
  if (is_convex(ka) && is_convex(kb)) return -1;
  const Reference& smooth = a.corners.empty() ? pair.a : pair.b;
  const Reference::Simplices& mesh = a.corners.empty() ? b : a;
  double least = limit;
  for (const auto& t : mesh.corners) {
    const Vec3 middle = (t[0] + t[1] + t[2]) / 3;
    const double r = std::max({(t[0] - middle).norm(), (t[1] - middle).norm(), (t[2] - middle).norm()});
    if (smooth.distance_of(middle) - r > least) continue;
    least = std::min(least, least_over(t, 3, [&](const Vec3& x) { return smooth.distance_of(x); }));
  }
  return least;
}

struct Accuracy {
  double round_off;  // sizes: points, symmetry, exactly known values
  double search;     // sizes: difference of bounds, and of other methods
  double brute;      // sizes: of golden section search
};

/// GJK ends when its bounds agree to 1e-13 of the coordinates, which are up to 3 sizes each. This also holds
/// for curved surfaces, since the distance depends on the position of the nearest points in second order.
/// Golden section search ends with 1e-10 of an edge, which is up to 1.5 sizes. If the distance has a kink
/// there, each of the two nested searches leaves that much.
inline Accuracy accuracy() {
  return {support::round_off(2048, 1), support::model(1e-12), support::model(4e-10)};
}

inline void check_distance(const Pair& pair, Kind ka, Kind kb, const Accuracy& within, Dice& dice,
                           Faults& faults, const std::string& where) {
  const Collider ca(pair.a.shape), cb(pair.b.shape);
  const Placed a(ca, pair.X_WA), b(cb, pair.X_WB);
  const Separation s = compute_distance(a, b);
  const double size = pair.size, rounding = within.round_off * size;
  const bool convex = is_convex(ka) && is_convex(kb);
  faults.expect(std::isfinite(s.distance) && s.normal.allFinite() && s.on_a.allFinite() && s.on_b.allFinite(),
                "finite", 0, where);
  faults.expect(s.lower_bound >= 0 && s.lower_bound <= s.distance, "bounds in order",
                s.lower_bound - s.distance, where);
  // Both points lie on the shapes and have that distance.
  if (s.distance > 0) {
    faults.at_most(std::abs(s.normal.norm() - 1), 1e-12, "normal is unit", where);
    const double apart = (s.on_a - s.on_b).norm();
    faults.at_most(std::abs(apart - s.distance), rounding, "points have that distance", where);
    faults.at_most(pair.a.distance_of(s.on_a), rounding, "point on a", where);
    faults.at_most(pair.b.distance_of(s.on_b), rounding, "point on b", where);
    faults.at_most(s.distance - s.normal.dot(s.on_a - s.on_b), within.search * size,
                   "normal points from b to a", where);
  }
  faults.at_most(s.distance - s.lower_bound, within.search * size, "bounds agree", where);
  // For solids: no two points are nearer than the supporting planes.
  if (convex && ka != Kind::plane && kb != Kind::plane) {
    const double apart = s.normal.dot(pair.a.farthest(-s.normal) - pair.b.farthest(s.normal));
    if (s.distance > rounding) {
      faults.at_most(s.distance - std::max(0.0, apart), within.search * size, "nearest", where);
      faults.at_most(s.lower_bound - std::max(0.0, apart), rounding, "lower bound by planes", where);
    } else {
      faults.at_most(best_gap(pair.a, pair.b, dice.direction()), rounding, "distance 0 only if not separable",
                     where);
    }
  }
  // By construction, and by brute force.
  if (pair.apart >= 0) {
    faults.at_most(pair.apart - s.distance, rounding, "at least the constructed distance", where);
    if (pair.exact && convex) {
      faults.at_most(s.distance - pair.apart, within.search * size, "at most the constructed distance",
                     where);
      faults.at_most(s.lower_bound - pair.apart, rounding, "bound at most the constructed distance", where);
    }
  }
  // The surfaces of two convex solids inside each other are apart. For every other pair the distance is that
  // of surfaces.
  const double limit = s.distance + 1e-6 * size;
  if (const double brute = brute_distance(pair, ka, kb, limit);
      brute >= 0 && !(convex && s.distance <= rounding)) {
    const bool sections = (is_curved(ka) || is_curved(kb)) && ka != Kind::plane && kb != Kind::plane;
    // Searches over surfaces find points, so their result is at least the true distance.
    faults.at_most(s.distance - brute, size * within.search, "at most the brute force distance", where);
    faults.at_most(brute - s.distance, size * (sections ? within.brute : within.search), "brute force",
                   where);
    faults.at_most(s.lower_bound - brute, rounding, "lower bound", where);
  }
  // With swapped arguments, and with a random cache.
  const auto compare = [&](const Separation& t, double sign, const char* claim) {
    faults.at_most(std::abs(t.distance - s.distance), within.search * size, claim, where);
    faults.at_most(t.lower_bound - s.distance, rounding, claim, where);
    if (convex && s.distance > 1e-2 * size)
      faults.at_most((t.normal - sign * s.normal).norm(), 1e-4, "same normal", where);
  };
  compare(compute_distance(b, a), -1, "same result with swapped arguments");
  PairMemory memory;
  memory.normal = dice.below(4) == 0 ? s.normal : dice.direction();
  memory.primitives[0] = static_cast<uint32_t>(dice.below(40)),
  memory.primitives[1] = static_cast<uint32_t>(dice.below(40));
  compare(compute_distance(a, b, memory), 1, "same result with a cache");
  compare(compute_distance(a, b, memory), 1, "same result when repeated");
}

struct Setting {
  double size = 1;   // m
  double ratio = 5;  // largest ratio of the two sizes
  Vec3 origin = Vec3::Zero();
};

inline void check_distances(int cases, unsigned seed, const Setting& setting = {}, Group group = Group::all) {
  for (int i = 0; i < kKinds; ++i)
    for (int j = i; j < kKinds; ++j) {  // each case is also tested with swapped arguments
      const auto ka = static_cast<Kind>(i), kb = static_cast<Kind>(j);
      if (!is_in(group, ka, kb)) continue;
      Dice dice(seed + 100u * static_cast<unsigned>(i) + static_cast<unsigned>(j));
      Faults faults;
      for (int k = 0; k < cases; ++k) {
        const int what = dice.below(10);
        const Arrangement arrangement = what < 4   ? Arrangement::anywhere
                                        : what < 7 ? Arrangement::near
                                        : what < 9 ? Arrangement::aligned
                                                   : Arrangement::deep;
        const bool extreme = k % 10 == 0;
        const Pair pair =
            make_pair(dice, ka, kb, arrangement, setting.size, dice.order(1 / setting.ratio, setting.ratio),
                      extreme ? 1e6 : 1, setting.origin);
        const std::string where = std::string(kKindNames[i]) + " " + kKindNames[j] + " case " +
                                  std::to_string(k) + " arrangement " +
                                  std::to_string(static_cast<int>(arrangement)) + (extreme ? " extreme" : "");
        Accuracy within = accuracy();
        const double far =
            support::round_off(64, setting.origin.norm() / pair.size);  // rounding of world positions
        within.round_off += far, within.search += far, within.brute += far;
        check_distance(pair, ka, kb, within, dice, faults, where);
      }
      faults.report();
    }
}

}  // namespace tumble::test
