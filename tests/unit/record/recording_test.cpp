#include <cstring>
#include <nlohmann/json.hpp>

#include "fixture.h"
#include "tumble/core/version.h"
#include "tumble/record/bytes.h"
#include "tumble/record/recording.h"
#include "tumble/record/tumble_file.h"

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

namespace {

void check_contacts(const record::Recording& recording, size_t k) {
  const auto contacts = recording.contacts(k);
  REQUIRE_MESSAGE(contacts, message_of(contacts.diagnostics()));
  const std::vector<model::ContactRow> expected = contacts_at(k);
  CHECK(contacts->t == static_cast<double>(k) / kFps);
  REQUIRE(contacts->points.size() == expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const record::FrameContacts::Point& point = contacts->points[i];
    const record::FrameContacts::Patch& patch = contacts->patches.at(point.patch);
    const model::ContactRow& row = expected[i];
    using State = record::FrameContacts::State;
    CHECK(recording.body_names()[point.a] == row.a);
    CHECK(recording.body_names()[point.b] == row.b);
    CHECK(point.point == row.point);
    CHECK(point.normal == row.normal);
    CHECK(point.gap == row.gap);
    CHECK(point.normal_impulse == row.normal_impulse);
    CHECK(point.impulse == row.impulse);
    CHECK(point.slip == row.slip);
    CHECK(point.state == (row.state == "slip"    ? State::slip
                          : row.state == "stick" ? State::stick
                                                 : State::impact));
    CHECK(point.patch + 1 == row.patch);
    CHECK(patch.impulse == row.patch_impulse);
    CHECK(patch.center == row.patch_center);
    CHECK(patch.moment == row.patch_moment);
  }
}

// Replaces one chunk by one of the same type with another payload. The file is then read without its index,
// which would no longer fit.
std::string with_payload(const std::string& good, std::string_view type, const std::string& payload) {
  namespace detail = record::detail;
  const size_t at = good.find(type);
  REQUIRE(at != std::string::npos);
  uint64_t length = 0;
  std::memcpy(&length, good.data() + at + 4, sizeof length);
  std::string bytes = good.substr(0, at);
  detail::append_chunk(bytes, type, payload);
  return bytes + good.substr(at + length + detail::kChunkOverhead);
}

}  // namespace

TEST_CASE("contacts are read back bit for bit, in any order") {
  const Folder folder;
  const model::Model model = make_model();
  record_run(folder / "a.tumble", model, 6);
  const auto recording = record::Recording::open(folder / "a.tumble");
  REQUIRE(recording);
  CHECK(recording->info().contacts);
  CHECK(recording->has_index());
  for (const size_t k : {5u, 0u, 3u, 1u}) check_contacts(*recording, k);
}

TEST_CASE("reactions and bodies in the log are read back bit for bit") {
  const Folder folder;
  model::ModelBuilder builder("arm");
  model::BodySpec body = make_body("arm");
  body.shapes.push_back({collision::Sphere{1}, {}, {}, true, {}});
  const auto arm = builder.add_body(body);
  model::JointSpec joint;
  joint.name = "hip";
  joint.type = model::JointType::ball;
  joint.b = arm;
  builder.add_joint(joint);
  const auto model = builder.finish();
  REQUIRE_MESSAGE(model, message_of(model.diagnostics()));
  record::RecordingInfo info = {.fps = kFps, .frames = 2, .reactions = true, .log_bodies = {"arm"}};
  info.fixed_step = 0.125;
  record::LogRow row = row_at(1);
  row.work_by_force.assign(model->work_count(), 0.25);
  row.by_body = {1, 2, 3, 4, 5, 6, 7, 1.0 / 3};
  auto writer = record::open_frame_writer(folder / "a.tumble", *model, info).value();
  for (size_t k = 0; k < 2; ++k) {
    const double x = static_cast<double>(k) / 3;
    REQUIRE_FALSE(writer->write_reactions(k, x, std::vector<double>{x, 2, 3, 4, 5, 6, 7}));
    REQUIRE_FALSE(writer->write_frame(k, model::start_state(*model)));
    REQUIRE_FALSE(writer->write_log_row(row));
  }
  REQUIRE_FALSE(writer->finish({}));
  const auto recording = record::Recording::open(folder / "a.tumble");
  REQUIRE_MESSAGE(recording, message_of(recording.diagnostics()));
  CHECK(recording->info().reactions);
  CHECK_FALSE(recording->info().contacts);
  CHECK(recording->info().fixed_step == 0.125);
  CHECK(recording->info().log_bodies == info.log_bodies);
  CHECK(recording->joint_names() == std::vector<std::string>{"hip"});
  CHECK(recording->reactions(1).value() == std::vector<double>{1.0 / 3, 2, 3, 4, 5, 6, 7});
  CHECK(recording->log_rows(1, 1).value().front().by_body == row.by_body);
}

