#pragma once

#include <filesystem>
#include <string>

namespace support {

/// All of a file; the test fails when it is not there.
std::string text_of(const std::filesystem::path& path);

}  // namespace support
