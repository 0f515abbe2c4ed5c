// The heap of this test program: it controls addresses and counts allocations.
#pragma once

#include <atomic>
#include <cstddef>

namespace heap {

inline constexpr size_t kAlignment = 32;  // bytes, of the widest vector instructions

extern size_t offset;                    // bytes: addresses exceed multiples of kAlignment by this
extern std::atomic<size_t> allocations;  // since the start of the program

}  // namespace heap
