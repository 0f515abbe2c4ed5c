// Numbers that decide which contacts are the same, and when a pair counts as too near. None of them sets the error of a run, which
// follows from the accuracy; each may be halved or doubled without breaking a promise.
#pragma once

namespace tumble::contact {

struct ContactParameters {
  /// Points of a pair within this part of the smaller body's size are the same place. Sane: 1e-3 to 0.05.
  double same_place = 0.01;
  /// Cosine between normals above which contacts belong to one patch and get one gap curvature. Sane: 0.97 to 0.999.
  double same_normal = 0.99;
  /// `same_place` where one shape is round: two bodies of radius R that cross at an angle touch sqrt(offset R)/angle away from
  /// where they did before they are too near; at angles where that is more than this, the ends of both are near, too.
  double same_round_place = 0.05;
  /// A violation is met by a row whose normal has at least this cosine with its own: neighbouring facets differ by more, and
  /// each needs a row of its own.
  double same_direction = 0.9998;
  /// A gap below half the contact offset may shrink to this part of itself in a drift. Between 0.5 and 1.
  double nearer_still = 0.9;
  /// Shapes farther apart than this many times the distance to certify are not too near: the certificate came to its end.
  double unproved = 1.1;
  /// Every body's box is enlarged by at least this part of its radius.
  double least_margin = 1e-3;
};

}  // namespace tumble::contact