TEST_CASE("a recording of many chunks has an index of several blocks, which a resumed run continues") {
  const Folder folder;
  const model::Model model = make_model();
  constexpr size_t kBlock = record::detail::kIndexBlock;
  // `rows` of the log, then a frame, twice.
  const auto write = [&](const std::string& name, size_t rows, size_t stop, bool finish) {
    const record::Progress keep = stop > 0 ? record::Progress{1, rows, 0} : record::Progress{};
    const auto writer = open_writer(folder / name, model, 2, stop > 0 ? keep : record::Progress{});
    for (size_t k = stop > 0 ? 1 : 0; k < 2; ++k) {
      for (size_t i = 0; i < rows; ++i) REQUIRE_FALSE(writer->write_log_row(row_at(k * rows + i)));
      REQUIRE_FALSE(writer->write_contacts(k, static_cast<double>(k) / kFps, contacts_at(k)));
      REQUIRE_FALSE(writer->write_frame(k, state_at(model, k)));
      if (finish) continue;
      REQUIRE_FALSE(writer->flush());
      return;
    }
    REQUIRE_FALSE(writer->finish(make_summary(2)));
  };
  for (const size_t rows : {kBlock - 3, kBlock - 2, kBlock - 1, 2 * kBlock + 7}) {
    CAPTURE(rows);
    write("whole.tumble", rows, 0, true);
    const auto recording = record::Recording::open(folder / "whole.tumble");
    REQUIRE(recording);
    CHECK(recording.diagnostics().empty());
    CHECK(recording->has_index());
    CHECK(recording->frame_count() == 2);
    CHECK(recording->log_row_count() == 2 * rows);
    CHECK(recording->log_rows(2 * rows - 1, 1).value().front().t == row_at(2 * rows - 1).t);
    check_contacts(*recording, 1);

    write("part.tumble", rows, 0, false);  // stopped after its first frame, without summary and index
    const auto part = record::Recording::open(folder / "part.tumble");
    REQUIRE(part);
    CHECK(part.diagnostics().empty());
    CHECK_FALSE(part->has_index());
    CHECK(part->log_row_count() == rows);
    check_contacts(*part, 0);
    write("part.tumble", rows, 1, true);
    CHECK(bytes_of(folder / "part.tumble") == bytes_of(folder / "whole.tumble"));
    write("whole.tumble", rows, 1, true);  // and a finished one, resumed
    CHECK(bytes_of(folder / "part.tumble") == bytes_of(folder / "whole.tumble"));
  }
}

TEST_CASE("a recording is read without its index if that is damaged") {
  const Folder folder;
  const model::Model model = make_model();
  record_run(folder / "a.tumble", model, 4);
  const std::string good = bytes_of(folder / "a.tumble");
  const size_t index_at = good.rfind("INDX"), tail_at = good.rfind("TAIL");
  const auto check_scanned = [&](const std::string& bytes, size_t warnings) {
    write_bytes(folder / "b.tumble", bytes);
    const auto recording = record::Recording::open(folder / "b.tumble");
    REQUIRE_MESSAGE(recording, message_of(recording.diagnostics()));
    CHECK_MESSAGE(recording.diagnostics().size() == warnings, message_of(recording.diagnostics()));
    CHECK_FALSE(recording->has_index());
    CHECK(recording->frame_count() == 4);
    CHECK_FALSE(recording->summary_json().empty());
    for (size_t k = 0; k < 4; ++k) check_contacts(*recording, k);
  };
  check_scanned(good.substr(0, tail_at), 0);
  std::string bad = good;
  bad[index_at + 20] ^= 1;
  check_scanned(bad, 1);
  // Indices with a right checksum that lead nowhere, backwards, or in a loop.
  const std::string front = good.substr(0, index_at);
  const auto with_index = [&](uint64_t previous, const std::vector<record::detail::IndexEntry>& entries,
                              uint64_t block_at) {
    std::string bytes = front, tail;
    record::detail::append_chunk(bytes, "INDX", record::detail::to_index_block(previous, entries));
    record::detail::append_value(tail, block_at);
    record::detail::append_chunk(bytes, "TAIL", tail);
    return bytes;
  };
  const std::array<char, 4> frame = {'F', 'R', 'A', 'M'};
  const uint64_t huge = ~uint64_t{0};
  check_scanned(with_index(index_at, {}, index_at), 1);
  check_scanned(with_index(huge, {}, index_at), 1);
  check_scanned(with_index(0, {}, huge), 1);
  check_scanned(with_index(0, {}, 17), 1);
  check_scanned(with_index(0, {{frame, huge}}, index_at), 1);
  check_scanned(with_index(0, {{frame, 3}}, index_at), 1);
  const uint64_t frame_at = good.find("FRAM");
  check_scanned(with_index(0, {{frame, frame_at}, {frame, frame_at}}, index_at), 1);
  std::string odd = front, tail;
  record::detail::append_chunk(odd, "INDX", std::string(8 + 5, '\0'));
  record::detail::append_value(tail, index_at);
  record::detail::append_chunk(odd, "TAIL", tail);
  check_scanned(odd, 1);
  // An index that leads to another chunk: the frame says so, nothing crashes.
  write_bytes(folder / "c.tumble", with_index(0, {{frame, good.find("LOGR")}}, index_at));
  const auto wrong = record::Recording::open(folder / "c.tumble");
  REQUIRE(wrong);
  REQUIRE(wrong->frame_count() == 1);
  CHECK_FALSE(wrong->frame(0));
  CHECK_FALSE(wrong->contacts(0));
  CHECK(wrong->find_damage());
}

