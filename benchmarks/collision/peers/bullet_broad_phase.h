// Bullet's btDbvtBroadphase behind an interface of plain types, its headers kept out of the benchmark.
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
      false;  // one walk over the whole tree a step, instead of one for each box that left its place
  double margin = 0.05;   // m, by which a leaf is larger than its box; 0.05 is Bullet's own
  double prediction = 0;  // by which it reaches ahead, in half sizes of the box
  int optimized = 0;      // per cent of the leaves that are inserted again each step, for a better tree
  std::string text() const;
};

class BulletBroadPhase {
 public:
  BulletBroadPhase(const BulletSetting& setting, std::span<const tumble::geometry::Bounds> boxes);
  ~BulletBroadPhase();
  /// What is timed: all boxes set, all pairs found. Bullet's pairs are those of its enlarged boxes, some of them out of date.
  void update(std::span<const tumble::geometry::Bounds> boxes);
  /// first < second, in no order, as Bullet keeps them.
  std::vector<std::pair<uint32_t, uint32_t>> pairs() const;

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace peers
