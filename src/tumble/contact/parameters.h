// Numbers of contact: one field each, with its unit, its reason and a sane range. None of them sets the error
// of a run, which follows from the accuracy.
#pragma once

namespace tumble::contact {

/// Which contacts are the same, and when a pair counts as too near.
struct ContactParameters {
  /// Points of a pair within this part of the smaller body's size are the same place. Sane: 1e-3 to 0.05.
  double same_place = 0.01;
  /// Cosine between normals above which contacts belong to one patch and get one gap curvature. Sane: 0.95 to
  /// 0.999.
  double same_normal = 0.99;
  /// `same_place` where one shape is round: two bodies of radius R that cross at an angle touch sqrt(offset
  /// R)/angle away from where they did before they are too near. At angles where that is more than this, the
  /// ends of both are near, too. Sane: same_place to 0.2.
  double same_round_place = 0.05;
  /// Cosine. A violation is met by a row whose normal is nearer to its own than this: neighbouring facets
  /// differ by more, and each needs a row of its own. Sane: 0.998 to 0.99999.
  double same_direction = 0.9998;
  /// A drift is certified if gaps stay above this part of the contact offset: rows aim at 1, 0 is an overlap,
  /// and the middle leaves as much room to miss the aim as it leaves of the offset. Sane: 0.25 to 0.75.
  double certified = 0.5;
  /// A gap below `certified` may shrink to this part of itself in a drift. Sane: 0.5 to 0.97.
  double nearer_still = 0.9;
  /// Shapes farther apart than this many times the distance to certify are not too near: the certificate came
  /// to its end. Sane: 1.02 to 1.5.
  double unproved = 1.1;
  /// Every body's box is enlarged by at least this part of its radius: at least the contact offset at the
  /// coarsest accuracy, 0.1 OffsetParameters::share, since the box of a fixed body is not enlarged. Sane:
  /// 1e-3 to 0.1.
  double least_margin = 1e-3;
};

/// The contact offset is part of the promise (docs/computation.md), not of the method.
struct OffsetParameters {
  /// Of accuracy times size: gaps at rest are a hundredth of the error that is allowed anyway.
  double share = 1e-2;
  /// At least so many roundings (2^-52) of the coordinates: four times what a distance is wrong by
  /// (collision::DistanceParameters::round_off).
  double roundings = 64;
};
inline constexpr OffsetParameters kOffset;

/// A compliant layer without a given thickness: part of the scene language (docs/scene.md).
struct LayerParameters {
  /// It carries this many times the weight of the lighter body.
  double loads = 10;
  /// It is at most this part of the smaller body's size.
  double thickest = 0.5;
};
inline constexpr LayerParameters kLayer;

}  // namespace tumble::contact
