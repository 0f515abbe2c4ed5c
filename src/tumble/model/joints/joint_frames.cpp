#include "tumble/model/joints/joint_frames.h"

#include "tumble/model/joint_spec.h"

namespace tumble::model {

using math::Mat3;
using math::Vec3;

Mat3 axes_along(const Vec3& axis, const Vec3& across) {
  Mat3 R;
  R.col(0) = axis.normalized();
  Eigen::Index least = 0;
  R.col(0).cwiseAbs().minCoeff(&least);
  const Vec3 hint = across.isZero(0) ? Vec3(Vec3::Unit(least)) : across;
  R.col(1) = (hint - R.col(0).dot(hint) * R.col(0)).normalized();
  R.col(2) = R.col(0).cross(R.col(1));
  return R;
}

WorldFrames compute_coinciding_frames(const JointSpec& spec) {
  const Mat3 axes = spec.axis.isZero(0) ? Mat3(Mat3::Identity()) : axes_along(spec.axis, spec.axis2);
  return {spec.at_a.value_or(spec.at), spec.at_b.value_or(spec.at), axes, axes};
}

WorldFrames compute_travel_frames(const JointSpec& spec) {
  WorldFrames frames = compute_coinciding_frames(spec);
  frames.origin_a = frames.origin_a + spec.zero * frames.axes_a.col(0);
  return frames;
}

}  // namespace tumble::model
