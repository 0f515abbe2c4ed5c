// Reference formulas for shapes: support mappings, distances of points, and distances of simplices. Shares no
// code with the narrow phase.
#pragma once

#include <array>
#include <cmath>
#include <random>

#include "tumble/collision/collider.h"

namespace tumble::test {

using math::Mat3;
using math::Vec3;

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  double between(double low, double high) { return low + (high - low) * unit_(engine_); }
  /// Log-uniform.
  double order(double low, double high) { return low * std::pow(high / low, unit_(engine_)); }
  int below(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }
  Vec3 point(double r) {
    const double x = between(-r, r), y = between(-r, r);
    return {x, y, between(-r, r)};
  }
  Vec3 direction() {
    for (;;)
      if (const Vec3 d = point(1); d.squaredNorm() <= 1 && d.squaredNorm() > 1e-4) return d.normalized();
  }
  math::Quat rotation() { return math::Quat::from_axis_angle(direction(), between(-math::kPi, math::kPi)); }
  std::mt19937& engine() { return engine_; }

 private:
  std::mt19937 engine_;
  std::uniform_real_distribution<double> unit_{0, 1};
};

/// Distance of two simplices of 1 to 3 corners: the minimum, over all pairs of their faces, of the distance
/// of the planes, lines or points that these span, if the nearest points lie inside both. (A minimum of a
/// convex function lies inside some face.)
inline double simplex_distance(const Vec3* a, int a_count, const Vec3* b, int b_count) {
  using Real = long double;
  using V = std::array<Real, 3>;
  const auto minus = [](const V& x, const V& y) { return V{x[0] - y[0], x[1] - y[1], x[2] - y[2]}; };
  const auto dot = [](const V& x, const V& y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; };
  V p[3], q[3];
  for (int i = 0; i < a_count; ++i) p[i] = {a[i].x(), a[i].y(), a[i].z()};
  for (int i = 0; i < b_count; ++i) q[i] = {b[i].x(), b[i].y(), b[i].z()};
  Real best = -1;
  for (int fa = 1; fa < 1 << a_count; ++fa)
    for (int fb = 1; fb < 1 << b_count; ++fb) {
      int ia[3], ib[3], na = 0, nb = 0;
      for (int i = 0; i < a_count; ++i)
        if (fa >> i & 1) ia[na++] = i;
      for (int i = 0; i < b_count; ++i)
        if (fb >> i & 1) ib[nb++] = i;
      const int n = na + nb - 2;  // unknown weights
      if (n > 3) continue;        // two planes intersect in a line: some edge intersects the other face, too
      // d + sum x_k c_k has the least norm. Normal equations by Gram-Schmidt orthogonalisation.
      const V d = minus(p[ia[0]], q[ib[0]]);
      V c[3];
      for (int k = 1; k < na; ++k) c[k - 1] = minus(p[ia[k]], p[ia[0]]);
      for (int k = 1; k < nb; ++k) c[na - 2 + k] = minus(q[ib[0]], q[ib[k]]);
      V o[3], rest = d;
      Real upper[3][3] = {}, x[3] = {}, coefficient[3] = {};
      bool singular = false;
      for (int k = 0; k < n && !singular; ++k) {
        o[k] = c[k];
        for (int again = 0; again < 2; ++again)
          for (int l = 0; l < k; ++l) {
            const Real r = dot(o[l], o[k]) / dot(o[l], o[l]);
            upper[l][k] += r;
            for (int m = 0; m < 3; ++m) o[k][m] -= r * o[l][m];
          }
        singular = !(dot(o[k], o[k]) > 1e-34L * dot(c[k], c[k]));
        if (singular) break;
        const Real r = dot(o[k], rest) / dot(o[k], o[k]);
        coefficient[k] = -r;
        for (int m = 0; m < 3; ++m) rest[m] -= r * o[k][m];
      }
      if (singular) continue;  // parallel: a smaller face is as near
      for (int k = n - 1; k >= 0; --k) {
        x[k] = coefficient[k];
        for (int l = k + 1; l < n; ++l) x[k] -= upper[k][l] * x[l];
      }
      Real sum_a = 0, sum_b = 0;
      bool inside = true;
      for (int k = 0; k < n; ++k) inside = inside && x[k] >= 0;
      for (int k = 1; k < na; ++k) sum_a += x[k - 1];
      for (int k = 1; k < nb; ++k) sum_b += x[na - 2 + k];
      if (!inside || sum_a > 1 || sum_b > 1) continue;
      // Measured between the nearest points themselves, so never less than the true distance.
      V y = d;
      for (int k = 0; k < n; ++k)
        for (int m = 0; m < 3; ++m) y[m] += x[k] * c[k][m];
      if (const Real squared = dot(y, y); best < 0 || squared < best) best = squared;
    }
  return static_cast<double>(std::sqrt(best));
}

