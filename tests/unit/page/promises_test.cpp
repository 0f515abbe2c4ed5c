#include "tumble/page/promises.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tumble/model/model_builder.h"

namespace core = tumble::core;
namespace model = tumble::model;
namespace page = tumble::page;
namespace record = tumble::record;
using page::detail::read_moment;

TEST_CASE("moments are read from the messages of a run") {
  using Names = std::vector<std::string>;
  const auto moment = read_moment(
      "bodies were held in place for a step to keep them apart: first at t = 0.125 s, bodies \"a\" and \"b "
      "c\"; "
      "the summary counts holds");
  CHECK(moment.t == 0.125);
  CHECK(moment.bodies == Names{"a", "b c"});
  CHECK(read_moment("t = 1e-3 s: body \"x\": energy grew").bodies == Names{"x"});
  CHECK(read_moment("t = 1e-3 s: body \"x\": energy grew").t == 1e-3);
  CHECK(read_moment("a joint was open: first at t = 2 s, joint \"knee\"").joint == "knee");
  CHECK_FALSE(read_moment("t = nan s").t);
  CHECK_FALSE(read_moment("no time").t);
  CHECK(read_moment("bodies \"a").bodies == Names{""});
  CHECK(read_moment("bodies \"a\" and \"").bodies == Names{"a", ""});
  CHECK(read_moment("").bodies.empty());
}

namespace {

// A recording of two bodies with these warnings, log rows (t, energy, penetration) and numbers of the
// summary.
struct Made {
  std::vector<std::string> warnings = {};
  std::vector<std::array<double, 3>> rows = {};
  std::vector<core::NamedNumber> numbers = {};
  std::string stopped = {};
  std::string method = "fast";
};

std::vector<page::detail::Promise> promises_of(const Made& made) {
  model::ModelBuilder builder("two");
  for (const char* name : {"a", "b"}) {
    model::BodySpec body;
    body.name = name;
    body.X_WB.translation = {name[0] == 'a' ? 0.0 : 3.0, 0, 0};
    body.shapes.push_back({tumble::collision::Sphere{1}, {}, {}, true, {}});
    builder.add_body(body);
  }
  const auto two = builder.finish();
  REQUIRE(two);
  std::string folder = (std::filesystem::temp_directory_path() / "tumble-page-XXXXXX").string();
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  const std::string path = folder + "/a.tumble";
  {
    auto writer =
        record::open_frame_writer(path, *two, {.frames = 1, .method = made.method, .accuracy = 1e-3}).value();
    REQUIRE_FALSE(writer->write_frame(0, model::start_state(*two)));
    for (const auto& [t, energy, penetration] : made.rows) {
      record::LogRow row;
      row.t = t, row.energy = energy, row.max_penetration = penetration;
      REQUIRE_FALSE(writer->write_log_row(row));
    }
    for (const std::string& text : made.warnings) REQUIRE_FALSE(writer->write_warning(text));
    record::Summary summary;
    summary.numbers = made.numbers;
    summary.stopped = made.stopped;
    REQUIRE_FALSE(writer->finish(summary));
  }
  const auto recording = record::Recording::open(path);
  REQUIRE(recording);
  const auto log = page::detail::read_log_table(*recording);
  REQUIRE(log);
  const auto promises = page::detail::find_promises(*recording, *two, *log);
  std::filesystem::remove_all(folder);
  return promises;
}

const page::detail::Promise* find(const std::vector<page::detail::Promise>& promises,
                                  const std::string& name) {
  for (const auto& promise : promises)
    if (promise.name == name) return &promise;
  return nullptr;
}

}  // namespace

TEST_CASE("a gain of energy is held or broken at the row where it is") {
  Made made;
  made.rows = {{0, 10, 0}, {1, 9, 0}, {2, 9.005, 0}, {3, 8, 0}};
  made.numbers = {{"max_energy_gain", 0.0005, false}, {"energy_scale", 10, false}};
  auto promises = promises_of(made);
  const auto* gain = find(promises, "energy gain");
  REQUIRE(gain);
  CHECK(gain->held);
  CHECK(*gain->bound == 0.01);
  CHECK(gain->value == 0.0005);
  CHECK(gain->worst->t == 2.0);

  made.rows = {{0, 10, 0}, {1, 9, 0}, {2, 9.2, 0}, {3, 9.9, 0}, {4, 9, 0}};
  made.numbers = {{"max_energy_gain", 0.09, false}, {"energy_scale", 10, false}};
  promises = promises_of(made);
  gain = find(promises, "energy gain");
  CHECK_FALSE(gain->held);
  CHECK(gain->breach->t == 2.0);
  CHECK(gain->breach->bodies.empty());  // nobody knows

  made.stopped = "t = 3 s: body \"b\": energy grew by 0.09 of the energy scale; a finer accuracy may help";
  promises = promises_of(made);
  CHECK(find(promises, "energy gain")->breach->bodies == std::vector<std::string>{"b"});
}

TEST_CASE("penetration and holds name the first breach") {
  Made made;
  made.rows = {{0, 0, 0}, {1, 0, 0.5}, {2, 0, 0.75}};
  made.numbers = {{"holds", 9, true}, {"freezes", 1, true}, {"steps", 100, true}};
  made.warnings = {
      "bodies were held in place for a step to keep them apart: first at t = 0.5 s, bodies \"a\" and "
      "\"b\"; the summary counts holds"};
  made.stopped =
      "t = 2 s: bodies \"a\" and \"b\" had to be held in place too often to keep them apart: 9 times";
  const auto promises = promises_of(made);
  const auto* penetration = find(promises, "penetration");
  REQUIRE(penetration);
  CHECK_FALSE(penetration->held);
  CHECK(penetration->value == 0.75);
  CHECK(penetration->worst->t == 2.0);
  CHECK(penetration->breach->t == 1.0);
  const auto* holds = find(promises, "holds");
  REQUIRE(holds);
  CHECK_FALSE(holds->held);
  CHECK(*holds->bound == 3);
  CHECK(holds->breach->t == 2.0);
  CHECK(holds->worst->t == 0.5);
  CHECK(holds->breach->bodies.size() == 2);
}

TEST_CASE("what the recording does not know is left out") {
  CHECK_FALSE(find(promises_of({}), "energy gain"));
  CHECK_FALSE(find(promises_of({}), "holds"));
  CHECK_FALSE(find(promises_of({}), "joint gap"));  // no joints
  Made precise;
  precise.method = "precise";
  CHECK_FALSE(find(promises_of(precise), "penetration"));
}
