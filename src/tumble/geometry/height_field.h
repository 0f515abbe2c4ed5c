// Terrain as heights over a rectangle.
#pragma once

#include <span>

#include "tumble/geometry/triangle_mesh.h"

namespace tumble::geometry {

/// An open sheet centred on the origin, facing +Y, `extent_x` by `extent_z` metres. Heights (y) are given row
/// by row from -z to +z, each row from -x to +x. Vertices have the same order. The cell between rows r, r + 1
/// and columns c, c + 1 has the triangles 2 (r (columns - 1) + c) and the next one. Its diagonal runs from
/// (r, c + 1) to (r + 1, c). Needs at least two rows and two columns, and complete rows.
TriangleMesh build_height_field(std::span<const double> heights, size_t columns, double extent_x,
                                double extent_z);

}  // namespace tumble::geometry
