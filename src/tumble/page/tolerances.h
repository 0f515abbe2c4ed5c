#pragma once

#include <cstddef>

namespace tumble::page {

/// Size of a block of frames: so large that a request is worth its overhead, so small that a page that jumps
/// to a time has it at once.
inline constexpr size_t kBlockBytes = size_t{1} << 19;  // bytes
inline constexpr size_t kMostFramesPerBlock = 256;

/// Most of the log that a page gets. Of a longer one it gets every n-th row.
inline constexpr size_t kLogBudget = size_t{1} << 26;  // bytes

/// Rows of the log that are in memory at the same time while it is read.
inline constexpr size_t kLogRowsAtOnce = 8192;

/// Frames that the room of the motion is computed from. Recordings of up to eight seconds at 60 frames a
/// second have no more.
inline constexpr size_t kFocusFrames = 512;

/// With more bodies than this a page gets one box around all paths instead of one for each.
inline constexpr size_t kMostFocusBoxes = 256;

/// A body does not count for the room of the motion while it is this many times farther from the middle of
/// all than half of the bodies ever are. Of fewer bodies all count. The same as in view/tolerances.h.
inline constexpr double kOutlierReach = 8;
inline constexpr size_t kFewestForOutliers = 4;

/// Contacts that need more room in a report are left out: with them a page of a large heap would be many
/// times as large as with its motion alone.
inline constexpr size_t kContactsBudget = size_t{8} << 20;  // bytes
inline constexpr size_t kMegabyte = size_t{1} << 20;        // bytes, in messages

/// A report above this gets a warning with its size.
inline constexpr size_t kLargeReport = size_t{50} << 20;  // bytes

/// Numbers of a body in a frame: with and without velocities.
inline constexpr size_t kAllNumbers = 13, kPoseNumbers = 7;

// What a run promises (docs/computation.md, "What ends a run"; simulate/run_check.cpp judges by the same).
inline constexpr double kEnergyWarned = 10, kEnergyAllowed = 100;   // in units of the accuracy
inline constexpr double kLeastWarned = 1e-6, kLeastAllowed = 1e-3;  // of the energy scale
inline constexpr double kHoldsAllowed = 3, kHeldShare = 1e-3;       // holds; holds per step
inline constexpr double kResidualWarned = 1e-6;                     // forces are right to six digits

}  // namespace tumble::page