TEST_CASE("contacts with wrong numbers are refused") {
  const Folder folder;
  const model::Model model = make_model();
  record_run(folder / "a.tumble", model, 3);
  const std::string good = bytes_of(folder / "a.tumble");
  const size_t at = good.find("CONT");
  uint64_t length = 0;
  std::memcpy(&length, good.data() + at + 4, sizeof length);
  const std::string payload = good.substr(at + 12, length);
  REQUIRE(payload.size() == 24 + 112 + 56);
  const auto refused = [&](const std::string& changed) {
    write_bytes(folder / "b.tumble", with_payload(good, "CONT", changed));
    const auto recording = record::Recording::open(folder / "b.tumble");
    REQUIRE(recording);
    return !recording->contacts(0);
  };
  const auto with = [&](size_t byte, uint32_t value) {
    std::string changed = payload;
    std::memcpy(changed.data() + byte, &value, sizeof value);
    return changed;
  };
  CHECK_FALSE(refused(payload));
  CHECK(refused(""));
  CHECK(refused(payload.substr(0, payload.size() - 1)));
  CHECK(refused(payload + "x"));
  CHECK(refused(with(0, 1)));             // another frame
  CHECK(refused(with(16, 0xffffffffu)));  // points
  CHECK(refused(with(20, 0xffffffffu)));  // patches
  CHECK(refused(with(24, 3)));            // body a
  CHECK(refused(with(28, 0xffffffffu)));  // body b
  CHECK(refused(with(32, 3)));            // state
  CHECK(refused(with(36, 0)));            // patch
  CHECK(refused(with(36, 2)));
}

TEST_CASE("recordings of versions 1 and 2 are read, later ones refused") {
  for (const char* name : {"version-1.tumble", "version-2.tumble"}) {
    CAPTURE(name);
    const auto recording =
        record::Recording::open(std::string(TUMBLE_SOURCE_DIR "/tests/data/recordings/") + name);
    REQUIRE_MESSAGE(recording, message_of(recording.diagnostics()));
    CHECK(recording.diagnostics().empty());
    CHECK(recording->version() == static_cast<uint32_t>(name[8] - '0'));
    CHECK_FALSE(recording->has_index());
    CHECK_FALSE(recording->info().contacts);
    CHECK(recording->frame_count() == 4);
    CHECK(recording->frame(3));
    CHECK(recording->log_rows());
    CHECK_FALSE(recording->find_damage());
    CHECK_FALSE(recording->summary_json().empty());
  }
}

TEST_CASE("settings and inputs are stored as text") {
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
  CHECK(write("plain.tumble")[8] == 3);
  info.settings = {"ball.velocity.x=1", "a=\n"};
  info.inputs = "{}\n\0";
  std::string bytes = write("a.tumble");
  const auto recording = record::Recording::open(folder / "a.tumble");
  REQUIRE(recording);
  CHECK(recording->info().settings == info.settings);
  CHECK(recording->info().inputs == info.inputs);
  CHECK(recording->frame_count() == 2);
  const auto continued = record::open_frame_writer(folder / "a.tumble", model, make_info(2), {.frames = 1});
  REQUIRE_FALSE(continued);  // of a run without them
  CHECK(message_of(continued.diagnostics()).find("other options") != std::string::npos);
  bytes[8] = 4;
  write_bytes(folder / "later.tumble", bytes);
  CHECK(message_of(record::Recording::open(folder / "later.tumble").diagnostics())
            .find("version 4; this program reads versions 1 to 3: a newer one wrote it") !=
        std::string::npos);
  bytes[8] = 2;
  write_bytes(folder / "a.tumble", bytes);
  CHECK(message_of(record::Recording::open(folder / "a.tumble").diagnostics())
            .find("its version is not that of its INFO chunk") != std::string::npos);
  const auto older = record::open_frame_writer(folder / "a.tumble", model, info, {.frames = 1});
  REQUIRE_FALSE(older);
  CHECK(message_of(older.diagnostics()).find("version 2, this program writes version 3") !=
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
  const size_t summary_end = good.rfind("INDX");
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
    CHECK(recording->summary_json().empty() == (size < summary_end));
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
      for (size_t k = 0; k < recording->frame_count() && recording->info().contacts; ++k)
        seen |= !recording->contacts(k);
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
