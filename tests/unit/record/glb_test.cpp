#include <cstring>
#include <nlohmann/json.hpp>

#include "fixture.h"
#include "support/tolerance.h"
#include "tumble/record/recording.h"
#include "tumble/record/shaded_mesh.h"
#include "tumble/record/tolerances.h"

using namespace record_test;
using nlohmann::json;

namespace {

struct Glb {
  std::string bytes;
  json document;
  size_t bin_at = 0, bin_size = 0;

  template <typename T>
  std::vector<T> values(size_t accessor, size_t per_element) const {
    const json& a = document["accessors"][accessor];
    const json& view = document["bufferViews"][a["bufferView"].get<size_t>()];
    const size_t at = view["byteOffset"].get<size_t>() + a.value("byteOffset", size_t{0});
    std::vector<T> out(a["count"].get<size_t>() * per_element);
    REQUIRE(a.value("byteOffset", size_t{0}) + out.size() * sizeof(T) <= view["byteLength"].get<size_t>());
    REQUIRE(at + out.size() * sizeof(T) <= bin_size);
    std::memcpy(out.data(), bytes.data() + bin_at + at, out.size() * sizeof(T));
    return out;
  }
  const json& animation() const { return document["animations"][0]; }
  /// The values of the channel that moves a node.
  std::vector<float> track(size_t node, const std::string& path) const {
    for (const json& channel : animation()["channels"])
      if (channel["target"]["node"] == node && channel["target"]["path"] == path)
        return values<float>(animation()["samplers"][channel["sampler"].get<size_t>()]["output"],
                             path == "rotation" ? 4 : 3);
    return {};
  }
  std::vector<float> times() const { return values<float>(animation()["samplers"][0]["input"], 1); }
};

uint32_t word(const std::string& bytes, size_t at) {
  uint32_t value = 0;
  REQUIRE(at + sizeof value <= bytes.size());
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

Glb parse_glb(const std::string& path) {
  Glb glb{bytes_of(path), {}};
  CHECK(word(glb.bytes, 0) == 0x46546c67);
  CHECK(word(glb.bytes, 4) == 2);
  CHECK(word(glb.bytes, 8) == glb.bytes.size());
  const size_t json_size = word(glb.bytes, 12);
  CHECK(json_size % 4 == 0);
  CHECK(word(glb.bytes, 16) == 0x4e4f534a);
  glb.document = json::parse(glb.bytes.substr(20, json_size));
  if (20 + json_size < glb.bytes.size()) {
    glb.bin_size = word(glb.bytes, 20 + json_size);
    CHECK(word(glb.bytes, 24 + json_size) == 0x004e4942);
    glb.bin_at = 28 + json_size;
    CHECK(glb.bin_at + glb.bin_size == glb.bytes.size());
    CHECK(glb.document["buffers"][0]["byteLength"] == glb.bin_size);
  }
  return glb;
}

}  // namespace

TEST_CASE("a .glb has a node for each body and two channels for each that moves") {
  const Folder folder;
  const model::Model model = make_model();
  record_run(folder / "a.glb", model, 7);
  const Glb glb = parse_glb(folder / "a.glb");

  CHECK(glb.document["scenes"][0]["nodes"] == json({0, 1, 2}));
  CHECK(glb.document["nodes"][0]["name"] == "floor");
  CHECK(glb.document["nodes"][1]["name"] == "ball");
  CHECK(glb.document["nodes"][1]["translation"] == json({1.0, 2.0, 3.0}));
  CHECK(glb.document["nodes"][2]["children"].size() == 2);
  CHECK(glb.document["nodes"][4]["translation"] == json({0.0, 0.75, 0.0}));
  CHECK(glb.animation()["name"] == "tumble");
  CHECK(glb.animation()["channels"].size() == 4);
  CHECK(glb.track(0, "translation").empty());
  const json& extras = glb.document["scenes"][0]["extras"]["tumble"];
  CHECK(extras["fps"] == 10);
  CHECK(extras["frames"] == 7);

  // The ball and the head of the mallet are equal spheres of one material, so they share a mesh.
  CHECK(glb.document["nodes"][1]["mesh"] == glb.document["nodes"][4]["mesh"]);
  CHECK(glb.document["meshes"].size() == 3);
}

TEST_CASE("the tracks of a .glb are the poses of the body frames, with quaternions in one hemisphere") {
  const Folder folder;
  const model::Model model = make_model();
  record_run(folder / "a.glb", model, 40);
  const Glb glb = parse_glb(folder / "a.glb");
  const std::vector<float> times = glb.times(), p = glb.track(2, "translation"), q = glb.track(2, "rotation");
  REQUIRE(times.size() == 40);
  REQUIRE(p.size() == 3 * 40);
  REQUIRE(q.size() == 4 * 40);
  const json& accessor = glb.document["accessors"][glb.animation()["samplers"][0]["input"].get<size_t>()];
  CHECK(accessor["min"][0].get<double>() == 0);
  CHECK(accessor["max"][0].get<double>() == static_cast<double>(times.back()));
  for (size_t k = 0; k < 40; ++k) {
    CHECK(times[k] == static_cast<float>(static_cast<double>(k) / kFps));
    const math::Pose X = model::body_pose(model, state_at(model, k), core::BodyId(2));
    for (int i = 0; i < 3; ++i)
      CHECK(p[3 * k + static_cast<size_t>(i)] == static_cast<float>(X.translation[i]));
    const auto stored = math::Quat::from_wxyz(q[4 * k + 3], q[4 * k], q[4 * k + 1], q[4 * k + 2]);
    CHECK(std::abs(stored.dot(X.rotation)) ==
          doctest::Approx(1).epsilon(support::single_round_off(4)));  // four components
    if (k > 0) {
      double dot = 0;
      for (size_t i = 0; i < 4; ++i) dot += static_cast<double>(q[4 * k + i]) * q[4 * (k - 1) + i];
      CHECK(dot > 0);
    }
  }
}

TEST_CASE("meshes have unit normals, valid indices and the colours of their materials") {
  const Folder folder;
  const model::Model model = make_model();
  record_run(folder / "a.glb", model, 1);
  const Glb glb = parse_glb(folder / "a.glb");
  for (const json& mesh : glb.document["meshes"]) {
    const json& primitive = mesh["primitives"][0];
    const auto p = glb.values<float>(primitive["attributes"]["POSITION"], 3);
    const auto n = glb.values<float>(primitive["attributes"]["NORMAL"], 3);
    const auto indices = glb.values<uint32_t>(primitive["indices"], 1);
    REQUIRE(p.size() == n.size());
    CHECK(indices.size() % 3 == 0);
    for (const uint32_t index : indices) REQUIRE(3 * index < p.size());
    for (size_t i = 0; i < n.size(); i += 3)
      REQUIRE(std::hypot(n[i], n[i + 1], n[i + 2]) ==
              doctest::Approx(1).epsilon(support::single_round_off(4)));
    const json& range = glb.document["accessors"][primitive["attributes"]["POSITION"].get<size_t>()];
    for (size_t axis = 0; axis < 3; ++axis) {
      float low = p[axis], high = p[axis];
      for (size_t i = axis; i < p.size(); i += 3) low = std::min(low, p[i]), high = std::max(high, p[i]);
      CHECK(range["min"][axis].get<double>() == static_cast<double>(low));
      CHECK(range["max"][axis].get<double>() == static_cast<double>(high));
    }
  }
  for (const json& material : glb.document["materials"]) {
    if (material.value("name", "") != "red") continue;
    const json& color = material["pbrMetallicRoughness"]["baseColorFactor"];
    CHECK(color[0].get<double>() == 1);
    CHECK(color[1].get<double>() ==
          doctest::Approx(0.2140411).epsilon(support::single_round_off(4)));  // ((0.5 + 0.055) / 1.055)^2.4
    CHECK(color[2].get<double>() == 0);
    CHECK_FALSE(material.contains("doubleSided"));
  }
  const size_t floor_mesh = glb.document["nodes"][0]["mesh"];
  const size_t floor_material = glb.document["meshes"][floor_mesh]["primitives"][0]["material"];
  CHECK(glb.document["materials"][floor_material]["doubleSided"] == true);
}

TEST_CASE("a .glb on disk is whole after every flush and when a run ends early") {
  const Folder folder;
  const model::Model model = make_model();
  const auto writer = open_writer(folder / "a.glb", model, 1000);
  CHECK(parse_glb(folder / "a.glb").times().size() == 1);  // the start state, before any frame was written
  for (const size_t frames : {1u, 2u, 9u, 10u}) {
    static size_t from = 0;
    write_frames(*writer, model, from, frames);
    from = frames;
    REQUIRE_FALSE(writer->flush());
    const Glb glb = parse_glb(folder / "a.glb");
    CHECK(glb.times().size() == frames);
    CHECK(glb.times().back() == static_cast<float>(static_cast<double>(frames - 1) / kFps));
    CHECK(glb.track(1, "rotation").size() == 4 * frames);
    CHECK(glb.document["scenes"][0]["extras"]["tumble"]["frames"] == frames);
  }
  write_frames(*writer, model, 10, 13);
  REQUIRE_FALSE(writer->finish(make_summary(13)));
  const Glb glb = parse_glb(folder / "a.glb");
  CHECK(glb.times().size() == 13);
  for (const json& sampler : glb.animation()["samplers"])
    CHECK(glb.document["accessors"][sampler["output"].get<size_t>()]["count"] == 13);
}

TEST_CASE("scenes without moving bodies, without shapes and without bodies have no empty lists") {
  const Folder folder;
  for (const int kind : {0, 1, 2}) {
    model::ModelBuilder builder("sparse");
    model::BodySpec body = make_body("b", kind == 0);
    if (kind == 0) body.shapes.push_back({collision::Box{{1, 1, 1}}, {}, {}, true, {}});
    if (kind == 1) body.inertia = model::GivenInertia{1, {0, 0, 0}, {1, 1, 1}, {0, 0, 0}, {}};
    if (kind < 2) builder.add_body(body);
    const auto model = builder.finish();
    if (!model) continue;  // a model may refuse to be empty
    auto writer = record::open_frame_writer(folder / "a.glb", *model, make_info(2));
    REQUIRE(writer);
    for (size_t k = 0; k < 2; ++k) {
      model::State state = model::start_state(*model);
      state.time = static_cast<double>(k) / kFps;
      REQUIRE_FALSE((*writer)->write_frame(k, state));
    }
    REQUIRE_FALSE((*writer)->finish({}));
    const Glb glb = parse_glb(folder / "a.glb");
    CHECK(glb.document.contains("animations") == (kind == 1));
    CHECK(glb.document.contains("meshes") == (kind == 0));
    for (const auto& [name, value] : glb.document.items()) CHECK_FALSE((value.is_array() && value.empty()));
    const auto back = record::read_glb_recording(folder / "a.glb");
    REQUIRE_MESSAGE(back, message_of(back.diagnostics()));
    CHECK(back->frame_count() == 2);
  }
}

TEST_CASE("a .gltf has the same document, and its data are in another file") {
  const Folder folder;
  const model::Model model = make_model();
  record_run(folder / "a.glb", model, 5);
  record_run(folder / "a b.gltf", model, 5);
  json document = json::parse(bytes_of(folder / "a b.gltf"));
  CHECK(document["buffers"][0]["uri"] == "a%20b.bin");
  document["buffers"][0].erase("uri");
  const Glb glb = parse_glb(folder / "a.glb");
  CHECK(document == glb.document);
  CHECK(bytes_of(folder / "a b.bin") == glb.bytes.substr(glb.bin_at));
}

TEST_CASE("a recording that is too large for a .glb is refused before the run") {
  const Folder folder;
  const model::Model model = make_model();
  const auto large = record::open_frame_writer(folder / "a.glb", model, make_info(80'000'000));
  REQUIRE_FALSE(large);
  CHECK(message_of(large.diagnostics()).find("would have 4.8 GB") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "a.glb"));

