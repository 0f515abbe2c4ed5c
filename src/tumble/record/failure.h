// The result of writing: nothing, or the reason why it failed. A full disk is a result, not an exception.
#pragma once

#include <optional>

#include "tumble/core/diagnostic.h"

namespace tumble::record {

/// Nothing on success. A writer that failed once returns its first failure from then on and writes no more.
using Failure = std::optional<core::Diagnostic>;

}  // namespace tumble::record
