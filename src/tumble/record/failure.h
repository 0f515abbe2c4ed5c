// How writing can end: nothing, or the reason it failed. A disk that fills is a result, not an exception.
#pragma once

#include <optional>

#include "tumble/core/diagnostic.h"

namespace tumble::record {

/// Nothing when all is well. A writer that failed once keeps its first failure and writes no more.
using Failure = std::optional<core::Diagnostic>;

}  // namespace tumble::record
