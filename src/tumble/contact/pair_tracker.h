// Broad phase of a model: its colliders at the poses of a state, and the pairs of them that are near each
// other. The cache of a pair is kept from one update to the next.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tumble/collision/dynamic_tree.h"
#include "tumble/collision/manifold.h"
#include "tumble/contact/tight_pairs.h"
#include "tumble/model/state.h"

namespace tumble::contact {

class PairTracker {
 public:
  /// One shape of a body.
  struct Item {
    core::BodyId body;
    uint32_t shape = 0;  // index of the shape in its body
    std::shared_ptr<const collision::Collider> collider;
  };
  struct Pair {
    uint32_t a = 0, b = 0;  // items, a < b; items are in the order of the bodies in the scene
    collision::PairMemory memory = {};
  };

  /// Takes the shapes that collide, smaller where bodies have no room. The model must outlive the tracker.
  explicit PairTracker(const model::Model& model, const TightPairs& tight = {});

  /// False if no two bodies of the model may collide.
  bool needed() const { return needed_; }
  const std::vector<Item>& items() const { return items_; }
  /// Updates the poses of all items, and finds the pairs whose boxes overlap when each box is enlarged by the
  /// margin (m) of its body. Leaves out pairs that the scene ignores and pairs of two fixed bodies. The
  /// result is sorted. Bodies with poses that are not finite are left out.
  std::vector<Pair>& update(const model::State& state, std::span<const double> margins);
  /// The part of a pair's cache that may decide which of several equally near points become its contacts.
  struct SavedPair {
    uint32_t a = 0, b = 0;
    math::Vec3 normal = math::Vec3::Zero();
    uint32_t primitives[2] = {collision::Polyhedron::kNone, collision::Polyhedron::kNone};
    std::optional<collision::FeatureKey> features = {};
  };
  void save(std::vector<SavedPair>& saved) const;
  /// Restores saved pairs. Later updates give the same results as after `save`.
  void restore(const std::vector<SavedPair>& saved);
  const collision::Placed& placed(uint32_t item) const { return placed_[item]; }
  /// The largest coordinate of any body's centre at the last update (m).
  double extent() const { return extent_; }
  size_t memory_bytes() const;

 private:
  bool is_beyond(uint32_t plane, uint32_t item, double margin) const;

  const model::Model* model_;
  bool needed_ = false;
  std::vector<Item> items_;
  std::vector<collision::Placed> placed_;
  std::vector<geometry::Bounds> boxes_;
  std::vector<collision::Mobility> mobility_;
  collision::DynamicTree broad_phase_;
  std::vector<Pair> pairs_, previous_;
  double extent_ = 0;
};

template <class Archive>
void archive(Archive& ar, PairTracker::SavedPair& n) {
  ar(n.a, n.b, n.normal, n.primitives[0], n.primitives[1], n.features);
}

}  // namespace tumble::contact
