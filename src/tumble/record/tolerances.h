#pragma once

#include <cstddef>
#include <cstdint>

namespace tumble::record {

/// What an output file gathers before it is handed to the system: large enough that the calls cost nothing.
inline constexpr size_t kBufferSize = size_t{1} << 20;  // bytes

/// What all tracks of an animation together hold in memory before they are written.
inline constexpr size_t kAnimationBudget = size_t{16} << 20;  // bytes

/// The lengths inside a .glb have 32 bits.
inline constexpr uint64_t kGlbLimit = (uint64_t{1} << 32) - 1;  // bytes

/// Bytes of a gigabyte in messages.
inline constexpr double kGigabyte = 1e9;

/// Faces that meet at a smaller angle are shown as one curved surface: well above the 11 degrees between the
/// facets of our own round shapes, well below the edges of the polyhedra people model.
inline constexpr double kCreaseAngle = 0.52;  // rad, 30 degrees

/// A vertex with more triangles than this (the hub of a fan) is shaded flat: comparing all of them with each
/// other would take quadratic time.
inline constexpr size_t kMaxSmoothValence = 256;

/// A half-space is shown as a square that reaches this many times as far as the farthest body at the start.
inline constexpr double kPlaneReach = 2;

/// Shown of a half-space when there is nothing else in the scene.
inline constexpr double kLonePlaneSize = 10;  // m

}  // namespace tumble::record
