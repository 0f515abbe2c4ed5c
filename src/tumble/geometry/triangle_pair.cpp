// Two triangles intersect if and only if an edge of one meets the other. Almost all pairs that a bounding
// volume hierarchy finds are neighbours on a smooth surface. For those, a separating plane is found in
// floating point with error bounds. Exact predicates decide the remaining pairs.
#include "tumble/geometry/detail/triangle_pair.h"

#include "tumble/geometry/detail/predicates.h"

namespace tumble::geometry::detail {

using math::Vec3;

namespace {

// True if certainly all corners of y but the shared ones are on the side `wanted` (0: either side) of the
// plane through `origin` spanned by u and v.
bool on_one_side(const Vec3& origin, const Vec3& u, const Vec3& v, const Corners& y, size_t shared,
                 int wanted) {
  for (size_t i = shared; i < 3; ++i) {
    const int side = filtered_sign(u, v, y[i] - origin);
    if (side == 0 || (wanted != 0 && side != wanted)) return false;
    wanted = side;
  }
  return true;
}

// True if certainly separated, by the plane of x, or by a plane perpendicular to x through one of its edges.
bool separated_by(const Corners& x, const Corners& y, size_t shared) {
  const Vec3 u = x[1] - x[0], v = x[2] - x[0];
  if (on_one_side(x[0], u, v, y, shared, 0)) return true;
  const Vec3 upright = u.cross(v);  // any vector off the plane of x would do
  for (size_t i = 0; i < 3; ++i) {
    const size_t j = (i + 1) % 3, k = (i + 2) % 3;
    if (k < shared) continue;  // a shared corner must be on the separating plane
    const Vec3 edge = x[j] - x[i];
    const int inside = filtered_sign(edge, upright, x[k] - x[i]);
    if (inside != 0 && on_one_side(x[i], edge, upright, y, shared, -inside)) return true;
  }
  return false;
}

bool segments_meet_in_plane(int axis, const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b) {
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  for (const int i : {j, k})
    if (std::max(p[i], q[i]) < std::min(a[i], b[i]) || std::max(a[i], b[i]) < std::min(p[i], q[i]))
      return false;
  return orient2d(axis, p, q, a) * orient2d(axis, p, q, b) <= 0 &&
         orient2d(axis, a, b, p) * orient2d(axis, a, b, q) <= 0;
}

bool inside_in_plane(int axis, const Vec3& p, const Corners& t) {
  const int s0 = orient2d(axis, t[0], t[1], p), s1 = orient2d(axis, t[1], t[2], p),
            s2 = orient2d(axis, t[2], t[0], p);
  return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
}

// Do the segment pq and the triangle t have a common point? Borders are included.
bool segment_meets(const Vec3& p, const Vec3& q, const Corners& t) {
  const int side_p = orient3d(t[0], t[1], t[2], p), side_q = orient3d(t[0], t[1], t[2], q);
  if (side_p * side_q > 0) return false;
  if (side_p == 0 && side_q == 0) {
    const int axis = find_projection_axis(t[0], t[1], t[2]);
    return inside_in_plane(axis, p, t) || segments_meet_in_plane(axis, p, q, t[0], t[1]) ||
           segments_meet_in_plane(axis, p, q, t[1], t[2]) || segments_meet_in_plane(axis, p, q, t[2], t[0]);
  }
  // The line pq crosses the plane in one point. Does it pass all edges on the same side?
  const int s0 = orient3d(p, q, t[0], t[1]), s1 = orient3d(p, q, t[1], t[2]), s2 = orient3d(p, q, t[2], t[0]);
  return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
}

// Neighbours at an edge overlap only if one is folded flat onto the other.
bool folded_flat(const Corners& x, const Corners& y) {
  if (orient3d(x[0], x[1], x[2], y[2]) != 0) return false;
  const int axis = find_projection_axis(x[0], x[1], x[2]);
  return orient2d(axis, x[0], x[1], x[2]) == orient2d(axis, y[0], y[1], y[2]);
}

}  // namespace

bool triangles_meet(const Corners& x, const Corners& y, int shared) {
  const auto first = static_cast<size_t>(shared);
  if (separated_by(x, y, first) || separated_by(y, x, first)) return false;
  if (shared == 2) return folded_flat(x, y);
  // With one shared corner, any other common part reaches the edge opposite to it, in x or in y.
  if (shared == 1) return segment_meets(x[1], x[2], y) || segment_meets(y[1], y[2], x);
  for (size_t i = 0; i < 3; ++i)
    if (segment_meets(x[i], x[(i + 1) % 3], y) || segment_meets(y[i], y[(i + 1) % 3], x)) return true;
  return false;
}

}  // namespace tumble::geometry::detail
