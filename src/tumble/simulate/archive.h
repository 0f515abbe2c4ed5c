// Serialisation, with one function per type for both directions. A type lists its members in one function,
//   template <class Archive>
//   void archive(Archive& ar, CachedLimit& m) { ar(m.limit, m.impulse, m.predicted_value); }
// ArchiveWriter turns them into bytes and ArchiveReader reads them back bit for bit. Numbers are
// little-endian. The length of vectors and strings (8 bytes) precedes their elements.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tumble/collision/contact.h"
#include "tumble/model/live_model.h"
#include "tumble/model/state.h"

namespace tumble::simulate {

static_assert(std::endian::native == std::endian::little,
              "archives are little-endian and copied without conversion");

class ArchiveWriter {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (write(values), ...);
  }
  std::string take() { return std::move(bytes_); }

 private:
  template <class T>
  void write(const T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
      append(&value, sizeof value);
    else
      archive(*this, const_cast<T&>(value));  // one function serves both directions; writing does not modify
  }
  template <class T>
  void write(const std::vector<T>& values) {
    write(static_cast<uint64_t>(values.size()));
    if constexpr (std::is_arithmetic_v<T>)
      append(values.data(), values.size() * sizeof(T));
    else
      for (const T& value : values) write(value);
  }
  template <class T, size_t n>
  void write(const std::array<T, n>& values) {
    for (const T& value : values) write(value);
  }
  template <class T>
  void write(const std::optional<T>& value) {
    write(value.has_value());
    if (value) write(*value);
  }
  void write(const std::string& text) {
    write(static_cast<uint64_t>(text.size()));
    append(text.data(), text.size());
  }
  void write(const math::Vec3& v) { append(v.data(), 3 * sizeof(double)); }
  void append(const void* data, size_t size) {
    if (size > 0) bytes_.append(static_cast<const char*>(data), size);
  }
  std::string bytes_;
};

/// Reads what ArchiveWriter wrote. Bytes may come from a damaged file: if there are too few, good() is false
/// from then on, and values stay unchanged.
class ArchiveReader {
 public:
  explicit ArchiveReader(std::string_view bytes) : bytes_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (read(values), ...);
  }
  bool good() const { return good_; }
  bool at_end() const { return bytes_.empty(); }

 private:
  template <class T>
  void read(T& value) {
    if constexpr (std::is_same_v<T, bool>)
      read_bool(value);
    else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
      take(&value, sizeof value);
    else
      archive(*this, value);
  }
  template <class T>
  void read(std::vector<T>& values) {
    const size_t count = read_length();
    values.clear();
    if constexpr (std::is_arithmetic_v<T>) {
      if (!good_ || count > bytes_.size() / sizeof(T)) return fail();
      values.resize(count);
      take(values.data(), count * sizeof(T));
    } else {
      // One by one: a wrong length never allocates more memory than there are bytes.
      for (size_t i = 0; good_ && i < count; ++i) read(values.emplace_back());
    }
  }
  template <class T, size_t n>
  void read(std::array<T, n>& values) {
    for (T& value : values) read(value);
  }
  template <class T>
  void read(std::optional<T>& value) {
    bool given = false;
    read(given);
    value.reset();
    if (good_ && given) read(value.emplace());
  }
  void read(std::string& text) {
    const size_t count = read_length();
    if (!good_ || count > bytes_.size()) return fail();
    text.assign(bytes_.substr(0, count));
    bytes_.remove_prefix(count);
  }
  void read(math::Vec3& v) { take(v.data(), 3 * sizeof(double)); }
  void read_bool(bool& value) {
    uint8_t byte = 0;
    take(&byte, 1);
    if (byte > 1) fail();
    value = byte == 1;
  }
  size_t read_length() {
    uint64_t length = 0;
    take(&length, sizeof length);
    return length;
  }
  void take(void* data, size_t size) {
    if (!good_ || size > bytes_.size()) return fail();
    if (size > 0) std::memcpy(data, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }
  void fail() { good_ = false; }

  std::string_view bytes_;  // not yet read
  bool good_ = true;
};

/// Converts a value to bytes.
template <class T>
std::string to_bytes(const T& value) {
  ArchiveWriter writer;
  writer(value);
  return writer.take();
}

/// Returns false unless the bytes hold exactly such a value.
template <class T>
bool from_bytes(std::string_view bytes, T& value) {
  ArchiveReader reader(bytes);
  reader(value);
  return reader.good() && reader.at_end();
}

template <class Archive>
void archive(Archive& ar, collision::FeatureKey& key) {
  ar(key.value);
}

template <class Archive>
void archive(Archive& ar, model::Setting& s) {
  ar(s.address, s.value);
}

template <class Archive>
void archive(Archive& ar, model::State& s) {
  ar(s.time, s.y, s.work, s.impulses, s.hinge_angles);
}

}  // namespace tumble::simulate
