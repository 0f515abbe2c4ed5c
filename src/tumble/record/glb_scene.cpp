#include "tumble/record/glb_scene.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "tumble/math/srgb.h"
#include "tumble/record/shaded_mesh.h"
#include "tumble/record/tolerances.h"

namespace tumble::record::detail {

namespace {

constexpr int kVertexTarget = 34962, kIndexTarget = 34963;  // buffer targets of glTF

template <typename Numbers>
std::string json_array(const Numbers& numbers) {
  std::string text = "[";
  for (const auto x : numbers) text += (text.size() > 1 ? "," : "") + json_number(static_cast<double>(x));
  return text + "]";
}

std::string json_pose(const math::Pose& X) {
  const math::Quat q = X.rotation.normalized();
  return "\"translation\":" + json_array(X.translation) +
         ",\"rotation\":" + json_array(std::array{q.x(), q.y(), q.z(), q.w()});
}

bool is_identity(const math::Pose& X) { return X.translation.isZero(0) && X.rotation.vec().isZero(0); }

// Equal shapes have equal keys and share one mesh. A key is the kind and its numbers, or the triangles.
using ShapeKey = std::pair<const void*, std::vector<double>>;

struct NumbersOf {
  std::vector<double> operator()(const collision::Sphere& s) const { return {s.radius}; }
  std::vector<double> operator()(const collision::Box& s) const { return {s.size.begin(), s.size.end()}; }
  std::vector<double> operator()(const collision::Capsule& s) const { return {s.radius, s.length}; }
  std::vector<double> operator()(const collision::Cylinder& s) const { return {s.radius, s.length}; }
  std::vector<double> operator()(const collision::Cone& s) const { return {s.radius, s.length}; }
  std::vector<double> operator()(const collision::Plane& s) const {
    return {s.normal.begin(), s.normal.end()};
  }
  std::vector<double> operator()(const collision::Mesh&) const { return {}; }
  std::vector<double> operator()(const collision::Hull&) const { return {}; }
  std::vector<double> operator()(const collision::HeightField&) const { return {}; }
};

ShapeKey shape_key(const collision::Shape& shape) {
  ShapeKey key{collision::triangles_of(shape).get(), std::visit(NumbersOf{}, shape)};
  key.second.push_back(static_cast<double>(shape.index()));
  return key;
}

// The size of the square that shows a half-space: it reaches beyond all bodies at the start.
double choose_plane_size(const model::Model& model) {
  double reach = 0;
  for (const model::Body& plane : model.bodies()) {
    if (std::isfinite(plane.radius)) continue;
    for (const model::Body& body : model.bodies())
      if (std::isfinite(body.radius))
        reach = std::max(reach, (body.X_WB * body.center_B - plane.X_WB.translation).norm() + body.radius);
  }
  return reach > 0 ? 2 * kPlaneReach * reach : kDefaultPlaneSize;
}

class SceneBuilder {
 public:
  SceneBuilder(const model::Model& model, std::span<const math::Pose> poses)
      : model_(model), poses_(poses), plane_size_(choose_plane_size(model)) {}

  GlbScene build(const std::string& scene_name) {
    std::vector<std::string> children;
    const size_t bodies = model_.bodies().size();
    for (const model::Body& body : model_.bodies()) names_.unique(body.name);  // bodies keep their names
    scene_.name = names_.unique(scene_name);
    for (size_t b = 0; b < bodies; ++b) {
      const model::Body& body = model_.bodies()[b];
      std::string node =
          "{\"name\":" + json_text(body.name) + "," + json_pose(poses_.empty() ? body.X_WB : poses_[b]);
      if (body.shapes.size() == 1 && is_identity(body.shapes[0].X_BS)) {
        if (const auto mesh = mesh_of(body.shapes[0])) node += ",\"mesh\":" + std::to_string(*mesh);
      } else if (!body.shapes.empty()) {
        node += ",\"children\":[";
        for (size_t i = 0; i < body.shapes.size(); ++i) {
          node += (i > 0 ? "," : "") + std::to_string(bodies + children.size());
          std::string child =
              "{\"name\":" + json_text(names_.unique(body.name + "." + std::to_string(i + 1))) + "," +
              json_pose(body.shapes[i].X_BS);
          if (const auto mesh = mesh_of(body.shapes[i])) child += ",\"mesh\":" + std::to_string(*mesh);
          children.push_back(child + "}");
        }
        node += "]";
      }
      scene_.nodes.push_back(node + "}");
    }
    scene_.nodes.insert(scene_.nodes.end(), children.begin(), children.end());
    if (bodies > 0 && model_.up() != math::Vec3::UnitY()) append_root();
    return std::move(scene_);
  }

