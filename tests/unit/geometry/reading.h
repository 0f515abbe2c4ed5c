// Common parts of the reader tests.
#pragma once

#include <algorithm>
#include <bit>
#include <clocale>
#include <cstring>
#include <string>

#include "tumble/core/expected.h"

namespace tumble::test {

// All diagnostics as shown to users, one per line.
template <typename T>
std::string faults_of(const core::Expected<T>& result) {
  std::string text;
  for (const auto& d : result.diagnostics()) text += core::to_string(d) + "\n";
  return text;
}

// The bytes of a number in the given byte order.
template <typename T>
std::string bytes_of(T value, std::endian order = std::endian::little) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  if (order != std::endian::native) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

}  // namespace tumble::test
