// Four numbers that are computed at once, one in each SIMD lane.
#pragma once

#include <cstdint>

namespace tumble::collision::detail {

using Lanes = double __attribute__((vector_size(32)));
using LaneBits = int64_t __attribute__((vector_size(32)));
inline constexpr LaneBits kSign = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};

inline Lanes same(double x) { return Lanes{x, x, x, x}; }
inline Lanes abs(Lanes x) { return reinterpret_cast<Lanes>(reinterpret_cast<LaneBits>(x) & ~kSign); }
inline Lanes max(Lanes x, Lanes y) { return x > y ? x : y; }
inline Lanes min(Lanes x, Lanes y) { return x < y ? x : y; }
/// x or -x, whichever makes `sign` positive.
inline Lanes signed_by(Lanes x, Lanes sign) {
  return reinterpret_cast<Lanes>(reinterpret_cast<LaneBits>(x) ^ (reinterpret_cast<LaneBits>(sign) & kSign));
}

}  // namespace tumble::collision::detail
