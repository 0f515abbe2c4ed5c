#include "tumble/scene/meshes.h"

#include <utility>

#include "tumble/geometry/mesh_check.h"
#include "tumble/geometry/mesh_io.h"

namespace tumble::scene::detail {

const MeshLibrary::MeshFile& MeshLibrary::read_once(const FilePath& path) {
  const auto [entry, is_new] = by_key_.try_emplace(path.key);
  MeshFile& file = entry->second;
  if (!is_new) return file;
  if (!geometry::is_mesh_file(path.key)) {
    file.fault = "has an unknown format; expected .obj, .stl or .ply";
    return file;
  }
  const core::Expected<std::string> bytes = files_.read(path);
  if (!bytes) {
    file.fault = bytes.diagnostics().front().message;
    return file;
  }
  core::Expected<geometry::TriangleMesh> mesh = geometry::read_mesh(*bytes, path.shown);
  diagnostics_.insert(diagnostics_.end(), mesh.diagnostics().begin(), mesh.diagnostics().end());
  if (!mesh) {
    file.fault = "has faults; they are listed with its name";
    return file;
  }
  geometry::RepairedMesh repaired = geometry::repair_mesh(std::move(mesh).value());
  file.mesh = std::make_shared<const geometry::TriangleMesh>(std::move(repaired.mesh));
  file.changes = std::move(repaired.changes);
  return file;
}

std::shared_ptr<const geometry::TriangleMesh> MeshLibrary::load(const Element& element,
                                                                const std::string& named_in_key) {
  const Field& file = *element.find("file");
  const FilePath path = files_.resolve(named_in_key, file.text);
  const MeshFile& read = read_once(path);
  if (read.mesh == nullptr) {
    diagnostics_.push_back(
        core::error_at(file.place, "the mesh file " + quote(path.shown) + " " + read.fault));
    return nullptr;
  }
  for (const std::string& change : read.changes)
    diagnostics_.push_back(
        core::warning_at(file.place, "mesh " + quote(element.text("name")) + ": " + change));

  const std::vector<double>& factors = element.find("scale")->numbers;
  const math::Vec3 scale = factors.size() == 1 ? math::Vec3(math::Vec3::Constant(factors[0]))
                                               : math::Vec3(factors[0], factors[1], factors[2]);
  if (scale == math::Vec3::Ones()) return read.mesh;
  return std::make_shared<const geometry::TriangleMesh>(scaled(*read.mesh, scale));
}

geometry::TriangleMesh scaled(geometry::TriangleMesh mesh, const math::Vec3& scale) {
  for (math::Vec3& vertex : mesh.vertices) vertex = vertex.cwiseProduct(scale);
  if (mesh.source) {
    geometry::MeshSource source = *mesh.source;
    source.scale = source.scale.cwiseProduct(scale);
    mesh.source = std::make_shared<const geometry::MeshSource>(std::move(source));
  }
  int mirrors = 0;
  for (const double factor : scale) mirrors += factor < 0;  // counts signs, because the product may underflow
  if (mirrors % 2 == 1)
    for (geometry::Triangle& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
  return mesh;
}

}  // namespace tumble::scene::detail
