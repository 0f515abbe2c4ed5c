#include "tumble/geometry/height_field.h"

#include "tumble/core/require.h"

namespace tumble::geometry {

TriangleMesh build_height_field(std::span<const double> heights, size_t columns, double extent_x,
                                double extent_z) {
  TUMBLE_REQUIRE(columns >= 2 && heights.size() % columns == 0 && heights.size() / columns >= 2,
                 "a height field has at least two full rows of two heights");
  TUMBLE_REQUIRE(heights.size() < UINT32_MAX, "vertices are numbered in 32 bits");
  const size_t rows = heights.size() / columns;
  // Symmetric about 0 to the last bit.
  const auto along = [](size_t i, size_t count, double extent) {
    const double last = static_cast<double>(count - 1);
    return extent * ((2 * static_cast<double>(i) - last) / (2 * last));
  };
  TriangleMesh mesh;
  mesh.vertices.reserve(heights.size());
  mesh.triangles.reserve(2 * (rows - 1) * (columns - 1));
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c)
      mesh.vertices.emplace_back(along(c, columns, extent_x), heights[r * columns + c],
                                 along(r, rows, extent_z));
  for (size_t r = 0; r + 1 < rows; ++r)
    for (size_t c = 0; c + 1 < columns; ++c) {
      const auto a = static_cast<uint32_t>(r * columns + c), d = static_cast<uint32_t>(a + columns);
      mesh.triangles.push_back({a, d, a + 1});
      mesh.triangles.push_back({a + 1, d, d + 1});
    }
  return mesh;
}

}  // namespace tumble::geometry
