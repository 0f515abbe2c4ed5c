// The static part of a .glb: shapes as meshes, materials, nodes. It consists of pieces of JSON, in the order
// of their indices, and of the bytes that they refer to.
#pragma once

#include <string>
#include <vector>

#include "tumble/model/model.h"

namespace tumble::record::detail {

inline constexpr int kGltfFloat = 5126, kGltfUnsignedInt = 5125;  // component types of glTF

struct GlbScene {
  std::vector<std::string> accessors;  // into buffer views 0 (vertices) and 1 (indices)
  std::vector<std::string> meshes, materials;
  std::vector<std::string> nodes;  // one for each body in scene order, then the children
  std::string vertices, indices;   // bytes
};

GlbScene build_glb_scene(const model::Model& model);

/// A number as JSON: the shortest text that reads back bit for bit.
std::string json_number(double x);
/// A quoted and escaped string; bytes that are not UTF-8 are replaced.
std::string json_text(const std::string& text);

}  // namespace tumble::record::detail
