// A resumed run must write the same bytes as an uninterrupted one.
#include "fixture.h"
#include "tumble/record/log_writer.h"
#include "tumble/record/recording.h"

using namespace record_test;

namespace {

struct Format {
  std::string name;
  std::vector<std::string> files;  // of which the recording consists
};
const std::vector<Format> kFormats = {{"a.csv", {"a.csv"}},
                                      {"a.txt", {"a.txt"}},
                                      {"a.glb", {"a.glb"}},
                                      {"a.gltf", {"a.gltf", "a.bin"}},
                                      {"a.tumble", {"a.tumble"}}};

void check_same(const Folder& a, const Folder& b, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    INFO(name);
    CHECK(bytes_of(a / name) == bytes_of(b / name));
  }
}

}  // namespace

TEST_CASE("the times of flushes do not change the final file") {
  const model::Model model = make_model();
  for (const Format& format : kFormats) {
    const std::string& name = format.name;
    const Folder once, often;
    record_run(once / name, model, 12);
    record_run(often / name, model, 12, true);
    check_same(once, often, format.files);
  }
}

TEST_CASE("a run that was stopped and resumed writes the same bytes as an uninterrupted one") {
  const model::Model model = make_model();
  for (const Format& format : kFormats) {
    const std::string& name = format.name;
    INFO(name);
    const Folder whole;
    record_run(whole / name, model, 12);
    for (const size_t planned : {4u, 7u, 12u, 30u})  // planned frames of the first run
      for (const bool killed : {false, true})
        for (const bool beyond : {false, true}) {  // the first run continued after its checkpoint
          const size_t written = beyond ? std::min<size_t>(planned, 11) : 4;
          const Folder parts;
          {
            const auto first = open_writer(parts / name, model, planned);
            write_frames(*first, model, 0, 4);
            REQUIRE_FALSE(first->flush());
            write_frames(*first, model, 4, written);
            if (killed)
              REQUIRE_FALSE(first->flush());
            else
              REQUIRE_FALSE(first->finish(make_summary(written)));
          }
          const auto second = open_writer(parts / name, model, 12, progress_after(4));
          write_frames(*second, model, 4, 12);
          REQUIRE_FALSE(second->finish(make_summary(12)));
          check_same(whole, parts, format.files);
        }
  }
}

TEST_CASE("a finished run that is resumed to its end does not change") {
  const model::Model model = make_model();
  for (const Format& format : kFormats) {
    const std::string& name = format.name;
    INFO(name);
    const Folder whole, again;
    record_run(whole / name, model, 6);
    record_run(again / name, model, 6);
    const auto writer = open_writer(again / name, model, 6, progress_after(6));
    REQUIRE_FALSE(writer->finish(make_summary(6)));
    check_same(whole, again, format.files);
  }
}

TEST_CASE("a run resumed into a new file writes the remaining frames, and can be resumed again") {
  const model::Model model = make_model();
  for (const Format& format : kFormats) {
    const std::string& name = format.name;
    INFO(name);
    const Folder whole, parts;
    {
      const auto rest = open_writer(whole / name, model, 12, progress_after(5));
      write_frames(*rest, model, 5, 12);
      REQUIRE_FALSE(rest->finish(make_summary(12)));
    }
    {
      const auto rest = open_writer(parts / name, model, 9, progress_after(5));
      write_frames(*rest, model, 5, 8);
      REQUIRE_FALSE(rest->flush());
    }
    const auto last = open_writer(parts / name, model, 12, progress_after(7));
    write_frames(*last, model, 7, 12);
    REQUIRE_FALSE(last->finish(make_summary(12)));
    check_same(whole, parts, format.files);
  }
  const Folder folder;
  const auto csv = open_writer(folder / "a.csv", model, 12, progress_after(5));
  write_frames(*csv, model, 5, 12);
  REQUIRE_FALSE(csv->finish({}));
  const auto frames = record::read_csv(folder / "a.csv", model);
  REQUIRE(frames);
  CHECK(frames->size() == 7);
  CHECK(frames->front().time == 0.5);
}

TEST_CASE("a file that does not reach the checkpoint, or of another scene, is not continued") {
  const model::Model model = make_model();
  model::ModelBuilder builder("other");
  model::BodySpec body = make_body("other");
  body.shapes.push_back({collision::Sphere{1}, {}, {}, true, {}});
  builder.add_body(body);
  const auto other = builder.finish();
  REQUIRE(other);
  for (const Format& format : kFormats) {
    const std::string& name = format.name;
    INFO(name);
    const Folder folder;
    record_run(folder / name, model, 4);
    const std::string before = bytes_of(folder / name);
    CHECK_FALSE(record::open_frame_writer(folder / name, model, make_info(12), progress_after(9)));
    CHECK_FALSE(record::open_frame_writer(folder / name, *other, make_info(12), progress_after(3)));
    CHECK_FALSE(record::open_frame_writer(folder / name, model, make_info(2), progress_after(3)));
    CHECK(bytes_of(folder / name) == before);
    write_bytes(folder / name, "");
    CHECK_FALSE(record::open_frame_writer(folder / name, model, make_info(12), progress_after(3)));
  }
}

TEST_CASE("the log is written as the contract says, and continued at its offset") {
  const Folder folder;
  const auto write = [&](const std::string& name, size_t from, size_t to, size_t keep) {
    auto log = record::LogWriter::open(folder / name, {"push"}, keep);
    REQUIRE_MESSAGE(log, message_of(log.diagnostics()));
    for (size_t i = from; i < to; ++i) REQUIRE_FALSE((*log)->write_row(row_at(i)));
    const size_t offset = (*log)->offset();
    REQUIRE_FALSE((*log)->finish());
    CHECK(bytes_of(folder / name).size() == offset);
    return offset;
  };
  write("whole.csv", 0, 6, 0);
  const size_t offset = write("parts.csv", 0, 3, 0);
  write("parts.csv", 3, 5, offset);  // continues after the checkpoint
  write("parts.csv", 3, 6, offset);
  CHECK(bytes_of(folder / "parts.csv") == bytes_of(folder / "whole.csv"));
  const std::string text = bytes_of(folder / "whole.csv");
  const std::string header =
      "t,h,kinetic,potential,energy,px,py,pz,lx,ly,lz,contacts,max_penetration,max_joint_error,impacts,work,"
      "work.push\n";
  CHECK(text.substr(0, header.size()) == header);
  CHECK(
      text.substr(header.size(), text.find('\n', header.size()) - header.size()) ==
      "0,0.036999999999999998,0.33333333333333331,-2,-1.6666666666666667,1,2,3,4,5,6.0000000000000006e-20,0,"
      "1.0000000000000001e-09,0,0,0.5,0.5");

  CHECK_FALSE(record::LogWriter::open(folder / "parts.csv", {"pull"}, offset));
  CHECK_FALSE(record::LogWriter::open(folder / "parts.csv", {"push"}, offset - 1));
  CHECK_FALSE(record::LogWriter::open(folder / "parts.csv", {"push"}, 1u << 20));
  CHECK(record::LogWriter::open(folder / "new.csv", {"push"}, offset));
}
