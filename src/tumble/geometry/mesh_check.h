// Is a mesh the surface of a solid? Every fault with its count and its first offender.
#pragma once

#include <string>
#include <vector>

#include "tumble/geometry/triangle_mesh.h"

namespace tumble::geometry {

enum class MeshFault {
  empty,                     // no triangles
  not_finite,                // a coordinate is NaN or infinite
  index_out_of_range,        // a triangle names a vertex that is not there
  degenerate_triangle,       // two equal corners, or area zero
  duplicate_triangle,        // the same three corners twice, whatever their order
  open_edge,                 // an edge with one triangle
  non_manifold_edge,         // an edge with more than two triangles
  non_manifold_vertex,       // the triangles round a vertex are not one fan
  inconsistent_orientation,  // two neighbours run along their edge in the same direction
  inside_out,        // closed and consistent, but the enclosed volume is negative, or a shell faces the
                     // wrong way for where it is nested (a cavity faces inwards)
  duplicate_vertex,  // two vertices at the same point
  self_intersection  // two triangles cross or touch where they share no corner or edge
};

struct FaultCount {
  MeshFault fault;
  size_t count = 0;
  size_t first = 0;  // the first offending triangle or vertex (for edges the lower vertex), from 0
  // "12 open edges (first between vertex 907 at (0, 1, 0) and vertex 911 at (0, 1, 1))", with the numbers and lines of the
  // file the mesh came from; the first fault of a report begins with the name of that file.
  std::string description;
};

/// Vertices at the same point count as one for every check but duplicate_vertex, and a repeated triangle only
/// as duplicate_triangle: each cause is named once. Without usable numbers (not_finite, index_out_of_range)
/// nothing else is looked at.
struct MeshReport {
  std::vector<FaultCount> faults;  // in the order of MeshFault
  bool has(MeshFault fault) const;
  const FaultCount* find(MeshFault fault) const;
  /// True when mass properties of the enclosed solid are defined and positive.
  bool is_solid() const { return faults.empty(); }
};

struct MeshCheckOptions {
  bool self_intersection = true;  // the one check that is not linear in the number of triangles
};

MeshReport check_mesh(const TriangleMesh& mesh, const MeshCheckOptions& options = {});

/// Merges vertices at equal positions and turns a closed mesh whose every shell is inside-out the right way;
/// says what it did, one sentence per change, empty when nothing was. Nothing else is ever changed.
struct Mended {
  TriangleMesh mesh;
  std::vector<std::string> changes;
};
Mended mend_mesh(TriangleMesh mesh);

}  // namespace tumble::geometry
