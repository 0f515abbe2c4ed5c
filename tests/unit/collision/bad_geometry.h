// Runs all narrow phase queries on a pair. Returns the first fault of the results, or "".
#pragma once

#include <cmath>
#include <string>

#include "tumble/collision/certificate.h"
#include "tumble/collision/manifold.h"

namespace tumble::test {

inline std::string run_all_queries(const collision::Shape& shape_a, const math::Pose& X_WA,
                                   const collision::Shape& shape_b, const math::Pose& X_WB,
                                   const math::Vec3& v, const math::Vec3& w) {
  using collision::Placed;
  const collision::Collider ca(shape_a), cb(shape_b);
  const bool plane_a = ca.kind() == collision::Collider::Kind::plane,
             plane_b = cb.kind() == collision::Collider::Kind::plane;
  if (plane_a && plane_b) return "";
  const Placed a(ca, X_WA), b(cb, X_WB);
  collision::PairMemory memory;
  const collision::Separation s = compute_distance(a, b, memory);
  if (std::isnan(s.distance) || std::isnan(s.lower_bound)) return "distance is not a number";
  if (!(s.lower_bound >= 0 && s.lower_bound <= s.distance)) return "bounds out of order";
  if (!s.normal.allFinite()) return "normal of the distance";
  if (s.distance > 0 && !(std::abs(s.normal.norm() - 1) < 1e-9))
    return "length of the normal of the distance";
  if (std::isfinite(s.distance) && !(s.on_a.allFinite() && s.on_b.allFinite())) return "nearest points";
  const double size = std::isfinite(s.distance) ? s.distance : 1;
  std::vector<collision::Contact> contacts;
  collision::ManifoldBuilder().build(
      a, b, {.max_gap = 1.5 * size + 1e-6, .contact_offset = 0.5 * size, .max_penetration = 1e-4}, memory,
      contacts);
  for (const collision::Contact& c : contacts)
    if (!(c.point.allFinite() && c.normal.allFinite() && std::isfinite(c.gap))) return "contact";
  const collision::Motion still{plane_a ? X_WA.translation : X_WB.translation},
      moving{plane_a ? X_WB.translation : X_WA.translation, v, w, 0};
  const double clearance = 0.5 * size, h = 0.01;
  const collision::Verdict verdict =
      certify(a, plane_a ? still : moving, b, plane_a ? moving : still, h, clearance, memory);
  if (!(verdict.time >= 0 && verdict.time <= h)) return "time of the certificate";
  if (!verdict.safe && !(verdict.approach.normal.allFinite() && verdict.approach.point.allFinite() &&
                         !std::isnan(verdict.approach.gap)))
    return "approach of the certificate";
  return "";
}

}  // namespace tumble::test
