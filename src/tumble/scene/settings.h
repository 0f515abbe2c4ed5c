// LoadOptions::settings: attributes whose text is replaced before the files are checked. A scene with
// settings is the scene of files that were edited so.
#pragma once

#include "tumble/scene/reader.h"

namespace tumble::scene::detail {

/// Changes the trees of the main file and of what it includes. Every setting is resolved by the names in the
/// files, and then all are made in their order. Faults have the place "--set ADDRESS"; so has what the reader
/// finds wrong with a value.
void apply_settings(const std::vector<std::string>& settings, Files& files, Documents& documents,
                    core::Diagnostics& diagnostics);

}  // namespace tumble::scene::detail