 private:
  // glTF files are Y-up. The root rotates up to Y by a quarter or half turn, q = (1 + up.y, up x y)
  // normalized.
  void append_root() {
    const math::Vec3 up = model_.up(), axis = up.cross(math::Vec3::UnitY());
    const math::Quat turn = up.y() < 0 ? math::Quat::from_wxyz(0, 1, 0, 0)
                                       : math::Quat::from_wxyz(1, axis.x(), axis.y(), axis.z()).normalized();
    std::string children;
    for (size_t i = 0; i < model_.bodies().size(); ++i) children += (i > 0 ? "," : "") + std::to_string(i);
    scene_.root = scene_.nodes.size();
    scene_.nodes.push_back("{\"name\":" + json_text(names_.unique("y-up")) +
                           ",\"rotation\":" + json_array(std::array{turn.x(), turn.y(), turn.z(), turn.w()}) +
                           ",\"children\":[" + children + "]}");
  }

  struct Geometry {
    size_t first_accessor = 0;  // positions, normals, indices
    bool closed = true;
    bool empty = false;
  };

  // A glTF mesh is a geometry with a material. Returns nothing for a mesh without triangles.
  std::optional<size_t> mesh_of(const model::BodyShape& shape) {
    const auto [at, is_new] = geometries_.try_emplace(shape_key(shape.shape));
    if (is_new) at->second = add_geometry(shape.shape);
    const Geometry& geometry = at->second;
    if (geometry.empty) return std::nullopt;
    const size_t material = material_of(shape.material, !geometry.closed);
    const auto [mesh, is_new_mesh] =
        meshes_.try_emplace({geometry.first_accessor, material}, scene_.meshes.size());
    if (is_new_mesh) {
      const size_t a = geometry.first_accessor;
      scene_.meshes.push_back("{\"primitives\":[{\"attributes\":{\"POSITION\":" + std::to_string(a) +
                              ",\"NORMAL\":" + std::to_string(a + 1) + "},\"indices\":" +
                              std::to_string(a + 2) + ",\"material\":" + std::to_string(material) + "}]}");
    }
    return mesh->second;
  }

  Geometry add_geometry(const collision::Shape& shape) {
    const geometry::TriangleMesh triangles = collision::tessellate(shape, plane_size_);
    const ShadedMesh shaded = shade(triangles);
    const Geometry geometry{scene_.accessors.size(), is_closed(triangles), shaded.triangles.empty()};
    if (geometry.empty) return geometry;

    const float inf = std::numeric_limits<float>::infinity();
    std::array<float, 3> low = {inf, inf, inf}, high = {-inf, -inf, -inf};
    for (const auto& p : shaded.positions)
      for (size_t i = 0; i < 3; ++i) low[i] = std::min(low[i], p[i]), high[i] = std::max(high[i], p[i]);
    add_accessor(0, scene_.vertices.size(), kGltfFloat, "VEC3", shaded.positions.size(),
                 ",\"min\":" + json_array(low) + ",\"max\":" + json_array(high));
    append_bytes(scene_.vertices, shaded.positions);
    add_accessor(0, scene_.vertices.size(), kGltfFloat, "VEC3", shaded.normals.size(), "");
    append_bytes(scene_.vertices, shaded.normals);
    add_accessor(1, scene_.indices.size(), kGltfUnsignedInt, "SCALAR", 3 * shaded.triangles.size(), "");
    append_bytes(scene_.indices, shaded.triangles);
    return geometry;
  }

