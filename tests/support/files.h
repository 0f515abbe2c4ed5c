#pragma once

#include <filesystem>
#include <string>

namespace support {

/// The content of a file. The test fails if it does not exist.
std::string text_of(const std::filesystem::path& path);

}  // namespace support
