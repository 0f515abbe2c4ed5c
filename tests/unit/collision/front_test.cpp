// The front of a tree traversal is cached. Pairs of nodes that cannot have come near since then are skipped.
#include <doctest/doctest.h>

#include <cmath>

#include "solids.h"
#include "tumble/collision/distance.h"

using namespace tumble;
using collision::Collider;
using collision::PairMemory;
using collision::Placed;
using math::Quat;
using math::Vec3;

namespace {

// An open, wavy sheet of quads.
geometry::TriangleMesh wavy_sheet(uint32_t quads, double size) {
  geometry::TriangleMesh mesh;
  for (uint32_t i = 0; i <= quads; ++i)
    for (uint32_t j = 0; j <= quads; ++j) {
      const double x = size * (double(i) / quads - 0.5), z = size * (double(j) / quads - 0.5);
      mesh.vertices.push_back(Vec3(x, 0.3 * std::sin(2 * x) * std::cos(3 * z), z));
    }
  for (uint32_t i = 0; i < quads; ++i)
    for (uint32_t j = 0; j < quads; ++j) {
      const uint32_t a = i * (quads + 1) + j, c = a + quads + 1;
      mesh.triangles.push_back({a, a + 1, c + 1});
      mesh.triangles.push_back({a, c + 1, c});
    }
  return mesh;
}

// Steps of all sizes, occasional jumps, and queries with another shape in between. Counts how often the
// results with and without cache differ.
int count_differences(const Collider& a, const Collider& b, const Collider& other, bool a_moves,
                      unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> one(-1, 1), exponent(-7, -1);
  const auto vector = [&] { return Vec3(one(random), one(random), one(random)); };
  PairMemory memory;
  Placed pa(a, {}), pb(b, {});
  Placed& mover = a_moves ? pa : pb;
  mover.p = Vec3(0.2, 1.5, 0.1);
  int differences = 0;
  Vec3 drift = Vec3::Zero(), spin = Vec3::Zero();
  for (int k = 0; k < 1500; ++k) {
    if (k % 50 == 0) {
      const double amount = std::pow(10, exponent(random));
      drift = amount * vector(), spin = amount * vector();
    }
    if (k % 400 == 399) mover.p = Vec3(0, 1.2, 0) + 0.7 * vector();
    if (mover.p.norm() > 2.5) drift = -0.02 * mover.p;
    mover.p += drift;
    mover.R = Quat::from_rotation_vector(spin).to_matrix() * mover.R;
    if (k % 300 == 299) collision::compute_distance(Placed(other, {}), pb, memory);
    const double with = collision::compute_distance(pa, pb, memory).distance,
                 without = collision::compute_distance(pa, pb).distance;
    if (!(std::abs(with - without) <= 2 * collision::compute_distance_rounding(pa, pb))) ++differences;
  }
  return differences;
}

}  // namespace

TEST_CASE("distances of moving meshes are the same with and without a cached front") {
  std::mt19937 random(7);
  const Collider sheet = test::collider_of(wavy_sheet(24, 5)),
                 solid = test::collider_of(test::refine(test::make_l_prism(), random, 40)),
                 other = test::collider_of(test::make_l_prism()), box(collision::Box{Vec3(0.5, 1, 0.7)});
  unsigned seed = 1;
  for (const bool a_moves : {true, false})
    for (const Collider* a : {&solid, &box, &sheet})
      for (const Collider* b : {&sheet, &solid}) {
        CAPTURE(seed);
        CHECK(count_differences(*a, *b, other, a_moves, seed++) == 0);
      }
}
