// Validation of a JointSpec.
#pragma once

#include "tumble/model/joint_spec.h"
#include "tumble/model/joints/joint_kind.h"

namespace tumble::model {

/// Whether two axes do not span a plane: they are parallel, or one of them is zero.
bool are_parallel(const math::Vec3& u, const math::Vec3& v);
/// For joint types whose axis and axis2 span a plane. If axis2 is given, axis must be given too and must not
/// be parallel to it.
void check_plane_of_axes(const JointSpec& spec, const Refuse& refuse);

/// Makes every check that does not need the bodies. Calls `refuse` for each error.
void check_joint_spec(const JointSpec& spec, const Refuse& refuse);

}  // namespace tumble::model
