// The part of a .glb that does not move: shapes as meshes, materials, nodes. Pieces of JSON, in the order of
// their indices, and the bytes they refer to.
#pragma once

#include <string>
#include <vector>

#include "tumble/model/model.h"

namespace tumble::record::detail {

inline constexpr int kGltfFloat = 5126, kGltfUnsignedInt = 5125;  // component types of glTF

struct GlbScene {
  std::vector<std::string> accessors;  // into buffer views 0 (vertices) and 1 (indices)
  std::vector<std::string> meshes, materials;
  std::vector<std::string> nodes;  // first one for each body in scene order, then children
  std::string vertices, indices;   // bytes
};

GlbScene build_glb_scene(const model::Model& model);

/// A number as JSON, as short as it can be and still come back bit for bit.
std::string json_number(double x);
/// A quoted and escaped string; bytes that are not UTF-8 are replaced.
std::string json_text(const std::string& text);

}  // namespace tumble::record::detail
