// Collision detection of a kick: poses -> contact points, and a drift -> the pairs that come too near in it.
#pragma once

#include "tumble/collision/certificate.h"
#include "tumble/contact/contact_types.h"
#include "tumble/contact/parameters.h"
#include "tumble/model/moving_bodies.h"

namespace tumble::contact {

/// What stays the same during a run, unless stiffnesses change.
struct ContactSettings {
  ContactParameters par = {};
  collision::CollisionParameters collision = {};
  double accuracy = 1e-3;   // of a run with the defaults
  double acceleration = 0;  // m/s^2, of the scene's scales
  double widest_layer = 0;  // m, of any compliant pair
};

/// Finds contact points, and keeps the memory that this takes.
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
  /// Stiffnesses of pairs have changed.
  void update_widest_layer() {
    settings_.widest_layer = compute_widest_layer(*model_, settings_.acceleration);
  }
  const collision::ManifoldBuilder::Counters& counters() const { return builder_.counters(); }

  /// Contact points at a state's poses: gaps up to the contact offset and what gravity closes in a drift of h, or up to a compliant
  /// layer and what the bodies, with these momenta, may enter of it.
  void find_contacts(const model::State& at, std::span<const double> momenta, double h,
                     const ContactCache& cache, ContactSet& contacts);
  /// The pairs that would come nearer than half their contact offset while all bodies drift from `at` with velocities v for h.
  void certify_drift(const model::State& at, std::span<const double> v, double h, const ContactSet& contacts,
                     std::vector<Violation>& violations);
  /// A point for a contact of a pair.
  ContactPoint make_point(const model::State& at, uint32_t a, uint32_t b, const collision::Contact& contact,
                          double offset, const PairLaw& law, const ContactCache& cache) const;
  PairLaw law_of(uint32_t a, uint32_t b) const;
  /// m: the size of the smaller body of a pair.
  double pair_size(uint32_t a, uint32_t b) const;

 private:
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
