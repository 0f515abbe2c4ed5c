// Where the reader stops: far beyond every honest scene, soon enough that a hostile one does no harm.
#pragma once

#include <cstddef>

#include "tumble/model/tolerances.h"

namespace tumble::scene {

/// Largest scene file taken, bytes: some millions of bodies.
inline constexpr size_t kMaxSceneBytes = size_t{256} << 20;

/// Largest file of events taken, bytes: some ten millions of them.
inline constexpr size_t kMaxInputBytes = size_t{1} << 30;

/// Elements inside elements: a scene needs three levels.
inline constexpr size_t kMaxNesting = 32;

/// Files that include files.
inline constexpr size_t kMaxIncludeDepth = 16;

/// Faults listed at once: more do not help anyone.
inline constexpr size_t kMaxFaults = 100;

/// Faults of a file of events that are looked for: each costs a search among names.
inline constexpr size_t kMaxFaultsCounted = 10000;

/// Names among which the nearest one is sought for a hint: a tenth of a second for all hints together.
inline constexpr size_t kMaxNamesSearched = 2000;

/// Longest name, characters: it heads columns and stands in messages.
inline constexpr size_t kMaxNameLength = 100;

/// Longest address of an attribute in an event, bytes: some names of the longest kind.
inline constexpr size_t kMaxAddressBytes = 4096;

using model::kMaxMagnitude;

/// Longest piece of the user's text repeated in a message, bytes.
inline constexpr size_t kMaxQuotedText = 60;

}  // namespace tumble::scene
