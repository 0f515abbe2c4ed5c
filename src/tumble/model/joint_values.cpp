#include "tumble/model/joint_values.h"

#include <cmath>

#include "tumble/math/quat.h"

namespace tumble::model {

using math::Mat3;
using math::Vec3;

Mat3 rotate_axes(const Mat3& axes, const Vec3& rotation_vector) {
  return axes * math::Quat::from_rotation_vector(rotation_vector).to_matrix();
}

JointFrames align_frames_at(const JointFrames& frames, const Vec3& r) {
  JointFrames there = frames;
  there.R_AJ = rotate_axes(frames.R_AJ, r);
  return there;
}

double bound_of(const Range& range, Side side) { return side == Side::lower ? range.lo : range.hi; }

bool is_limit(Coordinate coordinate, double bound) {
  return coordinate != Coordinate::distance || !(bound == 0 || std::isinf(bound));
}

double middle_of(const JointSpec& spec, const Range& range, Coordinate coordinate, int counted) {
  return counted == rows::kNotCounted || coordinate != Coordinate::angle ? 0.5 * (range.lo + range.hi)
                                                                         : -spec.zero;
}

double comfort_depth(const Range& comfort, const Range& range, Side side) {
  return side == Side::lower ? comfort.lo - range.lo : range.hi - comfort.hi;
}

SwingLimit::Bounds swing_bounds(const std::vector<double>& w) {
  return w.size() == 2 ? SwingLimit::Bounds{-w[0], w[0], -w[1], w[1]}
                       : SwingLimit::Bounds{w[0], w[1], w[2], w[3]};
}

double least_swing(const std::vector<double>& w) { return w.size() == 1 ? w[0] : swing_bounds(w).least(); }

Vec3 velocity_at_target(const DriveSpec& drive) {
  return rotate_axes(Mat3::Identity(), -drive.target_rotation) * drive.angular_velocity;
}

}  // namespace tumble::model
