// Parameters of collision detection, each with unit, reason and sane range.
//
// None of them decides whether bodies overlap: a drift is accepted only if certificate.h proves that they
// stay apart. CollisionParameters holds the parameters that were chosen by experiment. Code that builds
// manifolds or certifies a drift passes them in. The others guard against rounding or bound the effort. They
// are constants at the end of this file. The independent overlap checker has its own (overlap_parameters.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace tumble::collision {

/// Which pairs of features are contact candidates (manifold.h).
struct ManifoldParameters {
  /// Sine. A vertex counts as locally nearest even if a neighbour is lower by this slope. So the corners of a
  /// resting face stay candidates while the body tilts a little. Sane: 0.02 to 0.3.
  double slope = 0.1;
  /// Sine. Edges that are nearer to parallel have no useful crossing: the position of a crossing has an error
  /// of rounding over this. Their ends carry the contact. Sane: 1e-6 to 0.01.
  double parallel_edges = 1e-3;
  /// Sine of an edge, and cosine of a face normal, to the direction that separates two convex shapes.
  /// Features tilted by more are no candidates. Both shapes may be tilted by `slope`, and 0.3 and acos(0.95)
  /// = 0.32 rad are three slopes. Sane: 1.2 to 6 slopes.
  double level_edge = 0.3, level_face = 0.95;
  /// Tolerance of a cone of normals (cosine): rounding of a unit normal between nearest points. Sane: 1e-9 to
  /// 1e-4.
  double cone_slack = 1e-6;
  /// 1 - cosine. Directions that are nearer to each other use the same facets in place of a round surface:
  /// their corners differ by this part of its radius. Sane: 1e-14 to 1e-8.
  double same_direction = 1e-12;
  /// Sine. Seen along its axis up to this, a cylinder or cone has no lowest corner, and its facets are not
  /// rotated. Sane: 1e-9 to 1e-3.
  double along_axis = 1e-6;
  /// A barycentric weight up to this is rounding. Sane: 1e-12 to 1e-6.
  double no_weight = 1e-9;
  /// A candidate attains the proved bound if its gap agrees up to this part of the contact offset, and its
  /// direction up to this (1 - cosine). Sane: 1e-9 to 1e-3.
  double bound_met = 1e-6;
  /// How far beside an edge a feature may lie and still be near it: this many contact ranges, plus this part
  /// of the size of both shapes. It only saves work, since exact tests follow. Sane: 1 + 1e-6 to 1.1, 1e-10
  /// to 1e-3.
  double beside_range = 1.001, beside_size = 1e-8;
  /// Part of the contact offset. A candidate attains the distance if its gap exceeds it by no more than this.
  /// Points nearer to each other coincide, and the direction between them is undefined. Sane: 1e-6 to 0.1.
  double coincident = 1e-3;
  /// Two surfaces of at least this many triangles each are fine. Sane: 64 to 4096.
  int fine_surface = 256;
  /// Between fine surfaces only this part of the range is scanned, if it has at least this many candidates.
  /// Several belong to one contact, and a body needs three. Sane: 0.03 to 0.5, 8 to 100.
  double fine_range = 0.125;
  int fine_candidates = 16;
};

/// Which candidates are the same contact, and which contacts form a patch (patch.h).
struct PatchParameters {
  /// rad. Contacts whose normals differ by less form a patch, and only corners of its hull are kept. Over a
  /// patch of size L the approach speed is affine up to this times L times the angular velocity. Sane: 0.005
  /// to 0.05.
  double angle = 0.02;
  /// Candidates nearer to each other than this many gaps (or contact offsets, if larger) are the same corner:
  /// two features that meet in a point have contact points one gap apart. Sane: 1 to 4.
  double same_corner = 2.0;
  /// rad. They are the same corner only if their normals differ by less. A little above
  /// ManifoldParameters::slope, by which features of one corner may differ. Sane: 0.05 to 0.3.
  double corner_angle = 0.15;
  /// A candidate is added to a patch if it lies below the hull of the others by more than this part of the
  /// contact offset. The certificate requires half of the offset, so smaller bumps have no effect. Sane: 0.05
  /// to 0.5.
  double bump = 0.25;
  /// Rounding of positions in a patch, relative to its size. Corners nearer to a side are not corners. Sane:
  /// 1e-12 to 1e-6.
  double corner_round_off = 1e-9;
  /// Gaps that differ by less than this part of the contact range count as equal, so that the choice among
  /// them does not flicker. Sane: 1e-9 to 1e-3.
  double gap_grain = 1e-6;
  /// A search by position extends its radius by this factor because of rounding. Sane: above 1.
  double search_reach = 1.001;
};

