#include <cstdio>
#include <limits>
#include <random>

#include "fixture.h"
#include "tumble/record/number_format.h"
#include "tumble/record/recording.h"

using namespace record_test;

TEST_CASE("numbers are written as printf writes them with 17 digits") {
  std::mt19937_64 random(1);
  std::vector<double> numbers = {0.0,
                                 -0.0,
                                 1.0,
                                 -1.0,
                                 0.1,
                                 1.0 / 3,
                                 999999999,
                                 1e9,
                                 1e16,
                                 1e17,
                                 123456789012345678.0,
                                 5e-324,
                                 std::numeric_limits<double>::max(),
                                 1e-5,
                                 1e-4,
                                 12345.5};
  while (numbers.size() < 20000) {
    const uint64_t bits = random();
    double x = 0;
    std::memcpy(&x, &bits, sizeof x);
    if (std::isfinite(x)) numbers.push_back(x);
    numbers.push_back(static_cast<double>(static_cast<int64_t>(bits % 4000001) - 2000000) / 64);
  }
  for (const double x : numbers) {
    char expected[64];
    std::snprintf(expected, sizeof expected, "%.17g", x);
    REQUIRE(record::format_number(x) == expected);
  }
}

namespace {

// A body of one shape with simple numbers, so that the test can state the whole file.
model::Model one_body(const std::string& name) {
  model::ModelBuilder builder("one");
  model::BodySpec body = make_body(name);
  body.shapes.push_back({collision::Box{{1, 1, 1}}, {}, {}, true, {}});
  body.inertia = model::GivenInertia{2, {0, 0, 0}, {1, 1, 1}, {0, 0, 0}, {}};
  builder.add_body(body);
  auto model = builder.finish();
  REQUIRE(model);
  return std::move(*model);
}

model::State frame_of(const model::Model& model, double t) {
  model::State state = model::start_state(model);
  state.time = t;
  model::set_motion(model, core::BodyId(0), {0.5, -2, t}, math::Quat::from_wxyz(0, 1, 0, 0), {3, 0.25, 0},
                    {0, 0, 0.5}, state);
  return state;
}

std::string written(const std::string& extension, const model::Model& model) {
  const Folder folder;
  const std::string path = folder / ("a" + extension);
  auto writer = record::open_frame_writer(path, model, make_info(2));
  REQUIRE(writer);
  for (size_t k = 0; k < 2; ++k)
    REQUIRE_FALSE((*writer)->write_frame(k, frame_of(model, static_cast<double>(k) / kFps)));
  REQUIRE_FALSE((*writer)->finish({}));
  return bytes_of(path);
}

}  // namespace

TEST_CASE("a .csv has 13 named columns per body and one row per frame") {
  CHECK(written(".csv", one_body("box")) ==
        "t,box.x,box.y,box.z,box.qw,box.qx,box.qy,box.qz,box.vx,box.vy,box.vz,box.wx,box.wy,box.wz\n"
        "0,0.5,-2,0,0,1,0,0,3,0.25,0,0,0,0.5\n"
        "0.10000000000000001,0.5,-2,0.10000000000000001,0,1,0,0,3,0.25,0,0,0,0.5\n");
}

TEST_CASE("a .txt is the same matrix under comment lines") {
  CHECK(written(".txt", one_body("box")) ==
        "% One row a frame, SI units; columns:\n"
        "% t box.x box.y box.z box.qw box.qx box.qy box.qz box.vx box.vy box.vz box.wx box.wy box.wz\n"
        "0 0.5 -2 0 0 1 0 0 3 0.25 0 0 0 0.5\n"
        "0.10000000000000001 0.5 -2 0.10000000000000001 0 1 0 0 3 0.25 0 0 0 0.5\n");
}

TEST_CASE("names that would break the table are quoted") {
  const std::string csv = written(".csv", one_body("a,\"b\""));
  CHECK(csv.substr(0, csv.find(",\"a,\"\"b\"\".y")) == "t,\"a,\"\"b\"\".x\"");
  const std::string txt = written(".txt", one_body("two\nlines"));
  CHECK(txt.substr(0, txt.find(" two_lines.y")) == "% One row a frame, SI units; columns:\n% t two_lines.x");
}

TEST_CASE("a .csv reads back as the motion it was written from") {
  const Folder folder;
  const model::Model model = make_model();
  record_run(folder / "a.csv", model, 5);
  const auto frames = record::read_csv(folder / "a.csv", model);
  REQUIRE_MESSAGE(frames, message_of(frames.diagnostics()));
  REQUIRE(frames->size() == 5);
  for (size_t k = 0; k < 5; ++k) {
    const model::State expected = state_at(model, k);
    CHECK((*frames)[k].time == expected.time);
    for (size_t i = 0; i < expected.y.size(); ++i) {
      // Positions are read back bit for bit. Momenta were divided by the mass, or by the inertia with a
      // rotation forth and back: about 30 roundings of numbers below 4000.
      const bool momentum = i % model::kBodySize >= model::kMomentumAt;
      CHECK(std::abs((*frames)[k].y[i] - expected.y[i]) <= (momentum ? 30 * 2.3e-16 * 4000 : 0.0));
    }
  }
}

TEST_CASE("a damaged .csv is refused with its line, and a cut-off last row is ignored") {
  const Folder folder;
  const model::Model model = make_model();
  record_run(folder / "a.csv", model, 3);
  const std::string good = bytes_of(folder / "a.csv");

  write_bytes(folder / "cut.csv", good.substr(0, good.size() - 1));
  const auto cut = record::read_csv(folder / "cut.csv", model);
  REQUIRE(cut);
  CHECK(cut->size() == 2);

  std::string bad = good;
  bad[bad.rfind("\n", bad.size() - 2) + 1] = 'x';
  write_bytes(folder / "bad.csv", bad);
  CHECK(message_of(record::read_csv(folder / "bad.csv", model).diagnostics()).find("bad.csv:4:1: ") !=
        std::string::npos);
  write_bytes(folder / "short.csv", good.substr(0, good.rfind(',')) + "\n");
  CHECK_FALSE(record::read_csv(folder / "short.csv", model));
  write_bytes(folder / "other.csv", "t,a\n0,1\n");
  CHECK_FALSE(record::read_csv(folder / "other.csv", model));
  write_bytes(folder / "empty.csv", "");
  CHECK_FALSE(record::read_csv(folder / "empty.csv", model));
}

TEST_CASE("an unknown extension is refused, and the message lists the known ones and the nearest") {
  const model::Model model = make_model();
  const auto writer = record::open_frame_writer("run.cvs", model, make_info(1));
  REQUIRE_FALSE(writer);
  CHECK(message_of(writer.diagnostics()) ==
        "run.cvs: no format has the extension \".cvs\"; known are .csv, .txt, .glb, .gltf, .tumble "
        "(did you mean .csv?)\n");
}
