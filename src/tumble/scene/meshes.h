// The triangle meshes a scene names.
#pragma once

#include <memory>

#include "tumble/geometry/triangle_mesh.h"
#include "tumble/scene/reader.h"

namespace tumble::scene::detail {

class MeshLibrary {
 public:
  MeshLibrary(Files& files, core::Diagnostics& diagnostics) : files_(files), diagnostics_(diagnostics) {}

  /// The mesh of a <mesh> element, mended and scaled; null when its file cannot be used.
  std::shared_ptr<const geometry::TriangleMesh> load(const Element& element, const std::string& named_in_key);

 private:
  struct MeshFile {
    std::shared_ptr<const geometry::TriangleMesh> mesh;  // null: `fault` says why
    std::vector<std::string> changes;                    // what was mended
    std::string fault;
  };
  const MeshFile& read_once(const FilePath& path);

  Files& files_;
  core::Diagnostics& diagnostics_;
  std::map<std::string, MeshFile> by_key_;
};

/// The mesh stretched along its axes; a mirrored one has its triangles turned so that outside stays outside.
geometry::TriangleMesh scaled(geometry::TriangleMesh mesh, const math::Vec3& scale);

}  // namespace tumble::scene::detail
