// Typed ids: a BodyId cannot be passed where a MaterialId is expected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace tumble::core {

template <typename Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(size_t index) : index_(static_cast<uint32_t>(index)) {}
  constexpr bool valid() const { return index_ != kNone; }
  constexpr size_t index() const { return index_; }
  constexpr auto operator<=>(const Id&) const = default;

 private:
  static constexpr uint32_t kNone = 0xffffffffu;
  uint32_t index_ = kNone;
};

using BodyId = Id<struct BodyTag>;
using MaterialId = Id<struct MaterialTag>;
using ForceId = Id<struct ForceTag>;

}  // namespace tumble::core
