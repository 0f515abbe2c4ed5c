#include "determinism/heap.h"

#include <cstdint>
#include <cstdlib>
#include <new>

namespace heap {

size_t offset = 0;
std::atomic<size_t> allocations = 0;

}  // namespace heap

// The address of the whole block is stored just before the memory that is returned.
void* operator new(size_t size) {
  ++heap::allocations;
  void* whole = std::malloc(size + 3 * heap::kAlignment);
  if (!whole) throw std::bad_alloc();
  const auto first = (reinterpret_cast<std::uintptr_t>(whole) + 2 * heap::kAlignment - 1) / heap::kAlignment *
                     heap::kAlignment;
  void** place = reinterpret_cast<void**>(first + heap::offset);
  place[-1] = whole;
  return place;
}
// A sanitizer has its own version of this one, which does not call the one above.
void* operator new(size_t size, const std::nothrow_t&) noexcept { return operator new(size); }
void operator delete(void* place) noexcept {
  if (place) std::free(static_cast<void**>(place)[-1]);
}
void operator delete(void* place, size_t) noexcept { operator delete(place); }
void operator delete(void* place, const std::nothrow_t&) noexcept { operator delete(place); }
