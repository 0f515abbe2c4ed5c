// The triangle meshes of a scene.
#pragma once

#include <memory>

#include "tumble/geometry/triangle_mesh.h"
#include "tumble/scene/reader.h"

namespace tumble::scene::detail {

class MeshLibrary {
 public:
  MeshLibrary(Files& files, core::Diagnostics& diagnostics) : files_(files), diagnostics_(diagnostics) {}

  /// The mesh of a <mesh> element, repaired and scaled; null if its file has faults.
  std::shared_ptr<const geometry::TriangleMesh> load(const Element& element, const std::string& named_in_key);

 private:
  struct MeshFile {
    std::shared_ptr<const geometry::TriangleMesh> mesh;  // null: see `fault`
    std::vector<std::string> changes;                    // what was repaired
    std::string fault;
  };
  const MeshFile& read_once(const FilePath& path);

  Files& files_;
  core::Diagnostics& diagnostics_;
  std::map<std::string, MeshFile> by_key_;
};

/// The mesh scaled along its axes. If that mirrors it, the triangles are reversed, so that normals still
/// point outwards.
geometry::TriangleMesh scaled(geometry::TriangleMesh mesh, const math::Vec3& scale);

}  // namespace tumble::scene::detail
