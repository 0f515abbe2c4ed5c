// Overlaps of the bodies of a scene: what is checked, what is left out, and manipulated recordings.
#include "tumble/simulate/penetration_check.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/files.h"
#include "support/simulate.h"
#include "tumble/record/frame_writer.h"
#include "tumble/record/recording.h"

using namespace tumble;
using model::BodyId;
using model::Vec3;

namespace {

model::BodySpec box_at(const std::string& name, const Vec3& p, bool fixed = false) {
  model::BodySpec body;
  body.name = name;
  body.fixed = fixed;
  body.X_WB.translation = p;
  body.shapes = {{.shape = collision::Box{Vec3(1, 1, 1)}}};
  return body;
}

std::vector<simulate::BodyOverlap> overlaps_of(model::ModelBuilder& builder) {
  const model::Model scene = support::finished(builder);
  return simulate::find_overlaps(scene, model::start_state(scene));
}

// A tower of a fixed ground, three boxes and a ball above it, without contact.
model::Model yard() {
  model::ModelBuilder builder("yard");
  model::BodySpec ground = box_at("ground", Vec3(0, 0, 0), true);
  ground.shapes = {{.shape = collision::Plane{Vec3(0, 1, 0)}}};
  builder.add_body(ground);
  for (int i = 0; i < 3; ++i)
    builder.add_body(box_at("box" + std::to_string(i), Vec3(0.1 * i, 0.6 + 1.1 * i, 0)));
  model::BodySpec ball = box_at("ball", Vec3(5, 4, 0));
  ball.shapes = {{.shape = collision::Sphere{0.5}}};
  builder.add_body(ball);
  return support::finished(builder);
}

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tumble-overlaps-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

void write_recording(const std::string& path, const model::Model& scene,
                     const std::vector<model::State>& frames) {
  record::RecordingInfo info;
  info.scene_name = scene.name();
  info.frames = frames.size();
  const auto writer = record::open_frame_writer(path, scene, info);
  REQUIRE(writer);
  for (size_t k = 0; k < frames.size(); ++k) REQUIRE_FALSE((*writer)->write_frame(k, frames[k]));
  REQUIRE_FALSE((*writer)->finish({}));
}

// Six frames of the yard without overlaps: all bodies sink a little, rotate, and drift apart.
std::vector<model::State> quiet_frames(const model::Model& scene) {
  std::vector<model::State> frames;
  for (int k = 0; k < 6; ++k) {
    model::State state = model::start_state(scene);
    state.time = k / 60.0;
    for (size_t i = 1; i < scene.bodies().size(); ++i) {
      const BodyId id(i);
      state.set_position(id, state.position(id) + Vec3(0.01 * k, 0.002 * k * static_cast<double>(i), 0));
      state.set_orientation(id, math::Quat::from_axis_angle(Vec3(0, 1, 0), 0.01 * k));
    }
    frames.push_back(state);
  }
  return frames;
}

}  // namespace

TEST_CASE("overlaps are reported by pair, in the order of bodies, with the deepest of their shapes") {
  model::ModelBuilder builder;
  builder.add_body(box_at("c", Vec3(5, 0, 0)));
  builder.add_body(box_at("b", Vec3(0.9, 0, 0)));
  model::BodySpec two = box_at("a", Vec3(0, 0, 0));
  two.shapes.push_back({.shape = collision::Sphere{0.6}, .X_BS = {math::Quat::identity(), Vec3(0, 0.2, 0)}});
  builder.add_body(two);
  builder.add_body(box_at("d", Vec3(5.5, 0.8, 0)));
  const auto found = overlaps_of(builder);
  REQUIRE(found.size() == 2);
  CHECK(found[0].a == BodyId(0));
  CHECK(found[0].b == BodyId(3));
  CHECK(found[0].depth == doctest::Approx(0.2));
  CHECK(found[1].a == BodyId(1));
  CHECK(found[1].b == BodyId(2));
  CHECK(found[1].depth == doctest::Approx(0.2));  // the sphere, not the box with 0.1
}

