// What contacts have passed on between two frames: impulses of many steps, point by point and patch by patch.
#pragma once

#include "tumble/simulate/fast.h"

namespace tumble::simulate {

/// Points of one pair of shapes with one normal, taken together: the impulse on a, where it acts, and its moment about the normal there.
struct PatchSum {
  math::Vec3 impulse = math::Vec3::Zero();  // N s, world axes
  math::Vec3 center = math::Vec3::Zero();   // m, of the normal impulses
  double moment = 0;                        // N m s
};

class ContactSums {
 public:
  /// A point whose impulse is the sum; everything else is of the last time, but `impact` if it was ever hit.
  struct Sum {
    ContactPoint point;
    double normal_impulse = 0;  // N s, the sum of normal parts
    size_t patch = 0;
  };

  void add(const std::vector<ContactPoint>& points);
  void clear() { sums_.clear(); }
  /// Sorted by shapes and features.
  const std::vector<Sum>& sums() const { return sums_; }
  /// Numbers the patches of sums() from 0 on.
  std::vector<PatchSum> find_patches();

  /// For a checkpoint, and back.
  std::vector<double> numbers() const;
  static ContactSums from(const std::vector<double>& numbers);

 private:
  std::vector<Sum> sums_;
};

}  // namespace tumble::simulate
