// Numbers of collision detection: one field each, with its unit, its reason and a sane range.
//
// None of them decides whether bodies overlap: a drift is accepted only where certificate.h proves that they
// stay apart. CollisionParameters holds those that were chosen by experiment; whoever builds manifolds or
// certifies a drift hands them in. The others guard against rounding or bound the effort. They are constants
// at the end of this file. The independent overlap checker has its own (overlap_parameters.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace tumble::collision {

/// Which pairs of features are contact candidates (manifold.h).
struct ManifoldParameters {
  /// Sine. A vertex counts as nearest although a neighbour lies lower by this slope: the corners of a resting
  /// face stay candidates while the body tilts a little. Sane: 0.02 to 0.3.
  double slope = 0.1;
  /// Sine. Edges nearer to parallel have no crossing worth its rounding: the place of a crossing is wrong by
  /// rounding over this. Their ends carry the contact. Sane: 1e-6 to 0.01.
  double parallel_edges = 1e-3;
  /// Sine of an edge and cosine of a face's normal to the direction that separates two convex shapes.
  /// Features tilted by more are no candidates: both shapes may be off level by `slope`, and 0.3 and
  /// acos(0.95) = 0.32 rad are three slopes. Sane: 1.2 to 6 slopes.
  double level_edge = 0.3, level_face = 0.95;
  /// What counts as inside a cone of normals (cosine): rounding of a unit normal between nearest points.
  /// Sane: 1e-9 to 1e-4.
  double cone_slack = 1e-6;
  /// 1 - cosine. Nearer directions have the same facets in place of a round surface: their corners differ by
  /// this part of its radius. Sane: 1e-14 to 1e-8.
  double same_facets = 1e-12;
  /// Sine. Seen along its axis up to this, a cylinder or cone has no lowest corner: its facets stay where
  /// they are in its frame. Sane: 1e-9 to 1e-3.
  double along_axis = 1e-6;
  /// A barycentric weight up to this is rounding. Sane: 1e-12 to 1e-6.
  double no_weight = 1e-9;
  /// A candidate is as near as the proved bound up to this part of the contact offset, and along its
  /// direction up to this (1 - cosine). Sane: 1e-9 to 1e-3.
  double bound_met = 1e-6;
  /// How far beside an edge something may lie and still be near it: this many shells, and this part of the
  /// size of both. It only saves work: exact tests follow. Sane: 1 + 1e-6 to 1.1, 1e-10 to 1e-3.
  double beside_shell = 1.001, beside_size = 1e-8;
  /// Part of the contact offset. A candidate whose gap exceeds the least distance by no more than this meets
  /// it; points nearer to each other coincide and have no direction between them. Sane: 1e-6 to 0.1.
  double coincident = 1e-3;
};

/// Which candidates are one contact, and which contacts are one patch (patch.h).
struct PatchParameters {
  /// rad. Contacts whose normals differ by less are one patch, and only corners of its hull stay. Over a
  /// patch of size L the approach speed is affine up to this times L times the angular velocity. Sane: 0.005
  /// to 0.05.
  double angle = 0.02;
  /// Candidates nearer to each other than this many gaps (or contact offsets, if more) are one corner: two
  /// features that meet in a point see it from places one gap apart. Sane: 1 to 4.
  double same_corner = 2.0;
  /// rad, if their normals differ by less: a little above ManifoldParameters::slope, by which features found
  /// at one corner may differ. Sane: 0.05 to 0.3.
  double corner_angle = 0.15;
  /// A candidate joins a patch if it lies below the hull of the others by more than this part of the contact
  /// offset. The certificate asks for half of it, so smaller bumps are never felt. Sane: 0.05 to 0.5.
  double bump = 0.25;
  /// Rounding of places in a patch, in parts of its size: corners nearer to a side are no corners.
  /// Sane: 1e-12 to 1e-6.
  double corner_round_off = 1e-9;
  /// Gaps that differ by less than this part of the shell are alike: the choice among them does not flicker.
  /// Sane: 1e-9 to 1e-3.
  double gap_grain = 1e-6;
  /// A search by place looks this many times as far as it must: rounding. Sane: above 1.
  double search_reach = 1.001;
};

