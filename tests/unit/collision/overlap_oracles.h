// Compares the overlap checker with independent methods, for every pair of shapes at random poses: separating
// axes for boxes, a search over sampled directions with its own support functions for convex shapes, random
// points, closed forms and minimum translations for an L of three squares.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>

#include "support/tolerance.h"
#include "tumble/collision/overlap_checker.h"
#include "tumble/geometry/tessellate.h"
#include "tumble/math/elementary.h"
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
using math::Vec3;

inline Mesh shared_mesh(TriangleMesh mesh) { return {std::make_shared<const TriangleMesh>(std::move(mesh))}; }

// The spread puts most random pairs near the border between apart and overlapping.
inline Pose random_pose(Random& random, double spread) {
  return {Quat::from_rotation_vector(random.point(3)), random.point(spread)};
}

// Support function h(d) = largest d.x over the shape, for a d of any length.
using SupportFunction = std::function<double(const Vec3&)>;

// The circle of unit vectors d with d.axis = sine.
struct Circle {
  Vec3 axis;  // unit
  double sine;

  Vec3 at(double angle) const {
    const Vec3 u = axis.unitOrthogonal(), v = axis.cross(u);
    return sine * axis + std::sqrt(1 - sine * sine) * (std::cos(angle) * u + std::sin(angle) * v);
  }
};

struct Sample {
  std::string name;
  Shape shape;
  SupportFunction support;  // in the shape's frame
  double size;
  std::vector<Circle> kinks = {};  // in the shape's frame: circles where the support function has a kink
};

inline double across(const Vec3& d) { return std::hypot(d.x(), d.z()); }

