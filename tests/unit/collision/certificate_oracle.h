// Compares the certificate with distances at many times of the step, over random motions of random pairs.
#pragma once

#include "distance_oracle.h"
#include "tumble/collision/certificate.h"

namespace tumble::test {

using collision::Motion;
using collision::Verdict;

/// The first time at which two moving shapes are nearer than `clearance`. Samples are as dense as their speed
/// requires, and at least every h / samples while they are near. Infinite if there is no such time.
inline double first_approach(const Placed& a, const Motion& ma, const Placed& b, const Motion& mb, double h,
                             double clearance, int samples) {
  const auto speed_of = [](const Placed& p, const Motion& m) {
    const double w = m.angular_velocity.norm();
    return m.velocity.norm() + (w > 0 ? w * (p.collider->reach() + (p.p - m.center).norm()) : 0);
  };
  const double speed = speed_of(a, ma) + speed_of(b, mb);
  for (double t = 0;;) {
    const double d = compute_distance(placed_after(a, ma, t), placed_after(b, mb, t)).distance;
    if (d < clearance) return t;
    if (t >= h) return INFINITY;
    t = std::min(h, t + std::max(h / samples, 0.999 * (d - clearance) / speed));
  }
}

inline void check_certificates(int cases, int samples, unsigned seed, double scale = 1,
                               const Vec3& origin = Vec3::Zero(), Group group = Group::all) {
  const double h = 0.01;
  for (int i = 0; i < kKinds; ++i)
    for (int j = i; j < kKinds; ++j) {
      const auto ka = static_cast<Kind>(i), kb = static_cast<Kind>(j);
      if (!is_in(group, ka, kb)) continue;
      Dice dice(seed + 100u * static_cast<unsigned>(i) + static_cast<unsigned>(j));
      Faults faults;
      int found = 0, alarms = 0, safe = 0, evaluations = 0;
      double early = 0;
      for (int k = 0; k < cases; ++k) {
        const std::string where =
            std::string(kKindNames[i]) + " " + kKindNames[j] + " case " + std::to_string(k);
        const Arrangement arrangement = k % 4 == 0 ? Arrangement::aligned : Arrangement::near;
        Pair pair = make_pair(dice, ka, kb, arrangement, scale, dice.order(0.3, 3), 1, origin);
        const double clearance = pair.size * dice.order(1e-5, 1e-3);
        const Collider ca(pair.a.shape), cb(pair.b.shape);
        Placed a(ca, pair.X_WA), b(cb, pair.X_WB);
        // Nearly touching along a direction, then moved back by a gap.
        const Vec3 back = (2 * clearance + pair.size * dice.order(1e-5, 0.1)) * pair.direction;
        (ka == Kind::plane ? b : a).p += ka == Kind::plane ? Vec3(-back) : back;
        const double fastest = dice.order(1, 600);  // rad/s
        const auto motion_of = [&](const Placed& p, Kind kind) {
          Motion m;
          // Put the centre of mass in the middle, on the axis, or anywhere.
          const int where_it_is = dice.below(3);
          m.center = p.p;
          if (where_it_is == 1) m.center += dice.between(-0.3, 0.3) * scale * p.R.col(1);
          if (where_it_is == 2) m.center += dice.point(0.3 * scale);
          if (kind == Kind::plane) return m;
          m.velocity = 10 * scale * dice.order(1e-2, 1) * dice.point(1);
          m.angular_velocity = fastest * dice.point(1);
          if (dice.below(4) == 0) m.angular_velocity = fastest * p.R.col(1);
          return m;
        };
        const Motion ma = motion_of(a, ka), mb = motion_of(b, kb);
        if (compute_distance(a, b).lower_bound < 1.5 * clearance) continue;
        PairMemory memory;
        const bool swap = dice.below(2) == 0;
        const Verdict v =
            swap ? certify(b, mb, a, ma, h, clearance, memory) : certify(a, ma, b, mb, h, clearance, memory);
        const double first = first_approach(a, ma, b, mb, h, clearance, samples);
        evaluations = std::max(evaluations, v.evaluations);
        faults.expect(v.safe ? first == INFINITY : v.time <= first, "certified although not safe",
                      v.safe ? h : v.time, where);
        if (v.safe) {
          ++safe;
          faults.expect(v.time == h, "certified to the end", v.time, where);
          continue;
        }
        const double then =
            compute_distance(placed_after(a, ma, v.time), placed_after(b, mb, v.time)).distance;
        const double rounding = support::round_off(2048, pair.size + origin.norm());
        const double exact = accuracy().search * pair.size + rounding;
        faults.at_most(clearance - then, rounding, "farther than the clearance at the reported time", where);
        // For convex shapes the gap is the distance. For others it is that of two primitives. Others may be
        // nearer by then, but not nearer than the clearance.
        faults.at_most(then - v.approach.gap, exact, "gap of the approach", where);
        if (is_convex(ka) && is_convex(kb))
          faults.at_most(v.approach.gap - then, exact, "gap of the approach is the distance", where);
        faults.at_most(std::abs(v.approach.normal.norm() - 1), 1e-12, "normal of the approach", where);
        // The certificate stops a thousandth above the clearance.
        const bool too_near = then <= 1.001 * clearance + exact;
        if (first < INFINITY) {
          // They may have come near and separated again between two samples. Then the report is no false
          // alarm.
          const bool right = too_near || v.time >= first - h / samples;
          early += right ? 1 : v.time > 0 ? (first - h / samples) / v.time : 2;
          ++found;
        } else if (!too_near) {
          ++alarms;
        }
      }
      faults.report();
      CAPTURE(kKindNames[i]);
      CAPTURE(kKindNames[j]);
      CHECK((found == 0 || early / found <= 2));
      CHECK(alarms <= cases / 50);
      CHECK(found + safe > cases / 2);
      MESSAGE(std::string(kKindNames[i])
              << " " << std::string(kKindNames[j]) << ": safe " << safe << ", found " << found
              << ", too early by " << (found ? early / found : 0) << ", false alarms " << alarms
              << ", most evaluations " << evaluations);
    }
}

}  // namespace tumble::test
