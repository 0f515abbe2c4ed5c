// Numbers in binary files of either byte order, on machines of either byte order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>

namespace tumble::geometry::detail {

/// Reads a T at offset `at`. The caller ensures that the bytes exist.
template <typename T>
T load(std::string_view bytes, size_t at, std::endian order) {
  char raw[sizeof(T)];
  std::memcpy(raw, bytes.data() + at, sizeof(T));
  if (order != std::endian::native) std::reverse(raw, raw + sizeof(T));
  T value;
  std::memcpy(&value, raw, sizeof(T));
  return value;
}

/// Appends a T, little endian.
template <typename T>
void append_little(std::string& bytes, T value) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  if (std::endian::native != std::endian::little) std::reverse(raw, raw + sizeof(T));
  bytes.append(raw, sizeof(T));
}

}  // namespace tumble::geometry::detail
