#include "tumble/record/glb_still.h"

#include "tumble/core/version.h"
#include "tumble/record/bytes.h"
#include "tumble/record/glb_document.h"
#include "tumble/record/glb_scene.h"

namespace tumble::record {

std::string to_still_glb(const model::Model& model, const std::string& scene_name,
                         std::span<const math::Pose> poses) {
  TUMBLE_REQUIRE(poses.size() == model.bodies().size(), "every body needs a pose");
  const detail::GlbScene scene = detail::build_glb_scene(model, scene_name, poses);
  std::string json = "{\"asset\":{\"version\":\"2.0\",\"generator\":" +
                     detail::json_text(std::string("tumble ") + core::kVersion) +
                     "},\"scene\":0,\"scenes\":[{\"name\":" + detail::json_text(scene.name);
  detail::append_scene_roots(json, scene, model.bodies().size());
  json += "}]";
  detail::append_json_list(json, "accessors", scene.accessors);
  detail::append_json_list(json, "nodes", scene.nodes);
  detail::append_json_list(json, "meshes", scene.meshes);
  detail::append_json_list(json, "materials", scene.materials);
  const std::string data = scene.vertices + scene.indices;
  if (!data.empty()) {
    detail::append_json_list(json, "bufferViews", detail::mesh_buffer_views(scene));
    json += ",\"buffers\":[{\"byteLength\":" + std::to_string(data.size()) + "}]";
  }
  json += "}";
  json.append((4 - json.size() % 4) % 4, ' ');

  const size_t size = detail::kGlbJsonAt + json.size() + (data.empty() ? 0 : 8 + data.size());
  std::string glb;
  glb.reserve(size);
  const auto append = [&](uint32_t value) { detail::append_value(glb, value); };
  append(detail::kGlbMagic), append(detail::kGlbVersion), append(static_cast<uint32_t>(size));
  append(static_cast<uint32_t>(json.size())), append(detail::kJsonChunk);
  glb += json;
  if (!data.empty()) {
    append(static_cast<uint32_t>(data.size())), append(detail::kBinChunk);
    glb += data;
  }
  return glb;
}

}  // namespace tumble::record