/// Effort of the proof that shapes stay apart (certificate.h). No choice makes a wrong proof; a poor one
/// gives up on a drift that was safe.
struct CertificateParameters {
  /// Looks at a pair of primitives in one drift. Sane: 16 to 1000.
  int most_evaluations = 64;
  /// A gap below 1 + this times the distance to certify is too near: the search for the time of approach
  /// ends. Sane: 1e-6 to 0.05, well below contact::ContactParameters::inconclusive_ratio - 1.
  double too_near = 1e-3;
  /// Vertices within this part of the size are equally far: rounding. Sane: 1e-9 to 1e-3.
  double level = 1e-6;
  /// Sine. Edges that cross at less have no plane between them: rounding, 1e-15 of the size, would be
  /// magnified by more than a hundred. Sane: 1e-3 to 0.1.
  double crossing_edges = 0.01;
  /// Cosine. A cylinder or cone is touched on its side where the normal is across the side up to this.
  /// Sane: 1e-9 to 1e-3.
  double on_side = 1e-6;
  /// In parts of the coordinates: an axis passes the centre of mass up to these roundings. Sane: 4 to 64
  /// epsilon.
  double on_axis = 8 * std::numeric_limits<double>::epsilon();
  /// A capsule whose axis turns by less than this part of its spin rolls. Then its spin is left out, at the
  /// cost of a bound of second order. Sane: 1e-3 to 0.1.
  double rolling = 0.01;
  /// Non-convex shapes are certified in pieces of a drift. None is longer than this part of the smaller
  /// shape, unless there would be too many. Sane: 0.05 to 1, 16 to 4096.
  double piece = 0.25, most_pieces = 256;
};

struct CollisionParameters {
  ManifoldParameters manifold;
  PatchParameters patch;
  CertificateParameters certificate;
};

/// Polyhedra (polyhedron.h).
struct PolyhedronParameters {
  /// Sine. An edge whose faces turn by less lies inside a face and is never touched by itself: far above the
  /// rounding of a normal, far below what a modeller means. Sane: 1e-9 to 1e-3.
  double flat_edge = 1e-6;
  /// How far outside a face or beyond the end of an edge a foot may lie and still count, in parts of its
  /// length: rounding. Sane: 1e-12 to 1e-6.
  double border = 1e-9;
  /// A surface with more faces is never taken for convex: the test is quadratic. Sane: 1000 to 20000.
  size_t most_convex_faces = 4096;
  /// A box round more items is not turned: what is curved is not flat in any frame. Sane: 16 to 1000.
  uint32_t most_turned_items = 128;
};
inline constexpr PolyhedronParameters kPolyhedron;

/// Distances (distance.h).
struct DistanceParameters {
  /// Rounding of a computed distance, in epsilon times the coordinates and sizes that enter. Sane: 8 to 64.
  double round_off = 16;
  /// m. Only between these has the product of four lengths all its digits.
  double least_size = 1e-60, largest_size = 1e60;
  /// Squared sine. Above it the determinant of two segments loses next to nothing: places are wrong by
  /// rounding over this, distances by rounding over its root. Sane: 0.05 to 0.5.
  double oblique = 0.25;
  /// In parts of the coordinates. The normal between nearer points comes from the features. Sane: 1e-9 to
  /// 1e-4.
  double near = 1e-6;
  /// Descents go on from the last one until the shapes have moved by so many sizes. A move is taken as longer
  /// by this part of itself and so many epsilon of the size: rounding of its bound. Sane: 8 to 1000; above 0;
  /// 64 to 4096.
  double longest_way = 64, way_round_off = 1e-9, way_roundings = 256;
  /// 1 - cosine: along its normal, up to this, a half-space ends. Sane: 1e-15 to 1e-9.
  double along_plane = 1e-12;
  /// m: a guess of a direction from two places is never zero.
  double no_direction = 1e-300;
};
inline constexpr DistanceParameters kDistance;

