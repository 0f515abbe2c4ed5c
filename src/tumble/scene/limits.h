// Limits of the reader. They are far above the needs of real scenes, and they bound time and memory for
// hostile ones.
#pragma once

#include <cstddef>

#include "tumble/model/tolerances.h"

namespace tumble::scene {

/// Largest scene file, bytes: some millions of bodies.
inline constexpr size_t kMaxSceneBytes = size_t{256} << 20;

/// Largest file of events, bytes: some ten million events.
inline constexpr size_t kMaxInputBytes = size_t{1} << 30;

/// Deepest nesting of elements. A scene needs three levels.
inline constexpr size_t kMaxNesting = 32;

/// Deepest nesting of <include>.
inline constexpr size_t kMaxIncludeDepth = 16;

/// Largest number of faults listed.
inline constexpr size_t kMaxFaults = 100;

/// Largest number of faults counted in a file of events. Each fault costs a search among names.
inline constexpr size_t kMaxFaultsCounted = 10000;

/// With more names than this, messages have no hint ("did you mean ...?"). All hints together then take at
/// most a tenth of a second.
inline constexpr size_t kMaxNamesSearched = 2000;

/// Longest name, characters. Names are column titles and appear in messages.
inline constexpr size_t kMaxNameLength = 100;

/// Longest address of an attribute in an event, bytes: room for several names of kMaxNameLength.
inline constexpr size_t kMaxAddressBytes = 4096;

using model::kMaxMagnitude;

/// Longest quotation from the user's text in a message, bytes.
inline constexpr size_t kMaxQuotedText = 60;

}  // namespace tumble::scene