  record::RecordingInfo info = make_info(20'000'000);  // 20 s at 1 MHz: floats are 2e-6 apart there
  info.fps = 1e6;
  const auto fine = record::open_frame_writer(folder / "a.glb", model, info);
  REQUIRE_FALSE(fine);
  CHECK(message_of(fine.diagnostics()).find("single precision") != std::string::npos);
}

TEST_CASE("a .glb reads back: meshes, colours and poses") {
  const Folder folder;
  const model::Model model = make_model();
  record_run(folder / "a.glb", model, 9);
  const auto recording = record::read_glb_recording(folder / "a.glb");
  REQUIRE_MESSAGE(recording, message_of(recording.diagnostics()));
  CHECK(recording->scene_name() == "yard");
  CHECK(recording->node_names() == std::vector<std::string>{"floor", "ball", "mallet"});
  CHECK(recording->frame_count() == 9);
  CHECK(recording->time(3) == 3 / kFps);
  REQUIRE(recording->items().size() == 4);
  const auto& head = recording->items()[3];
  CHECK(head.node == 2);
  CHECK(head.X_BS.translation == math::Vec3(0, 0.75, 0));
  CHECK(head.color[1] == doctest::Approx(0.5).epsilon(support::round_off(64)));
  CHECK(head.mesh == recording->items()[1].mesh);
  CHECK(head.mesh->triangles.size() == collision::tessellate(collision::Sphere{0.5}, 1).triangles.size());
  for (size_t k = 0; k < 9; ++k)
    for (size_t body = 0; body < 3; ++body) {
      const auto X = recording->pose(body, k);
      REQUIRE(X);
      const math::Pose expected = model::body_pose(model, state_at(model, k), core::BodyId(body));
      // Three coordinates below 8, half an ulp each.
      CHECK((X->translation - expected.translation).norm() <= support::single_round_off(1, 8));
      CHECK(math::angle_between(X->rotation, expected.rotation) <= support::single_round_off(4));
    }
}

