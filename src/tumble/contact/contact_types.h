// Contact data of a step: contact points, the contact cache between steps, and contact events.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "tumble/contact/contact_law.h"

namespace tumble::contact {

/// A contact in the cache, saved from one step to the next.
struct CachedContact {
  uint32_t a = 0, b = 0;  // items of the pair tracker
  collision::FeatureKey key;
  math::Vec3 impulse = math::Vec3::Zero();  // N s, of the last kick, on a, world axes
  bool sticks = false;
  /// m, world axes. Rigid contact: how far a slipped on b since the contact began to stick; this slip is
  /// undone. Compliant contact: the shear of the layer.
  math::Vec3 slip = math::Vec3::Zero();
  math::Vec3 point_A = math::Vec3::Zero();  // m, in axes of body a
  math::Vec3 point = math::Vec3::Zero();    // m, world
  double predicted_gap = 0;                 // m: the gap at the end of the drift by the solver's linear model
  double h = 0;                             // s, of that drift
};

template <class Archive>
void archive(Archive& ar, CachedContact& c) {
  ar(c.a, c.b, c.key, c.impulse, c.sticks, c.slip, c.point_A, c.point, c.predicted_gap, c.h);
}

struct ContactPoint;

/// The contacts of the last kick.
struct ContactCache {
  std::vector<CachedContact> contacts;  // sorted by items and key

  /// The entry with the same features, or else the nearest entry of the same pair within
  /// `same_point_distance`: a corner on an edge changes its features while it stays where it is. Null if
  /// there is none.
  const CachedContact* find(const ContactPoint& point) const;
};

/// One contact point of the current kick.
struct ContactPoint {
  uint32_t a = 0, b = 0;  // items of the pair tracker, a < b
  collision::Contact contact = {};
  double offset = 0;      // m: the gap at which the two bodies rest
  bool is_tight = false;  // the two bodies have no room for the usual contact offset
  PairLaw law = {};
  double same_point_distance = 0;       // m: points of a pair that are nearer than this are the same point
  math::Vec3 point_A;                   // m, in axes of body a
  math::Vec3 axes[3];                   // normal from b to a, two tangents; world
  const CachedContact* last = nullptr;  // the same contact in the last kick, null if there was none
  uint32_t next_of_pair = 0;            // index of the pair's next point; 0: this is the last one

  // Set by later stages of the kick.
  bool pressed_through = false;  // the compliant layer is fully compressed: rigid contact from here on
  bool in_impact = false;        // takes part in an impact at this time
  bool is_awaited = false;       // the coming drift ends when this contact is reached
  double approach_speed = 0;     // m/s: closing speed of the gap before the kick; in an impact, after it
  double rest_speed = 0;         // m/s: an approach that is not faster is no impact
  double gap_curvature = 0;      // m/s^2: half the second derivative of the gap, measured in the last drift
  double velocity_bias = 0;      // m/s: normal velocity requested in addition to the linear model
  /// m/s^2, world: change of the relative velocity with the lever arms.
  math::Vec3 lever_arm_acceleration = math::Vec3::Zero();
  std::optional<math::Vec3> trial_impulse = {};  // N s, along the axes: the last solution in this kick

  /// Whether it transmitted an impulse in the last kick.
  bool has_carried() const { return last && last->impulse != math::Vec3::Zero(); }
  bool is_compliant() const { return law.layer > 0 && !pressed_through; }
};

/// All contact points of a kick, indexed by pair.
class ContactSet {
 public:
  void clear() { points_.clear(), pairs_.clear(); }
  bool empty() const { return points_.empty(); }
  size_t size() const { return points_.size(); }
  std::span<ContactPoint> points() { return points_; }
  std::span<const ContactPoint> points() const { return points_; }

  /// Appends a point. Indexing is fastest if pairs come in ascending order.
  ContactPoint& add(const ContactPoint& point);

  /// Calls act(point) for each point of a pair, in the order in which they were added.
  template <class Act>
  void for_each_of_pair(uint32_t a, uint32_t b, const Act& act) const {
    const auto pair = find_pair(a, b);
    if (pair == pairs_.end() || pair->a != a || pair->b != b) return;
    for (uint32_t i = pair->first;; i = points_[i].next_of_pair) {
      act(points_[i]);
      if (points_[i].next_of_pair == 0) return;
    }
  }
  ContactPoint& mutable_point(const ContactPoint& point) { return points_[index_of(point)]; }
  size_t index_of(const ContactPoint& point) const { return static_cast<size_t>(&point - points_.data()); }

  /// Removes points. Invalidates pointers to the remaining points.
  template <class Is>
  void erase_if(const Is& is) {
    if (std::none_of(points_.begin(), points_.end(), is)) return;
    std::erase_if(points_, is);
    pairs_.clear();
    for (uint32_t i = 0; i < points_.size(); ++i) index(i);
  }

 private:
  struct PairRange {
    uint32_t a, b, first, last;
  };
  std::vector<PairRange>::const_iterator find_pair(uint32_t a, uint32_t b) const {
    return std::lower_bound(pairs_.begin(), pairs_.end(), std::pair(a, b),
                            [](const PairRange& x, const auto& pair) { return std::pair(x.a, x.b) < pair; });
  }
  void index(uint32_t i);

  std::vector<ContactPoint> points_;
  std::vector<PairRange> pairs_;  // sorted
};

/// A contact that transmitted an impulse.
struct ContactEvent {
  uint32_t a = 0, b = 0;  // items of the pair tracker
  collision::FeatureKey key;
  math::Vec3 point = math::Vec3::Zero(), normal = math::Vec3::Zero();  // m; unit, from b to a; world
  double gap = 0;                                                      // m
  math::Vec3 impulse = math::Vec3::Zero();                             // N s, on a, world axes
  double slip = 0;                                                     // m/s
  enum class State { stick, slip, impact } state = State::stick;
  double from = 0, to = 0;  // s: the impulse acts evenly between these times, that of an impact at once
};

/// The two items of a contact point, and its feature.
using PointName = std::tuple<uint32_t, uint32_t, collision::FeatureKey>;

template <class Archive>
void archive(Archive& ar, ContactEvent& e) {
  ar(e.a, e.b, e.key, e.point, e.normal, e.gap, e.impulse, e.slip, e.state, e.from, e.to);
}

/// Two shapes that would come too near to each other in a drift.
struct Violation {
  uint32_t a = 0, b = 0;            // items of the pair tracker
  double offset = 0;                // m: contact offset of the pair
  double nearest = 0;               // m: the distance that was to be certified
  double time = 0;                  // s, from the start of the drift
  collision::Contact contact = {};  // at that time
  math::Vec3 v_a, v_b;              // m/s, of the bodies at that point
};

}  // namespace tumble::contact
