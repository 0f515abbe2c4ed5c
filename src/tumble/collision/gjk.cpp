#include "tumble/collision/gjk.h"

#include <algorithm>
#include <cmath>

#include "tumble/math/elementary.h"

namespace tumble::collision {

using math::Vec3;

namespace {

constexpr int kMostIterations = 128;
// Upper and lower bound agree so far, in parts of the distance and of the size of what is looked at.
constexpr double kAgree = 1e-13;

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
  for (out.iterations = 1; out.iterations <= kMostIterations && length > 0; ++out.iterations) {
    const Vertex vertex = reach_along(-v);
    const double bound = v.dot(vertex.w) / length;
    if (bound > lower) lower = bound, out.normal = v / length;
    if (length - lower <= kAgree * (length + size)) break;
    bool known = false;
    for (int i = 0; i < simplex.count; ++i) known = known || simplex.vertices[i].w == vertex.w;
    if (known) break;
    simplex.vertices[simplex.count++] = vertex;
    if (simplex.count == 4 && holds_origin(simplex)) return out;
    const Simplex next = reduced(simplex, nearest_face(simplex));
    const Vec3 nearer = next.nearest();
    const double shorter = nearer.norm();
    if (!(shorter < length)) {  // rounding ends the search
      --simplex.count;
      break;
    }
    simplex = next, v = nearer, length = shorter;
  }
  if (length == 0) return out;
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
