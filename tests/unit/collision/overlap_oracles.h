// The overlap checker against answers found in other ways, for every pair of shapes at random poses: separating axes
// for boxes, a crowd of directions with its own support functions for convex shapes, points at random and closed forms
// for an L of three squares.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>

#include "support/tolerance.h"
#include "tumble/collision/overlap_checker.h"
#include "tumble/geometry/tessellate.h"
#include "unit/geometry/meshes.h"

namespace tumble::test::overlap_oracles {

using collision::Box;
using collision::Capsule;
using collision::Cone;
using collision::Cylinder;
using collision::Mesh;
using collision::Overlap;
using collision::OverlapChecker;
using collision::Shape;
using collision::Sphere;
using math::Mat3;
using math::Pose;
using math::Quat;

inline Mesh shared_mesh(TriangleMesh mesh) { return {std::make_shared<const TriangleMesh>(std::move(mesh))}; }

// Most pairs at random should be near the border between apart and overlapping.
inline Pose random_pose(Random& random, double spread) {
  return {Quat::from_rotation_vector(random.point(3)), random.point(spread)};
}

// h(d) = largest d.x over the shape, for a d of any length.
using Reach = std::function<double(const Vec3&)>;

struct Sample {
  std::string name;
  Shape shape;
  Reach reach;  // own frame
  double size;
};

inline double across(const Vec3& d) { return std::hypot(d.x(), d.z()); }

inline Sample random_sample(const std::string& name, Random& random) {
  const double r = random.between(0.2, 1), l = random.between(0.2, 2);
  if (name == "sphere") return {name, Sphere{r}, [=](const Vec3& d) { return r * d.norm(); }, r};
  if (name == "capsule")
    return {name, Capsule{r, l}, [=](const Vec3& d) { return 0.5 * l * std::abs(d.y()) + r * d.norm(); },
            r + l};
  if (name == "box") {
    const Vec3 size = random.point(0.8).cwiseAbs() + Vec3::Constant(0.2);
    return {name, Box{size}, [=](const Vec3& d) { return 0.5 * size.dot(d.cwiseAbs()); }, size.norm()};
  }
  if (name == "cylinder")
    return {name, Cylinder{r, l}, [=](const Vec3& d) { return 0.5 * l * std::abs(d.y()) + r * across(d); },
            r + l};
  if (name == "cone")
    return {name, Cone{r, l},
            [=](const Vec3& d) { return std::max(0.5 * l * d.y(), r * across(d) - 0.5 * l * d.y()); }, r + l};
  // A convex polyhedron: an octahedron pulled out of shape by a linear map, or a tessellated cylinder or sphere.
  const uint32_t kind = random.below(3);
  TriangleMesh mesh = kind == 0   ? star_mesh(0, [](const Vec3&) { return 1.0; })
                      : kind == 1 ? geometry::tessellate_cylinder(r, l, 7)
                                  : sphere_mesh(2);
  const Mat3 stretch = Mat3::Identity() + 0.3 * Mat3(random.point(1) * random.point(1).transpose());
  mesh = mapped(mesh, [&](const Vec3& v) { return Vec3(stretch * v); });
  const auto points = std::make_shared<std::vector<Vec3>>(mesh.vertices);
  return {name, shared_mesh(mesh),
          [points](const Vec3& d) {
            double most = -1e300;
            for (const Vec3& p : *points) most = std::max(most, p.dot(d));
            return most;
          },
          4};
}

// The way b has to go along the unit vector n to leave a.
inline double way_out(const Sample& a, const Pose& X_WA, const Sample& b, const Pose& X_WB, const Vec3& n) {
  return a.reach(X_WA.rotation.conjugate() * n) + b.reach(-(X_WB.rotation.conjugate() * n)) +
         n.dot(X_WA.translation - X_WB.translation);
}

// The simplex of Nelder and Mead, among directions round n: a valley with a sharp bottom does not stop it for long.
template <typename Way>
double improve(Way&& way, Vec3& n, double step) {
  const Vec3 u = n.unitOrthogonal(), v = n.cross(u), start = n;
  const auto direction = [&](double x, double y) { return Vec3((start + x * u + y * v).normalized()); };
  struct Corner {
    double x, y, value;
  };
  const auto corner = [&](double x, double y) { return Corner{x, y, way(direction(x, y))}; };
  std::array<Corner, 3> c = {corner(0, 0), corner(step, 0), corner(0, step)};
  for (int i = 0; i < 80; ++i) {
    std::sort(c.begin(), c.end(), [](const Corner& a, const Corner& b) { return a.value < b.value; });
    const double x = 0.5 * (c[0].x + c[1].x), y = 0.5 * (c[0].y + c[1].y);
    const auto along = [&](double t) { return corner(x + t * (x - c[2].x), y + t * (y - c[2].y)); };
    const Corner mirrored = along(1);
    if (mirrored.value < c[0].value) {
      const Corner farther = along(2);
      c[2] = farther.value < mirrored.value ? farther : mirrored;
    } else if (mirrored.value < c[1].value) {
      c[2] = mirrored;
    } else {
      const Corner nearer = along(mirrored.value < c[2].value ? 0.5 : -0.5);
      if (nearer.value < std::min(mirrored.value, c[2].value)) {
        c[2] = nearer;
      } else {
        for (size_t k = 1; k < 3; ++k) c[k] = corner(0.5 * (c[0].x + c[k].x), 0.5 * (c[0].y + c[k].y));
      }
    }
  }
  const Corner best = *std::min_element(c.begin(), c.end(),
                                        [](const Corner& a, const Corner& b) { return a.value < b.value; });
  n = direction(best.x, best.y);
  return best.value;
}

// The least way out over a crowd of directions, the best of which are improved.
template <typename Way>
double least_way_out(Way&& way, int crowd, size_t improved) {
  std::vector<std::pair<double, Vec3>> found;
  for (int i = 0; i < crowd; ++i) {  // a spiral from pole to pole
    const double z = 1 - (2 * i + 1.0) / crowd, phi = i * 2.399963229728653;
    const Vec3 n(std::sqrt(1 - z * z) * std::cos(phi), std::sqrt(1 - z * z) * std::sin(phi), z);
    found.emplace_back(way(n), n);
  }
  std::sort(found.begin(), found.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  double least = found.front().first;
  for (size_t i = 0; i < improved; ++i) {
    Vec3 n = found[i].second;
    for (const double step : {1 / std::sqrt(crowd), 1e-3}) least = std::min(least, improve(way, n, step));
  }
  return least;
}

inline const std::vector<std::string>& convex_names() {
  static const std::vector<std::string> names = {"sphere",   "capsule", "box",
                                                 "cylinder", "cone",    "polyhedron"};
  return names;
}

// No direction of the crowd is better than the checker's, and it is no better than the best of the crowd.
inline void check_convex_pair(const std::string& first, const std::string& second, int cases, int crowd) {
  CAPTURE(first);
  CAPTURE(second);
  Random random(static_cast<uint32_t>(11 + first.size() * 31 + second.size()));
  int overlaps = 0, apart = 0, missed = 0, wrong = 0, unsure = 0;
  for (int i = 0; i < cases; ++i) {
    const Sample a = random_sample(first, random), b = random_sample(second, random);
    const Pose X_WA = random_pose(random, 1), X_WB = random_pose(random, 1);
    const Overlap found = OverlapChecker().measure(a.shape, X_WA, b.shape, X_WB);  // meshes are not kept
    const auto way = [&](const Vec3& n) { return way_out(a, X_WA, b, X_WB, n); };
    const double tolerance = 1e-9 * (a.size + b.size);
    double best = least_way_out(way, crowd, 2);
    // Deep overlaps have many valleys: was it the wrong one?
    if (found.depth < std::max(best, 0.0) - tolerance) best = least_way_out(way, 20 * crowd, 60);
    if (found.depth < std::max(best, 0.0) - tolerance) best = least_way_out(way, 100 * crowd, 1000);
    (found.depth > 0 ? overlaps : apart) += 1;
    if (found.depth > std::max(best, 0.0) + tolerance) ++wrong;
    if (found.depth < std::max(best, 0.0) - tolerance) ++missed;
    if (!(found.uncertainty <= tolerance)) ++unsure;
  }
  CHECK(wrong == 0);
  CHECK(missed == 0);
  CHECK(unsure == 0);
  CHECK(overlaps > cases / 20);
  CHECK(apart > cases / 20);
}

// Fifteen axes: the least way out of two boxes is along a normal or across two edges.
inline void check_boxes(int cases) {
  Random random(23);
  OverlapChecker checker;
  double worst = 0;
  int overlaps = 0;
  for (int i = 0; i < cases; ++i) {
    const Sample a = random_sample("box", random), b = random_sample("box", random);
    Pose X_WA = random_pose(random, 0.5), X_WB = random_pose(random, 0.5);
    if (i % 4 == 0) X_WB.rotation = X_WA.rotation;  // all edges parallel
    if (i % 4 == 1)
      X_WB.rotation = X_WA.rotation * Quat::from_axis_angle(Vec3(0, 1, 0), random.between(0, 7));
    const Mat3 A = X_WA.rotation.to_matrix(), B = X_WB.rotation.to_matrix();
    std::vector<Vec3> axes;
    for (int j = 0; j < 3; ++j) {
      axes.push_back(A.col(j));
      axes.push_back(B.col(j));
      for (int k = 0; k < 3; ++k) axes.push_back(Vec3(A.col(j)).cross(Vec3(B.col(k))));
    }
    double expected = 1e300;
    for (const Vec3& axis : axes) {
      if (axis.norm() < 1e-6) continue;
      const Vec3 n = axis.normalized();
      for (const Vec3& m : {n, Vec3(-n)}) expected = std::min(expected, way_out(a, X_WA, b, X_WB, m));
    }
    expected = std::max(expected, 0.0);
    overlaps += expected > 0;
    const double found = checker.measure(a.shape, X_WA, b.shape, X_WB).depth;
    worst = std::max(worst, std::abs(found - expected));
  }
  CHECK(worst <= 1e-12);
  CHECK(overlaps > cases / 4);
}

// The L of l_prism(0.6): the distance from its outside, negative outside, without a triangle.
inline double depth_in_l(const Vec3& p) {
  const auto segment = [&](double ax, double ay, double bx, double by) {
    const double ux = bx - ax, uy = by - ay;
    const double t = std::clamp(((p.x() - ax) * ux + (p.y() - ay) * uy) / (ux * ux + uy * uy), 0.0, 1.0);
    return std::hypot(p.x() - ax - t * ux, p.y() - ay - t * uy);
  };
  const double ground[7][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}, {0, 0}};
  double wall = 1e300;
  for (int i = 0; i < 6; ++i)
    wall = std::min(wall, segment(ground[i][0], ground[i][1], ground[i + 1][0], ground[i + 1][1]));
  const bool over = p.x() > 0 && p.y() > 0 && p.x() < 2 && p.y() < 2 && (p.x() < 1 || p.y() < 1);
  const double height = std::min(p.z(), 0.6 - p.z());
  if (over) return height >= 0 ? std::min(wall, height) : height;
  return height >= 0 ? -wall : -std::hypot(wall, height);
}

inline Shape l_shape() {
  static const Mesh l = shared_mesh(l_prism(0.6));
  return l;
}

// Balls and capsules have a closed form; along a capsule's core it is followed in small steps.
inline void check_l_against_balls(int cases) {
  Random random(29);
  OverlapChecker checker;
  int overlaps = 0;
  double worst_ball = 0, worst_capsule = 0;
  constexpr int kSteps = 400;
  for (int i = 0; i < cases; ++i) {
    const Pose X_WL = random_pose(random, 2);
    const Pose X_LS{Quat::from_rotation_vector(random.point(3)), Vec3(1, 1, 0.3) + random.point(1.3)};
    const double r = random.between(0.05, 0.5), l = random.between(0, 1);
    const double ball = checker.measure(l_shape(), X_WL, Sphere{r}, X_WL * X_LS).depth;
    worst_ball = std::max(worst_ball, std::abs(ball - std::max(0.0, r + depth_in_l(X_LS.translation))));
    double deepest = -1e300;
    for (int k = 0; k <= kSteps; ++k)
      deepest = std::max(deepest, depth_in_l(X_LS * Vec3(0, l * (static_cast<double>(k) / kSteps - 0.5), 0)));
    const double capsule = checker.measure(Capsule{r, l}, X_WL * X_LS, l_shape(), X_WL).depth;
    worst_capsule = std::max(worst_capsule, std::abs(capsule - std::max(0.0, r + deepest)) / (l / kSteps));
    overlaps += capsule > 0;
  }
  CHECK(worst_ball <= 1e-12);
  CHECK(worst_capsule <= 1);  // between two points of the core
  CHECK(overlaps > cases / 4);
}

// Points in both show that they overlap. Points all along the edges of both show how deep bodies with edges are: no less,
// and no more, but for sqrt 2 where two square edges cross. Points of the L's surface show how deep round ones are.
inline void check_l_against_bodies(int cases) {
  Random random(37);
  OverlapChecker checker;
  const std::vector<Shape> bodies = {Box{Vec3(0.5, 0.7, 0.9)}, Cylinder{0.3, 0.8}, Cone{0.4, 0.8}, l_shape()};
  const std::vector<std::function<double(const Vec3&)>> depths = {
      [](const Vec3& p) { return (Vec3(0.25, 0.35, 0.45) - p.cwiseAbs()).minCoeff(); },
      [](const Vec3& p) { return std::min(0.4 - std::abs(p.y()), 0.3 - across(p)); },
      [](const Vec3& p) {
        return std::min(p.y() + 0.4, ((0.4 - p.y()) * 0.4 - 0.8 * across(p)) / std::hypot(0.4, 0.8));
      },
      depth_in_l};
  for (size_t k = 0; k < bodies.size(); ++k) {
    CAPTURE(k);
    int overlaps = 0, apart = 0, too_shallow = 0, too_deep = 0, unseen = 0;
    for (int i = 0; i < cases; ++i) {
      const Pose X_LB{Quat::from_rotation_vector(random.point(3)), Vec3(1, 1, 0.3) + random.point(1.4)};
      const double found = checker.measure(l_shape(), Pose{}, bodies[k], X_LB).depth;
      (found > 0 ? overlaps : apart) += 1;
      bool shown = false;
      const auto look = [&](const Vec3& p_L) {
        shown = shown || (depth_in_l(p_L) > 1e-12 && depths[k](X_LB.inverse() * p_L) > 1e-12);
      };
      for (int n = 0; n < 100; ++n) {
        look(X_LB * (k == 3 ? Vec3(1, 1, 0.3) + random.point(1) : random.point(0.45)));
        look(Vec3(1, 1, 0.3) + random.point(1));
      }
      if (found == 0 && shown) ++unseen;
      if (found == 0) continue;
      if (k == 1 || k == 2) {
        const Shape shape = l_shape();
        const TriangleMesh& l = *std::get<Mesh>(shape).triangles;
        for (int n = 0; n < 200; ++n) {
          const Triangle& t = l.triangles[random.below(static_cast<uint32_t>(l.triangles.size()))];
          const double u = random.between(0, 1), v = random.between(0, 1 - u);
          const Vec3 p = (1 - u - v) * l.vertices[t[0]] + u * l.vertices[t[1]] + v * l.vertices[t[2]];
          if (found < depths[k](X_LB.inverse() * p) - 1e-12) ++too_shallow;
        }
        continue;
      }
      // Along the edges of both, in steps: depth is no steeper than distance.
      constexpr int kSteps = 100;
      double along = 0;
      const auto walk = [&](const TriangleMesh& mesh, const Pose& X,
                            const std::function<double(const Vec3&)>& depth) {
        for (const Triangle& t : mesh.triangles)
          for (size_t e = 0; e < 3; ++e) {
            const Vec3 p = X * mesh.vertices[t[e]], q = X * mesh.vertices[t[(e + 1) % 3]];
            for (int s = 0; s <= kSteps; ++s)
              along = std::max(along, depth(p + (static_cast<double>(s) / kSteps) * (q - p)));
          }
      };
      const TriangleMesh body_mesh = k == 3 ? l_prism(0.6) : geometry::tessellate_box(Vec3(0.5, 0.7, 0.9));
      walk(body_mesh, X_LB, depth_in_l);
      walk(l_prism(0.6), X_LB.inverse(), depths[k]);
      if (found < along - 1e-12) ++too_shallow;
      if (found > std::sqrt(2.0) * (along + 3.0 / kSteps)) ++too_deep;  // no edge is longer than 3
    }
    CHECK(too_shallow == 0);
    CHECK(too_deep == 0);
    CHECK(unseen == 0);
    CHECK(overlaps > cases / 10);
    CHECK(apart > cases / 10);
  }
}

}  // namespace tumble::test::overlap_oracles
