#include "tumble/collision/nested_rounds.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "tumble/collision/collider.h"
#include "tumble/math/quat.h"

using namespace tumble;
using collision::Polyhedron;
using collision::RelativeMotion;
using math::Quat;
using math::Vec3;

namespace {

constexpr uint32_t kRings = 24, kSegments = 48;

// Part of a dented sphere about the origin, up to a polar angle, seen from outside or inside.
Polyhedron cap(double radius, double polar, double dents, bool inside, std::mt19937& random) {
  std::uniform_real_distribution<double> dent(1 - dents, 1);
  geometry::TriangleMesh mesh;
  for (uint32_t i = 0; i <= kRings; ++i)
    for (uint32_t k = 0; k < kSegments; ++k) {
      const double p = polar * (i + 0.1) / (kRings + 0.1), a = 2 * std::numbers::pi * k / kSegments;
      mesh.vertices.push_back(radius * dent(random) *
                              Vec3(std::sin(p) * std::cos(a), -std::cos(p), std::sin(p) * std::sin(a)));
    }
  for (uint32_t i = 0; i < kRings; ++i)
    for (uint32_t k = 0; k < kSegments; ++k) {
      const uint32_t next = (k + 1) % kSegments, at = i * kSegments, below = at + kSegments;
      mesh.triangles.push_back({at + k, below + k, at + next});
      mesh.triangles.push_back({at + next, below + k, below + next});
      if (inside)
        for (size_t t = mesh.triangles.size() - 2; t < mesh.triangles.size(); ++t)
          std::swap(mesh.triangles[t][0], mesh.triangles[t][1]);
    }
  return Polyhedron(mesh);
}

std::vector<uint32_t> vertices_below(const Polyhedron& shape, uint32_t node) {
  std::vector<uint32_t> open = {node}, found;
  while (!open.empty()) {
    const geometry::Bvh::Node& n = shape.tree().nodes()[open.back()];
    open.pop_back();
    if (!n.is_leaf()) {
      open.insert(open.end(), {n.first, n.first + 1});
      continue;
    }
    for (uint32_t i = n.first; i < n.first + n.count; ++i)
      for (const uint32_t corner : shape.primitives()[shape.tree().items()[i]].corners)
        found.push_back(corner);
  }
  return found;
}

}  // namespace

TEST_CASE("patches that are called nested stay apart while their bodies move") {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const auto vector = [&] {
    const double x = normal(random), y = normal(random);
    return Vec3(x, y, normal(random));
  };
  int nested = 0, near = 0;
  for (int trial = 0; trial < 6; ++trial) {
    const double ratio = 1.1 + uniform(random), dents = trial % 3 == 0 ? 0 : 0.01 * uniform(random);
    const Polyhedron ball = cap(1, 2.5, dents, false, random), bowl = cap(ratio, 1.5, dents, true, random);
    REQUIRE(ball.round(0));
    REQUIRE(bowl.round(0));
    // The ball rests on the bowl's lowest point, and turns, and moves for a time h.
    const double h = 0.05, gap = 1e-3;
    RelativeMotion motion;
    motion.R = Quat::from_rotation_vector(0.2 * vector()).to_matrix();
    motion.p = Vec3(0, -(ratio - 1 - gap), 0);
    const double speed = trial % 2 == 0 ? 0.01 : 0.3;
    motion.velocity = speed * vector(), motion.turn = 6 * speed * vector();
    const double angle = h * motion.turn.norm();
    // A node that is probably low, where the two touch.
    const auto pick = [&](const Polyhedron& shape) {
      const std::vector<geometry::Bvh::Node>& nodes = shape.tree().nodes();
      uint32_t node = 0;
      while (!nodes[node].is_leaf() && uniform(random) > 0.1) {
        const uint32_t first = nodes[node].first;
        const bool second_is_lower = nodes[first + 1].box.lower.y() < nodes[first].box.lower.y();
        node = first + (second_is_lower == (uniform(random) < 0.8) ? 1 : 0);
      }
      return node;
    };
    for (int k = 0; k < 800; ++k) {
      const uint32_t in = pick(ball), out = pick(bowl);
      const std::vector<uint32_t> inner = vertices_below(ball, in), outer = vertices_below(bowl, out);
      if (inner.size() * outer.size() > 1000) continue;
      const double level = 1e-3 * std::abs(normal(random));
      if (!collision::are_nested(*bowl.round(out), *ball.round(in), motion, h, std::cos(angle),
                                 std::sin(angle), level))
        continue;
      ++nested;
      double least = 1e9;
      for (int s = 0; s <= 4; ++s) {
        const double t = h * s / 4;
        const math::Mat3 turned = Quat::from_rotation_vector(t * motion.turn).to_matrix() * motion.R;
        // The centre of the fitted sphere moves on a straight line; the surface turns about it.
        const Vec3 c = ball.round(in)->center, there = motion.R * c + motion.p,
                   now = there + t * motion.speed_at(there);
        for (const uint32_t v : inner)
          for (const uint32_t w : outer)
            least = std::min(least, (turned * (ball.vertices()[v] - c) + now - bowl.vertices()[w]).norm());
      }
      REQUIRE(least > level);
      if (least < 0.05) ++near;
    }
  }
  MESSAGE(nested << " nested pairs, " << near << " of them near");
  CHECK(nested > 300);
  CHECK(near > 3);
}
