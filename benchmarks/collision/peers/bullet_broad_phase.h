// btDbvtBroadphase of Bullet with an interface of plain types, so that the benchmark does not include its
// headers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tumble/geometry/bvh.h"

namespace peers {

struct BulletSetting {
  bool deferred =
      false;  // one traversal of the whole tree per step, instead of one for each box that left its leaf
  double margin = 0.05;   // m, by which a leaf is larger than its box; 0.05 is the default of Bullet
  double prediction = 0;  // extension of a leaf along the motion, in half sizes of the box
  int optimized = 0;      // per cent of the leaves that are reinserted in each step, for a better tree
  std::string text() const;
};

class BulletBroadPhase {
 public:
  BulletBroadPhase(const BulletSetting& setting, std::span<const tumble::geometry::Bounds> boxes);
  ~BulletBroadPhase();
  /// This is timed: set all boxes, find all pairs. The pairs of Bullet are those of its enlarged boxes; some
  /// are out of date.
  void update(std::span<const tumble::geometry::Bounds> boxes);
  /// first < second; unordered, as in Bullet.
  std::vector<std::pair<uint32_t, uint32_t>> pairs() const;

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace peers
