// A value, or the diagnostics that say why there is none. A value may come with warnings.
#pragma once

#include <optional>
#include <utility>

#include "tumble/core/diagnostic.h"
#include "tumble/core/require.h"

namespace tumble::core {

template <typename T>
class Expected {
 public:
  Expected(T value, Diagnostics warnings = {})
      : value_(std::move(value)), diagnostics_(std::move(warnings)) {}
  Expected(Diagnostics diagnostics) : diagnostics_(std::move(diagnostics)) {
    TUMBLE_REQUIRE(has_errors(diagnostics_), "an Expected without value needs at least one error");
  }
  Expected(Diagnostic error) : Expected(Diagnostics{std::move(error)}) {}

  explicit operator bool() const { return value_.has_value(); }
  const Diagnostics& diagnostics() const { return diagnostics_; }

  /// Throws LogicError, with the first of the errors in its text, if there is none.
  T& value() & { return checked(); }
  T&& value() && { return std::move(checked()); }
  const T& value() const& {
    if (!value_) [[unlikely]]
      throw_no_value(diagnostics_);
    return *value_;
  }
  T* operator->() { return &checked(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return checked(); }
  const T& operator*() const& { return value(); }

 private:
  T& checked() {
    if (!value_) [[unlikely]]
      throw_no_value(diagnostics_);
    return *value_;
  }
  std::optional<T> value_;
  Diagnostics diagnostics_;
};

}  // namespace tumble::core
