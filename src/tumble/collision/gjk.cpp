#include "tumble/collision/gjk.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/math/elementary.h"

namespace tumble::collision {

using math::Vec3;

namespace {

constexpr int kMostIterations = 128;
// Upper and lower bound agree so far, in parts of the distance and of the size of what is looked at.
constexpr double kAgree = 1e-13;
// A difference shorter than this part of the size is rounding: the sets meet.
constexpr double kMeet = 8 * 0x1p-52;
// And one shorter than this, if no direction was seen to tell them apart: the search lost its way between them.
constexpr double kMeetUnseparated = 1e-12;
// Between nearly flat and curved surfaces every other step shortens the difference by less than rounding and only the next one
// by much: so many steps may fail to shorten it, and lengthen it by this part at most, before the search ends.
constexpr int kMostStalls = 16;
constexpr double kStallGrowth = 1e-12;

struct Vertex {
  Vec3 w, a, b;  // w = a - b
};

// Up to four differences, and the weights of the one nearest to the origin.
struct Simplex {
  Vertex vertices[4];
  double weights[4];
  int count = 0;

  Vec3 nearest() const {
    Vec3 v = weights[0] * vertices[0].w;
    for (int i = 1; i < count; ++i) v += weights[i] * vertices[i].w;
    return v;
  }
};

// A face of the simplex: which vertices, with which weights, and how far from the origin.
struct Face {
  int count = 0;
  int index[3] = {};
  double weights[3] = {};
  double squared = 0;
};

void keep_nearer(Face& best, const Face& other) {
  if (best.count == 0 || other.squared < best.squared) best = other;
}

Face vertex_face(const Simplex& s, int i) { return {1, {i}, {1.0}, s.vertices[i].w.squaredNorm()}; }

Face segment_face(const Simplex& s, int i, int j) {
  const Vec3 &a = s.vertices[i].w, d = s.vertices[j].w - a;
  const double length = d.squaredNorm(), along = -a.dot(d);
  if (!(along > 0)) return vertex_face(s, i);
  if (!(along < length)) return vertex_face(s, j);
  const double t = along / length;
  return {2, {i, j}, {1 - t, t}, (a + t * d).squaredNorm()};
}

Face triangle_face(const Simplex& s, int i, int j, int k) {
  const Vec3 &a = s.vertices[i].w, &b = s.vertices[j].w, &c = s.vertices[k].w;
  const Vec3 n = (b - a).cross(c - a);
  const double squared = n.squaredNorm();
  // Areas of the origin's projection with each side.
  const double u = n.dot(b.cross(c)), v = n.dot(c.cross(a)), w = n.dot(a.cross(b));
  if (squared > 0 && u >= 0 && v >= 0 && w >= 0 && u + v + w > 0) {
    const double sum = u + v + w, height = n.dot(a);
    return {3, {i, j, k}, {u / sum, v / sum, w / sum}, height * height / squared};
  }
  Face best = segment_face(s, i, j);
  keep_nearer(best, segment_face(s, j, k));
  keep_nearer(best, segment_face(s, k, i));
  return best;
}

// Is the origin inside, beyond doubt of rounding?
bool holds_origin(const Simplex& s) {
  const Vec3 &a = s.vertices[0].w, &b = s.vertices[1].w, &c = s.vertices[2].w, &d = s.vertices[3].w;
  const double volume = (b - a).cross(c - a).dot(d - a);
  if (volume == 0) return false;
  const double sign = volume > 0 ? 1 : -1;
  return sign * b.cross(c).dot(d) > 0 && sign * c.cross(a).dot(d) > 0 && sign * a.cross(b).dot(d) > 0 &&
         sign * (volume - b.cross(c).dot(d) - c.cross(a).dot(d) - a.cross(b).dot(d)) > 0;
}

Face nearest_face(const Simplex& s) {
  switch (s.count) {
    case 1:
      return vertex_face(s, 0);
    case 2:
      return segment_face(s, 0, 1);
    case 3:
      return triangle_face(s, 0, 1, 2);
    default: {
      Face best = triangle_face(s, 0, 1, 2);
      keep_nearer(best, triangle_face(s, 0, 1, 3));
      keep_nearer(best, triangle_face(s, 0, 2, 3));
      keep_nearer(best, triangle_face(s, 1, 2, 3));
      return best;
    }
  }
}

// The same among the faces with the newest vertex, which holds the nearest point whatever rounding says, and for simplices so thin
// that areas say nothing: columns are made orthogonal, the rest is taken off again, and the point itself is judged.
Face nearest_newest_face(const Simplex& s) {
  Face best;
  const int newest = s.count - 1;
  for (int set = 0; set < 1 << newest; ++set) {
    Face face;
    face.index[face.count++] = newest;
    for (int i = 0; i < newest && face.count < 3; ++i)
      if (set >> i & 1) face.index[face.count++] = i;
    Vec3 v = s.vertices[newest].w, d = Vec3::Zero(), e = Vec3::Zero();
    double dd = 1, ee = 1, along = 0, x = 0, y = 0;
    if (face.count > 1) d = s.vertices[face.index[1]].w - v, dd = d.squaredNorm();
    if (face.count > 2) {
      e = s.vertices[face.index[2]].w - v;
      for (int again = 0; again < 2; ++again) {
        const double part = d.dot(e) / dd;
        along += part, e -= part * d;
      }
      ee = e.squaredNorm();
    }
    if (!(dd > 0 && ee > 0)) continue;
    for (int again = 0; again < 2; ++again) {
      const double dx = -d.dot(v) / dd, dy = -e.dot(v) / ee;
      x += dx - dy * along, y += dy, v += dx * d + dy * e;
    }
    face.weights[0] = 1 - x - y, face.weights[1] = x, face.weights[2] = y;
    face.squared = v.squaredNorm();
    if (x >= 0 && y >= 0 && x + y <= 1) keep_nearer(best, face);
  }
  return best;
}

Simplex reduced(const Simplex& s, const Face& face) {
  Simplex r;
  r.count = face.count;
  for (int i = 0; i < face.count; ++i)
    r.vertices[i] = s.vertices[face.index[i]], r.weights[i] = face.weights[i];
  return r;
}

}  // namespace

Vec3 ConvexSet::support(const Vec3& d) const {
  const Vec3 local = R.transpose() * d;
  if (kind == Kind::points) {
    int best = 0;
    double most = points[0].dot(local);
    for (int i = 1; i < count; ++i)
      if (const double reach = points[i].dot(local); reach > most) most = reach, best = i;
    return R * points[best] + p;
  }
  const double across = math::sqrt(local.x() * local.x() + local.z() * local.z());
  const Vec3 rim =
      across > 0 ? Vec3(radius * local.x() / across, 0, radius * local.z() / across) : Vec3(0, 0, 0);
  if (kind == Kind::cylinder) return R * (rim + Vec3(0, local.y() > 0 ? half_length : -half_length, 0)) + p;
  // The apex, or the rim of the base.
  const bool apex = local.y() * 2 * half_length > radius * across;
  return R * (apex ? Vec3(0, half_length, 0) : Vec3(rim + Vec3(0, -half_length, 0))) + p;
}

Separation compute_convex_distance(const ConvexSet& a, const ConvexSet& b, const Vec3& guess) {
  Separation out;
  Simplex simplex;
  double size = 0;
  const auto reach_along = [&](const Vec3& d) {  // the difference reached in direction d
    Vertex vertex;
    vertex.a = a.support(d), vertex.b = b.support(-d);
    vertex.w = vertex.a - vertex.b;
    size = std::max(size, std::max(vertex.a.cwiseAbs().maxCoeff(), vertex.b.cwiseAbs().maxCoeff()));
    return vertex;
  };
  simplex.vertices[0] = reach_along(-guess);
  simplex.weights[0] = 1;
  simplex.count = 1;
  Vec3 v = simplex.vertices[0].w;
  double length = v.norm(), lower = 0;
  double best =
      -std::numeric_limits<double>::infinity();  // below 0 where they overlap along all directions seen
  int stalls = 0;
  for (out.iterations = 1; out.iterations <= kMostIterations && length > 0; ++out.iterations) {
    const Vertex vertex = reach_along(-v);
    const double bound = v.dot(vertex.w) / length;
    if (bound > best) best = bound, out.normal = v / length;
    lower = std::max(lower, bound);
    if (length - lower <= kAgree * (length + size)) break;
    bool known = false;
    for (int i = 0; i < simplex.count; ++i) known = known || simplex.vertices[i].w == vertex.w;
    if (known) break;
    simplex.vertices[simplex.count++] = vertex;
    if (simplex.count == 4 && holds_origin(simplex)) return out;
    Simplex next = reduced(simplex, nearest_face(simplex));
    Vec3 nearer = next.nearest();
    double shorter = nearer.norm(), longest = length;
    if (!(shorter < length) && stalls++ < kMostStalls) {
      next = reduced(simplex, nearest_newest_face(simplex));
      nearer = next.nearest(), shorter = nearer.norm(), longest = length * (1 + kStallGrowth);
    }
    if (!(shorter < longest)) {  // rounding ends the search
      --simplex.count;
      break;
    }
    simplex = next, v = nearer, length = shorter;
  }
  if (length <= (best > 0 ? kMeet : kMeetUnseparated) * size) return out;
  if (simplex.count == 3 && length - lower > kAgree * (length + size)) {
    // A short difference of long vectors has lost its direction; the triangle it ends on still has one.
    const Vec3 &p = simplex.vertices[0].w,
               across = (simplex.vertices[1].w - p).cross(simplex.vertices[2].w - p);
    const double norm = across.norm();
    if (norm > 0) {
      const Vec3 n = across.dot(v) > 0 ? Vec3(across / norm) : Vec3(-across / norm);
      const double bound = n.dot(reach_along(-n).w);
      if (bound > lower) lower = bound, out.normal = n;
    }
  }
  if (lower <= 0) out.normal = v / length;
  out.distance = length;
  out.lower_bound = std::max(0.0, std::min(lower, length));
  out.on_a = simplex.weights[0] * simplex.vertices[0].a,
  out.on_b = simplex.weights[0] * simplex.vertices[0].b;
  for (int i = 1; i < simplex.count; ++i) {
    out.on_a += simplex.weights[i] * simplex.vertices[i].a;
    out.on_b += simplex.weights[i] * simplex.vertices[i].b;
  }
  return out;
}

}  // namespace tumble::collision
