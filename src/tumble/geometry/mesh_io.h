// Reads and writes triangle meshes as OBJ, STL (text and binary) and PLY (text and binary). Readers take
// bytes, not a path. Every message gives the line (text) or byte (binary).
#pragma once

#include <string>
#include <string_view>

#include "tumble/core/expected.h"
#include "tumble/geometry/triangle_mesh.h"

namespace tumble::geometry {

/// The extension of `name` selects the format. `name` also appears in messages.
core::Expected<TriangleMesh> read_mesh(std::string_view bytes, const std::string& name);

core::Expected<TriangleMesh> read_obj(std::string_view bytes, const std::string& name);
core::Expected<TriangleMesh> read_stl(std::string_view bytes, const std::string& name);
core::Expected<TriangleMesh> read_ply(std::string_view bytes, const std::string& name);

/// True for the extensions that read_mesh supports (.obj .stl .ply, in any case).
bool is_mesh_file(const std::string& name);

/// The bytes of a mesh file. The extension of `name` selects the format. OBJ and PLY preserve numbers to the
/// bit. STL has single precision by definition.
core::Expected<std::string> write_mesh(const TriangleMesh& mesh, const std::string& name);

}  // namespace tumble::geometry
