// The bodies of a model as a binary glTF without animation.
#pragma once

#include <span>
#include <string>

#include "tumble/model/model.h"

namespace tumble::record {

/// A whole .glb. Nodes are those of a .glb of a run: one for each body in scene order, then shapes and a root
/// that turns up to Y. `poses`: of the bodies' frames, one for each body.
std::string to_still_glb(const model::Model& model, const std::string& scene_name,
                         std::span<const math::Pose> poses);

}  // namespace tumble::record
