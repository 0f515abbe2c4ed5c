// Common parts of the three mesh readers: fault lists, tokens of text, numbers, polygons.
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

/// Vertices are numbered with 32 bits. The largest number means "none".
inline constexpr size_t kMaxVertices = 0xfffffffeu;

/// The faults of one file. When the list is `full`, reading stops: the file has faults everywhere.
class FaultList {
 public:
  explicit FaultList(std::string file) : file_(std::move(file)) {}
  void add_line(size_t line, std::string message);
  void add_byte(size_t byte, std::string message);
  void warn_byte(size_t byte, std::string message);
  bool full() const { return errors_ >= kMaxFaults; }
  bool any() const { return errors_ > 0; }
  /// The mesh if there was no fault, else the faults. Sets the file of `source`.
  core::Expected<TriangleMesh> finish(TriangleMesh mesh, MeshSource source) &&;

 private:
  static constexpr size_t kMaxFaults = 20;
  std::string file_;
  core::Diagnostics diagnostics_;
  size_t errors_ = 0;
};

/// Splits a text into words and counts lines. Lines end with LF, CR LF or CR.
class TextCursor {
 public:
  explicit TextCursor(std::string_view text, size_t first_line = 1) : text_(text), line_(first_line) {}
  bool at_end() const { return at_ >= text_.size(); }
  size_t line() const { return line_; }
  size_t offset() const { return at_; }
  size_t bytes_left() const { return text_.size() - at_; }
  /// The next word of this line, or nothing at its end. If `joined`, a backslash at the end of a line joins
  /// it to the next one, and # starts a comment (OBJ).
  std::optional<std::string_view> word(bool joined = false);
  /// The next word on this line or a later one, or nothing at the end of the text.
  std::optional<std::string_view> word_anywhere();
  /// Moves to the start of the next line.
  void next_line();
  /// The rest of this line, without its end; moves to the next line.
  std::string_view rest_of_line();

 private:
  size_t line_end_length(size_t at) const;  // 0 if no line ends here
  std::string_view text_;
  size_t at_ = 0;
  size_t line_;
};

/// A part of the input for a message: quoted, printable and shortened.
std::string quoted(std::string_view text);

std::optional<long long> parse_integer(std::string_view text);
/// Parses a finite number, independent of the locale. A leading + is allowed. `why` says what is wrong.
std::optional<double> parse_number(std::string_view text, std::string& why);

/// ASCII lower case.
std::string lower_case(std::string_view text);

/// A line number in the type that MeshSource stores.
inline uint32_t line_number(size_t line) { return static_cast<uint32_t>(std::min<size_t>(line, UINT32_MAX)); }

/// Converts polygons to triangles: first to fans, then by split_concave once all vertices are known.
class PolygonList {
 public:
  void add(const std::vector<uint32_t>& corners, TriangleMesh& mesh);
  /// The polygon of each triangle. Empty if every polygon is a triangle.
  std::vector<uint32_t> polygon_of_triangle(const TriangleMesh& mesh) const;
  /// A fan of a polygon that is not convex overlaps itself. Replaces such fans by ear clipping.
  void split_concave(TriangleMesh& mesh) const;

 private:
  struct Fan {
    size_t first_triangle, triangles;
  };
  std::vector<Fan> fans_;  // polygons of more than three corners
};

}  // namespace tumble::geometry::detail
