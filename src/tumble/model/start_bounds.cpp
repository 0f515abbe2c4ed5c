// In joint axes, D = F_a^T F_b. Its first column is b's axis u in the axes of a. With theta the angle from
// e_0 to u and f = theta / sin(theta), the swings about the axes 1 and 2 are -f u_2 and f u_1 (limits.h (3)).
#include "tumble/model/start_bounds.h"

#include <algorithm>

#include "tumble/math/elementary.h"
#include "tumble/math/quat.h"
#include "tumble/model/joint_rows.h"
#include "tumble/model/joint_values.h"
#include "tumble/model/joints/joint_kind.h"
#include "tumble/model/swing.h"

namespace tumble::model {

namespace {

using math::Mat3;
using math::Vec3;

bool has_start_bound(const std::optional<Range>& range) {
  return range && (is_at_start(range->lo) || is_at_start(range->hi));
}

void replace(double value, double& bound) {
  if (is_at_start(bound)) bound = value;
}

// The middle of the branch of an angle: near the bound that is a number.
double branch_near(const Range& range, double otherwise) {
  if (!is_at_start(range.lo)) return range.lo;
  return is_at_start(range.hi) ? otherwise : range.hi;
}

}  // namespace

bool has_start_bounds(const JointSpec& spec) {
  return has_start_bound(spec.range) || has_start_bound(spec.limits) || has_start_bound(spec.twist) ||
         has_start_bound(spec.limits_x) || has_start_bound(spec.limits_y) || has_start_bound(spec.limits_z) ||
         std::any_of(spec.swing.begin(), spec.swing.end(), is_at_start);
}

void resolve_start_bounds(const JointFrames& frames, const BodyMotion& a, const BodyMotion& b,
                          JointSpec& spec) {
  const auto resolve = [&](std::optional<Range>& range, Coordinate coordinate, double start) {
    if (!has_start_bound(range)) return;
    ConstraintRows row;
    rows::set_coordinate_row(row, 0, coordinate, frames, a, b, branch_near(*range, start));
    replace(row.value[0], range->lo);
    replace(row.value[0], range->hi);
  };
  resolve(spec.range, Coordinate::distance, 0);
  resolve(spec.limits, kind_of(spec.type).scalar(), -spec.zero);
  resolve(spec.twist, Coordinate::angle, 0);

  const Mat3 D = (a.rotation * frames.R_AJ).transpose() * (b.rotation * frames.R_BJ);
  const double across = math::sqrt(D(1, 0) * D(1, 0) + D(2, 0) * D(2, 0));
  const double f = angle_over_sine(D(0, 0)), swing_1 = -f * D(2, 0), swing_2 = f * D(1, 0);
  std::vector<double>& w = spec.swing;
  if (w.size() == 1) replace(math::atan2(across, D(0, 0)), w[0]);
  for (size_t i = 0; i < w.size() && w.size() == 2; ++i) replace(std::abs(i == 0 ? swing_1 : swing_2), w[i]);
  for (size_t i = 0; i < w.size() && w.size() == 4; ++i) replace(i < 2 ? swing_1 : swing_2, w[i]);

  const Vec3 r = math::Quat::from_matrix(D).to_rotation_vector();
  std::optional<Range>* parts[] = {&spec.limits_x, &spec.limits_y, &spec.limits_z};
  for (int k = 0; k < 3; ++k)
    if (has_start_bound(*parts[k])) replace(r[k], (*parts[k])->lo), replace(r[k], (*parts[k])->hi);
}

}  // namespace tumble::model
