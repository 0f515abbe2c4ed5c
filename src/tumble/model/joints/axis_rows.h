// Rows that several joint types use. Symbols are those of joint_rows.h: s and t are the arms of the joint's
// points, and F_a and F_b are the joint axes fixed in a and in b. All vectors are in world axes.
#pragma once

#include "tumble/model/joint_rows.h"

namespace tumble::model::rows {

struct Arms {
  Vec3 s, t;  // m
};
inline Arms compute_arms(const JointFrames& frames, const BodyMotion& a, const BodyMotion& b) {
  return {turned_by(a.rotation, frames.arm_A), turned_by(b.rotation, frames.arm_B)};
}

/// F_a e_k and F_b e_k.
inline Vec3 axis_of_a(const JointFrames& frames, const BodyMotion& a, int k) {
  return a.rotation * frames.R_AJ.col(k);
}
inline Vec3 axis_of_b(const JointFrames& frames, const BodyMotion& b, int k) {
  return b.rotation * frames.R_BJ.col(k);
}

/// The point of b coincides with the point of a: three rows.
inline void set_joined_points(ConstraintRows& out, int i, const JointFrames& frames, const BodyMotion& a,
                              const BodyMotion& b) {
  const Arms arms = compute_arms(frames, a, b);
  set_point_rows(out, i, a, arms.s, b, arms.t);
}

/// F_a e_k . F_b e_0 = 0, k = 1, 2: the axes are parallel. Two rows.
inline void set_parallel_axes(ConstraintRows& out, int i, const JointFrames& frames, const BodyMotion& a,
                              const BodyMotion& b) {
  const Vec3 u_b = axis_of_b(frames, b, 0);
  set_dot_row(out, i, a, axis_of_a(frames, a, 1), b, u_b, 0);
  set_dot_row(out, i + 1, a, axis_of_a(frames, a, 2), b, u_b, 0);
}

/// F_a e_k . (x_b + t - x_a - s) = 0, k = 1, 2: the point of b is on the joint's axis, which is fixed in a.
/// Two rows.
inline void set_point_on_axis(ConstraintRows& out, int i, const JointFrames& frames, const BodyMotion& a,
                              const BodyMotion& b) {
  const Arms arms = compute_arms(frames, a, b);
  set_plane_row(out, i, a, arms.s, axis_of_a(frames, a, 1), b, arms.t);
  set_plane_row(out, i + 1, a, arms.s, axis_of_a(frames, a, 2), b, arms.t);
}

}  // namespace tumble::model::rows