/// Distance of convex sets (gjk.h).
struct GjkParameters {
  /// Iterations. Smooth shapes take about 20. Sane: 64 to 1000.
  int most_iterations = 128;
  /// Upper and lower bound agree up to this, in parts of the distance and the size. Sane: 1e-14 to 1e-10.
  double agree = 1e-13;
  /// A difference below this part of the size is rounding: the sets meet. Sane: 4 to 64 epsilon.
  double meet = 8 * 0x1p-52;
  /// So is this one, if no direction was found that separates them. Sane: 1e-13 to 1e-10.
  double meet_unseparated = 1e-12;
  /// And this one, if the simplex is too thin to say on which side of its faces the origin lies. Sane: 1e-11
  /// to 1e-7.
  double thin = 1e-9;
  /// Steps with care once rounding has ended the plain search. Sane: 16 to 256.
  int most_careful_steps = 64;
};
inline constexpr GjkParameters kGjk;

/// Ways out of an overlap at the start (escape.h).
struct EscapeParameters {
  /// Turns of the direction of lifting. Sane: 8 to 100.
  int most_turns = 32;
  /// A turn must save this part of the way. Sane: 1e-9 to 1e-3.
  double shorter = 1e-6;
  /// Shapes are lifted beyond the overlap by this factor: a distance is left to be measured. Sane: 1.001 to
  /// 1.1.
  double beyond_depth = 1.01;
  /// An escape is found if it gains more than this part of the depth. Sane: 0.1 to 0.9.
  double least_gain = 0.5;
};
inline constexpr EscapeParameters kEscape;

/// Broad phases (dynamic_tree.h, sweep_and_prune.h). They change the effort, never the pairs.
struct BroadPhaseParameters {
  /// m from the origin: surface areas stay below the largest float.
  double tree_reach = 1e18;
  /// In extents of all items: a farther origin takes six of a float's 24 bits. Sane: 8 to 1024.
  double far_origin = 64;
  /// In parts of an item's size: a fat box exceeds it on all sides by this. Rest and jitter cost nothing.
  /// Sane: 0 to 0.1.
  float fat_margin = 0.02f;
  /// Steps of the present motion that a fat box is to last, and how far it reaches at most, in parts of an
  /// item's size: a longer reach makes too many fat pairs. Sane: 4 to 50, 0.1 to 2.
  float look_ahead = 12, most_ahead = 0.5f;
  /// A tree is built anew when one item in so many has to move. Sane: 2 to 100.
  size_t rebuild_part = 8;
  /// Pairs whose boxes are fetched ahead of use. Sane: 4 to 64.
  size_t pairs_ahead = 16;
  /// A split that leaves less than one part in so many makes the tree too deep: the median is taken. Sane: 4
  /// to 32.
  size_t smallest_part = 8;
  /// Exchanges of the sweep in units of n log n, above which it sorts anew: a comparison costs about as much
  /// as an exchange. Sane: 1 to 16.
  uint64_t most_exchanges = 4;
};
inline constexpr BroadPhaseParameters kBroadPhase;

/// Bisections for the time up to which a plane separates (carried_plane.h): 2^-40 of a drift leads nowhere.
inline constexpr int kTimeBisections = 40;
/// Candidates that are compared one by one; more are found by place (patch.h). Sane: 8 to 100.
inline constexpr size_t kFewPlaces = 24;
/// Number of a cell beyond which all places share one, and 1 over the size of a cell that has no inverse: far
/// beyond what is measurable. Everything is still found.
inline constexpr double kFarthestCell = 1e15, kFinestGrid = 1e300;

}  // namespace tumble::collision
