// Reads the .glb files that GlbWriter writes. Faults in the JSON are thrown as exceptions, which are all
// caught in this file.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "tumble/math/srgb.h"
#include "tumble/record/glb_document.h"
#include "tumble/record/glb_tracks.h"
#include "tumble/record/output_file.h"
#include "tumble/record/recording.h"

namespace tumble::record::detail {

using Json = nlohmann::json;

namespace {

struct Fault {
  uint64_t byte;
  std::string message;
};

size_t count_of(const Json& value, const char* name) {
  if (!value.is_number_unsigned())
    throw Fault{kGlbJsonAt, std::string("in the JSON, ") + name + " is not a count"};
  return value.get<size_t>();
}

size_t count_in(const Json& object, const char* name, std::optional<size_t> otherwise = {}) {
  return otherwise && !object.contains(name) ? *otherwise : count_of(object.at(name), name);
}

double number_in(const Json& object, const char* name) {
  const double x = object.at(name).get<double>();
  if (!std::isfinite(x)) throw Fault{kGlbJsonAt, std::string("in the JSON, ") + name + " is not finite"};
  return x;
}

math::Pose pose_of(const Json& node) {
  math::Pose X;
  if (node.contains("translation")) {
    const auto p = node.at("translation").get<std::array<double, 3>>();
    X.translation = {p[0], p[1], p[2]};
  }
  if (node.contains("rotation")) {
    const auto q = node.at("rotation").get<std::array<double, 4>>();
    X.rotation = math::Quat::from_wxyz(q[3], q[0], q[1], q[2]);
  }
  return X;
}

std::array<double, 3> color_of(const Json& material) {
  const auto linear = material.at("pbrMetallicRoughness").at("baseColorFactor").get<std::array<double, 4>>();
  std::array<double, 3> color{};
  for (size_t i = 0; i < 3; ++i) {
    color[i] = math::srgb_from_linear(std::clamp(linear[i], 0.0, 1.0));
  }
  return color;
}

}  // namespace

class GlbReader {
 public:
  /// The document of a .glb, data inside.
  explicit GlbReader(std::shared_ptr<const InputFile> file) : file_(std::move(file)) {
    uint32_t head[5];
    if (!file_->read_at(0, head, sizeof head) || head[0] != kGlbMagic || head[1] != kGlbVersion ||
        head[4] != kJsonChunk)
      throw Fault{0, "is not a .glb of version 2"};
    const uint64_t json_end = kGlbJsonAt + head[3];
    read_json(*file_, kGlbJsonAt, json_end);
    uint32_t bin[2];
    if (!file_->read_at(json_end, bin, sizeof bin)) return;  // a scene without shapes
    if (bin[1] != kBinChunk) throw Fault{json_end, "the second chunk is not the binary one"};
    data_at_ = json_end + sizeof bin;
    data_size_ = bin[0];
    if (data_size_ > file_->size() - data_at_) throw Fault{data_at_, "the binary data are cut off"};
  }

  /// The document of a .gltf with its data file.
  GlbReader(const InputFile& document, std::shared_ptr<const InputFile> data)
      : file_(std::move(data)), data_size_(file_->size()) {
    read_json(document, 0, document.size());
  }

  std::shared_ptr<const GlbTracks> tracks() {
    auto out = std::make_shared<GlbTracks>();
    out->file_ = file_;
    out->fps_ = number_in(mark_, "fps");
    if (!(out->fps_ > 0)) throw Fault{kGlbJsonAt, "in the JSON, fps is not positive"};
    out->first_frame_ = count_in(mark_, "first_frame");
    out->frame_count_ = count_in(mark_, "frames");
    for (size_t i = 0; i < body_count_; ++i)
      out->node_names_.push_back(json_.at("nodes").at(i).at("name").get<std::string>());
    out->tracks_.resize(body_count_);
    if (json_.contains("animations"))
      for (const Json& animation : json_.at("animations"))
        if (animation.value("name", "") == kGlbMark) read_animation(animation, *out);
    return out;
  }

  std::vector<GlbRecording::Item> items() {
    std::vector<GlbRecording::Item> out;
    for (size_t body = 0; body < body_count_; ++body) {
      const Json& node = json_.at("nodes").at(body);
      append_item(node, body, {}, out);
      if (node.contains("children"))
        for (const Json& child : node.at("children")) {
          const Json& shape = json_.at("nodes").at(count_of(child, "children"));
          append_item(shape, body, pose_of(shape), out);
        }
    }
    return out;
  }

