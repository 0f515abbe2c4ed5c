// Checked elements into a scene.
#pragma once

#include "tumble/model/model_builder.h"
#include "tumble/scene/names.h"

namespace tumble::scene::detail {

/// Reads the meshes, then adds materials, bodies and forces. Elements that are not good are passed over, and
/// so is what depends on them. Empty when there are errors; the list of files is left to the caller.
std::optional<Scene> build_scene(Reading& reading, Files& files, core::Diagnostics& diagnostics);

}  // namespace tumble::scene::detail
