#pragma once

#include <cstddef>
#include <cstdint>

namespace tumble::record {

/// Size of the buffer of an output file: so large that the cost of system calls is negligible.
inline constexpr size_t kBufferSize = size_t{1} << 20;  // bytes

/// How much is read at once where many small chunks follow each other: so much that the cost of system calls
/// is negligible.
inline constexpr size_t kReadAhead = size_t{1} << 18;  // bytes

/// Rows of the log are read ahead if they are closer than this in the file. A read of so few bytes costs
/// about as much as the call itself.
inline constexpr size_t kCloseRows = 4096;  // bytes

/// Memory for the frames of an animation that are not written yet, all tracks together.
inline constexpr size_t kAnimationBudget = size_t{16} << 20;  // bytes

/// Largest size of a .glb: its lengths have 32 bits.
inline constexpr uint64_t kGlbLimit = (uint64_t{1} << 32) - 1;  // bytes

/// Bytes per gigabyte in messages.
inline constexpr double kGigabyte = 1e9;

/// Faces whose normals differ by less are shaded as one smooth surface. Well above the 11 degrees between
/// the facets of our round shapes, well below the edges of typical polyhedra.
inline constexpr double kCreaseAngle = 0.52;  // rad, 30 degrees

/// A vertex with more triangles than this (the hub of a fan) is shaded flat, because comparing all of them
/// with each other takes quadratic time.
inline constexpr size_t kMaxSmoothValence = 256;

/// A half-space is shown as a square. It reaches this many times as far as the farthest body at the start.
inline constexpr double kPlaneReach = 2;

/// Size of this square if the scene has no other body.
inline constexpr double kDefaultPlaneSize = 10;  // m

}  // namespace tumble::record
