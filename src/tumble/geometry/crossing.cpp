#include "tumble/geometry/crossing.h"

#include "tumble/geometry/detail/predicates.h"

namespace tumble::geometry {

using math::Vec3;

namespace {

// Orientation of (a, b, p) projected along x, with p moved by (e, e^2), e -> 0+, in y and z. It is never zero
// unless a = b in this projection, so that a ray through an edge or a corner counts once.
int perturbed_orient2d(const Vec3& a, const Vec3& b, const Vec3& p) {
  const int orientation = detail::orient2d(0, a, b, p);
  if (orientation != 0) return orientation;
  if (a.z() != b.z()) return a.z() > b.z() ? 1 : -1;
  return a.y() == b.y() ? 0 : a.y() < b.y() ? 1 : -1;
}

}  // namespace

bool ray_crosses(const Vec3& p, const TriangleCorners& t) {
  const int s = perturbed_orient2d(t[0], t[1], p);
  if (s == 0 || perturbed_orient2d(t[1], t[2], p) != s || perturbed_orient2d(t[2], t[0], p) != s)
    return false;
  return detail::orient3d(t[0], t[1], t[2], p) == -s;  // s > 0: the normal has a positive x component
}

bool segment_touches(const Vec3& p, const Vec3& q, const TriangleCorners& t) {
  const int side_p = detail::orient3d(t[0], t[1], t[2], p), side_q = detail::orient3d(t[0], t[1], t[2], q);
  if (side_p * side_q > 0) return false;
  if (side_p == 0 && side_q == 0) return true;
  // The line pq crosses the plane in one point. Does it pass all edges on the same side?
  const int s0 = detail::orient3d(p, q, t[0], t[1]), s1 = detail::orient3d(p, q, t[1], t[2]),
            s2 = detail::orient3d(p, q, t[2], t[0]);
  return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
}

}  // namespace tumble::geometry