/// Effort of the proof that shapes stay apart (certificate.h). No choice makes the proof wrong. A poor choice
/// fails to certify a drift that is safe.
struct CertificateParameters {
  /// Distance computations for a pair of primitives in one drift. Sane: 16 to 1000.
  int max_evaluations = 64;
  /// A gap below 1 + this times the clearance is too near, and the search for the time of impact ends. Sane:
  /// 1e-6 to 0.05, well below contact::ContactParameters::inconclusive_ratio - 1.
  double too_near = 1e-3;
  /// Vertices within this part of the size are equally far, because of rounding. Sane: 1e-9 to 1e-3.
  double level = 1e-6;
  /// Sine. Edges that cross at a smaller angle have no plane between them: rounding, 1e-15 of the size, would
  /// be magnified by more than a hundred. Sane: 1e-3 to 0.1.
  double crossing_edges = 0.01;
  /// Cosine. A cylinder or cone is touched on its side if the normal is perpendicular to the side up to this.
  /// Sane: 1e-9 to 1e-3.
  double on_side = 1e-6;
  /// Part of the coordinates. An axis passes through the centre of mass up to these roundings. Sane: 4 to 64
  /// epsilon.
  double on_axis = 8 * std::numeric_limits<double>::epsilon();
  /// A capsule rolls if its axis rotates by less than this part of its spin. Then its spin is left out, at
  /// the cost of a bound of second order. Sane: 1e-3 to 0.1.
  double rolling = 0.01;
  /// For non-convex shapes a drift is certified in pieces. No piece is longer than this part of the smaller
  /// shape, up to the maximum number of pieces. Sane: 0.05 to 1, 16 to 4096.
  double piece = 0.25, max_pieces = 256;
};

struct CollisionParameters {
  ManifoldParameters manifold;
  PatchParameters patch;
  CertificateParameters certificate;
};

/// Polyhedra (polyhedron.h).
struct PolyhedronParameters {
  /// Sine. An edge whose faces differ by less lies inside a flat face and makes no contact by itself. Far
  /// above the rounding of a normal, and far below any intended angle. Sane: 1e-9 to 1e-3.
  double flat_edge = 1e-6;
  /// How far outside a face or beyond the end of an edge a projected point may lie and still count, relative
  /// to its length, because of rounding. Sane: 1e-12 to 1e-6.
  double border = 1e-9;
  /// A surface with more faces is treated as not convex, because the test is quadratic. Sane: 1000 to 20000.
  size_t max_convex_faces = 4096;
  /// With more vertices than this, a tree is searched for the farthest one. Sane: 16 to 256.
  size_t min_searched_vertices = 64;
  /// A box around more items is fitted to the boxes of its children, which costs less and fits less well.
  /// Sane: 16 to 1e6.
  uint32_t max_visited_items = 65536;
  /// Spheres are fitted to surfaces of at least this many triangles that are not convex. Their centres are no
  /// farther away than this many sizes of the surface. Sane: 64 to 4096; 2 to 100.
  size_t min_round_surface = 256;
  double farthest_round = 4;
};
inline constexpr PolyhedronParameters kPolyhedron;

/// Distances (distance.h).
struct DistanceParameters {
  /// Rounding error of a computed distance, in epsilon times the coordinates and sizes that enter. Sane: 8 to
  /// 64.
  double round_off = 16;
  /// m. Only between these sizes is the product of four lengths fully accurate.
  double min_size = 1e-60, max_size = 1e60;
  /// Squared sine. Above it the determinant of two segments loses hardly any digits: positions have an error
  /// of rounding over this, distances of rounding over its square root. Sane: 0.05 to 0.5.
  double oblique = 0.25;
  /// Part of the coordinates. The normal between points nearer than this is taken from the features. Sane:
  /// 1e-9 to 1e-4.
  double near_points = 1e-6;
  /// A tree traversal continues from its front until the shapes have moved by this many sizes. The travel is
  /// increased by this part of itself and this many epsilon of the size, to bound its rounding. Sane: 8 to
  /// 1000; above 0; 64 to 4096.
  double max_travel = 64, travel_round_off = 1e-9, travel_roundings = 256;
  /// 1 - cosine. A half-space is bounded only along its normal, up to this. Sane: 1e-15 to 1e-9.
  double along_plane = 1e-12;
  /// m. Added to a guess of a direction from two positions, so that it is never zero.
  double min_guess = 1e-300;
};
inline constexpr DistanceParameters kDistance;

