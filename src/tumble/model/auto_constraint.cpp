#include "tumble/model/auto_constraint.h"

namespace tumble::model {

BodyFrame<math::Taylor> follow(const BodyMotion& motion, const math::Vec3& velocity,
                               const math::Vec3& angular_velocity) {
  BodyFrame<math::Taylor> frame;
  for (int i = 0; i < 3; ++i) frame.center[i] = math::Taylor(motion.center[i], velocity[i], 0);
  for (int j = 0; j < 3; ++j) {
    const math::Vec3 r = motion.rotation.col(j), r1 = angular_velocity.cross(r),
                     r2 = angular_velocity.cross(r1);
    for (int i = 0; i < 3; ++i) frame.rotation(i, j) = math::Taylor(r[i], r1[i], r2[i]);
  }
  return frame;
}

}  // namespace tumble::model
