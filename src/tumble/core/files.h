// Reads a whole file into memory.
#pragma once

#include <filesystem>
#include <string>

#include "tumble/core/expected.h"

namespace tumble::core {

/// The bytes of a file, or an error that says why it cannot be read (missing, a directory, unreadable).
Expected<std::string> read_file(const std::filesystem::path& path);

}  // namespace tumble::core
