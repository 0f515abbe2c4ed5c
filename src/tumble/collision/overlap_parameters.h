// Numbers of the independent overlap checker. It shares nothing with the rest of collision, its numbers
// neither.
#pragma once

namespace tumble::collision::checker {

struct OverlapParameters {
  /// Depths below this part of the lengths (distances from the origin and from each other, and sizes, added
  /// up) are given as 0: sixteen roundings of poses and vertices. Sane: 4 to 256 roundings.
  double resolution = 16 * 0x1p-52;
  /// Searches over directions and along lines end at this part of the sizes: above rounding, below any use.
  /// Sane: 1e-14 to 1e-9.
  double direction_tolerance = 1e-13, line_tolerance = 1e-13;
  /// Neighbouring triangles are one face up to this: an angle squared, and a part of the size. Sane: 1e-12 to
  /// 1e-8.
  double same_plane = 1e-10;
  /// m. Beyond it products of lengths overflow: nothing is said about such shapes.
  double largest_length = 1e60;
  /// Divisions of the sphere of directions: pairs with a continuum of least translations never end by
  /// themselves. What is left is Overlap::uncertainty. Sane: 1000 to 1e6.
  int most_divisions = 10000;
  /// Looks along one edge of a mesh: many triangles leave an error of second order. Sane: 100 to 1e5.
  int most_looks = 500;
  /// Golden sections of a search along a line: 0.618^64 = 4e-14 of it is left. Sane: 48 to 80.
  int sections = 64;
};
inline constexpr OverlapParameters kOverlap;

}  // namespace tumble::collision::checker