  std::vector<math::Pose> node_poses() const {
    std::vector<math::Pose> out;
    for (size_t i = 0; i < body_count_; ++i) out.push_back(pose_of(json_.at("nodes").at(i)));
    return out;
  }
  /// The nodes of bodies have the coordinates of the scene. A root above them makes Y of the scene's up.
  math::Vec3 up() const {
    const Json& scene = json_.at("scenes").at(0);
    if (!scene.contains("nodes") || scene.at("nodes").empty()) return math::Vec3::UnitY();
    const size_t first = count_of(scene.at("nodes").at(0), "nodes");
    if (first < body_count_) return math::Vec3::UnitY();
    const math::Quat turn = pose_of(json_.at("nodes").at(first)).rotation;
    if (!(turn.norm() > 0)) throw Fault{kGlbJsonAt, "the rotation of the root is no rotation"};
    return turn.normalized().conjugate() * math::Vec3::UnitY();
  }
  std::string scene_name() const { return mark_.at("scene").get<std::string>(); }

 private:
  void read_json(const InputFile& file, uint64_t begin, uint64_t end) {
    std::string text;
    if (!file.read_at(begin, end - begin, text)) throw Fault{begin, "the JSON is cut off"};
    json_ = Json::parse(text);
    const Json& scene = json_.at("scenes").at(0);
    if (!scene.contains("extras") || !scene.at("extras").contains(kGlbMark))
      throw Fault{begin, "is not a recording: it was not written by a run of tumble"};
    mark_ = scene.at("extras").at(kGlbMark);
    body_count_ = count_in(mark_, "bodies");
  }

  // Offset of the elements of an accessor in the file. Throws if they are not all inside of the data.
  uint64_t find(size_t accessor_index, size_t element_size, size_t& count) const {
    const Json& accessor = json_.at("accessors").at(accessor_index);
    const Json& view = json_.at("bufferViews").at(count_in(accessor, "bufferView"));
    const uint64_t view_at = count_in(view, "byteOffset", 0), length = count_in(view, "byteLength");
    const uint64_t at = count_in(accessor, "byteOffset", 0);
    count = count_in(accessor, "count");
    if (view_at > data_size_ || length > data_size_ - view_at || at > length ||
        count > (length - at) / element_size)
      throw Fault{kGlbJsonAt, "accessor " + std::to_string(accessor_index) + " reaches beyond the data"};
    return data_at_ + view_at + at;
  }

  template <typename T>
  std::vector<T> elements(size_t accessor_index, size_t per_element) const {
    size_t count = 0;
    const uint64_t at = find(accessor_index, per_element * sizeof(T), count);
    std::vector<T> values(count * per_element);
    if (!file_->read_at(at, values.data(), values.size() * sizeof(T))) throw Fault{at, "cannot be read"};
    return values;
  }

  void read_animation(const Json& animation, GlbTracks& out) const {
    for (const Json& channel : animation.at("channels")) {
      const Json& target = channel.at("target");
      const size_t node = count_in(target, "node");
      if (node >= out.tracks_.size()) throw Fault{kGlbJsonAt, "a channel moves a node that is not a body"};
      const Json& sampler = animation.at("samplers").at(count_in(channel, "sampler"));
      const bool is_rotation = target.at("path").get<std::string>() == "rotation";
      size_t count = 0;
      const uint64_t at =
          find(count_in(sampler, "output"), is_rotation ? kRotationSize : kTranslationSize, count);
      // A run that was killed while it changed the counts leaves some old ones. Use the frames that all
      // tracks have.
      out.frame_count_ = std::min(out.frame_count_, count);
      if (!out.tracks_[node]) out.tracks_[node] = GlbTracks::Track{0, 0};
      (is_rotation ? out.tracks_[node]->rotations_at : out.tracks_[node]->translations_at) = at;
    }
    for (const auto& track : out.tracks_)
      if (track && (track->rotations_at == 0 || track->translations_at == 0))
        throw Fault{kGlbJsonAt, "a body has only one of its two channels"};
  }

  void append_item(const Json& node, size_t body, const math::Pose& X_BS,
                   std::vector<GlbRecording::Item>& out) {
    if (!node.contains("mesh")) return;
    const Json& primitive = json_.at("meshes").at(count_in(node, "mesh")).at("primitives").at(0);
    const Json& material = json_.at("materials").at(count_in(primitive, "material"));
    out.push_back({geometry(count_in(primitive.at("attributes"), "POSITION"), count_in(primitive, "indices")),
                   color_of(material), material.value("doubleSided", false), body, X_BS});
  }

