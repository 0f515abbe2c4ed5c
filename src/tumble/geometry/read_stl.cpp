// STL, text and binary. STL has no vertex numbers: corners at equal positions become one vertex. Binary: 80
// arbitrary bytes, a 32 bit count, then 50 bytes per triangle (normal, 3 corners, 2 unused), all little
// endian. The 80 bytes may begin with "solid", as text files do.
#include <cmath>

#include "tumble/geometry/detail/byte_order.h"
#include "tumble/geometry/detail/mesh_reading.h"
#include "tumble/geometry/detail/point_index.h"
#include "tumble/geometry/mesh_io.h"

namespace tumble::geometry {

namespace {

using detail::lower_case;
using detail::quoted;
using math::Vec3;

constexpr size_t kHeaderBytes = 84;
constexpr size_t kTriangleBytes = 50;

// Collects corners into a mesh with shared vertices.
class SoupBuilder {
 public:
  void add(const std::array<Vec3, 3>& corners) {
    Triangle triangle;
    for (size_t i = 0; i < 3; ++i) {
      const auto next = static_cast<uint32_t>(mesh_.vertices.size());
      triangle[i] = index_.find_or_add(mesh_.vertices, corners[i], next);
      if (triangle[i] == next) mesh_.vertices.push_back(corners[i]);
    }
    mesh_.triangles.push_back(triangle);
  }
  bool full() const { return mesh_.vertices.size() + 3 > detail::kMaxVertices; }
  TriangleMesh take() { return std::move(mesh_); }

 private:
  TriangleMesh mesh_;
  detail::PointIndex index_;
};

// The file has no facet numbers. They are counted from 1.
MeshSource stl_source() {
  MeshSource source;
  source.face_name = "facet";
  source.first_number = 1;
  source.numbers_vertices = false;
  return source;
}

bool begins_with_solid(std::string_view bytes) {
  const size_t start = bytes.find_first_not_of(" \t\r\n");
  return start != bytes.npos && lower_case(bytes.substr(start, 5)) == "solid";
}

bool is_binary(std::string_view bytes) {
  if (bytes.size() >= kHeaderBytes) {
    const auto count = detail::load<uint32_t>(bytes, 80, std::endian::little);
    if (bytes.size() == kHeaderBytes + uint64_t{kTriangleBytes} * count) return true;
  }
  // The sizes do not agree: a text file or a damaged binary file. Text has no zero bytes.
  return !begins_with_solid(bytes) || bytes.substr(0, 1024).find('\0') != bytes.npos;
}

core::Expected<TriangleMesh> read_binary(std::string_view bytes, const std::string& name) {
  detail::FaultList faults(name);
  SoupBuilder soup;
  if (bytes.size() < kHeaderBytes) {
    faults.add_byte(bytes.size(),
                    "the file ends inside the header; neither text STL (which begins with 'solid') "
                    "nor binary STL (which has at least 84 bytes)");
    return std::move(faults).finish({}, {});
  }
  const auto count = detail::load<uint32_t>(bytes, 80, std::endian::little);
  const uint64_t needed = kHeaderBytes + uint64_t{kTriangleBytes} * count;
  if (bytes.size() < needed) {
    faults.add_byte(80, "the count announces " + std::to_string(count) + " triangles (" +
                            std::to_string(needed) + " bytes), but the file has " +
                            std::to_string(bytes.size()) + " bytes; is it complete, and is it STL?");
    return std::move(faults).finish({}, {});
  }
  for (size_t t = 0; t < count && !faults.full(); ++t) {
    std::array<Vec3, 3> corners;
    bool good = true;
    for (size_t i = 0; i < 9; ++i) {
      const size_t at = kHeaderBytes + t * kTriangleBytes + 12 + 4 * i;
      const double value = detail::load<float>(bytes, at, std::endian::little);
      corners[i / 3][static_cast<Eigen::Index>(i % 3)] = value;
      if (std::isfinite(value) || !good) continue;
      good = false;
      faults.add_byte(at, "coordinate of facet " + std::to_string(t + 1) + " is not a finite number");
    }
    if (!good) continue;
    if (soup.full()) {
      faults.add_byte(kHeaderBytes + t * kTriangleBytes,
                      "too many vertices: a mesh has fewer than 4294967295");
      break;
    }
    soup.add(corners);
  }
  if (bytes.size() > needed && !faults.any())
    faults.warn_byte(needed,
                     std::to_string(bytes.size() - needed) + " bytes after the last triangle are ignored");
  return std::move(faults).finish(soup.take(), stl_source());
}

// solid NAME { facet normal X Y Z outer loop { vertex X Y Z } endloop endfacet } endsolid NAME
class TextReader {
 public:
  TextReader(std::string_view bytes, const std::string& name) : text_(bytes), faults_(name) {}

