// Random pairs of shapes for tests of the narrow phase: every kind against every kind, anywhere, nearly
// touching, with aligned faces and edges, deep inside each other, and of extreme proportions.
#pragma once

#include <optional>

#include "reference.h"
#include "solids.h"
#include "tumble/geometry/convex_hull.h"
#include "tumble/geometry/height_field.h"

namespace tumble::test {

/// A hull is a convex mesh or a collision::Hull, a sheet an open mesh or a collision::HeightField.
enum class Kind { sphere, capsule, box, cylinder, cone, plane, hull, mesh, sheet };
inline constexpr int kKinds = 9;
inline constexpr const char* kKindNames[kKinds] = {"sphere", "capsule", "box",  "cylinder", "cone",
                                                   "plane",  "hull",    "mesh", "sheet"};
/// Kinds that are solid and convex. A mesh and a sheet are surfaces.
inline bool is_convex(Kind kind) { return kind < Kind::mesh; }

/// Kinds with a curved surface that is not a rounded polyhedron.
inline bool is_curved(Kind kind) { return kind == Kind::cylinder || kind == Kind::cone; }

/// The pairs of kinds that a test covers.
enum class Group {
  all,
  convex,          // both
  curved_surface,  // a cylinder or cone and a mesh or sheet
  surface          // a mesh or sheet and anything else
};
inline bool is_in(Group group, Kind a, Kind b) {
  if (a == Kind::plane && b == Kind::plane) return false;  // no such query
  if (group == Group::all) return true;
  if (is_convex(a) && is_convex(b)) return group == Group::convex;
  return group == (is_curved(a) || is_curved(b) ? Group::curved_surface : Group::surface);
}

/// A bipyramid over a polygon of 3 to 8 corners.
inline geometry::TriangleMesh make_bipyramid(Dice& dice, const Vec3& half) {
  geometry::TriangleMesh mesh;
  const auto n = static_cast<uint32_t>(3 + dice.below(6));
  const double start = dice.between(0, 1);
  for (uint32_t i = 0; i < n; ++i) {
    const double angle = 2 * math::kPi * (i + start) / n;
    mesh.vertices.push_back({half.x() * std::cos(angle), 0, half.z() * std::sin(angle)});
  }
  mesh.vertices.push_back({0, half.y(), 0});
  mesh.vertices.push_back({0, -dice.between(0.3, 1) * half.y(), 0});
  for (uint32_t i = 0; i < n; ++i) {
    const uint32_t j = (i + 1) % n;
    mesh.triangles.push_back({j, i, n});
    mesh.triangles.push_back({i, j, n + 1});
  }
  return mesh;
}

/// The hull of 4 to 16 points, or nothing if they are too flat. The origin lies inside.
inline std::optional<geometry::TriangleMesh> make_random_hull(Dice& dice, const Vec3& half) {
  std::vector<Vec3> points(static_cast<size_t>(4 + dice.below(13)));
  for (Vec3& p : points) p = dice.direction().cwiseProduct(half);
  auto hull = geometry::build_convex_hull(points);
  if (!hull) return std::nullopt;
  Vec3 middle = Vec3::Zero();
  for (const Vec3& v : hull->vertices) middle += v / static_cast<double>(hull->vertices.size());
  for (Vec3& v : hull->vertices) v -= middle;
  return *hull;
}

inline collision::Shape make_shape(Dice& dice, Kind kind, double size, double aspect) {
  // An extent, between size / aspect and size.
  const auto part = [&] {
    return aspect > 2 ? size * dice.order(1 / aspect, 1) : size * dice.between(0.3, 1);
  };
  const auto shared = [](geometry::TriangleMesh mesh) {
    return std::make_shared<const geometry::TriangleMesh>(std::move(mesh));
  };
  const double x = part(), y = part(), z = part();
  switch (kind) {
    case Kind::sphere:
      return collision::Sphere{0.5 * x};
    case Kind::capsule:
      return collision::Capsule{0.25 * x, y};
    case Kind::box:
      return collision::Box{Vec3(x, y, z)};
    case Kind::cylinder:
      return collision::Cylinder{0.5 * x, y};
    case Kind::cone:
      return collision::Cone{0.5 * x, y};
    case Kind::plane:
      return collision::Plane{Vec3::UnitY()};
    case Kind::hull:
      if (dice.below(2) == 0)
        if (auto hull = make_random_hull(dice, 0.5 * Vec3(x, y, z))) return collision::Hull{shared(*hull)};
      return collision::Mesh{shared(make_bipyramid(dice, 0.5 * Vec3(x, y, z)))};
    case Kind::mesh: {
      geometry::TriangleMesh mesh = make_l_prism();
      for (Vec3& v : mesh.vertices) v = (v - Vec3(0.8, 0.8, 0.5)).cwiseProduct(0.5 * Vec3(x, y, z));
      return collision::Mesh{shared(std::move(mesh))};
    }
    default: {
      if (dice.below(2) == 0) {
        double heights[9];
        for (double& height : heights) height = 0.2 * y * dice.between(-1, 1);
        return collision::HeightField{shared(geometry::build_height_field(heights, 3, x, z))};
      }
      geometry::TriangleMesh mesh;
      for (uint32_t i = 0; i < 9; ++i)
        mesh.vertices.push_back(
            {x * (0.5 * (i % 3) - 0.5), 0.2 * y * dice.between(-1, 1), z * (0.5 * (i / 3) - 0.5)});
      for (const uint32_t i : {0u, 1u, 3u, 4u}) {
        mesh.triangles.push_back({i, i + 3, i + 4});
        mesh.triangles.push_back({i, i + 4, i + 1});
      }
      return collision::Mesh{shared(std::move(mesh))};
    }
  }
}

/// Two placed shapes, and what is known of their distance by construction: it is at least `apart` (-1:
/// unknown), and equal to that if `exact`.
struct Pair {
  Reference a, b;
  math::Pose X_WA, X_WB;
  double size = 1;  // the larger of the two
  double apart = -1;
  bool exact = false;
  Vec3 direction = Vec3::Zero();  // along which they are apart by that, if they are
};

enum class Arrangement { anywhere, near, aligned, deep };

/// `size` is that of a, `ratio` that of b relative to a, `origin` the position of both.
inline Pair make_pair(Dice& dice, Kind ka, Kind kb, Arrangement arrangement, double size, double ratio,
                      double aspect, const Vec3& origin) {
  Pair pair;
  pair.a.shape = make_shape(dice, ka, size, aspect),
  pair.b.shape = make_shape(dice, kb, size * ratio, aspect);
  pair.size = size * std::max(1.0, ratio);
  const bool convex = is_convex(ka) && is_convex(kb);
  pair.a.solid = ka == Kind::hull, pair.b.solid = kb == Kind::hull;
  const auto rotation = [&] {
    if (arrangement != Arrangement::aligned) return dice.rotation();
    return math::Quat::from_axis_angle(Vec3::Unit(dice.below(3)), 0.5 * math::kPi * dice.below(4));
  };
  pair.X_WA.rotation = rotation(), pair.X_WB.rotation = rotation();
  pair.a.R = pair.X_WA.rotation.to_matrix(), pair.b.R = pair.X_WB.rotation.to_matrix();
  pair.b.p = origin;
  if (arrangement == Arrangement::anywhere) {
    pair.a.p = origin + pair.size * dice.between(0, 2) * dice.direction();
  } else if (arrangement == Arrangement::deep) {
    pair.a.p = origin;
    if (ka == Kind::plane) pair.a.p += 2 * pair.size * pair.a.plane_normal();
    if (kb == Kind::plane) pair.a.p -= 2 * pair.size * pair.b.plane_normal();
    if (convex) pair.apart = 0, pair.exact = true;
  } else {
    // The support point of b along n and that of a against it are apart by a gap along n. No two points are
    // nearer.
    Vec3 n = arrangement == Arrangement::aligned ? Vec3(Vec3::Unit(dice.below(3))) : dice.direction();
    if (ka == Kind::plane) n = -pair.a.plane_normal();
    if (kb == Kind::plane) n = pair.b.plane_normal();
    const Vec3 top = kb == Kind::plane ? Vec3(Vec3::Zero()) : Vec3(pair.b.farthest(n) - pair.b.p);
    const Vec3 bottom = ka == Kind::plane ? Vec3(Vec3::Zero()) : pair.a.farthest(-n);
    const double gap = dice.below(8) == 0 ? 0 : pair.size * dice.order(1e-8, 1e-3);
    pair.a.p = origin + top + gap * n - bottom;
    if (arrangement == Arrangement::aligned) {
      const Vec3 aside = dice.point(0.5 * size * std::min(1.0, ratio));
      pair.a.p += aside - n.dot(aside) * n;
    }
    pair.apart = gap, pair.exact = arrangement == Arrangement::near, pair.direction = n;
  }
  pair.X_WA.translation = pair.a.p, pair.X_WB.translation = pair.b.p;
  return pair;
}

}  // namespace tumble::test
