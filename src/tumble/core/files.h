// Whole files in and out of memory.
#pragma once

#include <filesystem>
#include <string>

#include "tumble/core/expected.h"

namespace tumble::core {

/// The bytes of a file; an error that says why when it is missing, a directory or unreadable.
Expected<std::string> read_file(const std::filesystem::path& path);

}  // namespace tumble::core