  core::Expected<TriangleMesh> read() && {
    bool inside = false;
    while (!faults_.full()) {
      const auto word = text_.word_anywhere();
      if (!word) break;
      const std::string keyword = lower_case(*word);
      if (keyword == "solid" || keyword == "endsolid") {
        inside = keyword == "solid";
        text_.next_line();  // the rest is a name
      } else if (keyword == "facet" && inside) {
        if (!read_facet()) skip_facet();
      } else {
        faults_.add_line(text_.line(),
                         quoted(*word) + (inside ? " found where 'facet' or 'endsolid' was expected"
                                                 : " found where 'solid' was expected"));
        skip_facet();
      }
    }
    if (inside) faults_.add_line(text_.line(), "the file ends before 'endsolid'; is it complete?");
    MeshSource source = stl_source();
    source.face_lines = std::move(lines_);
    return std::move(faults_).finish(soup_.take(), std::move(source));
  }

 private:
  bool read_facet() {
    const size_t line = text_.line();
    if (!expect("normal")) return false;
    for (int i = 0; i < 3; ++i)  // ignored, the corners define the normal; some programs write nan here
      if (!text_.word_anywhere()) return fault("the file ends inside a facet");
    std::array<Vec3, 3> corners;
    if (!expect("outer") || !expect("loop")) return false;
    for (Vec3& corner : corners)
      if (!expect("vertex") || !read_point(corner)) return false;
    if (!expect("endloop") || !expect("endfacet")) return false;
    if (soup_.full()) return fault("too many vertices: a mesh has fewer than 4294967295");
    soup_.add(corners);
    lines_.push_back(detail::line_number(line));
    return true;
  }

  bool read_point(Vec3& point) {
    for (int i = 0; i < 3; ++i) {
      const auto word = text_.word_anywhere();
      if (!word) return fault("the file ends inside a facet");
      std::string why;
      const auto number = detail::parse_number(*word, why);
      if (!number) return fault("vertex coordinate " + why);
      point[i] = *number;
    }
    return true;
  }

  bool expect(const char* keyword) {
    const auto word = text_.word_anywhere();
    if (!word) return fault("the file ends where '" + std::string(keyword) + "' was expected");
    if (lower_case(*word) == keyword) return true;
    return fault(quoted(*word) + " found where '" + keyword + "' was expected");
  }

  bool fault(std::string message) {
    faults_.add_line(text_.line(), std::move(message));
    return false;
  }

  // After a fault, reading continues after the current facet.
  void skip_facet() {
    while (const auto word = text_.word_anywhere())
      if (lower_case(*word) == "endfacet") return;
  }

  detail::TextCursor text_;
  detail::FaultList faults_;
  SoupBuilder soup_;
  std::vector<uint32_t> lines_;  // of each facet
};

}  // namespace

core::Expected<TriangleMesh> read_stl(std::string_view bytes, const std::string& name) {
  return is_binary(bytes) ? read_binary(bytes, name) : TextReader(bytes, name).read();
}

}  // namespace tumble::geometry
