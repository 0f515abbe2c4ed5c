// Which bodies of a model are near each other: its shapes made ready, placed where a state says, and the pairs of them that are
// worth asking about. What is remembered of a pair is kept from one update to the next.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tumble/collision/dynamic_tree.h"
#include "tumble/collision/manifold.h"
#include "tumble/model/state.h"

namespace tumble::contact {

/// How two bodies are kept apart while they touch (m), with l the radius of the smaller moving one: a hundredth of the accuracy
/// asked for, but well above the rounding of coordinates as large as `extent`.
double compute_contact_offset(const model::Model& model, core::BodyId a, core::BodyId b, double accuracy,
                              double extent);
/// l.
double compute_pair_size(const model::Model& model, core::BodyId a, core::BodyId b);

class PairTracker {
 public:
  /// One shape of a body.
  struct Item {
    core::BodyId body;
    uint32_t shape = 0;  // which of the body's
    std::shared_ptr<const collision::Collider> collider;
  };
  struct Pair {
    uint32_t a = 0, b = 0;  // items, a < b: bodies in the order of the scene
    collision::PairMemory memory = {};
  };

  /// Of the shapes that collide. The model must outlive it.
  explicit PairTracker(const model::Model& model);

  /// False when no two bodies may collide: then there is nothing to ask.
  bool needed() const { return needed_; }
  const std::vector<Item>& items() const { return items_; }
  /// Places every item, and finds the pairs that may collide whose boxes meet when each is enlarged by its body's margin (m): the
  /// scene does not ignore them, at least one moves. Sorted. Bodies at places that are not finite are left out.
  std::vector<Pair>& update(const model::State& state, std::span<const double> margins);
  /// What is known of a pair and may change which of equally near points its contacts are.
  struct Note {
    uint32_t a = 0, b = 0;
    math::Vec3 normal = math::Vec3::Zero();
    uint32_t primitives[2] = {collision::Polyhedron::kNone, collision::Polyhedron::kNone};
    std::optional<collision::FeatureKey> features = {};
  };
  void save(std::vector<Note>& notes) const;
  /// Goes on from there, as if nothing had been asked since.
  void recall(const std::vector<Note>& notes);
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
  std::vector<Pair> pairs_, last_;
  double extent_ = 0;
};

template <class Archive>
void archive(Archive& ar, PairTracker::Note& n) {
  ar(n.a, n.b, n.normal, n.primitives[0], n.primitives[1], n.features);
}

}  // namespace tumble::contact
