// A picture in memory, and its bytes as a PNG file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tumble/core/expected.h"

namespace tumble::view {

/// Rows from top to bottom, three bytes a pixel, sRGB.
struct Image {
  int width = 0, height = 0;  // pixels
  std::vector<uint8_t> rgb;
};

/// The same picture gives the same bytes: no time, no name of a program in the file.
core::Expected<std::string> encode_png(const Image& image);

}  // namespace tumble::view
