#include "support/files.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

namespace support {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file, path.string() << " is missing");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace support
