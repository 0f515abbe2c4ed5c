#include "tumble/page/encode.h"

#include <zlib.h>

#include <cstdint>
#include <cstring>

#include "tumble/core/require.h"

namespace tumble::page::detail {

std::string delta(std::string_view bytes, size_t words) {
  std::string out(bytes);
  for (size_t at = words * sizeof(uint32_t); at + sizeof(uint32_t) <= bytes.size(); at += sizeof(uint32_t)) {
    uint32_t before = 0, now = 0;
    std::memcpy(&before, bytes.data() + at - words * sizeof(uint32_t), sizeof before);
    std::memcpy(&now, bytes.data() + at, sizeof now);
    now -= before;
    std::memcpy(out.data() + at, &now, sizeof now);
  }
  return out;
}

std::string shuffle(std::string_view bytes, size_t width) {
  const size_t count = bytes.size() / width;
  std::string out(bytes);
  for (size_t plane = 0; plane < width; ++plane)
    for (size_t i = 0; i < count; ++i) out[plane * count + i] = bytes[i * width + plane];
  return out;
}

std::string deflate(std::string_view bytes) {
  std::string out;
  uLongf size = ::compressBound(static_cast<uLong>(bytes.size()));
  out.resize(size);
  const int status =
      ::compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                  static_cast<uLong>(bytes.size()), Z_DEFAULT_COMPRESSION);
  TUMBLE_REQUIRE(status == Z_OK, "zlib has no memory");
  out.resize(size);
  return out;
}

std::string to_base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t n = bytes.size() - at;
    const auto byte = [&](size_t i) { return i < n ? static_cast<unsigned char>(bytes[at + i]) : 0u; };
    const uint32_t bits = byte(0) << 16 | byte(1) << 8 | byte(2);
    text += kDigits[bits >> 18];
    text += kDigits[bits >> 12 & 63];
    text += n > 1 ? kDigits[bits >> 6 & 63] : '=';
    text += n > 2 ? kDigits[bits & 63] : '=';
  }
  return text;
}

}  // namespace tumble::page::detail
