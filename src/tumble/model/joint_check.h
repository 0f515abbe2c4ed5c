// What a JointSpec may say.
#pragma once

#include "tumble/model/joint_spec.h"
#include "tumble/model/joints/joint_kind.h"

namespace tumble::model {

/// Two axes that give no plane, or zero.
bool are_parallel(const math::Vec3& u, const math::Vec3& v);
/// For types whose axis and axis2 span a plane: axis2, if given, needs an axis that is not parallel to it.
void check_plane_of_axes(const JointSpec& spec, const Refuse& refuse);

/// Everything that can be judged without the bodies; calls `refuse` for each fault.
void check_joint_spec(const JointSpec& spec, const Refuse& refuse);

}  // namespace tumble::model
