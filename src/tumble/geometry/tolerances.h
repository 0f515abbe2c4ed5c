// Tolerances for rounding of coordinates, relative to the largest coordinate. That is the resolution of the
// coordinates, also for a small solid far from the origin.
#pragma once

namespace tumble::geometry {

/// A point this near to a face of a hull is on it. Must not be less than the rounding of distances, which
/// qhull counts as 6.3 units in the last place. With a smaller value qhull may not terminate.
inline constexpr double kPointTolerance = 0x1p-49;

/// A triangle lower than this has no well-defined plane. Its middle corner counts as on its longest edge.
inline constexpr double kMinTriangleHeight = 0x1p-46;

/// How far a point may lie outside a hull that contains it. Covers merging faces and removing corners, some
/// roundings each.
inline constexpr double kHullSlack = 0x1p-44;

/// Points nearer to one plane than this count as flat, times 1 + length / width since the plane of narrow
/// ones tilts. Such a solid cannot be distinguished from rounding.
inline constexpr double kMinHullThickness = 0x1p-42;

}  // namespace tumble::geometry
