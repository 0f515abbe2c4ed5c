// An arena that stores the force laws and limits of a model contiguously in memory. Every step evaluates all
// of them in order. In a long chain, laws scattered over the heap cost more in cache misses than in
// computation (docs/decisions/0022).
#pragma once

#include <memory>
#include <memory_resource>
#include <utility>

namespace tumble::model {

/// A standard allocator over a shared buffer. The buffer only grows. It is freed as a whole when its last
/// owner is destroyed.
template <class T>
struct Arena {
  using value_type = T;
  using Room = std::pmr::monotonic_buffer_resource;
  explicit Arena(std::shared_ptr<Room> in) : room(std::move(in)) {}
  template <class U>
  Arena(const Arena<U>& other) : room(other.room) {}
  T* allocate(size_t count) { return static_cast<T*>(room->allocate(count * sizeof(T), alignof(T))); }
  void deallocate(T*, size_t) {}
  bool operator==(const Arena&) const = default;
  std::shared_ptr<Room> room;
};

using LawRoom = std::shared_ptr<Arena<char>::Room>;

/// Constructs a law in the buffer, directly after the law that was constructed before it.
template <class Law, class... Arguments>
std::shared_ptr<Law> make_in(const LawRoom& room, Arguments&&... arguments) {
  return std::allocate_shared<Law>(Arena<Law>(room), std::forward<Arguments>(arguments)...);
}

}  // namespace tumble::model