inline Sample random_sample(const std::string& name, Random& random) {
  const double r = random.between(0.2, 1), l = random.between(0.2, 2);
  if (name == "sphere") return {name, Sphere{r}, [=](const Vec3& d) { return r * d.norm(); }, r};
  if (name == "capsule")
    return {name,
            Capsule{r, l},
            [=](const Vec3& d) { return 0.5 * l * std::abs(d.y()) + r * d.norm(); },
            r + l,
            {{Vec3::UnitY(), 0}}};
  if (name == "box") {
    const Vec3 size = random.point(0.8).cwiseAbs() + Vec3::Constant(0.2);
    return {name,
            Box{size},
            [=](const Vec3& d) { return 0.5 * size.dot(d.cwiseAbs()); },
            size.norm(),
            {{Vec3::UnitX(), 0}, {Vec3::UnitY(), 0}, {Vec3::UnitZ(), 0}}};
  }
  if (name == "cylinder")
    return {name,
            Cylinder{r, l},
            [=](const Vec3& d) { return 0.5 * l * std::abs(d.y()) + r * across(d); },
            r + l,
            {{Vec3::UnitY(), 0}}};
  if (name == "cone")  // apex or rim: both, along the normals of the slant
    return {name,
            Cone{r, l},
            [=](const Vec3& d) { return std::max(0.5 * l * d.y(), r * across(d) - 0.5 * l * d.y()); },
            r + l,
            {{Vec3::UnitY(), r / std::hypot(r, l)}}};
  // A convex polyhedron: a linearly deformed octahedron, or a tessellated cylinder or sphere.
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

// How far b must move along the unit vector n to leave a.
inline double translation_along(const Sample& a, const Pose& X_WA, const Sample& b, const Pose& X_WB,
                                const Vec3& n) {
  return a.support(X_WA.rotation.conjugate() * n) + b.support(-(X_WB.rotation.conjugate() * n)) +
         n.dot(X_WA.translation - X_WB.translation);
}

// Nelder-Mead search among directions around n. It copes with valleys that have a sharp bottom.
template <typename Translation>
double refine_direction(Translation&& translation, Vec3& n, double step) {
  const Vec3 u = n.unitOrthogonal(), v = n.cross(u), start = n;
  const auto direction = [&](double x, double y) { return Vec3((start + x * u + y * v).normalized()); };
  struct Corner {
    double x, y, value;
  };
  const auto corner = [&](double x, double y) { return Corner{x, y, translation(direction(x, y))}; };
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

// The minimum translation over sampled directions. The best of them are refined.
template <typename Translation>
double min_translation(Translation&& translation, int samples, size_t refined) {
  std::vector<std::pair<double, Vec3>> found;
  for (int i = 0; i < samples; ++i) {  // a spiral from pole to pole
    const double z = 1 - (2 * i + 1.0) / samples, phi = i * 2.399963229728653;
    const Vec3 n(std::sqrt(1 - z * z) * std::cos(phi), std::sqrt(1 - z * z) * std::sin(phi), z);
    found.emplace_back(translation(n), n);
  }
  std::sort(found.begin(), found.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  double least = found.front().first;
  for (size_t i = 0; i < refined; ++i) {
    Vec3 n = found[i].second;
    for (const double step : {1 / std::sqrt(samples), 1e-3})
      least = std::min(least, refine_direction(translation, n, step));
  }
  return least;
}

// The minimum of f in an interval that brackets it, by golden section search. Works for kinks.
template <typename F>
double least_between(F&& f, double low, double high) {
  constexpr double kGolden = 0.6180339887498949;
  double x0 = high - kGolden * (high - low), x1 = low + kGolden * (high - low), f0 = f(x0), f1 = f(x1);
  for (int i = 0; i < 60; ++i) {  // 0.618^60 = 3e-13
    if (f0 < f1) {
      high = x1, x1 = x0, f1 = f0, x0 = high - kGolden * (high - low), f0 = f(x0);
    } else {
      low = x0, x0 = x1, f0 = f1, x1 = low + kGolden * (high - low), f1 = f(x1);
    }
  }
  return std::min(f0, f1);
}

// The minimum translation along circles on which it has a kink. A valley that is sharp across and almost
// level along stops Nelder-Mead short of its minimum. A cone around the other's centre near its axis has such
// a valley.
template <typename Translation>
double min_translation_along(Translation&& translation, const std::vector<Circle>& circles, int steps) {
  const double step = 2 * math::kPi / steps;
  double least = 1e300;
  for (const Circle& circle : circles) {
    const auto f = [&](double angle) { return translation(circle.at(angle)); };
    std::vector<double> value;
    for (int i = 0; i < steps; ++i) value.push_back(f(i * step));
    for (int i = 0; i < steps; ++i) {
      const auto at = [&](int k) { return value[static_cast<size_t>((k + steps) % steps)]; };
      if (at(i) <= at(i - 1) && at(i) <= at(i + 1))
        least = std::min(least, least_between(f, (i - 1) * step, (i + 1) * step));
    }
  }
  return least;
}

inline std::vector<Circle> kinks_of(const Sample& a, const Pose& X_WA, const Sample& b, const Pose& X_WB) {
  std::vector<Circle> kinks;
  for (const Circle& c : a.kinks) kinks.push_back({X_WA.rotation * c.axis, c.sine});
  for (const Circle& c : b.kinks)
    kinks.push_back({X_WB.rotation * c.axis, -c.sine});  // support in direction -n
  return kinks;
}

inline double min_translation(const Sample& a, const Pose& X_WA, const Sample& b, const Pose& X_WB,
                              int samples, size_t refined) {
  const auto translation = [&](const Vec3& n) { return translation_along(a, X_WA, b, X_WB, n); };
  return std::min(min_translation(translation, samples, refined),
                  min_translation_along(translation, kinks_of(a, X_WA, b, X_WB), samples));
}

// A ball whose centre is in a cone near its axis, nearer to the slant than to the base. The depth has a
// closed form.
inline void check_search_in_cone(int cases) {
  Random random(41);
  double worst = 0;
  for (int i = 0; i < cases; ++i) {
    const Sample ball = random_sample("sphere", random), cone = random_sample("cone", random);
    const double r = std::get<Cone>(cone.shape).radius, l = std::get<Cone>(cone.shape).length;
    const double aside = r * std::pow(10, random.between(-6, -2)), angle = random.between(0, 7);
    const Vec3 middle(aside * std::cos(angle), random.between(0, 0.4) * l, aside * std::sin(angle));
    const double slant = ((0.5 * l - middle.y()) * r - l * aside) / std::hypot(r, l);
    const Pose X_WC = random_pose(random, 1), X_WB{Quat::identity(), X_WC * middle};
    const double least = min_translation(ball, X_WB, cone, X_WC, 40, 2);
    const double expected = std::get<Sphere>(ball.shape).radius + slant;
    worst = std::max(worst, std::abs(least - expected) / (ball.size + cone.size));
  }
  CHECK(worst <= 1e-9);
}

inline const std::vector<std::string>& convex_names() {
  static const std::vector<std::string> names = {"sphere",   "capsule", "box",
                                                 "cylinder", "cone",    "polyhedron"};
  return names;
}

// The checker's depth equals the best of the sampled directions.
inline void check_convex_pair(const std::string& first, const std::string& second, int cases, int samples) {
  CAPTURE(first);
  CAPTURE(second);
  Random random(static_cast<uint32_t>(11 + first.size() * 31 + second.size()));
  int overlaps = 0, apart = 0, missed = 0, wrong = 0, unsure = 0;
  for (int i = 0; i < cases; ++i) {
    const Sample a = random_sample(first, random), b = random_sample(second, random);
    const Pose X_WA = random_pose(random, 1), X_WB = random_pose(random, 1);
    const Overlap found = OverlapChecker().measure(a.shape, X_WA, b.shape,
                                                   X_WB);  // a new checker each time: meshes are not cached
    const double tolerance = 1e-9 * (a.size + b.size);
    const auto search = [&](int directions, size_t refined) {
      return min_translation(a, X_WA, b, X_WB, directions, refined);
    };
    double best = search(samples, 2);
    // Deep overlaps have many local minima. Search with more directions.
    if (found.depth < std::max(best, 0.0) - tolerance) best = search(20 * samples, 60);
    if (found.depth < std::max(best, 0.0) - tolerance) best = search(100 * samples, 1000);
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

// Fifteen axes: the minimum translation of two boxes is along a face normal or a cross product of edges.
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
      for (const Vec3& m : {n, Vec3(-n)})
        expected = std::min(expected, translation_along(a, X_WA, b, X_WB, m));
    }
    expected = std::max(expected, 0.0);
    overlaps += expected > 0;
    const double found = checker.measure(a.shape, X_WA, b.shape, X_WB).depth;
    worst = std::max(worst, std::abs(found - expected));
  }
  CHECK(worst <= 1e-12);
  CHECK(overlaps > cases / 4);
}

// Signed depth of a point in the L of l_prism(0.6), negative outside, without triangles.
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

// Balls have a closed form. A capsule is sampled along its core.
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
  CHECK(worst_capsule <= 1);  // distance of two samples of the core
  CHECK(overlaps > cases / 4);
}

struct PlacedBox {
  Vec3 middle, half;
  Mat3 R;
};

// The interval of translations of b along n in which two boxes overlap, by fifteen axes.
struct BoxOverlap {
  struct Axis {
    Vec3 n;
    double reach, between;  // sum of the extents of both boxes, and distance of their centres
  };
  std::vector<Axis> axes;

  BoxOverlap(const PlacedBox& a, const PlacedBox& b) {
    const auto add = [&](const Vec3& axis) {
      if (axis.norm() < 1e-6) return;
      const Vec3 n = axis.normalized();
      const double reach =
          a.half.dot((a.R.transpose() * n).cwiseAbs()) + b.half.dot((b.R.transpose() * n).cwiseAbs());
      axes.push_back({n, reach, n.dot(b.middle - a.middle)});
    };
    for (int i = 0; i < 3; ++i) {
      add(a.R.col(i));
      add(b.R.col(i));
      for (int j = 0; j < 3; ++j) add(Vec3(a.R.col(i)).cross(Vec3(b.R.col(j))));
    }
  }
  std::pair<double, double> along(const Vec3& n) const {
    std::pair<double, double> interval{-1e300, 1e300};
    for (const Axis& axis : axes) {
      const double speed = axis.n.dot(n);
      const auto [low, high] =
          std::minmax({(-axis.reach - axis.between) / speed, (axis.reach - axis.between) / speed});
      interval = {std::max(interval.first, low), std::min(interval.second, high)};
    }
    return interval;
  }
};

// Two bodies that are unions of boxes.
struct BoxBodies {
  std::vector<BoxOverlap> box_overlaps;

  BoxBodies(const std::vector<PlacedBox>& a, const std::vector<PlacedBox>& b, const Pose& X_AB) {
    for (const PlacedBox& x : a)
      for (const PlacedBox& y : b)
        box_overlaps.push_back(
            BoxOverlap(x, PlacedBox{X_AB * y.middle, y.half, X_AB.rotation.to_matrix() * y.R}));
  }
  // How far b moves along n until it no longer overlaps a.
  double translation_along(const Vec3& n) const {
    std::vector<std::pair<double, double>> intervals;
    for (const BoxOverlap& overlap : box_overlaps) {
      const std::pair<double, double> interval = overlap.along(n);
      if (interval.first < interval.second) intervals.push_back(interval);
    }
    std::sort(intervals.begin(), intervals.end());
    double out = 0;
    for (const auto& [from, to] : intervals)
      if (from < out) out = std::max(out, to);
    return out;
  }
  double min_translation() const {
    const auto translation = [this](const Vec3& n) { return translation_along(n); };
    double least = overlap_oracles::min_translation(translation, 100, 2);
    for (const BoxOverlap& overlap : box_overlaps)
      for (const BoxOverlap::Axis& axis : overlap.axes)
        least = std::min({least, translation(axis.n), translation(-axis.n)});
    return least;
  }
};

// Is this the distance of two edges, as lines? The edges of the solids are parallel to their axes.
inline bool is_distance_of_edges(double distance, const TriangleMesh& a, const TriangleMesh& b,
                                 const Pose& X_AB) {
  const auto edges_of = [](const TriangleMesh& mesh) {
    std::vector<std::pair<Vec3, Vec3>> edges;  // a point and a direction
    for (const Triangle& t : mesh.triangles)
      for (size_t i = 0; i < 3; ++i) {
        const Vec3 p = mesh.vertices[t[i]], along = mesh.vertices[t[(i + 1) % 3]] - p;
        if ((along.array() == 0).count() == 2) edges.emplace_back(p, along);  // no diagonal of a face
      }
    return edges;
  };
  for (const auto& [p, along_p] : edges_of(a))
    for (const auto& [q, along_q] : edges_of(b)) {
      const Vec3 n = along_p.cross(X_AB.rotation * along_q).normalized();
      if (std::abs(std::abs(n.dot(X_AB * q - p)) - distance) < 1e-12) return true;
    }
  return false;
}

// The largest `depth` of points sampled along the edges of a mesh and the diagonals of its faces.
template <typename Depth>
double deepest_along_edges(const TriangleMesh& mesh, const Pose& X, Depth&& depth, int steps) {
  double deepest = 0;
  for (const Triangle& t : mesh.triangles)
    for (size_t e = 0; e < 3; ++e) {
      if (t[e] > t[(e + 1) % 3]) continue;  // the other triangle of the edge has it in the other direction
      const Vec3 p = X * mesh.vertices[t[e]], q = X * mesh.vertices[t[(e + 1) % 3]];
      for (int s = 0; s <= steps; ++s)
        deepest = std::max(deepest, depth(p + (static_cast<double>(s) / steps) * (q - p)));
    }
  return deepest;
}

struct BodyInL {
  Shape shape;
  std::function<double(const Vec3&)> depth;  // signed depth of a point, negative outside
  std::vector<PlacedBox> boxes = {};         // whose union is the body; empty if it is round
  TriangleMesh mesh = {};
};

inline std::vector<BodyInL> bodies_in_l() {
  return {
      {Box{Vec3(0.5, 0.7, 0.9)},
       [](const Vec3& p) { return (Vec3(0.25, 0.35, 0.45) - p.cwiseAbs()).minCoeff(); },
       {{Vec3::Zero(), Vec3(0.25, 0.35, 0.45), Mat3::Identity()}},
       geometry::tessellate_box(Vec3(0.5, 0.7, 0.9))},
      {Cylinder{0.3, 0.8}, [](const Vec3& p) { return std::min(0.4 - std::abs(p.y()), 0.3 - across(p)); }},
      {Cone{0.4, 0.8},
       [](const Vec3& p) {
         return std::min(p.y() + 0.4, ((0.4 - p.y()) * 0.4 - 0.8 * across(p)) / std::hypot(0.4, 0.8));
       }},
      {l_shape(),
       depth_in_l,
       {{Vec3(1, 0.5, 0.3), Vec3(1, 0.5, 0.3), Mat3::Identity()},
        {Vec3(0.5, 1, 0.3), Vec3(0.5, 1, 0.3), Mat3::Identity()}},
       l_prism(0.6)}};
}

// Common points show that bodies overlap. Points sampled along all edges give a lower bound on the depth of
// bodies with edges. It is also the depth, unless two edges cross. Then the depth is the distance of these
// edges. The depth is at most the minimum translation, and 0 only if that is 0. Points of the L's surface
// give a lower bound for round bodies.
inline void check_l_against_bodies(int cases) {
  Random random(37);
  OverlapChecker checker;
  const std::vector<BodyInL> bodies = bodies_in_l();
  const BodyInL& l = bodies.back();
  for (size_t k = 0; k < bodies.size(); ++k) {
    CAPTURE(k);
    const BodyInL& body = bodies[k];
    int overlaps = 0, apart = 0, too_shallow = 0, too_deep = 0, unseen = 0, crossed = 0;
    for (int i = 0; i < cases; ++i) {
      const Pose X_LB{Quat::from_rotation_vector(random.point(3)), Vec3(1, 1, 0.3) + random.point(1.4)};
      const double found = checker.measure(l.shape, Pose{}, body.shape, X_LB).depth;
      (found > 0 ? overlaps : apart) += 1;
      bool proved = false;
      const auto test_point = [&](const Vec3& p_L) {
        proved = proved || (depth_in_l(p_L) > 1e-12 && body.depth(X_LB.inverse() * p_L) > 1e-12);
      };
      for (int n = 0; n < 100; ++n) {
        test_point(X_LB * (k == 3 ? Vec3(1, 1, 0.3) + random.point(1) : random.point(0.45)));
        test_point(Vec3(1, 1, 0.3) + random.point(1));
      }
      if (!body.boxes.empty()) {
        const double shortest = BoxBodies(l.boxes, body.boxes, X_LB).min_translation();
        proved = proved || shortest > 1e-12;
        if (found > shortest + 1e-12) ++too_deep;
      }
      if (found == 0 && proved) ++unseen;
      if (found == 0) continue;
      if (body.boxes.empty()) {
        for (int n = 0; n < 200; ++n) {
          const Triangle& t = l.mesh.triangles[random.below(static_cast<uint32_t>(l.mesh.triangles.size()))];
          const double u = random.between(0, 1), v = random.between(0, 1 - u);
          const Vec3 p =
              (1 - u - v) * l.mesh.vertices[t[0]] + u * l.mesh.vertices[t[1]] + v * l.mesh.vertices[t[2]];
          if (found < body.depth(X_LB.inverse() * p) - 1e-12) ++too_shallow;
        }
        continue;
      }
      // The slope of depth is at most 1, no edge is longer than 3, and each of its points is within half a
      // step of a sample.
      constexpr int kSteps = 100;
      const double along = std::max(deepest_along_edges(body.mesh, X_LB, depth_in_l, kSteps),
                                    deepest_along_edges(l.mesh, X_LB.inverse(), body.depth, kSteps));
      if (found < along - 1e-12) ++too_shallow;
      if (found <= along + 1.5 / kSteps) continue;
      ++crossed;
      if (!is_distance_of_edges(found, l.mesh, body.mesh, X_LB)) ++too_deep;
    }
    CHECK(too_shallow == 0);
    CHECK(too_deep == 0);
    CHECK(unseen == 0);
    CHECK(overlaps > cases / 10);
    CHECK(apart > cases / 10);
    if (!body.boxes.empty()) CHECK(crossed >= cases / 1000);
  }
}

}  // namespace tumble::test::overlap_oracles
