// LoadOptions::settings: replaces the text of attributes before the files are checked. The result is the same
// as if the files had been edited.
#pragma once

#include "tumble/scene/reader.h"

namespace tumble::scene::detail {

/// Changes the trees of the main file and of included files. All settings are resolved first, with the names
/// in the files, and then applied in order. Faults have the place "--set ADDRESS", including faults that the
/// reader finds in a value.
void apply_settings(const std::vector<std::string>& settings, Files& files, Documents& documents,
                    core::Diagnostics& diagnostics);

}  // namespace tumble::scene::detail
