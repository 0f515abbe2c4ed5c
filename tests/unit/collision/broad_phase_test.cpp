#include "tumble/collision/broad_phase.h"

#include <doctest/doctest.h>

#include "tumble/collision/dynamic_tree.h"
#include "tumble/collision/sweep_and_prune.h"
#include "unit/collision/moving_boxes.h"

using namespace tumble;
using namespace tumble::test;
using namespace tumble::collision;

namespace {

Bounds cube(double x, double y, double z, double half = 0.5) {
  return {Vec3(x - half, y - half, z - half), Vec3(x + half, y + half, z + half)};
}

}  // namespace

TEST_CASE("tree and sweep find the same pairs as brute force") {
  const BroadPhaseOutcome outcome = run_random_scenes(1, 2000);
  CHECK(outcome.differences == 0);
  CHECK(outcome.pairs > 100'000);
  CHECK(outcome.reinserted_some > 1000);
  CHECK(outcome.rebuilt > 1000);
  CHECK(outcome.resorted > 1000);
}

TEST_CASE_TEMPLATE("boxes that touch in a face, an edge or a corner overlap", Method, DynamicTree,
                   SweepAndPrune) {
  const std::vector<Bounds> boxes = {cube(0, 0, 0), cube(1, 0, 0), cube(1, 1, 0), cube(1, 1, 1),
                                     cube(std::nextafter(-1, -2), 0, 0, 0.5)};
  Method method;
  const std::span<const ItemPair> pairs = method.update(boxes);
  CHECK(std::vector<ItemPair>(pairs.begin(), pairs.end()) ==
        std::vector<ItemPair>{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}});
}

TEST_CASE_TEMPLATE("infinite boxes, points and equal boxes are supported", Method, DynamicTree,
                   SweepAndPrune) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Vec3 far = Vec3::Constant(kInfinity);
  std::vector<Bounds> boxes = {{-far, Vec3(kInfinity, 0, kInfinity)},  // half-space below y = 0
                               cube(0, 0.5, 0),
                               cube(0, std::nextafter(0.5, 1), 0),
                               {-far, far},
                               cube(7, 7, 7, 0),
                               cube(7, 7, 7, 0),
                               cube(1e300, 0, 0),
                               {far, far}};
  std::vector<Mobility> mobility(boxes.size(), Mobility::moving);
  mobility[0] = mobility[3] = Mobility::fixed;
  Method method;
  const auto pairs = [&] {
    const std::span<const ItemPair> found = method.update(boxes, mobility);
    return std::vector<ItemPair>(found.begin(), found.end());
  };
  CHECK(pairs() == std::vector<ItemPair>{
                       {0, 1}, {0, 6}, {1, 2}, {1, 3}, {2, 3}, {3, 4}, {3, 5}, {3, 6}, {3, 7}, {4, 5}});
  boxes[3] = cube(7, 7, 7.5);  // from infinite to small, and from fixed to moving
  mobility[3] = Mobility::moving;
  boxes[6] = absent_box();
  CHECK(pairs() == std::vector<ItemPair>{{0, 1}, {1, 2}, {3, 4}, {3, 5}, {4, 5}});
  boxes.resize(4);
  mobility.assign(4, Mobility::fixed);
  CHECK(pairs().empty());
  boxes.clear();
  mobility.clear();
  CHECK(pairs().empty());
}

TEST_CASE_TEMPLATE("an invalid box is rejected and changes nothing", Method, DynamicTree, SweepAndPrune) {
  const std::vector<Bounds> good = {cube(0, 0, 0), cube(0.5, 0, 0), cube(3, 0, 0)};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Method method;
  method.update(good);
  for (const Bounds& bad : {cube(nan, 0, 0), cube(0, 0, 0, nan), cube(0, 0, 0, -1e-9), cube(0, nan, 0),
                            Bounds{Vec3(0, 0, 0), Vec3(1, 1, nan)}, Bounds{Vec3(0, 9, 0), Vec3(1, 8, 1)}}) {
    std::vector<Bounds> boxes = {cube(9, 0, 0), cube(9, 0, 0), bad};
    CHECK_THROWS_AS(method.update(boxes), core::LogicError);
    const std::span<const ItemPair> pairs = method.update(good);
    CHECK(std::vector<ItemPair>(pairs.begin(), pairs.end()) == std::vector<ItemPair>{{0, 1}});
  }
  CHECK_THROWS_AS(method.update(good, std::vector<Mobility>(2)), core::LogicError);
}

