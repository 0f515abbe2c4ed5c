#include "tumble/collision/broad_phase.h"

#include <doctest/doctest.h>

#include "tumble/collision/dynamic_tree.h"
#include "tumble/collision/sweep_and_prune.h"
#include "unit/collision/moving_boxes.h"

using namespace tumble;
using namespace tumble::test;
using namespace tumble::collision;

namespace {

template <typename Method>
std::vector<ItemPair> pairs_by(Method& method, const MovingBoxes& scene) {
  const std::span<const ItemPair> pairs = method.update(scene.boxes, scene.mobility);
  return {pairs.begin(), pairs.end()};
}

Bounds cube(double x, double y, double z, double half = 0.5) {
  return {Vec3(x - half, y - half, z - half), Vec3(x + half, y + half, z + half)};
}

}  // namespace

TEST_CASE("tree and sweep find the pairs that looking at every pair finds") {
  Random random(1);
  int differences = 0;
  size_t pairs = 0, moved_singly = 0, built_anew = 0, mended = 0;
  for (int scene_number = 0; scene_number < 2000; ++scene_number) {
    MovingBoxes scene(random, scene_number % 50 == 0 ? 400 : 40);
    DynamicTree tree;
    SweepAndPrune sweep;
    for (int step = 0; step < 10; ++step, scene.step()) {
      const std::vector<ItemPair> wanted = every_pair(scene.boxes, scene.mobility);
      if (pairs_by(tree, scene) != wanted) ++differences;
      if (pairs_by(sweep, scene) != wanted) ++differences;
      pairs += wanted.size();
      const uint64_t reinserted = tree.work().reinserted;
      if (step > 0 && reinserted > 0) ++(reinserted < scene.boxes.size() / 8 ? moved_singly : built_anew);
      if (sweep.work().exchanges > 0) ++mended;
    }
  }
  CHECK(differences == 0);
  CHECK(pairs > 100'000);
  CHECK(moved_singly > 1000);
  CHECK(built_anew > 1000);
  CHECK(mended > 1000);
}

TEST_CASE_TEMPLATE("boxes that touch in a face, an edge or a corner meet", Method, DynamicTree,
                   SweepAndPrune) {
  const std::vector<Bounds> boxes = {cube(0, 0, 0), cube(1, 0, 0), cube(1, 1, 0), cube(1, 1, 1),
                                     cube(std::nextafter(-1, -2), 0, 0, 0.5)};
  Method method;
  const std::span<const ItemPair> pairs = method.update(boxes);
  CHECK(std::vector<ItemPair>(pairs.begin(), pairs.end()) ==
        std::vector<ItemPair>{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}});
}
