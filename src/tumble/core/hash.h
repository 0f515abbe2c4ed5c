// FNV-1a hash, 64 bits. Identifies inputs of a build and states. Not for cryptography.
#pragma once

#include <cstdint>
#include <string_view>

namespace tumble::core {

inline constexpr uint64_t kHashStart = 0xcbf29ce484222325ull;

constexpr uint64_t hash_bytes(std::string_view bytes, uint64_t hash = kHashStart) {
  for (const char c : bytes) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ull;
  }
  return hash;
}

}  // namespace tumble::core