/// A shape at a pose.
struct Reference {
  collision::Shape shape;
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero();
  bool solid = false;  // a convex mesh: the distance of points inside it is 0

  Vec3 local(const Vec3& x) const { return R.transpose() * (x - p); }
  Vec3 world(const Vec3& x) const { return R * x + p; }
  const geometry::TriangleMesh* mesh() const { return collision::triangles_of(shape).get(); }
  bool is_plane() const { return std::holds_alternative<collision::Plane>(shape); }
  Vec3 plane_normal() const { return R * std::get<collision::Plane>(shape).normal; }

  /// Support mapping: a point farthest in direction d (not 0). Not for a plane.
  Vec3 farthest(const Vec3& d) const { return world(farthest_local(R.transpose() * d)); }
  Vec3 farthest_local(const Vec3& d) const {
    const double rho = std::hypot(d.x(), d.z());
    const Vec3 out = rho > 0 ? Vec3(d.x() / rho, 0, d.z() / rho) : Vec3(0, 0, 0);
    const double up = d.y() >= 0 ? 0.5 : -0.5;
    if (const auto* s = std::get_if<collision::Sphere>(&shape)) return s->radius * d.normalized();
    if (const auto* c = std::get_if<collision::Capsule>(&shape))
      return c->radius * d.normalized() + Vec3(0, up * c->length, 0);
    if (const auto* b = std::get_if<collision::Box>(&shape))
      return 0.5 * Vec3(std::copysign(b->size.x(), d.x()), std::copysign(b->size.y(), d.y()),
                        std::copysign(b->size.z(), d.z()));
    if (const auto* c = std::get_if<collision::Cylinder>(&shape))
      return c->radius * out + Vec3(0, up * c->length, 0);
    if (const auto* c = std::get_if<collision::Cone>(&shape)) {
      const Vec3 apex(0, 0.5 * c->length, 0), rim = c->radius * out - apex;
      return d.dot(apex) > d.dot(rim) ? apex : rim;
    }
    const std::vector<Vec3>& v = mesh()->vertices;
    return *std::max_element(v.begin(), v.end(),
                             [&](const Vec3& x, const Vec3& y) { return x.dot(d) < y.dot(d); });
  }
  /// Distance of a world point from the solid, or from the surface of a mesh, hull or height field. 0 inside.
  double distance_of(const Vec3& point) const {
    const Vec3 x = local(point);
    const double rho = std::hypot(x.x(), x.z());
    if (const auto* s = std::get_if<collision::Sphere>(&shape)) return std::max(0.0, x.norm() - s->radius);
    if (const auto* c = std::get_if<collision::Capsule>(&shape))
      return std::max(0.0, std::hypot(rho, std::max(0.0, std::abs(x.y()) - 0.5 * c->length)) - c->radius);
    if (const auto* b = std::get_if<collision::Box>(&shape))
      return (x.cwiseAbs() - 0.5 * b->size).cwiseMax(0.0).norm();
    if (const auto* c = std::get_if<collision::Cylinder>(&shape))
      return std::hypot(std::max(0.0, rho - c->radius), std::max(0.0, std::abs(x.y()) - 0.5 * c->length));
    if (const auto* c = std::get_if<collision::Cone>(&shape)) {
      // In the half plane through the axis: a triangle with corners on the axis, at the rim and at the apex.
      const double half = 0.5 * c->length, slant = std::hypot(c->radius, c->length);
      const double outside = (c->length * (rho - c->radius) + c->radius * (x.y() + half)) / slant;
      if (x.y() >= -half && outside <= 0) return 0;
      const double base = std::hypot(std::max(0.0, rho - c->radius), x.y() + half);
      const double along = std::clamp(
          (c->length * (x.y() + half) - c->radius * (rho - c->radius)) / (slant * slant), 0.0, 1.0);
      const double side = std::hypot(rho - c->radius * (1 - along), x.y() + half - c->length * along);
      return x.y() < -half ? std::min(base, side) : side;
    }
    if (is_plane()) return std::max(0.0, std::get<collision::Plane>(shape).normal.dot(x));
    double least = INFINITY, above = -INFINITY;
    for (const geometry::Triangle& t : mesh()->triangles) {
      if (solid) {
        const Vec3 &u = mesh()->vertices[t[0]],
                   n = (mesh()->vertices[t[1]] - u).cross(mesh()->vertices[t[2]] - u);
        above = std::max(above, n.dot(x - u));
      }
      const Vec3 corners[3] = {mesh()->vertices[t[0]], mesh()->vertices[t[1]], mesh()->vertices[t[2]]};
      const double r = std::max((corners[1] - corners[0]).norm(), (corners[2] - corners[0]).norm());
      if ((x - corners[0]).norm() - r > least) continue;
      least = std::min(least, simplex_distance(corners, 3, &x, 1));
    }
    return solid && above <= 0 ? 0 : least;
  }
  /// The simplices of a shape in world coordinates, with a radius. Empty for a plane, a cylinder and a cone.
  struct Simplices {
    std::vector<std::array<Vec3, 3>> corners;
    int count = 3;
    double radius = 0;
  };
  Simplices simplices() const {
    Simplices s;
    if (const auto* sphere = std::get_if<collision::Sphere>(&shape)) {
      s.corners = {{p, p, p}}, s.count = 1, s.radius = sphere->radius;
    } else if (const auto* c = std::get_if<collision::Capsule>(&shape)) {
      const Vec3 end(0, 0.5 * c->length, 0);
      s.corners = {{world(end), world(-end), p}}, s.count = 2, s.radius = c->radius;
    } else {
      const auto* box = std::get_if<collision::Box>(&shape);
      if (!box && !mesh()) return s;
      const geometry::TriangleMesh made = box ? collision::tessellate(shape, 1) : geometry::TriangleMesh{};
      const geometry::TriangleMesh& m = box ? made : *mesh();
      for (const geometry::Triangle& t : m.triangles)
        s.corners.push_back({world(m.vertices[t[0]]), world(m.vertices[t[1]]), world(m.vertices[t[2]])});
    }
    return s;
  }
};

