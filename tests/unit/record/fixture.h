// Shared by the tests of recordings: a small scene, a motion of it, and a temporary folder.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tumble/core/files.h"
#include "tumble/model/model_builder.h"
#include "tumble/record/frame_writer.h"

namespace record_test {

namespace collision = tumble::collision;
namespace core = tumble::core;
namespace geometry = tumble::geometry;
namespace math = tumble::math;
namespace model = tumble::model;
namespace record = tumble::record;

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tumble-record-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline std::string bytes_of(const std::string& path) {
  const auto bytes = core::read_file(path);
  REQUIRE(bytes);
  return *bytes;
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::filesystem::remove(path);  // some file systems wait for the disk if a file is overwritten
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string message_of(const core::Diagnostics& diagnostics) {
  std::string text;
  for (const core::Diagnostic& d : diagnostics) text += core::to_string(d) + "\n";
  return text;
}

inline model::BodySpec make_body(const std::string& name, bool fixed = false) {
  model::BodySpec body;
  body.name = name;
  body.fixed = fixed;
  return body;
}

/// A fixed floor, a ball, and a body of two shapes whose centre of mass is not its origin; one force.
inline model::Model make_model() {
  model::ModelBuilder builder("yard");
  model::Material paint;
  paint.name = "red";
  paint.color = {1, 0.5, 0};
  const auto red = builder.add_material(paint);
  model::BodySpec floor = make_body("floor", true);
  floor.shapes.push_back({collision::Plane{{0, 1, 0}}, {}, {}, true, {}});
  builder.add_body(floor);
  model::BodySpec ball = make_body("ball");
  ball.X_WB.translation = {1, 2, 3};
  ball.velocity = {0.5, 0, 0};
  ball.shapes.push_back({collision::Sphere{0.5}, {}, red, true, {}});
  const auto id = builder.add_body(ball);
  model::BodySpec mallet = make_body("mallet");
  mallet.X_WB.translation = {0, 4, 0};
  mallet.shapes.push_back({collision::Box{{0.2, 1, 0.2}}, {}, {}, true, {}});
  mallet.shapes.push_back({collision::Sphere{0.5}, {math::Quat::identity(), {0, 0.75, 0}}, red, true, {}});
  builder.add_body(mallet);
  builder.add_force(std::make_shared<model::AppliedForce>("push", id, math::Vec3(1, 0, 0),
                                                          model::Frame::world, math::Vec3::Zero()));
  auto model = builder.finish();
  REQUIRE_MESSAGE(model, message_of(model.diagnostics()));
  return std::move(*model);
}

inline constexpr double kFps = 10;

inline record::RecordingInfo make_info(size_t frames) {
  return {.scene_name = "yard",
          .fps = kFps,
          .frames = frames,
          .method = "precise",
          .integrator = "dopri8",
          .accuracy = 1e-6,
          .files = {{"yard.xml", "<scene name=\"yard\"/>\n"}, {"meshes/a.obj", std::string("v 0\0 0", 6)}},
          .version = "1.2.3",
          .contacts = true};
}

/// k % 3 contact points of frame k in one patch, and one of another.
inline std::vector<model::ContactRow> contacts_at(size_t k) {
  std::vector<model::ContactRow> rows;
  const double t = static_cast<double>(k) / kFps;
  for (size_t i = 0; i <= k % 3; ++i) {
    model::ContactRow row;
    row.t = t;
    row.a = i == k % 3 ? "mallet" : "ball";
    row.b = "floor";
    row.point = {t / 3, 0.1, static_cast<double>(i)};
    row.normal = {0, 1, 0};
    row.gap = 1e-5 / 3;
    row.normal_impulse = 0.1 * t;
    row.impulse = {1, 0.1 * t, -2};
    row.slip = 1.0 / 7;
    row.state = i == 0 ? "slip" : i == 1 ? "impact" : "stick";
    row.patch = i == k % 3 && i > 0 ? 2 : 1;
    row.patch_impulse = {1, 2, static_cast<double>(row.patch)};
    row.patch_center = {4, 5, 6};
    row.patch_moment = 7;
    rows.push_back(row);
  }
  return rows;
}

/// The state in frame k. Any motion would do. This one makes several turns and has no round numbers. The
/// quaternion changes its sign where that of an integrator would not, which tests the writers.
inline model::State state_at(const model::Model& model, size_t k) {
  model::State state = model::start_state(model);
  const double t = static_cast<double>(k) / kFps;
  state.time = t;
  const double sign = k % 3 == 1 ? -1 : 1;
  model::set_motion(model, core::BodyId(1), {1 + t / 3, 2 - 4.9 * t * t, 3}, math::Quat::identity(),
                    {1.0 / 3, -9.8 * t, 0}, math::Vec3::Zero(), state);
  model::set_motion(model, core::BodyId(2), {0, 4, t},
                    math::Quat::from_wxyz(sign * std::cos(2 * t), 0, sign * std::sin(2 * t), 0), {0, 0, 1},
                    {0, 4, 0}, state);
  state.work = {0.1 * t};
  return state;
}

inline record::LogRow row_at(size_t i) {
  record::LogRow row;
  row.t = 0.037 * static_cast<double>(i);
  row.h = 0.037;
  row.kinetic = 1.0 / 3;
  row.potential = -2;
  row.energy = row.kinetic + row.potential;
  row.momentum = {1, 2, 3};
  row.angular_momentum = {4, 5, 6e-20};
  row.contacts = i;
  row.max_penetration = 1e-9;
  row.impacts = 2 * i;
  row.work = 0.5;
  row.work_by_force = {0.5};
  return row;
}

/// Writes frames from..to-1 with contacts as a run would: a log row before and after each frame, a warning at
/// frame 2.
inline void write_frames(record::FrameWriter& writer, const model::Model& model, size_t from, size_t to,
                         bool flush_each = false) {
  for (size_t k = from; k < to; ++k) {
    REQUIRE_FALSE(writer.write_log_row(row_at(2 * k)));
    REQUIRE_FALSE(writer.write_contacts(k, static_cast<double>(k) / kFps, contacts_at(k)));
    REQUIRE_FALSE(writer.write_frame(k, state_at(model, k)));
    REQUIRE_FALSE(writer.write_log_row(row_at(2 * k + 1)));
    if (k == 2) REQUIRE_FALSE(writer.write_warning("mind the mallet"));
    if (flush_each) REQUIRE_FALSE(writer.flush());
  }
}

inline record::Progress progress_after(size_t frames) { return {frames, 2 * frames, frames > 2 ? 1u : 0u}; }

inline record::Summary make_summary(size_t frames) {
  record::Summary summary;
  summary.scene = "yard";
  summary.frames = frames;
  summary.wall_seconds = 12.5;
  return summary;
}

inline std::unique_ptr<record::FrameWriter> open_writer(const std::string& path, const model::Model& model,
                                                        size_t frames, const record::Progress& keep = {}) {
  auto writer = record::open_frame_writer(path, model, make_info(frames), keep);
  REQUIRE_MESSAGE(writer, message_of(writer.diagnostics()));
  return std::move(*writer);
}

/// A whole run of `frames` frames.
inline void record_run(const std::string& path, const model::Model& model, size_t frames,
                       bool flush_each = false) {
  const auto writer = open_writer(path, model, frames);
  write_frames(*writer, model, 0, frames, flush_each);
  REQUIRE_FALSE(writer->finish(make_summary(frames)));
}

}  // namespace record_test
