// What contacts have passed on between two frames: impulses of many steps, point by point and patch by patch. An impulse is spread evenly over
// the time it belongs to, so that a body at rest is carried by its weight however frames and steps lie.
#pragma once

#include "tumble/contact/contact_types.h"

namespace tumble::simulate {

/// Points of one pair of shapes with one normal, taken together: the impulse on a, where it acts, and its moment about the normal there.
struct PatchSum {
  math::Vec3 impulse = math::Vec3::Zero();  // N s, world axes
  math::Vec3 center = math::Vec3::Zero();   // m, of the normal impulses
  double moment = 0;                        // N m s
};

/// A point whose impulse is the sum; everything else is of the last time, but `impact` if it was ever hit.
struct ContactSum {
  contact::ContactEvent point;
  double normal_impulse = 0;  // N s, the sum of normal parts
  size_t patch = 0;           // set by find_patches
};

class ContactSums {
 public:
  /// In the order of time.
  void add(const std::vector<contact::ContactEvent>& points);
  /// Those after `begin` up to `end`, sorted by shapes and features.
  std::vector<ContactSum> between(double begin, double end) const;
  /// Forgets what ended by then.
  void forget_until(double time);

  /// For a checkpoint, and back.
  std::vector<double> numbers() const;
  static ContactSums from(const std::vector<double>& numbers);

 private:
  std::vector<contact::ContactEvent> points_;
};

/// Numbers the patches from 0 on.
std::vector<PatchSum> find_patches(std::vector<ContactSum>& sums);

}  // namespace tumble::simulate
