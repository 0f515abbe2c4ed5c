// Wavefront OBJ: reads vertices (v) and faces (f). All other keywords are for rendering and are skipped.
#include "tumble/geometry/detail/mesh_reading.h"
#include "tumble/geometry/mesh_io.h"

namespace tumble::geometry {

namespace {

using detail::quoted;

class ObjReader {
 public:
  ObjReader(std::string_view bytes, const std::string& name) : text_(bytes), faults_(name) {}

  core::Expected<TriangleMesh> read() && {
    while (!text_.at_end() && !faults_.full()) {
      const auto keyword = text_.word(true);
      if (keyword == "v") read_vertex();
      if (keyword == "f") read_face();
      skip_statement();
    }
    check_forward_references();
    if (!faults_.any()) polygons_.split_concave(mesh_);
    source_.face_name = "face";
    source_.first_number = 1;
    source_.face_numbers = polygons_.polygon_of_triangle(mesh_);
    return std::move(faults_).finish(std::move(mesh_), std::move(source_));
  }

 private:
  void read_vertex() {
    const size_t line = text_.line();
    math::Vec3 vertex;
    for (int i = 0; i < 3; ++i) {
      const auto word = text_.word(true);
      if (!word)
        return faults_.add_line(line, "a vertex needs three coordinates, " + std::to_string(i) + " given");
      std::string why;
      const auto number = detail::parse_number(*word, why);
      if (!number) {
        // Counted nevertheless, so that one bad number does not invalidate every later index.
        mesh_.vertices.push_back(math::Vec3::Zero());
        return faults_.add_line(text_.line(), "vertex coordinate " + why);
      }
      vertex[i] = *number;
    }
    if (mesh_.vertices.size() == detail::kMaxVertices)
      return faults_.add_line(line, "too many vertices: a mesh has fewer than 4294967295");
    mesh_.vertices.push_back(vertex);
    source_.vertex_lines.push_back(detail::line_number(line));
  }

  void read_face() {
    const size_t line = text_.line();
    corners_.clear();
    while (const auto word = text_.word(true)) {
      const auto corner = find_corner(*word);
      if (!corner) return;
      corners_.push_back(*corner);
    }
    if (corners_.size() < 3)
      return faults_.add_line(
          line, "a face needs at least three corners, " + std::to_string(corners_.size()) + " given");
    polygons_.add(corners_, mesh_);
    source_.face_lines.push_back(detail::line_number(line));
  }

  // "v", "v/vt", "v//vn" or "v/vt/vn". Negative numbers count back from the last vertex.
  std::optional<uint32_t> find_corner(std::string_view word) {
    const size_t slash = word.find('/');
    const auto number = detail::parse_integer(word.substr(0, slash));
    const bool rest_is_numbers =
        slash == word.npos || word.find_first_not_of("0123456789-/", slash) == word.npos;
    if (!number || !rest_is_numbers) {
      faults_.add_line(text_.line(), "face corner " + quoted(word) +
                                         " is not a vertex number (expected v, v/vt, v//vn or v/vt/vn)");
      return std::nullopt;
    }
    const auto count = static_cast<long long>(mesh_.vertices.size());
    if (*number == 0 || *number < -count || *number > static_cast<long long>(detail::kMaxVertices)) {
      faults_.add_line(text_.line(), "face corner " + quoted(word) + " names no vertex (" +
                                         std::to_string(count) + " given so far; numbers start at 1)");
      return std::nullopt;
    }
    if (*number > count) forward_.push_back({text_.line(), *number});
    return static_cast<uint32_t>(*number > 0 ? *number - 1 : count + *number);
  }

  // A face may refer to vertices that come later in the file.
  void check_forward_references() {
    for (const auto& [line, number] : forward_)
      if (number > static_cast<long long>(mesh_.vertices.size()))
        faults_.add_line(line, "face corner '" + std::to_string(number) + "' names no vertex (the file has " +
                                   std::to_string(mesh_.vertices.size()) + ")");
  }

  void skip_statement() {
    while (text_.word(true)) {
    }
    text_.next_line();
  }

  struct ForwardReference {
    size_t line;
    long long number;
  };

  detail::TextCursor text_;
  detail::FaultList faults_;
  TriangleMesh mesh_;
  MeshSource source_;
  detail::PolygonList polygons_;
  std::vector<uint32_t> corners_;
  std::vector<ForwardReference> forward_;
};

}  // namespace

core::Expected<TriangleMesh> read_obj(std::string_view bytes, const std::string& name) {
  return ObjReader(bytes, name).read();
}

}  // namespace tumble::geometry