/// GJK distance of convex sets (gjk.h).
struct GjkParameters {
  /// Maximum number of iterations. Smooth shapes take about 20. Sane: 64 to 1000.
  int max_iterations = 128;
  /// Upper and lower bound agree up to this, relative to the distance plus the size. Sane: 1e-14 to 1e-10.
  double tolerance = 1e-13;
  /// A difference below this part of the size is rounding, and the sets intersect. Sane: 4 to 64 epsilon.
  double intersect = 8 * 0x1p-52;
  /// The same, if no separating direction was found. Sane: 1e-13 to 1e-10.
  double intersect_unseparated = 1e-12;
  /// The same, if the simplex is too thin to decide on which side of its faces the origin lies. Sane: 1e-11
  /// to 1e-7.
  double thin = 1e-9;
  /// Robust steps after rounding has ended the plain search. Sane: 16 to 256.
  int max_robust_steps = 64;
};
inline constexpr GjkParameters kGjk;

/// Separation of overlapping shapes at the start (depenetration.h).
struct DepenetrationParameters {
  /// Maximum number of changes of the direction of separation. Sane: 8 to 100.
  int max_directions = 32;
  /// A change of direction must shorten the translation by this part. Sane: 1e-9 to 1e-3.
  double min_reduction = 1e-6;
  /// Shapes are moved apart by this factor more than they overlap, so that their distance is positive. Sane:
  /// 1.001 to 1.1.
  double overshoot = 1.01;
  /// A separation is found if it reduces the overlap by more than this part of the depth. Sane: 0.1 to 0.9.
  double min_gain = 0.5;
  /// Part of the smaller shape. Shapes that overlap by less touch, up to the precision of their positions,
  /// and faces up to twice as deep as the least deep one meet where they touch. That of
  /// simulate::StartParameters::touching_depth. Sane: 1e-6 to 1e-2.
  double shallow = 1e-4;
  /// Tolerance of the cone of normals at an edge, and the sine up to which two edges are parallel: rounding
  /// of unit vectors. Normals nearer to each other than this are the same. Sane: 1e-9 to 1e-4; 1e-9 to 1e-3;
  /// 1e-12 to 1e-8.
  double cone_slack = 1e-6, parallel = 1e-6, same_normal = 1e-10;
  /// Least cosine of the middle direction to the normals it lies between: it overlaps by at most the inverse
  /// of this more than they do. Sane: 0.03 to 0.3.
  double least_cosine = 0.1;
};
inline constexpr DepenetrationParameters kDepenetration;

/// Broad phases (dynamic_tree.h, sweep_and_prune.h). These affect the effort, never the pairs.
struct BroadPhaseParameters {
  /// m from the origin. Surface areas stay below the largest float.
  double tree_reach = 1e18;
  /// In extents of all items. An origin farther away than this costs six of the 24 bits of a float. Sane: 8
  /// to 1024.
  double far_origin = 64;
  /// Part of an item's size. A fat box has this margin on all sides, so that rest and jitter cost nothing.
  /// Sane: 0 to 0.1.
  float fat_margin = 0.02f;
  /// Number of steps of the present motion that a fat box should cover, and its maximum extension relative to
  /// the item's size. A longer extension makes too many fat pairs. Sane: 4 to 50, 0.1 to 2.
  float look_ahead = 12, max_extension = 0.5f;
  /// A tree is rebuilt if one item in this many has left its fat box. Sane: 2 to 100.
  size_t rebuild_share = 8;
  /// Prefetch distance in pairs. Sane: 4 to 64.
  size_t prefetch_pairs = 16;
  /// If a split leaves less than one part in this many on one side, the tree would become too deep, and the
  /// median is taken. Sane: 4 to 32.
  size_t max_imbalance = 8;
  /// Swaps of the sweep in units of n log n, above which it sorts again: a comparison costs about as much as
  /// a swap. Sane: 1 to 16.
  uint64_t max_swaps = 4;
};
inline constexpr BroadPhaseParameters kBroadPhase;

/// Bisections for the time up to which a plane separates (carried_plane.h). 2^-40 of a drift is negligible.
inline constexpr int kTimeBisections = 40;
/// Up to this many candidates are compared one by one. For more, a spatial hash is used (patch.h). Sane: 8 to
/// 100.
inline constexpr size_t kMinHashedPoints = 24;
/// Largest number of a grid cell; all points beyond it share one cell. And the largest inverse cell size.
/// Both are far beyond measurable sizes. All points are still found.
inline constexpr double kFarthestCell = 1e15, kFinestGrid = 1e300;

}  // namespace tumble::collision