/// Distance of the surfaces of two shapes made of simplices, at most `least`. Only pairs whose boxes are
/// within that distance are tested. Solids inside one another are as far apart as their surfaces.
inline double surface_distance(const Reference::Simplices& a, const Reference::Simplices& b, double least) {
  const auto boxes_of = [](const Reference::Simplices& simplices) {
    std::vector<geometry::Bounds> boxes;
    for (const auto& s : simplices.corners) {
      geometry::Bounds box{s[0], s[0]};
      for (int k = 1; k < simplices.count; ++k)
        box.lower = box.lower.cwiseMin(s[k]), box.upper = box.upper.cwiseMax(s[k]);
      boxes.push_back(box);
    }
    return boxes;
  };
  least += a.radius + b.radius;
  const std::vector<geometry::Bounds> x = boxes_of(a), y = boxes_of(b);
  for (size_t i = 0; i < x.size(); ++i)
    for (size_t j = 0; j < y.size(); ++j)
      if ((x[i].lower - y[j].upper).cwiseMax(y[j].lower - x[i].upper).cwiseMax(0.0).norm() <= least)
        least = std::min(least, simplex_distance(a.corners[i].data(), a.count, b.corners[j].data(), b.count));
  return std::max(0.0, least - a.radius - b.radius);
}

/// The minimum of a convex function over a simplex, by nested golden section searches.
template <typename F>
double least_over(const std::array<Vec3, 3>& corners, int count, F&& f) {
  constexpr double golden = 0.6180339887498949;
  constexpr int kSections = 48;  // the interval shrinks to 1e-10
  const auto section = [&](auto&& g) {
    double low = 0, high = 1, x = 1 - golden, y = golden, fx = g(x), fy = g(y),
           least = std::min({g(0.0), g(1.0), fx, fy});
    for (int k = 0; k < kSections; ++k) {
      if (fx < fy)
        high = y, y = x, fy = fx, x = high - golden * (high - low), fx = g(x);
      else
        low = x, x = y, fx = fy, y = low + golden * (high - low), fy = g(y);
      least = std::min({least, fx, fy});
    }
    return least;
  };
  if (count == 1) return f(corners[0]);
  const auto edge = [&](const Vec3& u, const Vec3& v) {
    return section([&](double t) { return f(Vec3(u + t * (v - u))); });
  };
  if (count == 2) return edge(corners[0], corners[1]);
  return section([&](double s) {
    return edge(corners[0] + s * (corners[1] - corners[0]), corners[0] + s * (corners[2] - corners[0]));
  });
}

}  // namespace tumble::test
