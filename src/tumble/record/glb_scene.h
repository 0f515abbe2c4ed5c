// The static part of a .glb: shapes as meshes, materials, nodes. It consists of pieces of JSON, in the order
// of their indices, and of the bytes that they refer to.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tumble/model/model.h"

namespace tumble::record::detail {

inline constexpr int kGltfFloat = 5126, kGltfUnsignedInt = 5125;  // component types of glTF

/// Names of the nodes and of the scene of a glTF file. three.js removes characters from names, numbers those
/// that are then equal, and does so in the order of its choice. Names that are given here stay as they are.
class GlbNames {
 public:
  /// The name itself, if no earlier one becomes the same in three.js; else NAME.2, NAME.3, ...
  std::string unique(const std::string& name);

 private:
  std::set<std::string> taken_;  // as three.js has them
};

struct GlbScene {
  std::vector<std::string> accessors;  // into buffer views 0 (vertices) and 1 (indices)
  std::vector<std::string> meshes, materials;
  std::string name;                // of the scene
  std::vector<std::string> nodes;  // one for each body in scene order, then the shapes, then the root
  std::optional<size_t> root;      // the node that turns the scene so that Y is up; none if it is already
  std::string vertices, indices;   // bytes
};

/// `poses`: of the bodies' frames, one for each body; empty: those at the start.
GlbScene build_glb_scene(const model::Model& model, const std::string& scene_name,
                         std::span<const math::Pose> poses = {});

/// Appends `,"name":[items]`, or nothing if there are none: glTF allows no empty lists.
void append_json_list(std::string& json, const char* name, const std::vector<std::string>& items);
/// Appends the list of root nodes to a scene.
void append_scene_roots(std::string& json, const GlbScene& scene, size_t bodies);
std::string json_buffer_view(uint64_t offset, uint64_t length, const std::string& more);
/// The views of vertices and indices, which are the first bytes of the data. Empty: no shapes.
std::vector<std::string> mesh_buffer_views(const GlbScene& scene);

/// A number as JSON: the shortest text that reads back bit for bit.
std::string json_number(double x);
/// A quoted and escaped string; bytes that are not UTF-8 are replaced.
std::string json_text(const std::string& text);

}  // namespace tumble::record::detail
