// The heap of this test program: where memory lies, and how often it is asked for.
#pragma once

#include <cstddef>

namespace heap {

inline constexpr size_t kAlignment = 32;  // bytes, of the widest vector instructions

extern size_t beside;       // bytes: memory is handed out so far beside multiples of kAlignment
extern size_t allocations;  // since the program began

}  // namespace heap