TEST_CASE("bodies that may not collide are not checked: ignored, joined, both fixed, without collide") {
  const Vec3 near(0.5, 0, 0);
  const auto count = [&](auto&& change) {
    model::ModelBuilder builder;
    model::BodySpec a = box_at("a", Vec3(0, 0, 0)), b = box_at("b", near);
    change(builder, a, b);
    return overlaps_of(builder).size();
  };
  const auto add = [](model::ModelBuilder& builder, const model::BodySpec& a, const model::BodySpec& b) {
    const BodyId first = builder.add_body(a);
    return std::pair(first, builder.add_body(b));
  };
  CHECK(count([&](auto& m, auto& a, auto& b) { add(m, a, b); }) == 1);
  CHECK(count([&](auto& m, auto& a, auto& b) {
          const auto [x, y] = add(m, a, b);
          m.ignore_pair(y, x);
        }) == 0);
  CHECK(count([&](auto& m, auto& a, auto& b) {
          a.group = b.group = "limbs";
          add(m, a, b);
          m.ignore_groups("limbs", "limbs");
        }) == 0);
  for (const bool collide : {false, true})
    CHECK(count([&](auto& m, auto& a, auto& b) {
            const auto [x, y] = add(m, a, b);
            model::JointSpec joint;
            joint.name = "pin";
            joint.type = model::JointType::ball;
            joint.a = x;
            joint.b = y;
            joint.at = Vec3(0.25, 0, 0);
            joint.collide = collide;
            m.add_joint(joint);
          }) == (collide ? 1 : 0));
  CHECK(count([&](auto& m, auto& a, auto& b) {
          a.fixed = b.fixed = true;
          add(m, a, b);
        }) == 0);
  CHECK(count([&](auto& m, auto& a, auto& b) {
          a.shapes[0].collide = false;
          add(m, a, b);
        }) == 0);
  CHECK(count([&](auto& m, auto& a, auto& b) {
          a.fixed = true;
          add(m, a, b);
        }) == 1);
}

TEST_CASE("a check knows if there is nothing to check") {
  const auto needed = [](const std::vector<std::pair<size_t, size_t>>& ignored) {
    model::ModelBuilder builder;
    builder.add_body(box_at("a", Vec3(0, 0, 0)));
    builder.add_body(box_at("b", Vec3(0, 0, 0)));
    builder.add_body(box_at("wall", Vec3(0, 0, 0), true));
    builder.add_body(box_at("other wall", Vec3(0, 0, 0), true));
    model::BodySpec ghost = box_at("ghost", Vec3(0, 0, 0));
    ghost.shapes[0].collide = false;
    builder.add_body(ghost);
    for (const auto& [a, b] : ignored) builder.ignore_pair(BodyId(a), BodyId(b));
    const model::Model scene = support::finished(builder);
    return simulate::PenetrationCheck(scene).needed();
  };
  CHECK(needed({}));
  CHECK(needed({{0, 1}, {0, 2}, {0, 3}, {1, 2}, {0, 4}, {2, 3}}));
  CHECK_FALSE(needed({{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}}));
}

TEST_CASE("a body whose pose is not finite is left out, and does not hide the others") {
  const model::Model scene = yard();
  model::State state = model::start_state(scene);
  state.set_position(BodyId(1), Vec3(std::nan(""), 0, 0));
  state.set_position(BodyId(4), Vec3(5, 0.4, 0));
  const auto found = simulate::find_overlaps(scene, state);
  REQUIRE(found.size() == 1);
  CHECK(found[0].depth == doctest::Approx(0.1));
}

TEST_CASE("the sweep finds the same pairs of many boxes as all pairs do") {
  model::ModelBuilder builder;
  std::vector<Vec3> places;
  for (int i = 0; i < 200; ++i) {  // numbers that look random and are the same everywhere
    const auto at = [i](int k) { return 6 * std::fmod(0.61803398875 * i * k, 1.0); };
    places.emplace_back(at(1), at(7), at(13));
    builder.add_body(box_at("b" + std::to_string(i), places.back(), i % 5 == 0));
  }
  std::vector<std::pair<size_t, size_t>> expected, found;
  for (size_t i = 0; i < places.size(); ++i)
    for (size_t j = i + 1; j < places.size(); ++j)
      if ((places[i] - places[j]).cwiseAbs().maxCoeff() < 1 && (i % 5 != 0 || j % 5 != 0))
        expected.emplace_back(i, j);
  for (const auto& overlap : overlaps_of(builder)) {
    found.emplace_back(overlap.a.index(), overlap.b.index());
    const Vec3 between = places[overlap.a.index()] - places[overlap.b.index()];
    CHECK(overlap.depth == doctest::Approx(1 - between.cwiseAbs().maxCoeff()));
  }
  CHECK(found == expected);
  CHECK(found.size() > 100);
}

