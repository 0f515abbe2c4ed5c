// Laws of a model side by side in memory: a step asks every one of them in turn, and in a long chain those strewn among all else that was made with
// it cost more in fetching than in computing (docs/decisions/0022).
#pragma once

#include <memory>
#include <memory_resource>
#include <utility>

namespace tumble::model {

/// Room that grows and is given back as a whole when nothing in it is left.
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

/// A law in that room, behind the one made before it.
template <class Law, class... Arguments>
std::shared_ptr<Law> make_in(const LawRoom& room, Arguments&&... arguments) {
  return std::allocate_shared<Law>(Arena<Law>(room), std::forward<Arguments>(arguments)...);
}

}  // namespace tumble::model
