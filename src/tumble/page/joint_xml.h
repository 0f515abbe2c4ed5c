// The text of an element in the files of a scene.
#pragma once

#include <string>
#include <vector>

#include "tumble/core/diagnostic.h"
#include "tumble/core/scene_file.h"

namespace tumble::page::detail {

/// The element `name` that begins at a place, with all that is inside it. Empty if there is none: the place
/// is that of another element, or not in these files.
std::string find_element(const std::vector<core::SceneFile>& files, const core::Place& place,
                         std::string_view name);

}  // namespace tumble::page::detail
