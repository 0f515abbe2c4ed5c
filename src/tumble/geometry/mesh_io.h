// Triangle meshes from and to OBJ, STL (text and binary) and PLY (text and binary). Readers take bytes, never
// a path, and every message carries the line (text) or byte (binary) it speaks of.
#pragma once

#include <string>
#include <string_view>

#include "tumble/core/expected.h"
#include "tumble/geometry/triangle_mesh.h"

namespace tumble::geometry {

/// The format is taken from the extension of `name`; `name` also stands in the messages.
core::Expected<TriangleMesh> read_mesh(std::string_view bytes, const std::string& name);

core::Expected<TriangleMesh> read_obj(std::string_view bytes, const std::string& name);
core::Expected<TriangleMesh> read_stl(std::string_view bytes, const std::string& name);
core::Expected<TriangleMesh> read_ply(std::string_view bytes, const std::string& name);

/// True for the extensions read_mesh knows (.obj .stl .ply, any case).
bool is_mesh_file(const std::string& name);

/// The bytes of a mesh file of the format given by the extension of `name`; numbers survive a round trip to
/// the bit in OBJ and PLY (STL is single precision by definition).
core::Expected<std::string> write_mesh(const TriangleMesh& mesh, const std::string& name);

}  // namespace tumble::geometry
