// The height fields of a scene. Heights are in the scene or in separate files.
#pragma once

#include <memory>

#include "tumble/geometry/triangle_mesh.h"
#include "tumble/scene/reader.h"

namespace tumble::scene::detail {

/// Heights row by row. All rows have the same length.
struct HeightGrid {
  size_t columns = 0;
  std::vector<double> heights;  // m
};

/// Reads text with one row per line, heights separated by spaces. # begins a comment; empty lines are
/// ignored. Reports faults with line and column, and then returns nothing.
std::optional<HeightGrid> parse_heights(std::string_view text, const std::string& shown,
                                        core::Diagnostics& diagnostics);

class HeightFieldLibrary {
 public:
  HeightFieldLibrary(Files& files, core::Diagnostics& diagnostics)
      : files_(files), diagnostics_(diagnostics) {}

  /// The mesh of a <height-field> element; null if its heights have faults.
  std::shared_ptr<const geometry::TriangleMesh> load(const Element& element, const std::string& named_in_key);

 private:
  struct HeightFile {
    std::optional<HeightGrid> grid;
    std::string fault;  // why there is none
  };
  const HeightFile& read_once(const FilePath& path);
  std::optional<HeightGrid> grid_of(const Element& element, const std::string& named_in_key);
  void fail(const core::Place& place, std::string message);

  Files& files_;
  core::Diagnostics& diagnostics_;
  std::map<std::string, HeightFile> by_key_;
};

}  // namespace tumble::scene::detail
