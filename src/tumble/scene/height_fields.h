// The height fields of a scene, from numbers in it or in files of their own.
#pragma once

#include <memory>

#include "tumble/geometry/triangle_mesh.h"
#include "tumble/scene/reader.h"

namespace tumble::scene::detail {

/// Heights row by row, every row full.
struct HeightGrid {
  size_t columns = 0;
  std::vector<double> heights;  // m
};

/// Text with one row of blank-separated heights a line; # begins a comment, empty lines are passed over. Empty when
/// something is wrong, and then said with its line and column.
std::optional<HeightGrid> parse_heights(std::string_view text, const std::string& shown,
                                        core::Diagnostics& diagnostics);

class HeightFieldLibrary {
 public:
  HeightFieldLibrary(Files& files, core::Diagnostics& diagnostics)
      : files_(files), diagnostics_(diagnostics) {}

  /// The sheet of a <height-field> element; null when its heights cannot be used.
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