  void add_accessor(int view, size_t offset, int component, const char* type, size_t count,
                    const std::string& range) {
    scene_.accessors.push_back(
        "{\"bufferView\":" + std::to_string(view) + ",\"byteOffset\":" + std::to_string(offset) +
        ",\"componentType\":" + std::to_string(component) + ",\"count\":" + std::to_string(count) +
        ",\"type\":\"" + type + "\"" + range + "}");
  }

  template <typename T>
  static void append_bytes(std::string& bytes, const std::vector<T>& values) {
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }

  size_t material_of(core::MaterialId id, bool two_sided) {
    const auto [at, is_new] = materials_.try_emplace({id, two_sided}, scene_.materials.size());
    if (is_new) {
      const model::Material& material = model_.material(id);
      std::array<double, 4> color = {0, 0, 0, 1};
      for (size_t i = 0; i < 3; ++i) color[i] = math::linear_from_srgb(material.color[i]);
      scene_.materials.push_back(
          "{" + (material.name.empty() ? "" : "\"name\":" + json_text(material.name) + ",") +
          "\"pbrMetallicRoughness\":{\"baseColorFactor\":" + json_array(color) +
          ",\"metallicFactor\":0,\"roughnessFactor\":0.8}" + (two_sided ? ",\"doubleSided\":true}" : "}"));
    }
    return at->second;
  }

  const model::Model& model_;
  std::span<const math::Pose> poses_;
  double plane_size_;  // m
  GlbScene scene_;
  GlbNames names_;
  std::map<ShapeKey, Geometry> geometries_;
  std::map<std::pair<size_t, size_t>, size_t> meshes_;             // (first accessor, material)
  std::map<std::pair<core::MaterialId, bool>, size_t> materials_;  // (material, two-sided)
};

}  // namespace

std::string json_number(double x) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, x).ptr};
}

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// PropertyBinding.sanitizeNodeName of three.js: white space becomes _, and []:./ are removed.
std::string GlbNames::unique(const std::string& name) {
  const auto as_in_three = [](const std::string& text) {
    std::string out;
    for (const char c : text)
      if (std::string_view(" \t\n\r\v\f").find(c) != std::string_view::npos)
        out += '_';
      else if (std::string_view("[]:./").find(c) == std::string_view::npos)
        out += c;
    return out;
  };
  std::string chosen = name;
  for (size_t n = 2; !taken_.insert(as_in_three(chosen)).second; ++n) chosen = name + "." + std::to_string(n);
  return chosen;
}

GlbScene build_glb_scene(const model::Model& model, const std::string& scene_name,
                         std::span<const math::Pose> poses) {
  return SceneBuilder(model, poses).build(scene_name);
}

void append_json_list(std::string& json, const char* name, const std::vector<std::string>& items) {
  if (items.empty()) return;
  json += std::string(",\"") + name + "\":[";
  for (const std::string& item : items) {
    json += item;
    json += ',';
  }
  json.back() = ']';
}

void append_scene_roots(std::string& json, const GlbScene& scene, size_t bodies) {
  if (scene.root) {
    json += ",\"nodes\":[" + std::to_string(*scene.root) + "]";
  } else if (bodies > 0) {
    json += ",\"nodes\":[";
    for (size_t i = 0; i < bodies; ++i) json += std::to_string(i) + ",";
    json.back() = ']';
  }
}

std::string json_buffer_view(uint64_t offset, uint64_t length, const std::string& more) {
  return "{\"buffer\":0,\"byteOffset\":" + std::to_string(offset) +
         ",\"byteLength\":" + std::to_string(length) + more + "}";
}

std::vector<std::string> mesh_buffer_views(const GlbScene& scene) {
  const uint64_t vertices = scene.vertices.size(), indices = scene.indices.size();
  if (vertices == 0) return {};
  return {json_buffer_view(0, vertices, ",\"byteStride\":12,\"target\":" + std::to_string(kVertexTarget)),
          json_buffer_view(vertices, indices, ",\"target\":" + std::to_string(kIndexTarget))};
}

}  // namespace tumble::record::detail
