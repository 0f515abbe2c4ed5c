// Parameters of contact, each with unit, reason and sane range. None of them sets the error of a run. That
// follows from the accuracy.
#pragma once

namespace tumble::contact {

/// Which contacts count as the same contact, and when a pair counts as too near.
struct ContactParameters {
  /// Bodies nearer than this many contact offsets touch: contacts are searched up to there, and an impact can
  /// happen. Sane: 1.1 to 3.
  double touching = 1.5;
  /// Points of a pair nearer than this part of the smaller body's size are the same point. Sane: 1e-3 to
  /// 0.05.
  double same_point_distance = 0.01;
  /// Cosine. Contacts whose normals have a larger cosine belong to one patch and share one gap curvature.
  /// Sane: 0.95 to 0.999.
  double same_normal = 0.99;
  /// The same distance where one shape is round. Where two bodies of radius R cross at an angle, the contact
  /// point moves by sqrt(offset R)/angle before they are too near. At angles where that is more than this,
  /// the ends of both bodies are near, too. Sane: same_point_distance to 0.2.
  double same_round_point_distance = 0.05;
  /// Cosine. A row handles a violation if the cosine between their normals is larger than this. Neighbouring
  /// facets differ by more, and each needs a row of its own. Sane: 0.998 to 0.99999.
  double same_direction = 0.9998;
  /// A drift is certified if gaps stay above this part of the contact offset. Rows aim at 1, and 0 is an
  /// overlap. The middle leaves equal room for missing the aim and for a gap that remains. Sane: 0.25 to
  /// 0.75.
  double certified = 0.5;
  /// A gap that is already below `certified` may shrink to this part of itself in a drift. Sane: 0.5 to 0.97.
  double min_gap_ratio = 0.9;
  /// If a certificate fails while the shapes are farther apart than this many times the distance to certify,
  /// the certificate has given up and the shapes are not too near. Sane: 1.02 to 1.5.
  double inconclusive_ratio = 1.1;
  /// The box of every moving body is enlarged by at least this part of its radius. That is at least the
  /// contact offset at the coarsest accuracy, 0.1 OffsetParameters::accuracy_share, since the box of a fixed
  /// body is not enlarged. Sane: 1e-3 to 0.1.
  double min_margin = 1e-3;
};

/// The contact offset is promised to users (docs/computation.md). It is not a tuning parameter of the method.
struct OffsetParameters {
  /// Part of accuracy times size. Gaps at rest are a hundredth of the error that is allowed anyway.
  double accuracy_share = 1e-2;
  /// Lower bound in units of rounding, 2^-52 times the coordinates: four times the rounding error of a
  /// distance (collision::DistanceParameters::round_off).
  double min_roundings = 64;
  /// Where bodies have no room at all, their shapes are smaller by this many times the rounding error of
  /// their distance (collision::compute_distance_rounding), about 1e-10 m for bodies of 0.1 m. Half of the
  /// offset must exceed what closing joints and scripts changes in velocities after contact is solved. A box
  /// in a scripted case needs 512, several in a rotating case 32768. Sane: 4096 to 262144.
  double shrink_ratio = 32768;
};
inline constexpr OffsetParameters kOffset;

/// Thickness of a compliant layer for which the scene gives none. Part of the scene language (docs/scene.md).
struct LayerParameters {
  /// The fully compressed layer carries this many times the weight of the lighter body.
  double load_factor = 10;
  /// The layer is at most this part of the smaller body's size.
  double max_size_ratio = 0.5;
};
inline constexpr LayerParameters kLayer;

}  // namespace tumble::contact
