// Contact impulses between two frames: sums over many steps, for each point and each patch. An impulse is
// spread evenly over the time of its step. So the contact force of a body at rest equals its weight, wherever
// frames and steps lie.
#pragma once

#include <functional>

#include "tumble/contact/contact_types.h"
#include "tumble/model/run_output.h"

namespace tumble::simulate {

/// Contact points of one pair of shapes with the same normal: their impulse on a, its centre, and its moment
/// about the normal.
struct PatchSum {
  math::Vec3 impulse = math::Vec3::Zero();  // N s, world axes
  math::Vec3 center = math::Vec3::Zero();   // m, of the normal impulses
  double moment = 0;                        // N m s
};

/// One contact point. Its impulse is the sum; its state is `impact` if there was an impact. All other fields
/// are those of the last step.
struct ContactSum {
  contact::ContactEvent point;
  double normal_impulse = 0;  // N s, the sum of normal parts
  size_t patch = 0;           // set by find_patches
};

class ContactSums {
 public:
  /// Events must be added in the order of time.
  void add(std::span<const contact::ContactEvent> points);
  /// Sums over the events after `begin` up to `end`, sorted by shapes and features.
  std::vector<ContactSum> between(double begin, double end) const;
  /// Removes all impulses after this time.
  void truncate_at(double time);
  /// Removes events that ended before or at this time.
  void drop_until(double time);

  const std::vector<contact::ContactEvent>& points() const { return points_; }

 private:
  template <class Archive>
  friend void archive(Archive& ar, ContactSums& sums) {
    ar(sums.points_);
  }
  std::vector<contact::ContactEvent> points_;
};

/// Finds the patches and numbers them from 0 on.
std::vector<PatchSum> find_patches(std::vector<ContactSum>& sums);

/// The contact rows of a frame at `end`: impulses since `begin`. `body_name` returns the name of an item's
/// body.
std::vector<model::ContactRow> make_contact_rows(const ContactSums& sums, double begin, double end,
                                                 const std::function<std::string(uint32_t item)>& body_name);

}  // namespace tumble::simulate
