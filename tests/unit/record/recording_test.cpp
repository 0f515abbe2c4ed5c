#include <nlohmann/json.hpp>

#include "fixture.h"
#include "tumble/core/version.h"
#include "tumble/record/recording.h"

using namespace record_test;

TEST_CASE("all content of a .tumble is read back bit for bit") {
  const Folder folder;
  const model::Model model = make_model();
  record_run(folder / "a.tumble", model, 6);
  const auto recording = record::Recording::open(folder / "a.tumble");
  REQUIRE_MESSAGE(recording, message_of(recording.diagnostics()));
  CHECK(recording.diagnostics().empty());

  const record::RecordingInfo& info = recording->info();
  CHECK(info.scene_name == "yard");
  CHECK(info.fps == kFps);
  CHECK(info.frames == 6);
  CHECK(info.method == "precise");
  CHECK(info.integrator == "dopri8");
  CHECK(info.accuracy == 1e-6);
  CHECK(info.version == "1.2.3");
  REQUIRE(info.files.size() == 2);
  CHECK(info.files[1].path == "meshes/a.obj");
  CHECK(info.files[1].bytes == make_info(1).files[1].bytes);
  CHECK(recording->body_names() == std::vector<std::string>{"floor", "ball", "mallet"});
  CHECK(recording->force_names() == std::vector<std::string>{"push"});
  CHECK(recording->warnings() == std::vector<std::string>{"mind the mallet"});

  REQUIRE(recording->frame_count() == 6);
  for (const size_t k : {5u, 0u, 3u}) {  // any order
    const auto state = recording->frame(k);
    REQUIRE(state);
    const model::State expected = state_at(model, k);
    CHECK(state->time == expected.time);
    CHECK(state->y == expected.y);
    CHECK(state->work == expected.work);
  }
  const auto rows = recording->log_rows();
  REQUIRE(rows);
  REQUIRE(rows->size() == 12);
  CHECK((*rows)[7].t == row_at(7).t);
  CHECK((*rows)[7].angular_momentum == row_at(7).angular_momentum);
  CHECK((*rows)[7].contacts == 7);
  CHECK((*rows)[7].impacts == 14);
  CHECK((*rows)[7].work_by_force == std::vector<double>{0.5});
  const auto summary = nlohmann::json::parse(recording->summary_json());
  CHECK(summary["frames"] == 6);
  CHECK_FALSE(summary.contains("wall_seconds"));
}

TEST_CASE("settings and inputs are stored as text, and make a recording of version 2") {
  const Folder folder;
  const model::Model model = make_model();
  record::RecordingInfo info = make_info(2);
  const auto write = [&](const std::string& name) {
    auto writer = record::open_frame_writer(folder / name, model, info);
    REQUIRE(writer);
    write_frames(**writer, model, 0, 2);
    REQUIRE_FALSE((*writer)->finish(make_summary(2)));
    return bytes_of(folder / name);
  };
  CHECK(write("plain.tumble")[8] == 1);
  info.settings = {"ball.velocity.x=1", "a=\n"};
  info.inputs = "{}\n\0";
  std::string bytes = write("a.tumble");
  CHECK(bytes[8] == 2);
  const auto recording = record::Recording::open(folder / "a.tumble");
  REQUIRE(recording);
  CHECK(recording->info().settings == info.settings);
  CHECK(recording->info().inputs == info.inputs);
  CHECK(recording->frame_count() == 2);
  const auto continued = record::open_frame_writer(folder / "a.tumble", model, make_info(2), {.frames = 1});
  REQUIRE_FALSE(continued);  // of a run without them
  CHECK(message_of(continued.diagnostics()).find("other options") != std::string::npos);
  bytes[8] = 3;
  write_bytes(folder / "later.tumble", bytes);
  CHECK(message_of(record::Recording::open(folder / "later.tumble").diagnostics()).find("version 3") !=
        std::string::npos);
}

TEST_CASE("a recording does not depend on the clock and on the planned number of frames") {
  const Folder folder;
  const model::Model model = make_model();
  record_run(folder / "a.tumble", model, 3);
  auto writer = open_writer(folder / "b.tumble", model, 900);
  write_frames(*writer, model, 0, 3);
  record::Summary summary = make_summary(3);
  summary.wall_seconds = 99;
  summary.realtime_factor = 7;
  REQUIRE_FALSE(writer->finish(summary));
  CHECK(bytes_of(folder / "a.tumble") == bytes_of(folder / "b.tumble"));
}

TEST_CASE("a .tumble cut off anywhere is read up to its last whole frame") {
  const Folder folder;
  const model::Model model = make_model();
  record_run(folder / "a.tumble", model, 4);
  const std::string good = bytes_of(folder / "a.tumble");
  size_t frames_before = 0;
  for (size_t size = 0; size < good.size(); size += 13) {
    write_bytes(folder / "b.tumble", good.substr(0, size));
    const auto recording = record::Recording::open(folder / "b.tumble");
    if (!recording) {
      CHECK(frames_before == 0);
      CHECK(message_of(recording.diagnostics()).find("byte ") != std::string::npos);
      continue;
    }
    CHECK(recording->frame_count() >= frames_before);
    frames_before = recording->frame_count();
    for (size_t k = 0; k < frames_before; ++k) {
      const auto state = recording->frame(k);
      REQUIRE(state);
      CHECK(state->y == state_at(model, k).y);
    }
    CHECK(recording->log_rows());
    CHECK(recording->summary_json().empty());
  }
  CHECK(frames_before == 4);
}

TEST_CASE("every flipped bit is detected and none crashes the reader") {
  const Folder folder;
  const model::Model model = make_model();
  record_run(folder / "a.tumble", model, 3);
  const std::string good = bytes_of(folder / "a.tumble");
  for (size_t at = 0; at < good.size(); at += at < 1000 ? 1 : 5) {
    if (at >= 12 && at < 16) continue;  // the zero after the version has no meaning
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
    write_bytes(folder / "b.tumble", bad);
    const auto recording = record::Recording::open(folder / "b.tumble");
    bool seen = !recording || !recording.diagnostics().empty();
    if (recording) {
      for (size_t k = 0; k < recording->frame_count(); ++k) seen |= !recording->frame(k);
      seen |= !recording->log_rows();
    }
    INFO("byte ", at);
    REQUIRE(seen);
  }
}

TEST_CASE("a file that is not a recording is refused") {
  const Folder folder;
  write_bytes(folder / "a.tumble", "t,x\n0,1\n");
  CHECK(message_of(record::Recording::open(folder / "a.tumble").diagnostics())
            .find("byte 0: is not a recording of tumble") != std::string::npos);
  CHECK_FALSE(record::Recording::open(folder / "missing.tumble"));
  CHECK_FALSE(record::Recording::open(folder / ""));
}

TEST_CASE("a recording that is given no names has those of the model and the library") {
  const Folder folder;
  const model::Model model = make_model();
  {
    auto writer = record::open_frame_writer(folder / "a.tumble", model, {.fps = kFps, .frames = 1}).value();
    REQUIRE_FALSE(writer->write_frame(0, state_at(model, 0)));
    REQUIRE_FALSE(writer->finish({}));
  }
  const auto recording = record::Recording::open(folder / "a.tumble");
  REQUIRE(recording);
  CHECK(recording->info().scene_name == model.name());
  CHECK(recording->info().version == core::kVersion);
}
