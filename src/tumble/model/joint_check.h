// What a JointSpec may say.
#pragma once

#include <functional>

#include "tumble/model/joint_spec.h"

namespace tumble::model {

using Refuse = std::function<void(const std::string&)>;

/// Two axes that give no plane, or zero.
bool are_parallel(const math::Vec3& u, const math::Vec3& v);

/// Everything that can be judged without the bodies; calls `refuse` for each fault.
void check_joint_spec(const JointSpec& spec, const Refuse& refuse);

}  // namespace tumble::model
