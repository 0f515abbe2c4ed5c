// A picture in memory, and its bytes as a PNG file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tumble/core/expected.h"

namespace tumble::view {

/// Rows from top to bottom, three bytes per pixel, sRGB.
struct Image {
  int width = 0, height = 0;  // pixels
  std::vector<uint8_t> rgb;
};

/// Equal pictures give equal bytes: the file has no time and no name of a program.
core::Expected<std::string> encode_png(const Image& image);

}  // namespace tumble::view
