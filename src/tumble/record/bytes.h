// Values as little-endian bytes, and the checksum of our binary files:
//   h = 0xcbf29ce484222325;  for each 8-byte word w of the bytes, the last one padded with zeros:
//   h = (h ^ w) * 0x100000001b3;  h = h ^ (h >> 32)                                                  (1)
// Each step is one-to-one in h and in w, so a change within one word always changes the checksum. Words are
// hashed instead of bytes for speed: a frame of ten thousand bodies has a megabyte.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tumble/core/hash.h"

namespace tumble::record::detail {

static_assert(std::endian::native == std::endian::little,
              "files are little-endian and are copied without conversion");

template <typename T>
void append_value(std::string& bytes, T value) {
  static_assert(std::is_arithmetic_v<T>);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

inline void append_doubles(std::string& bytes, const std::vector<double>& values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
}

/// Equation (1).
inline uint64_t checksum(std::string_view bytes, uint64_t h = core::kHashStart) {
  for (size_t at = 0; at < bytes.size(); at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    h = (h ^ word) * 0x100000001b3ull;
    h ^= h >> 32;
  }
  return h;
}

/// Reads values from the front of a block of bytes. A read past its end fails.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  size_t position() const { return at_; }
  size_t left() const { return bytes_.size() - at_; }

  template <typename T>
  bool read(T& value) {
    static_assert(std::is_arithmetic_v<T>);
    if (left() < sizeof value) return false;
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return true;
  }
  bool read_text(uint64_t length, std::string& text) {
    if (left() < length) return false;
    text.assign(bytes_.substr(at_, length));
    at_ += length;
    return true;
  }
  bool read_doubles(uint64_t count, std::vector<double>& values) {
    if (left() / sizeof(double) < count) return false;
    values.resize(count);
    if (count > 0) std::memcpy(values.data(), bytes_.data() + at_, count * sizeof(double));
    at_ += count * sizeof(double);
    return true;
  }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

}  // namespace tumble::record::detail
