#include "tumble/collision/gjk.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/collision/parameters.h"
#include "tumble/collision/polyhedron.h"
#include "tumble/math/elementary.h"

namespace tumble::collision {

using math::Vec3;

namespace {

struct Vertex {
  Vec3 w, a, b;  // w = a - b
};

// Up to four points of the Minkowski difference, and the barycentric weights of its point nearest to the
// origin.
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

// A face of the simplex: its vertices, their weights, and its distance from the origin.
struct Face {
  int count = 0;
  int index[3] = {};
  double weights[3] = {};
  double squared = 0;
  Vec3 v = Vec3::Zero();  // its nearest point, if computed by solve()
  double outside = 0;     // distance of that point outside the face, if rounding is allowed for
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
  // Areas that the projected origin forms with each side.
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

// Is the origin certainly inside, despite rounding?
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

// The point v nearest to the origin of the line or plane through the vertices of a face, with weights of
// either sign. It is found by orthogonalisation with reorthogonalisation. v is then orthogonal to the face to
// the last digit however short it is, while the weighted sum of the vertices has errors relative to their
// length. So bounds along v lose nothing. False if the face is degenerate.
bool solve(const Simplex& s, Face& face) {
  Vec3 v = s.vertices[face.index[0]].w, d = Vec3::Zero(), e = Vec3::Zero();
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
  if (!(dd > 0 && ee > 0)) return false;
  for (int again = 0; again < 3; ++again) {
    const double dx = -d.dot(v) / dd, dy = -e.dot(v) / ee;
    x += dx - dy * along, y += dy, v += dx * d + dy * e;
  }
  face.weights[0] = 1 - x - y, face.weights[1] = x, face.weights[2] = y;
  face.squared = v.squaredNorm();
  face.v = v;
  // Distance outside the face: weights times heights over the opposite side.
  const double length = math::sqrt(dd), height = math::sqrt(ee);
  if (face.count == 2) face.outside = -std::min(x, 1 - x) * length;
  if (face.count == 3) {
    const double second = math::sqrt(ee + along * along * dd),
                 third = math::sqrt(ee + math::square(1 - along) * dd);
    face.outside = -length * height * std::min({(1 - x - y) / third, x / second, y / length});
  }
  return true;
}

// The nearest face among those with the newest vertex. That vertex belongs to the nearest face whatever
// rounding says. Also for simplices so thin that areas are meaningless: the point itself is tested, and may
// lie outside by `rounding`.
Face nearest_newest_face(const Simplex& s, double rounding) {
  Face best;
  const int newest = s.count - 1;
  for (int set = 0; set < 1 << newest; ++set) {
    Face face;
    face.index[face.count++] = newest;
    for (int i = 0; i < newest && face.count < 3; ++i)
      if (set >> i & 1) face.index[face.count++] = i;
    if (solve(s, face) && face.outside <= rounding) keep_nearer(best, face);
  }
  if (best.count == 0) return best;
  // Clamp the weights to those of a point of the face.
  double sum = 0;
  for (double& weight : best.weights) weight = std::max(0.0, weight), sum += weight;
  for (double& weight : best.weights) weight /= sum;
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
    if (searched) return R * points[searched->find_support(local)] + p;
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
  const auto support_difference = [&](const Vec3& d) {  // support point of the difference in direction d
    Vertex vertex;
    vertex.a = a.support(d), vertex.b = b.support(-d);
    vertex.w = vertex.a - vertex.b;
    size = std::max(size, std::max(vertex.a.cwiseAbs().maxCoeff(), vertex.b.cwiseAbs().maxCoeff()));
    return vertex;
  };
  simplex.vertices[0] = support_difference(-guess);
  simplex.weights[0] = 1;
  simplex.count = 1;
  Simplex nearest;  // best simplex of the robust steps; before those, the simplex itself
  Vec3 v = simplex.vertices[0].w;
  double length = v.norm(), lower = 0;                     // upper and lower bound of the distance
  double best = -std::numeric_limits<double>::infinity();  // negative: not separated so far
  int robust_steps = 0;  // number of robust steps, after rounding has ended the plain search
  bool thin = false;
  for (out.iterations = 1; out.iterations <= kGjk.max_iterations; ++out.iterations) {
    const double norm = robust_steps > 0 ? v.norm() : length;
    if (!(norm > 0) || (robust_steps > 0 && norm <= kGjk.intersect * size)) return out;
    const Vertex vertex = support_difference(-v);
    const double bound = v.dot(vertex.w) / norm;
    if (bound > best) best = bound, out.normal = v / norm;
    lower = std::max(lower, bound);
    if (length - lower <= kGjk.tolerance * (length + size) || robust_steps > kGjk.max_robust_steps) break;
    bool known = false;
    for (int i = 0; i < simplex.count; ++i) known = known || simplex.vertices[i].w == vertex.w;
    if (known) {
      Face all{simplex.count, {0, 1, 2}};
      if (robust_steps > 0 || !solve(simplex, all)) break;
      robust_steps = 1, nearest = simplex, v = all.v;
      continue;
    }
    simplex.vertices[simplex.count++] = vertex;
    if (simplex.count == 4 && best <= 0 && holds_origin(simplex)) return out;
    if (robust_steps == 0) {
      const Simplex next = reduced(simplex, nearest_face(simplex));
      v = next.nearest();
      if (const double shorter = v.norm(); shorter < length) {
        simplex = next, length = shorter;
        continue;
      }
      nearest = simplex, --nearest.count;
    }
    ++robust_steps;
    const Face face = nearest_newest_face(simplex, kGjk.intersect * size);
    if (face.count == 0) break;
    // The simplex passed the origin, and all its faces are farther from it. The origin may lie inside a
    // simplex that is too thin to decide.
    thin = thin || (simplex.count == 4 && norm <= kGjk.thin * size && face.squared > norm * norm);
    simplex = reduced(simplex, face), v = face.v;
    if (const double shorter = simplex.nearest().norm(); shorter < length)
      nearest = simplex, length = shorter;
  }
  if (length <= (best > 0 ? kGjk.intersect : kGjk.intersect_unseparated) * size || (best <= 0 && thin))
    return out;
  const Simplex& end = robust_steps > 0 ? nearest : simplex;
  if (lower <= 0) out.normal = end.nearest() / length;
  out.distance = length;
  out.lower_bound = std::max(0.0, std::min(lower, length));
  out.on_a.setZero(), out.on_b.setZero();
  for (int i = 0; i < end.count; ++i) {
    out.on_a += end.weights[i] * end.vertices[i].a;
    out.on_b += end.weights[i] * end.vertices[i].b;
  }
  return out;
}

}  // namespace tumble::collision
