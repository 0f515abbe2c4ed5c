// What scripts prescribe at the start, in words.
#pragma once

#include <string>

#include "tumble/model/state.h"

namespace tumble::simulate {

/// What a script prescribes that the velocities of `state` contradict, on its own joint or on joints of its
/// body: `the script of joint "jaw" prescribes 0.5 rad/s and the start has 0 rad/s`. Empty: nothing, or the
/// joint has no script.
std::string describe_contradicted_script(const model::Model& model, const model::JointParts& joint,
                                         const model::State& state);
/// The same of all scripts that act on a body, directly or through joints, separated by "; ".
std::string describe_contradicted_scripts(const model::Model& model, core::BodyId body,
                                          const model::State& state);
/// All scripts that act on a body: `the script of joint "jaw" and the script of body "rail"`.
std::string list_scripts(const model::Model& model, core::BodyId body);

}  // namespace tumble::simulate