TEST_CASE("boxes that jitter within their margin change nothing in the tree") {
  Random random(3);
  std::vector<Bounds> boxes;
  for (int i = 0; i < 1000; ++i) boxes.push_back(cube(i % 10, i / 10 % 10, i / 100, 0.49));
  DynamicTree tree;
  tree.update(boxes);
  for (int step = 0; step < 20; ++step) {
    std::vector<Bounds> jittering = boxes;
    for (Bounds& box : jittering) {
      const Vec3 by = random.point(0.019);  // less than the margin, a fiftieth of the size 0.98
      box = {box.lower + by, box.upper + by};
    }
    tree.update(jittering);
    CHECK(tree.work().reinserted == 0);
  }
}

TEST_CASE("a scene far from the origin costs at most twice as much") {
  const auto cost_at = [](const Vec3& position) {
    Random random(4);
    std::vector<Bounds> boxes;
    for (int i = 0; i < 2000; ++i) {
      const Vec3 center = random.point(10);
      boxes.push_back({position + center - Vec3::Constant(0.2), position + center + Vec3::Constant(0.2)});
    }
    DynamicTree tree;
    tree.update(std::vector<Bounds>{cube(0, 0, 0)});  // sets the first origin of the tree
    tree.update(boxes);
    return tree.work().box_tests;
  };
  // At 1e8 m floats are 8 m apart: relative to zero, each box would overlap at least a tenth of the others.
  CHECK(cost_at(Vec3(1e8, -1e8, 1e8)) <= 2 * cost_at(Vec3::Zero()));
}

// Boxes of constant density, each overlapping 2.4 others, drift by a fiftieth of their size per step. The
// number of pairs is proportional to N.
TEST_CASE("work of a step grows no faster than N log N, and memory as N") {
  struct Cost {
    double tests = 0, bytes = 0;
  };
  const auto cost_of = [](auto&& method, size_t count) {
    Random random(5);
    const double half_room = std::cbrt(static_cast<double>(count) / 0.3) / 2;
    std::vector<Bounds> boxes;
    std::vector<Vec3> velocities;
    for (size_t i = 0; i < count; ++i) {
      const Vec3 center = random.point(half_room);
      boxes.push_back(cube(center.x(), center.y(), center.z()));
      velocities.push_back(random.point(0.02));
    }
    Cost cost;
    constexpr int kSteps = 25;
    for (int step = 0; step < kSteps; ++step) {
      method.update(boxes);
      cost.tests += static_cast<double>(method.work().box_tests) / kSteps;
      for (size_t i = 0; i < count; ++i)
        boxes[i] = {boxes[i].lower + velocities[i], boxes[i].upper + velocities[i]};
    }
    cost.bytes = static_cast<double>(method.memory_bytes());
    return cost;
  };
  const auto n_log_n = [](double n) { return n * std::log2(n); };
  const Cost small = cost_of(DynamicTree(), 1000), large = cost_of(DynamicTree(), 32'000);
  CHECK(large.tests / n_log_n(32'000) <= small.tests / n_log_n(1000));
  CHECK(large.bytes / 32'000 <= 1.5 * small.bytes / 1000);  // reserved capacity varies
  const Cost few = cost_of(SweepAndPrune(), 1000), many = cost_of(SweepAndPrune(), 8000);
  CHECK(many.bytes / 8000 <= 1.5 * few.bytes / 1000);
}

TEST_CASE_TEMPLATE("a warm step allocates no memory", Method, DynamicTree, SweepAndPrune) {
  Random random(6);
  std::vector<Bounds> boxes;
  for (int i = 0; i < 500; ++i) {
    const Vec3 center = random.point(4);
    boxes.push_back(cube(center.x(), center.y(), center.z()));
  }
  Method method;
  const auto circle = [&](int step) {  // each returns to its position after 50 steps
    std::vector<Bounds> moved = boxes;
    for (size_t i = 0; i < moved.size(); ++i) {
      const double angle = 2 * math::kPi * step / 50 + static_cast<double>(i);
      const Vec3 by(std::cos(angle), std::sin(angle), 0);
      moved[i] = {moved[i].lower + by, moved[i].upper + by};
    }
    method.update(moved);
  };
  for (int step = 0; step < 200; ++step) circle(step);
  const size_t bytes = method.memory_bytes();
  for (int step = 200; step < 400; ++step) circle(step);
  CHECK(method.memory_bytes() == bytes);
}

TEST_CASE("if the order does not change, the sweep visits each endpoint once") {
  Random random(7);
  std::vector<Bounds> boxes;
  for (int i = 0; i < 300; ++i) {
    const Vec3 center = random.point(4);
    boxes.push_back(cube(center.x(), center.y(), center.z()));
  }
  SweepAndPrune sweep;
  const size_t pairs = sweep.update(boxes).size();
  for (Bounds& box : boxes) box = {2 * box.lower, 2 * box.upper};
  CHECK(sweep.update(boxes).size() == pairs);
  CHECK(sweep.work().swaps == 0);
  CHECK(sweep.work().box_tests == boxes.size() + 3 * 2 * boxes.size());
}
