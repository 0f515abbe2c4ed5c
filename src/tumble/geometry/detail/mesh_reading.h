// What the three mesh readers share: collecting faults, cutting text into words, numbers, polygons.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tumble/core/expected.h"
#include "tumble/geometry/triangle_mesh.h"

namespace tumble::geometry::detail {

/// Vertices are numbered in 32 bits, and the largest number means "none".
inline constexpr size_t kMaxVertices = 0xfffffffeu;

/// The faults of one file. A file that is wrong everywhere is not worth reading to its end: `full` says stop.
class FaultList {
 public:
  explicit FaultList(std::string file) : file_(std::move(file)) {}
  void add_line(size_t line, std::string message);
  void add_byte(size_t byte, std::string message);
  void warn_byte(size_t byte, std::string message);
  bool full() const { return errors_ >= kMaxFaults; }
  bool any() const { return errors_ > 0; }
  /// The mesh when there was no fault, else the faults. `source` without its file.
  core::Expected<TriangleMesh> finish(TriangleMesh mesh, MeshSource source) &&;

 private:
  static constexpr size_t kMaxFaults = 20;
  std::string file_;
  core::Diagnostics diagnostics_;
  size_t errors_ = 0;
};

/// Words of a text with the lines they stand on. Lines end with LF, CR LF or CR.
class TextCursor {
 public:
  explicit TextCursor(std::string_view text, size_t first_line = 1) : text_(text), line_(first_line) {}
  bool at_end() const { return at_ >= text_.size(); }
  size_t line() const { return line_; }
  size_t offset() const { return at_; }
  size_t bytes_left() const { return text_.size() - at_; }
  /// The next word of this line, or nothing at its end. With `joined` a backslash at the end of a line joins
  /// it to the next one, and # starts a comment (OBJ).
  std::optional<std::string_view> word(bool joined = false);
  /// The next word on this line or a later one, or nothing at the end of the text.
  std::optional<std::string_view> word_anywhere();
  /// Moves to the start of the next line.
  void next_line();
  /// The rest of this line, without its end; moves to the next line.
  std::string_view rest_of_line();

 private:
  size_t line_end_length(size_t at) const;  // 0 when no line ends here
  std::string_view text_;
  size_t at_ = 0;
  size_t line_;
};

/// A piece of the input fit for a message: in quotes, printable, not too long.
std::string quoted(std::string_view text);

std::optional<long long> parse_integer(std::string_view text);
/// A finite number (a leading + is allowed), independent of the locale. What is wrong is said in `why`.
std::optional<double> parse_number(std::string_view text, std::string& why);

/// ASCII lower case.
std::string lower_case(std::string_view text);

/// A line as MeshSource keeps it.
inline uint32_t kept_line(size_t line) { return static_cast<uint32_t>(std::min<size_t>(line, UINT32_MAX)); }

/// Polygons as triangles: a fan at once, cut again by split_concave once all vertices are known.
class PolygonList {
 public:
  void add(const std::vector<uint32_t>& corners, TriangleMesh& mesh);
  /// The polygon each triangle is part of; empty when each is its own.
  std::vector<uint32_t> polygon_of_triangle(const TriangleMesh& mesh) const;
  /// A fan folds over itself where a polygon is not convex: those are cut by ears instead.
  void split_concave(TriangleMesh& mesh) const;

 private:
  struct Fan {
    size_t first_triangle, triangles;
  };
  std::vector<Fan> fans_;  // polygons of more than three corners
};

}  // namespace tumble::geometry::detail