  std::shared_ptr<const geometry::TriangleMesh> geometry(size_t positions, size_t indices) {
    auto& mesh = meshes_[{positions, indices}];
    if (mesh) return mesh;
    geometry::TriangleMesh triangles;
    const std::vector<float> p = elements<float>(positions, 3);
    const std::vector<uint32_t> corners = elements<uint32_t>(indices, 1);
    for (size_t i = 0; i + 3 <= p.size(); i += 3) triangles.vertices.emplace_back(p[i], p[i + 1], p[i + 2]);
    for (size_t i = 0; i + 3 <= corners.size(); i += 3)
      triangles.triangles.push_back({corners[i], corners[i + 1], corners[i + 2]});
    for (const uint32_t corner : corners)
      if (corner >= triangles.vertices.size())
        throw Fault{data_at_, "a triangle uses a vertex that does not exist"};
    mesh = std::make_shared<const geometry::TriangleMesh>(std::move(triangles));
    return mesh;
  }

  std::shared_ptr<const InputFile> file_;
  Json json_, mark_;  // the document, and our object in the extras of its scene
  size_t body_count_ = 0;
  uint64_t data_at_ = 0, data_size_ = 0;  // bytes
  std::map<std::pair<size_t, size_t>, std::shared_ptr<const geometry::TriangleMesh>> meshes_;
};

namespace {

// Turns the exceptions of a reader into diagnostics.
template <typename T, typename Read>
core::Expected<T> catch_faults(const InputFile& file, Read read) {
  try {
    return read();
  } catch (const Fault& fault) {
    return file.fault_at(fault.byte, fault.message);
  } catch (const Json::exception& exception) {
    return file.fault_at(0, std::string("the JSON is not that of a recording: ") + exception.what());
  }
}

}  // namespace

std::string gltf_data_path(const std::string& path) {
  return std::filesystem::path(path).replace_extension(".bin").string();
}

// Opens the file, and for a .gltf its data, and calls `read` with a reader.
template <typename T, typename Read>
core::Expected<T> read_glb(const std::string& path, Read read) {
  const auto file = InputFile::open(path);
  if (!file) return file.diagnostics();
  if (lower_extension(path) != ".gltf")
    return catch_faults<T>(**file, [&] { return read(GlbReader(*file)); });
  const auto data = InputFile::open(gltf_data_path(path));
  if (!data) return data.diagnostics();
  return catch_faults<T>(**file, [&] { return read(GlbReader(**file, *data)); });
}

core::Expected<std::shared_ptr<const GlbTracks>> read_glb_tracks(const std::string& path) {
  return read_glb<std::shared_ptr<const GlbTracks>>(path, [](GlbReader reader) { return reader.tracks(); });
}

}  // namespace tumble::record::detail

namespace tumble::record {

core::Expected<GlbRecording> read_glb_recording(const std::string& path) {
  return detail::read_glb<GlbRecording>(path, [](detail::GlbReader reader) {
    GlbRecording recording;
    recording.tracks_ = reader.tracks();
    recording.scene_name_ = reader.scene_name();
    recording.up_ = reader.up();
    recording.items_ = reader.items();
    recording.node_poses_ = reader.node_poses();
    return recording;
  });
}

const std::vector<std::string>& GlbRecording::node_names() const { return tracks_->node_names(); }
double GlbRecording::fps() const { return tracks_->fps(); }
size_t GlbRecording::frame_count() const { return tracks_->frame_count(); }
double GlbRecording::time(size_t frame) const {
  return static_cast<double>(tracks_->first_frame() + frame) / tracks_->fps();
}

core::Expected<math::Pose> GlbRecording::pose(size_t node, size_t frame) const {
  TUMBLE_REQUIRE(node < node_poses_.size() && frame < frame_count(),
                 "the recording has no such node or frame");
  const auto& track = tracks_->tracks()[node];
  if (!track) return node_poses_[node];
  std::array<float, 3> p{};
  std::array<float, 4> q{};
  const uint64_t p_at = track->translations_at + frame * detail::kTranslationSize;
  const uint64_t q_at = track->rotations_at + frame * detail::kRotationSize;
  if (!tracks_->file().read_at(p_at, p.data(), sizeof p) ||
      !tracks_->file().read_at(q_at, q.data(), sizeof q))
    return tracks_->file().fault_at(p_at, "cannot be read");
  return math::Pose{math::Quat::from_wxyz(q[3], q[0], q[1], q[2]).normalized(), {p[0], p[1], p[2]}};
}

}  // namespace tumble::record
