#include "tumble/geometry/mesh_io.h"

#include <charconv>
#include <cmath>

#include "tumble/geometry/detail/byte_order.h"
#include "tumble/geometry/detail/mesh_reading.h"

namespace tumble::geometry {

namespace {

enum class MeshFormat { obj, stl, ply };

std::optional<MeshFormat> find_format(const std::string& name) {
  const size_t dot = name.rfind('.');
  if (dot == name.npos) return std::nullopt;
  const std::string extension = detail::lower_case(std::string_view(name).substr(dot));
  if (extension == ".obj") return MeshFormat::obj;
  if (extension == ".stl") return MeshFormat::stl;
  if (extension == ".ply") return MeshFormat::ply;
  return std::nullopt;
}

core::Diagnostic unknown_format(const std::string& name) {
  return core::error_at({name}, "is not a mesh file this program knows (.obj, .stl or .ply)");
}

void append_number(std::string& text, double value) {
  char digits[32];
  const auto result = std::to_chars(digits, digits + sizeof digits, value);  // shortest that reads back equal
  text.append(digits, result.ptr);
}

std::string write_obj(const TriangleMesh& mesh) {
  std::string text;
  for (const math::Vec3& v : mesh.vertices) {
    text += 'v';
    for (int i = 0; i < 3; ++i) append_number(text += ' ', v[i]);
    text += '\n';
  }
  for (const Triangle& t : mesh.triangles) {
    text += 'f';
    for (const uint32_t corner : t) text += ' ' + std::to_string(uint64_t{corner} + 1);
    text += '\n';
  }
  return text;
}

std::string write_stl(const TriangleMesh& mesh) {
  std::string bytes = "binary STL written by tumble";
  bytes.resize(80, ' ');
  detail::append_little(bytes, static_cast<uint32_t>(mesh.triangles.size()));
  for (const Triangle& t : mesh.triangles) {
    const math::Vec3 &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    const math::Vec3 normal = (b - a).cross(c - a);
    const double length = normal.norm();
    for (int i = 0; i < 3; ++i)
      detail::append_little(bytes, length > 0 ? static_cast<float>(normal[i] / length) : 0.0f);
    for (const uint32_t corner : t)
      for (int i = 0; i < 3; ++i) detail::append_little(bytes, static_cast<float>(mesh.vertices[corner][i]));
    bytes.append(2, '\0');
  }
  return bytes;
}

std::string write_ply(const TriangleMesh& mesh) {
  std::string bytes =
      "ply\nformat binary_little_endian 1.0\nelement vertex " + std::to_string(mesh.vertices.size()) +
      "\nproperty double x\nproperty double y\nproperty double z\nelement face " +
      std::to_string(mesh.triangles.size()) + "\nproperty list uchar uint vertex_indices\nend_header\n";
  for (const math::Vec3& v : mesh.vertices)
    for (int i = 0; i < 3; ++i) detail::append_little(bytes, v[i]);
  for (const Triangle& t : mesh.triangles) {
    bytes += '\3';
    for (const uint32_t corner : t) detail::append_little(bytes, corner);
  }
  return bytes;
}

// Faults that no format can represent. `limit` is the largest coordinate of the format.
core::Diagnostics find_unwritable(const TriangleMesh& mesh, double limit, const std::string& name) {
  core::Diagnostics faults;
  for (size_t i = 0; i < mesh.vertices.size() && faults.empty(); ++i)
    if (!(mesh.vertices[i].cwiseAbs().maxCoeff() <= limit) || !mesh.vertices[i].allFinite())
      faults.push_back(core::error_at({name}, "cannot be written: vertex " + std::to_string(i) +
                                                  " is not finite or too large for the format"));
  for (size_t i = 0; i < mesh.triangles.size(); ++i)
    for (const uint32_t corner : mesh.triangles[i])
      if (corner >= mesh.vertices.size())
        return {core::error_at({name}, "cannot be written: triangle " + std::to_string(i) + " names vertex " +
                                           std::to_string(corner) + " of " +
                                           std::to_string(mesh.vertices.size()))};
  return faults;
}

}  // namespace

bool is_mesh_file(const std::string& name) { return find_format(name).has_value(); }

core::Expected<TriangleMesh> read_mesh(std::string_view bytes, const std::string& name) {
  const auto format = find_format(name);
  if (format == MeshFormat::obj) return read_obj(bytes, name);
  if (format == MeshFormat::stl) return read_stl(bytes, name);
  if (format == MeshFormat::ply) return read_ply(bytes, name);
  return unknown_format(name);
}

core::Expected<std::string> write_mesh(const TriangleMesh& mesh, const std::string& name) {
  const auto format = find_format(name);
  if (!format) return unknown_format(name);
  const double limit =
      format == MeshFormat::stl ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  core::Diagnostics faults = find_unwritable(mesh, limit, name);
  if (format == MeshFormat::stl && mesh.triangles.size() > 0xffffffffu)
    faults.push_back(
        core::error_at({name}, "cannot be written: binary STL holds at most 4294967295 triangles"));
  if (!faults.empty()) return faults;
  if (format == MeshFormat::obj) return write_obj(mesh);
  if (format == MeshFormat::stl) return write_stl(mesh);
  return write_ply(mesh);
}

}  // namespace tumble::geometry