TEST_CASE("no damage to a .glb crashes its reader") {
  const Folder folder;
  const model::Model model = make_model();
  record_run(folder / "a.glb", model, 3);
  const std::string good = bytes_of(folder / "a.glb");
  const size_t json_size = word(good, 12);
  const auto read_all = [&](const std::string& bytes) {
    write_bytes(folder / "b.glb", bytes);
    const auto recording = record::read_glb_recording(folder / "b.glb");
    if (recording)
      for (size_t node = 0; node < recording->node_names().size(); ++node)
        for (size_t k = 0; k < std::min<size_t>(recording->frame_count(), 4); ++k)
          static_cast<void>(recording->pose(node, k));
    return static_cast<bool>(recording);
  };
  for (const size_t size : {0u, 3u, 12u, 19u, 20u, 400u}) CHECK_FALSE(read_all(good.substr(0, size)));
  CHECK_FALSE(read_all(good.substr(0, good.size() - 1)));
  for (size_t at = 0; at < 20 + json_size; at += at < 20 ? 1 : 11)
    for (const char with : {'9', '-', '}', '\0'}) {
      std::string bad = good;
      bad[at] = with;
      read_all(bad);
    }
  CHECK(read_all(good));
}

TEST_CASE("boxes are shaded flat and spheres smooth, and open meshes are distinguished from closed ones") {
  const auto box = collision::tessellate(collision::Box{{1, 2, 3}}, 1);
  const auto flat = record::detail::shade(box);
  CHECK(flat.positions.size() == 24);  // eight corners with three normals each
  for (const auto& n : flat.normals) CHECK(std::abs(n[0]) + std::abs(n[1]) + std::abs(n[2]) == 1.0f);
  const auto sphere = collision::tessellate(collision::Sphere{2}, 1);
  const auto smooth = record::detail::shade(sphere);
  CHECK(smooth.positions.size() == sphere.vertices.size());
  for (size_t i = 0; i < smooth.normals.size(); ++i) {
    double dot = 0;
    for (size_t j = 0; j < 3; ++j)
      dot += static_cast<double>(smooth.normals[i][j]) * smooth.positions[i][j] / 2;
    CHECK(dot > std::cos(math::kPi / 32));  // within half a facet of the normal of the sphere
  }
  CHECK(record::detail::is_closed(box));
  CHECK(record::detail::is_closed(sphere));
  CHECK_FALSE(record::detail::is_closed(collision::tessellate(collision::Plane{{0, 1, 0}}, 1)));
  auto holed = box;
  holed.triangles.pop_back();
  CHECK_FALSE(record::detail::is_closed(holed));
}

TEST_CASE("the hub of a huge fan is shaded in linear time, degenerate triangles get a unit normal") {
  geometry::TriangleMesh fan;
  fan.vertices = {{0, 1, 0}};
  const uint32_t n = 300'000;  // a quadratic algorithm would take 1e11 steps
  for (uint32_t i = 0; i < n; ++i) {
    const double angle = 2 * math::kPi * i / n;
    fan.vertices.emplace_back(std::cos(angle), 0, std::sin(angle));
    fan.triangles.push_back({0, 1 + (i + 1) % n, 1 + i});
  }
  fan.triangles.push_back({1, 1, 2});
  const auto shaded = record::detail::shade(fan);
  REQUIRE(shaded.triangles.size() == n + 1);
  for (const auto& normal : shaded.normals)
    REQUIRE(std::hypot(normal[0], normal[1], normal[2]) ==
            doctest::Approx(1).epsilon(support::single_round_off(4)));
}
