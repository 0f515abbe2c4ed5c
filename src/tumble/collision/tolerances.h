// Every number the narrow phase decides by, with its reason.
#pragma once

namespace tumble::collision {

// An edge whose faces turn by less than this (sine) is flat: it lies inside a face and is never touched by itself.
inline constexpr double kFlatEdge = 1e-6;
// Edges closer to parallel than this (sine) have no crossing worth its rounding; their ends carry the contact.
inline constexpr double kParallelEdges = 1e-3;
// A vertex counts as nearest though a neighbour lies lower by this slope: the corners of a face that rests stay the same
// while the body tilts a little.
inline constexpr double kSlope = 0.1;
// How far outside a face or beyond the end of an edge (parts of its length) a foot may lie and still count: rounding.
inline constexpr double kBorder = 1e-9;
// Contacts whose normals differ by less than this (rad) are one patch.
inline constexpr double kPatchAngle = 0.02;
// Contacts nearer to each other than this many gaps, with normals alike within kSameNormal, are one corner.
inline constexpr double kSameCorner = 2.0;
inline constexpr double kSameNormal = 0.15;  // rad, a little above kSlope
// Points nearer than this part of the separation kept touch: the line from one to the other says nothing.
inline constexpr double kTouching = 1e-3;
// What lengths may measure (m) so that the product of four of them is a number with all its digits.
inline constexpr double kLeastSize = 1e-60, kLargestSize = 1e60;
// Rounding of a computed separation, in units of 2^-52 times the coordinates and sizes that entered it.
inline constexpr double kDistanceRoundOff = 16;

}  // namespace tumble::collision
