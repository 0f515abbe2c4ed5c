// Collision detection of a kick: poses -> contact points, and a drift -> the pairs that come too near in it.
#pragma once

#include "tumble/collision/certificate.h"
#include "tumble/contact/contact_types.h"
#include "tumble/contact/parameters.h"
#include "tumble/model/moving_bodies.h"

namespace tumble::contact {

/// Constant during a run, unless the stiffness of a contact pair changes.
struct ContactSettings {
  ContactParameters par = {};
  collision::CollisionParameters collision = {};
  double accuracy = 1e-3;   // accuracy of the run; this is the default
  double acceleration = 0;  // m/s^2, acceleration scale of the scene
  double widest_layer = 0;  // m, thickest compliant layer of any pair
  TightPairs tight = {};    // pairs without room for the usual contact offset
};

/// Finds contact points. Keeps the pair cache and scratch memory that this needs.
class ContactFinder {
 public:
  ContactFinder(const model::Model& model, const model::MovingBodies& bodies,
                const ContactSettings& settings);

  bool has_shapes() const { return !pairs_.items().empty(); }
  const PairTracker::Item& item(uint32_t i) const { return pairs_.items()[i]; }
  core::BodyId body_of(uint32_t item) const { return pairs_.items()[item].body; }
  int node_of(uint32_t item) const { return bodies_->node_of(body_of(item)); }
  PairTracker& pairs() { return pairs_; }
  const PairTracker& pairs() const { return pairs_; }
  const ContactSettings& settings() const { return settings_; }
  /// m: by how much gravity can change a gap in two drifts of h.
  double free_fall(double h) const { return 2 * settings_.acceleration * h * h; }
  /// Call this when the stiffness of a pair has changed.
  void update_widest_layer() {
    settings_.widest_layer = compute_widest_layer(*model_, settings_.acceleration);
  }
  const collision::ManifoldBuilder::Counters& counters() const { return builder_.counters(); }

  /// Finds the contact points at the poses of a state. Rigid pairs: gaps up to the contact offset plus what
  /// gravity closes in a drift of h. Compliant pairs: gaps up to the layer plus what the bodies, with these
  /// momenta, may travel in the drift.
  void find_contacts(const model::State& at, std::span<const double> momenta, double h,
                     const ContactCache& cache, ContactSet& contacts);
  /// Lists the pairs that would come nearer than `ContactParameters::certified` of their contact offset while
  /// all bodies drift from `at` with velocities v for h.
  void certify_drift(const model::State& at, std::span<const double> v, double h, const ContactSet& contacts,
                     std::vector<Violation>& violations);
  /// A contact point for a contact of the pair a, b. Looks the contact up in the cache.
  ContactPoint make_point(const model::State& at, uint32_t a, uint32_t b, const collision::Contact& contact,
                          double offset, const PairLaw& law, const ContactCache& cache) const;
  PairLaw law_of(uint32_t a, uint32_t b) const;
  /// Size (m) of the smaller body of a pair.
  double pair_size(uint32_t a, uint32_t b) const;

 private:
  double offset_of(uint32_t a, uint32_t b) const;
  collision::Motion motion_of(uint32_t item, const model::State& at, std::span<const double> v) const;

  const model::Model* model_;
  const model::MovingBodies* bodies_;
  ContactSettings settings_;
  PairTracker pairs_;
  collision::ManifoldBuilder builder_;
  std::vector<double> margins_;            // scratch: m, by body
  std::vector<collision::Contact> found_;  // scratch
};

}  // namespace tumble::contact
