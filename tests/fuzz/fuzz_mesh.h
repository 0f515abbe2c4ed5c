// Common part of all mesh fuzz targets: reads the bytes, and passes the resulting mesh to check, repair, mass
// and hull.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tumble/geometry/convex_hull.h"
#include "tumble/geometry/mass_properties.h"
#include "tumble/geometry/mesh_check.h"
#include "tumble/geometry/mesh_io.h"

namespace tumble::fuzz {

inline void require(bool condition) {
  if (!condition) std::abort();
}

template <typename Read>
int read_and_use(const uint8_t* data, size_t size, Read&& read) {
  const auto mesh = read(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  for (const auto& d : mesh.diagnostics())  // every fault has a location
    require(d.place.line > 0 || d.place.byte >= 0 || d.message.find("reading stopped") != std::string::npos);
  if (!mesh) return 0;
  // A reader promises finite coordinates and corners that exist.
  const auto report = geometry::check_mesh(*mesh, {.self_intersection = mesh->triangles.size() < 500});
  require(!report.has(geometry::MeshFault::not_finite) &&
          !report.has(geometry::MeshFault::index_out_of_range));
  require(report.faults.empty() == report.is_solid());
  if (mesh->triangles.size() >= 500) return 0;

  const geometry::RepairedMesh repaired = geometry::repair_mesh(*mesh);
  require(!geometry::check_mesh(repaired.mesh).has(geometry::MeshFault::duplicate_vertex));
  require(repaired.mesh.triangles.size() == mesh->triangles.size());
  geometry::mesh_mass(1000, repaired.mesh);

  // The hull of the vertices is valid, or there is an error.
  if (const auto hull = geometry::build_convex_hull(mesh->vertices))
    require(geometry::find_hull_fault(*hull, mesh->vertices).empty());

  // The mesh can be written and reads back equal.
  const auto bytes = geometry::write_mesh(*mesh, "fuzz.ply");
  require(static_cast<bool>(bytes));
  const auto again = geometry::read_ply(*bytes, "fuzz.ply");
  require(again && again->vertices == mesh->vertices && again->triangles == mesh->triangles);
  return 0;
}

}  // namespace tumble::fuzz
