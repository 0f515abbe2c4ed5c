// Parameters of the independent overlap checker. Like its code, they are not shared with the rest of
// collision.
#pragma once

namespace tumble::collision::checker {

struct OverlapParameters {
  /// Depths below this part of the lengths (distances from the origin and from each other, plus sizes) are
  /// reported as 0: sixteen roundings of poses and vertices. Sane: 4 to 256 roundings.
  double resolution = 16 * 0x1p-52;
  /// Searches over directions and along lines end at this part of the sizes. Above rounding, and smaller than
  /// any relevant depth. Sane: 1e-14 to 1e-9.
  double direction_tolerance = 1e-13, line_tolerance = 1e-13;
  /// Neighbouring triangles are coplanar up to this: an angle squared, and a part of the size. Sane: 1e-12 to
  /// 1e-8.
  double same_plane = 1e-10;
  /// m. Beyond it products of lengths overflow, and the depth is unknown.
  double max_length = 1e60;
  /// Subdivisions of the sphere of directions. Pairs with a continuum of minimum translations never converge.
  /// The remaining error is Overlap::uncertainty. Sane: 1000 to 1e6.
  int max_subdivisions = 10000;
  /// Samples along one edge of a mesh. With many triangles an error of second order remains. Sane: 100 to
  /// 1e5.
  int max_samples = 500;
  /// Golden sections of a line search: 0.618^64 = 4e-14 of the line is left. Sane: 48 to 80.
  int sections = 64;
};
inline constexpr OverlapParameters kOverlap;

}  // namespace tumble::collision::checker
