// Random scenes of moving boxes that appear and disappear, to compare the broad phase with brute force.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "tumble/collision/dynamic_tree.h"
#include "tumble/collision/sweep_and_prune.h"
#include "unit/geometry/meshes.h"

namespace tumble::test {

using collision::ItemPair;
using collision::Mobility;
using geometry::Bounds;

inline std::vector<ItemPair> brute_force_pairs(std::span<const Bounds> boxes,
                                               std::span<const Mobility> mobility) {
  std::vector<ItemPair> pairs;
  const auto present = [&](uint32_t i) { return boxes[i].lower.x() <= boxes[i].upper.x(); };
  for (uint32_t i = 0; i < boxes.size(); ++i) {
    for (uint32_t j = i + 1; present(i) && j < boxes.size(); ++j) {
      bool meet = present(j) && (mobility[i] == Mobility::moving || mobility[j] == Mobility::moving);
      for (int k = 0; k < 3; ++k)
        meet = meet && boxes[i].lower[k] <= boxes[j].upper[k] && boxes[j].lower[k] <= boxes[i].upper[k];
      if (meet) pairs.push_back({i, j});
    }
  }
  return pairs;
}

/// Boxes with velocities in one of several layouts, all from one random stream.
class MovingBoxes {
 public:
  enum class Layout { cloud, line, pile, clusters, mixture, points, far_away };
  static constexpr uint32_t kLayouts = 7;

  MovingBoxes(Random& random, size_t most) : random_(random) {
    layout_ = static_cast<Layout>(random.below(kLayouts));
    const double speeds[] = {0, 0.002, 0.05, 2};  // sizes per step
    speed_ = speeds[random.below(4)];
    appearance_rate_ = random.below(3) == 0 ? 0.05 : 0;
    jump_rate_ = random.below(4) == 0 ? 0.02 : 0;
    infinite_rate_ = random.below(3) == 0 ? 0.1 : 0;
    fixed_rate_ = random.below(2) == 0 ? 0.3 : 0;
    const size_t count = random.below(static_cast<uint32_t>(most) + 1);
    side_ = std::cbrt(static_cast<double>(count)) * random.between(0.6, 1.6) + 0.1;
    for (size_t i = 0; i < count; ++i) add();
  }

  void step() {
    for (size_t i = 0; i < boxes.size(); ++i) {
      if (happens(jump_rate_) || (happens(appearance_rate_) && collision::is_absent(boxes[i])))
        respawn(i);
      else if (happens(appearance_rate_))
        boxes[i] = collision::absent_box();
      else if (!collision::is_absent(boxes[i]) && mobility[i] == Mobility::moving)
        boxes[i] = {boxes[i].lower + velocities_[i], boxes[i].upper + velocities_[i]};
      if (happens(appearance_rate_)) mobility[i] = random_mobility();
      if (happens(0.1)) velocities_[i] *= -1;
    }
    if (happens(appearance_rate_ * 5)) resize(boxes.size() / 2);
    for (int i = 0; i < 5; ++i)
      if (happens(appearance_rate_ * 5)) add();
  }

  std::vector<Bounds> boxes;
  std::vector<Mobility> mobility;

 private:
  bool happens(double probability) { return random_.between(0, 1) < probability; }
  Mobility random_mobility() { return happens(fixed_rate_) ? Mobility::fixed : Mobility::moving; }
  void resize(size_t size) {
    boxes.resize(size);
    mobility.resize(size);
    velocities_.resize(size, Vec3::Zero());
  }
  void add() {
    resize(boxes.size() + 1);
    mobility.back() = random_mobility();
    respawn(boxes.size() - 1);
  }
  void respawn(size_t i) {
    Vec3 center = random_.point(side_ / 2), half = Vec3::Constant(0.5);
    double size = 1;
    switch (layout_) {
      case Layout::cloud:
        half = random_.point(0.5).cwiseAbs();
        break;
      case Layout::line:
        center = Vec3(center.x() * side_ * side_, 0, 0);
        break;
      case Layout::pile:  // touching exactly, with many equal coordinates
        for (double& c : center) c = std::round(c);
        break;
      case Layout::clusters:
        center = 1e-3 * center + 1e3 * Vec3::Constant(random_.below(3)), half *= 1e-3, size = 1e-3;
        break;
      case Layout::mixture:
        size = std::pow(10, random_.between(-3, 3)), half *= size, center *= 10;
        break;
      case Layout::points:
        for (double& c : center) c = std::round(2 * c) / 2;
        half = happens(0.5) ? Vec3(Vec3::Zero()) : Vec3(0.5, 0, 0.5);
        break;
      case Layout::far_away:
        center = center * 1e-3 + Vec3(1e6, -2e6, 3e3), half *= 1e-3, size = 1e-3;
        break;
    }
    boxes[i] = {center - half, center + half};
    velocities_[i] = random_.point(speed_ * size);
    if (layout_ == Layout::pile && happens(0.5)) velocities_[i].setZero();
    if (!happens(infinite_rate_)) return;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 3; ++k) {
      if (happens(0.6)) boxes[i].lower[k] = -kInfinity;
      if (happens(0.6)) boxes[i].upper[k] = happens(0.2) ? 1e200 : kInfinity;
    }
  }

  Random& random_;
  Layout layout_;
  double speed_, appearance_rate_, jump_rate_, infinite_rate_, fixed_rate_, side_;
  std::vector<Vec3> velocities_;
};

struct BroadPhaseOutcome {
  size_t differences = 0;      // steps in which a method's pairs differ from brute force
  size_t pairs = 0;            // sum over all steps
  size_t reinserted_some = 0;  // steps in which items were reinserted, and in which the tree was rebuilt
  size_t rebuilt = 0;
  size_t resorted = 0;  // steps in which the lists were re-sorted
};

/// Runs both methods over ten steps of each scene.
inline BroadPhaseOutcome run_random_scenes(uint32_t seed, int scenes) {
  Random random(seed);
  BroadPhaseOutcome outcome;
  for (int number = 0; number < scenes; ++number) {
    MovingBoxes scene(random, number % 50 == 0 ? 400 : 40);
    collision::DynamicTree tree;
    collision::SweepAndPrune sweep;
    for (int step = 0; step < 10; ++step, scene.step()) {
      const std::vector<ItemPair> expected = brute_force_pairs(scene.boxes, scene.mobility);
      for (collision::BroadPhase* method :
           {static_cast<collision::BroadPhase*>(&tree), static_cast<collision::BroadPhase*>(&sweep)}) {
        const std::span<const ItemPair> found = method->update(scene.boxes, scene.mobility);
        if (!std::equal(found.begin(), found.end(), expected.begin(), expected.end())) ++outcome.differences;
      }
      outcome.pairs += expected.size();
      const uint64_t reinserted = tree.work().reinserted;
      if (step > 0 && reinserted > 0)
        ++(reinserted < scene.boxes.size() / 8 ? outcome.reinserted_some : outcome.rebuilt);
      if (sweep.work().swaps > 0) ++outcome.resorted;
    }
  }
  return outcome;
}

}  // namespace tumble::test
