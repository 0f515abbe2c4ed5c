#include "tumble/view/image.h"

#include <png.h>

namespace tumble::view {

core::Expected<std::string> encode_png(const Image& image) {
  TUMBLE_REQUIRE(image.width > 0 && image.height > 0, "a picture has at least one pixel");
  TUMBLE_REQUIRE(
      image.rgb.size() == size_t{3} * static_cast<size_t>(image.width) * static_cast<size_t>(image.height),
      "three bytes per pixel");
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_RGB;
  // Allocate for the largest possible file. The call then sets the true size.
  std::string bytes;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
  bytes.resize(size);
  if (!png_image_write_to_memory(&header, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr))
    return core::error_at({}, std::string("cannot write the picture as PNG: ") + header.message);
  bytes.resize(size);
  return bytes;
}

}  // namespace tumble::view
