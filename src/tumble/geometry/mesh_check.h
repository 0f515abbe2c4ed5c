// Checks whether a mesh is the surface of a solid. Reports every fault with its count and first occurrence.
#pragma once

#include <string>
#include <vector>

#include "tumble/geometry/triangle_mesh.h"

namespace tumble::geometry {

enum class MeshFault {
  empty,                     // no triangles
  not_finite,                // a coordinate is NaN or infinite
  index_out_of_range,        // a corner is not the number of a vertex
  degenerate_triangle,       // two equal corners, or area zero
  duplicate_triangle,        // the same three corners twice, in any order
  open_edge,                 // an edge with one triangle
  non_manifold_edge,         // an edge with more than two triangles
  non_manifold_vertex,       // the triangles around a vertex are not one fan
  inconsistent_orientation,  // two neighbours have their edge in the same direction
  inside_out,        // closed and consistent, but the enclosed volume is negative, or a shell has the wrong
                     // orientation for its nesting (a cavity faces inwards)
  duplicate_vertex,  // two vertices at the same point
  self_intersection  // two triangles intersect or touch apart from a shared corner or edge
};

struct FaultCount {
  MeshFault fault;
  size_t count = 0;
  size_t first = 0;  // the first faulty triangle or vertex (for edges the lower vertex), from 0
  // "12 open edges (first between vertex 907 at (0, 1, 0) and vertex 911 at (0, 1, 1))", with the numbers and
  // lines of the file of the mesh. The first fault of a report begins with the name of that file.
  std::string description;
};

/// All checks but duplicate_vertex treat vertices at the same point as one. A repeated triangle is reported
/// only as duplicate_triangle. So each cause is reported once. If coordinates or indices are invalid
/// (not_finite, index_out_of_range), nothing else is checked.
struct MeshReport {
  std::vector<FaultCount> faults;  // in the order of MeshFault
  bool has(MeshFault fault) const;
  const FaultCount* find(MeshFault fault) const;
  /// True if mass properties of the enclosed solid are defined and positive.
  bool is_solid() const { return faults.empty(); }
};

struct MeshCheckOptions {
  bool self_intersection = true;  // the only check that is not linear in the number of triangles
};

MeshReport check_mesh(const TriangleMesh& mesh, const MeshCheckOptions& options = {});

/// A mesh after repair. `changes` has one sentence per change.
struct RepairedMesh {
  TriangleMesh mesh;
  std::vector<std::string> changes;
};
/// Merges vertices at equal positions, and flips a closed mesh if all of its shells are inside-out. Changes
/// nothing else.
RepairedMesh repair_mesh(TriangleMesh mesh);

}  // namespace tumble::geometry
