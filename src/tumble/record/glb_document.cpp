#include "tumble/record/glb_document.h"

#include <algorithm>

#include "tumble/record/bytes.h"

namespace tumble::record::detail {

namespace {

constexpr size_t kNumberWidth = 24;  // characters of the longest double

}  // namespace

GlbDocument::GlbDocument(const model::Model& model, const RecordingInfo& info, size_t first, size_t capacity,
                         const std::string& data_uri)
    : first_(first), capacity_(capacity), count_width_(std::to_string(capacity).size()), fps_(info.fps) {
  for (size_t i = 0; i < model.bodies().size(); ++i)
    if (!model.bodies()[i].is_fixed()) moving_.emplace_back(i);
  GlbScene scene = build_glb_scene(model, info.scene_name);

  json_ = "{\"asset\":{\"version\":\"2.0\",\"generator\":" + json_text("tumble " + info.version) + "}";
  append_accessors(scene);
  if (!moving_.empty()) append_animation(scene.accessors.size());
  append_scene(scene, model.bodies().size(), info);
  append_json_list(json_, "nodes", scene.nodes);
  append_json_list(json_, "meshes", scene.meshes);
  append_json_list(json_, "materials", scene.materials);
  append_buffers(scene, data_uri);
  json_ += "}";
  json_.append((4 - json_.size() % 4) % 4, ' ');

  meshes_ = std::move(scene.vertices) + scene.indices;
  const bool has_data = !meshes_.empty() || !moving_.empty();
  if (data_uri.empty()) json_at_ = kGlbJsonAt;
  tracks_at_ = meshes_.size() + (data_uri.empty() ? kGlbJsonAt + json_.size() + (has_data ? 8 : 0) : 0);
  patch_begin_ = counts_.front().at;
  patch_end_ = counts_.back().at + counts_.back().width;
  set_frames(1);
}

std::string GlbDocument::take_data_head() {
  std::string head;
  if (json_at_ > 0) {
    const uint64_t data_size = meshes_.size() + track_bytes();
    head.reserve(tracks_at_);
    append_value(head, kGlbMagic);
    append_value(head, kGlbVersion);
    append_value(head, static_cast<uint32_t>(size()));
    append_value(head, static_cast<uint32_t>(json_.size()));
    append_value(head, kJsonChunk);
    head += json_;
    if (data_size > 0) {
      append_value(head, static_cast<uint32_t>(data_size));
      append_value(head, kBinChunk);
    }
  }
  head += meshes_;
  meshes_ = {};
  return head;
}

void GlbDocument::set_frames(size_t frames) {
  const std::string count = std::to_string(frames);
  for (const Slot& slot : counts_) fill(slot, count);
  for (const Slot& slot : last_time_) fill(slot, json_number(static_cast<double>(time(frames - 1))));
}

// Accessors of the meshes, then one of times, then two for each moving body.
void GlbDocument::append_accessors(const GlbScene& scene) {
  const std::string view = scene.vertices.empty() ? "0" : "2";
  const auto append_track = [&](uint64_t offset, const char* type) {
    json_ += "{\"bufferView\":" + view + ",\"byteOffset\":" + std::to_string(offset) +
             ",\"componentType\":" + std::to_string(kGltfFloat) + ",\"type\":\"" + type + "\",\"count\":";
    counts_.push_back(append_slot(count_width_));
  };
  append_json_list(json_, "accessors", scene.accessors);
  if (moving_.empty()) return;

  if (scene.accessors.empty())
    json_ += ",\"accessors\":[";
  else
    json_.back() = ',';
  append_track(0, "SCALAR");
  json_ += ",\"min\":[" + json_number(static_cast<double>(time(0))) + "],\"max\":[";
  last_time_.push_back(append_slot(kNumberWidth));
  json_ += "]}";
  for (size_t i = 0; i < moving_.size(); ++i) {
    json_ += ',';
    append_track(translations_in_tracks(i), "VEC3");
    json_ += "},";
    append_track(translations_in_tracks(i) + capacity_ * kTranslationSize, "VEC4");
    json_ += "}";
  }
  json_ += "]";
}

void GlbDocument::append_animation(size_t first_accessor) {
  const std::string input = "{\"input\":" + std::to_string(first_accessor) + ",\"output\":";
  json_ += std::string(",\"animations\":[{\"name\":\"") + kGlbMark + "\",\"extras\":{\"" + kGlbMark +
           "\":{\"fps\":" + json_number(fps_) + "}},\"samplers\":[";
  for (size_t i = 0; i < 2 * moving_.size(); ++i)
    json_ += (i > 0 ? "," : "") + input + std::to_string(first_accessor + 1 + i) +
             ",\"interpolation\":\"LINEAR\"}";
  json_ += "],\"channels\":[";
  for (size_t i = 0; i < 2 * moving_.size(); ++i)
    json_ += (i > 0 ? "," : "") + std::string("{\"sampler\":") + std::to_string(i) +
             ",\"target\":{\"node\":" + std::to_string(moving_[i / 2].index()) + ",\"path\":\"" +
             (i % 2 == 0 ? "translation" : "rotation") + "\"}}";
  json_ += "]}]";
}

// The data of the run are in the extras of the scene, because this is where Blender shows them.
void GlbDocument::append_scene(const GlbScene& scene, size_t bodies, const RecordingInfo& info) {
  json_ += ",\"scene\":0,\"scenes\":[{\"name\":" + json_text(scene.name) + ",\"extras\":{\"" + kGlbMark +
           "\":{\"scene\":" + json_text(info.scene_name) + ",\"version\":" + json_text(info.version) +
           ",\"method\":" + json_text(info.method) + ",\"integrator\":" + json_text(info.integrator) +
           ",\"accuracy\":" + json_number(info.accuracy) + ",\"fps\":" + json_number(fps_) +
           ",\"bodies\":" + std::to_string(bodies) + ",\"first_frame\":" + std::to_string(first_) +
           ",\"frames\":";
  counts_.push_back(append_slot(count_width_));
  json_ += "}}";
  append_scene_roots(json_, scene, bodies);
  json_ += "}]";
}

void GlbDocument::append_buffers(const GlbScene& scene, const std::string& data_uri) {
  const uint64_t vertices = scene.vertices.size(), indices = scene.indices.size();
  std::vector<std::string> views = mesh_buffer_views(scene);
  if (!moving_.empty()) views.push_back(json_buffer_view(vertices + indices, track_bytes(), ""));
  if (views.empty()) return;
  append_json_list(json_, "bufferViews", views);
  json_ += ",\"buffers\":[{" + (data_uri.empty() ? "" : "\"uri\":" + json_text(data_uri) + ",") +
           "\"byteLength\":" + std::to_string(vertices + indices + track_bytes()) + "}]";
}

GlbDocument::Slot GlbDocument::append_slot(size_t width) {
  const Slot slot{json_.size(), width};
  json_.append(width, ' ');
  return slot;
}

void GlbDocument::fill(const Slot& slot, const std::string& number) {
  json_.replace(slot.at, slot.width, number + std::string(slot.width - number.size(), ' '));
}

}  // namespace tumble::record::detail
