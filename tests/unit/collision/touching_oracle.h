// Edges and corners that touch: random pairs, and the direction that separates them, computed from the
// definition. Let g be the directions from the point of contact along the edges of a, and minus those of b. A
// direction n separates if n.g >= 0 for all g. These n form a cone. Its extreme rays are perpendicular to two
// of the g. The expected direction is the centre of the smallest cap of the unit sphere with all rays.
#pragma once

#include <doctest/doctest.h>

#include "distance_oracle.h"
#include "tumble/collision/depenetration.h"

namespace tumble::test {

enum class Touch { corner_corner, corner_edge, parallel_edges, crossing_edges };
inline constexpr const char* kTouchNames[] = {"corner on corner", "corner on edge", "parallel edges",
                                              "crossing edges"};

/// A feature in the frame of its shape: a point of it, the directions along the surface, and a direction
/// inside the cone of outward normals.
struct TouchFeature {
  Vec3 point, outward;
  std::vector<Vec3> along;  // unit; an edge has both of its directions
};

inline Vec3 some_normal(const collision::Polyhedron& shape, const std::vector<uint32_t>& faces, Dice& dice) {
  Vec3 sum = Vec3::Zero();
  for (const uint32_t f : faces) sum += dice.between(0.2, 1) * shape.normal(f);
  return sum.normalized();
}

inline TouchFeature some_corner(const collision::Polyhedron& shape, Dice& dice) {
  const auto v = static_cast<uint32_t>(dice.below(static_cast<int>(shape.vertices().size())));
  TouchFeature corner{shape.vertices()[v], {}, {}};
  for (const uint32_t w : shape.neighbours(v))
    corner.along.push_back((shape.vertices()[w] - corner.point).normalized());
  std::vector<uint32_t> faces;
  for (uint32_t f = 0; f < shape.primitives().size(); ++f) {
    const auto& corners = shape.primitives()[f].corners;
    if (std::find(corners, corners + 3, v) != corners + 3) faces.push_back(f);
  }
  corner.outward = some_normal(shape, faces, dice);
  return corner;
}

inline TouchFeature some_edge(const collision::Polyhedron& shape, Dice& dice) {
  const auto& sharp = shape.sharp_edges();
  const collision::Polyhedron::Edge& edge =
      shape.edges()[sharp[static_cast<size_t>(dice.below(static_cast<int>(sharp.size())))]];
  const Vec3 &p = shape.vertices()[edge.a], &q = shape.vertices()[edge.b], u = (q - p).normalized();
  return {p + dice.between(0.2, 0.8) * (q - p),
          some_normal(shape, {edge.faces[0], edge.faces[1]}, dice),
          {u, -u, edge.into[0], edge.into[1]}};
}

/// The extreme rays of the cone n.g >= 0.
inline std::vector<Vec3> rays_of(const std::vector<Vec3>& generators) {
  std::vector<Vec3> rays;
  for (const Vec3& g : generators)
    for (const Vec3& h : generators) {
      const Vec3 across = g.cross(h);
      if (across.norm() < 1e-7) continue;
      const Vec3 n = across.normalized();
      if (std::all_of(generators.begin(), generators.end(), [&](const Vec3& k) { return n.dot(k) > -1e-9; }))
        rays.push_back(n);
    }
  return rays;
}

/// The centre of the smallest cap, which is decided by two or three of the rays.
inline Vec3 centre_of(const std::vector<Vec3>& rays) {
  Vec3 best = rays[0];
  double widest = -1;
  const auto consider = [&](const Vec3& c) {
    if (!(c.norm() > 1e-9)) return;
    double cosine = 1;
    for (const Vec3& ray : rays) cosine = std::min(cosine, c.normalized().dot(ray));
    if (cosine > widest) widest = cosine, best = c.normalized();
  };
  for (const Vec3& x : rays)
    for (const Vec3& y : rays) {
      consider(x + y);
      for (const Vec3& z : rays) consider((y - x).cross(z - x));
    }
  return best;
}

/// The rotation that takes the unit vectors u, t (perpendicular) to v, s.
inline math::Mat3 rotation_between(const Vec3& u, const Vec3& t, const Vec3& v, const Vec3& s) {
  math::Mat3 from, to;
  from << u, t, u.cross(t);
  to << v, s, v.cross(s);
  return to * from.transpose();
}

inline Vec3 across(const Vec3& n, const Vec3& guess) { return (guess - guess.dot(n) * n).normalized(); }

inline Collider some_solid(Dice& dice) {
  const Vec3 half(dice.between(0.2, 1), dice.between(0.2, 1), dice.between(0.2, 1));
  if (dice.below(2) == 0) return Collider(collision::Box{2 * half});
  return collider_of(make_bipyramid(dice, half));
}

/// Checks that the contacts found at various gaps have the expected normal, and its reverse if swapped.
inline void check_touching(int cases, unsigned seed) {
  constexpr double kOffset = 1e-5, kAngle = 1e-6;
  constexpr collision::ContactRange range{.max_gap = 2 * kOffset, .contact_offset = kOffset};
  Faults faults;
  collision::ManifoldBuilder builder;
  int tried = 0;
  for (int i = 0; tried < cases; ++i) {
    Dice dice(seed + static_cast<unsigned>(i));
    const Collider a = some_solid(dice), b = some_solid(dice);
    const auto touch = static_cast<Touch>(dice.below(4));
    const TouchFeature of_a = touch < Touch::parallel_edges ? some_corner(a.polyhedron(), dice)
                                                            : some_edge(a.polyhedron(), dice),
                       of_b = touch == Touch::corner_corner ? some_corner(b.polyhedron(), dice)
                                                            : some_edge(b.polyhedron(), dice);
    // Outward of a is down, of b up. Edges are at some angle to each other.
    const Vec3 up = dice.direction(), side = across(up, dice.direction()),
               turned = touch == Touch::parallel_edges ? side : across(up, dice.direction());
    Placed placed_a(a, {}), placed_b(b, {});
    placed_a.R = rotation_between(of_a.outward, across(of_a.outward, of_a.along[0]), -up, side);
    placed_b.R = rotation_between(of_b.outward, across(of_b.outward, of_b.along[0]), up, turned);
    const Vec3 where(dice.between(-1, 1), dice.between(-1, 1), dice.between(-1, 1));
    placed_a.p = where - placed_a.R * of_a.point;
    placed_b.p = where - placed_b.R * of_b.point;
    std::vector<Vec3> generators;
    for (const Vec3& g : of_a.along) generators.push_back(placed_a.R * g);
    for (const Vec3& g : of_b.along) generators.push_back(-(placed_b.R * g));
    const std::vector<Vec3> rays = rays_of(generators);
    if (rays.empty()) continue;
    const Vec3 n = centre_of(rays);
    double least = 1;
    for (const Vec3& ray : rays) least = std::min(least, n.dot(ray));
    if (least < 0.2) continue;  // nearly all directions separate
    ++tried;
    const std::string name =
        std::string(kTouchNames[static_cast<int>(touch)]) + ", case " + std::to_string(i);
    for (const double gap : {0.0, 1e-12, 1e-9, 1e-6, -1e-9, -1e-5})
      for (const bool swapped : {false, true}) {
        Placed moved = placed_a;
        moved.p += gap * n;
        const Placed &x = swapped ? placed_b : moved, &y = swapped ? moved : placed_b;
        std::vector<collision::Contact> contacts;
        PairMemory memory;
        if (gap > 1e-8)
          builder.build(x, y, range, memory, contacts);
        else
          find_separating_contacts(x, y, std::max(0.0, -gap), range, builder, contacts);
        const std::string where_found = name + ", gap " + std::to_string(1e9 * gap) + " nm";
        faults.expect(!contacts.empty(), "there is a contact", 1, where_found);
        for (const collision::Contact& c : contacts) {
          const Vec3 expected = swapped ? Vec3(-n) : n;
          faults.at_most((c.normal - expected).norm(), kAngle, "the normal is the expected one", where_found);
          faults.at_most(std::abs(c.gap - gap), support::round_off(100, 4), "its gap is right", where_found);
        }
      }
  }
  faults.report();
}

}  // namespace tumble::test
