// Distance joint: a massless rod between a point of a and a point of b.
//   C = |x_b + t - x_a - s| - l = 0                                                1 row
// If the spec has a range instead of the length l, the joint is a rope or strut. It then has limits but no
// row.
#include <cmath>

#include "tumble/model/joint_spec.h"
#include "tumble/model/joints/axis_rows.h"

namespace tumble::model {

namespace {

double compute_rod_length(const JointSpec& spec) {
  return spec.length.value_or((spec.at_b.value_or(spec.at) - spec.at_a.value_or(spec.at)).norm());
}

void set_rod_row(const JointFrames& frames, double length, const BodyMotion& a, const BodyMotion& b,
                 ConstraintRows& out) {
  const rows::Arms arms = rows::compute_arms(frames, a, b);
  rows::set_distance_row(out, 0, a, arms.s, b, arms.t, length);
}

void check_rod(const JointSpec& spec, const Refuse& refuse) {
  if (spec.length && spec.range) refuse("give either length, a rod, or range, a rope or strut");
  if (spec.range) {
    const bool known = !is_at_start(spec.range->lo) && !is_at_start(spec.range->hi);
    if (known && !(spec.range->lo >= 0 && spec.range->hi > spec.range->lo))
      refuse("range must be two distances, the first not negative and below the second");
  } else if (spec.at_a.value_or(spec.at) == spec.at_b.value_or(spec.at)) {
    refuse("its two points at-a and at-b coincide; a distance joint needs a direction");
  }
  if (spec.length && !(*spec.length > 0 && std::isfinite(*spec.length)))
    refuse("length must be a positive number; type=\"ball\" joins two points");
}

}  // namespace

constinit const JointKind joints::distance = {
    .name = "distance",
    .freedom = "everything but the distance of two points: a rod",
    .rows = 1,
    .lengths = 1,
    .default_point = DefaultPoint::both_centers,
    .takes_length = true,
    .compute_target = compute_rod_length,
    .set_rows = set_rod_row,
    .check = check_rod,
};

}  // namespace tumble::model
