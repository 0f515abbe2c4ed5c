// Builds a scene from checked elements.
#pragma once

#include "tumble/model/model_builder.h"
#include "tumble/scene/names.h"

namespace tumble::scene::detail {

/// Reads the meshes, then adds materials, bodies, joints and forces. Skips faulty elements and elements that
/// refer to them. Returns nothing if there are errors. The caller sets Scene::files.
std::optional<Scene> build_scene(Reading& reading, Files& files, core::Diagnostics& diagnostics);

}  // namespace tumble::scene::detail
