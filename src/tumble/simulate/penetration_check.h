// Finds the bodies of a scene that overlap, and how deep, by the independent checker, for every pair that may
// collide. A recording is checked frame by frame.
#pragma once

#include <vector>

#include "tumble/collision/overlap_checker.h"
#include "tumble/contact/tight_pairs.h"
#include "tumble/model/state.h"

namespace tumble::simulate {

struct BodyOverlap {
  core::BodyId a, b;  // a < b
  double depth = 0;   // m, the largest of all pairs of their shapes
};

/// Checks pairs of bodies that may collide: at least one of them moves, and the scene neither ignores the
/// pair nor joins it by a joint without `collide`. Shapes without `collide` do not count. The model must
/// outlive it.
class PenetrationCheck {
 public:
  /// Where bodies have no room, depths up to TightPairs::shrinkage of both are rounding and do not count.
  explicit PenetrationCheck(const model::Model& model, const contact::TightPairs& tight = {});

  /// False if no two bodies may collide: then find() has nothing to do.
  bool needed() const { return needed_; }
  /// The pairs that overlap, in the order of bodies. Shapes whose pose is not finite are left out.
  std::vector<BodyOverlap> find(const model::State& state);
  /// The deepest one, or depth 0.
  BodyOverlap find_deepest(const model::State& state);

 private:
  struct Item {
    core::BodyId body;
    const model::BodyShape* shape;
    geometry::Bounds box_S;
    model::Pose X_WS = {};
    geometry::Bounds box_W = {};
  };
  void measure(const Item& a, const Item& b, std::vector<BodyOverlap>& found);

  const model::Model* model_;
  contact::TightPairs tight_;
  bool needed_ = false;
  std::vector<Item> planes_, items_;  // half-spaces, everything else
  std::vector<const Item*> order_, active_;
  collision::OverlapChecker checker_;
};

/// The same for a single state.
std::vector<BodyOverlap> find_overlaps(const model::Model& model, const model::State& state);

}  // namespace tumble::simulate
