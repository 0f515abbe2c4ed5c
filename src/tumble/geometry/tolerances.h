// Rounding of coordinates, as shares of the largest of them: that is the grid on which they are known, also for
// a small solid far from the origin.
#pragma once

namespace tumble::geometry {

/// A point this near to a face of a hull is on it. Not less than the rounding of distances, 6.3 units in the last place
/// by qhull's own count: told a smaller one, it may never end.
inline constexpr double kPointRounding = 0x1p-49;

/// A triangle lower than this has no plane of its own: its middle corner counts as on its longest edge.
inline constexpr double kLowestTriangle = 0x1p-46;

/// How far a point may stand outside a hull that holds it: what merging faces and leaving out corners, some
/// roundings each, add up to.
inline constexpr double kHullSlack = 0x1p-44;

/// Points nearer to one plane than this are flat, times 1 + length / width since the plane of narrow ones leans: no
/// solid can be told from rounding.
inline constexpr double kThinnestHull = 0x1p-42;

}  // namespace tumble::geometry