TEST_CASE("an overlap of 1 mm put into a recording is measured as 1.000 mm, in that frame alone") {
  const ScratchFolder folder;
  const model::Model scene = yard();
  simulate::PenetrationCheck search(scene);
  const std::vector<model::State> quiet = quiet_frames(scene);
  for (const model::State& frame : quiet) REQUIRE(search.find(frame).empty());

  // Into the ground, flat; into the ground with a corner; a ball into the side of a box; all in frame 3.
  const double diagonal = 0.5 * std::sqrt(3.0);
  const math::Quat on_corner = math::Quat::from_axis_angle(Vec3(1, 0, -1), std::acos(1 / std::sqrt(3.0)));
  struct Tampering {
    BodyId body;
    Vec3 place;
    math::Quat turn;
    BodyId other;
  };
  for (const Tampering& t :
       {Tampering{BodyId(1), Vec3(0, 0.5 - 1e-3, 0), math::Quat::identity(), BodyId(0)},
        Tampering{BodyId(1), Vec3(-5, diagonal - 1e-3, 0), on_corner, BodyId(0)},
        Tampering{BodyId(4), Vec3(0.03 + 1 - 1e-3, 0.606, 0), math::Quat::identity(), BodyId(1)}}) {
    std::vector<model::State> frames = quiet;
    frames[3].set_orientation(BodyId(1), math::Quat::identity());
    frames[3].set_position(t.body, t.place);
    frames[3].set_orientation(t.body, t.turn);
    write_recording(folder / "a.tumble", scene, frames);
    write_recording(folder / "a.csv", scene, frames);

    const auto native = record::Recording::open(folder / "a.tumble");
    const auto table = record::read_csv(folder / "a.csv", scene);
    REQUIRE(native);
    REQUIRE(table);
    for (size_t k = 0; k < frames.size(); ++k) {
      CAPTURE(k);
      const auto frame = native->frame(k);
      REQUIRE(frame);
      for (const model::State* state : {&*frame, &(*table)[k]}) {
        const auto found = search.find(*state);
        if (k != 3) {
          CHECK(found.empty());
          continue;
        }
        REQUIRE(found.size() == 1);
        CHECK(std::abs(found[0].depth - 1e-3) <= 1e-9);
        CHECK(found[0].a == std::min(t.body, t.other));
        CHECK(found[0].b == std::max(t.body, t.other));
      }
    }
    std::filesystem::remove(folder / "a.tumble");
    std::filesystem::remove(folder / "a.csv");
  }
}

TEST_CASE("a number changed by hand in a .csv is found") {
  const ScratchFolder folder;
  const model::Model scene = yard();
  write_recording(folder / "a.csv", scene, quiet_frames(scene));
  // The height of box0 in the third frame: 1 mm into the ground.
  std::istringstream lines(support::text_of(folder / "a.csv"));
  std::string line, edited, header;
  std::getline(lines, header);
  const size_t column = static_cast<size_t>(
      std::count(header.begin(), header.begin() + static_cast<long>(header.find("box0.y")), ','));
  REQUIRE(header.find("box0.y") != std::string::npos);
  for (int row = 0; std::getline(lines, line); ++row) {
    if (row == 2) {
      size_t begin = 0;
      for (size_t i = 0; i < column; ++i) begin = line.find(',', begin) + 1;
      line.replace(begin, line.find(',', begin) - begin, "0.499");
    }
    edited += line + "\n";
  }
  std::ofstream(folder / "b.csv") << header << "\n" << edited;
  const auto table = record::read_csv(folder / "b.csv", scene);
  REQUIRE(table);
  simulate::PenetrationCheck search(scene);
  for (size_t k = 0; k < table->size(); ++k)
    CHECK(std::abs(search.find_deepest((*table)[k]).depth - (k == 2 ? 1e-3 : 0)) <= 1e-9);
}
