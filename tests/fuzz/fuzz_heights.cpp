// Arbitrary bytes as a file of heights. The result is a grid that makes a sheet, or faults with their
// location.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "tumble/geometry/height_field.h"
#include "tumble/scene/height_fields.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tumble;
  core::Diagnostics faults;
  const auto grid =
      scene::detail::parse_heights({reinterpret_cast<const char*>(data), size}, "fuzz.txt", faults);
  if (grid.has_value() != faults.empty()) std::abort();
  for (const core::Diagnostic& fault : faults)
    if (to_string(fault).find('\n') != std::string::npos) std::abort();  // one line per fault
  if (!grid) return 0;
  const geometry::TriangleMesh sheet = geometry::build_height_field(grid->heights, grid->columns, 2, 3);
  if (sheet.vertices.size() != grid->heights.size()) std::abort();
  for (const geometry::Triangle& t : sheet.triangles)
    for (const uint32_t corner : t)
      if (corner >= sheet.vertices.size()) std::abort();
  return 0;
}
