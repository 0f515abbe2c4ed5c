#include <limits>
#include <nlohmann/json.hpp>

#include "fixture.h"
#include "tumble/record/checkpoint.h"
#include "tumble/record/summary.h"
#include "tumble/simulate/run_statistics.h"

using namespace record_test;

namespace {

record::Checkpoint make_checkpoint() {
  record::Checkpoint c;
  c.version = "1.2.3";
  c.scene_hash = 0xfedcba9876543210;
  c.options_json = "{\"accuracy\": 1e-6}";
  c.time = 5e-324;
  c.progress = {8, 100, 2};
  c.log_offset = 12345;
  c.contacts_offset = 678;
  c.simulation = std::string("\0any\xff bytes", 11);
  return c;
}

}  // namespace

TEST_CASE("a checkpoint is read back bit for bit") {
  const Folder folder;
  const record::Checkpoint c = make_checkpoint();
  REQUIRE_FALSE(record::write_checkpoint(folder / "c", record::Checkpoint{}));
  REQUIRE_FALSE(record::write_checkpoint(folder / "c", c));  // overwrites the older one
  CHECK_FALSE(std::filesystem::exists(folder / "c.new"));
  const auto back = record::read_checkpoint(folder / "c");
  REQUIRE_MESSAGE(back, message_of(back.diagnostics()));
  CHECK(back->version == c.version);
  CHECK(back->scene_hash == c.scene_hash);
  CHECK(back->options_json == c.options_json);
  CHECK(back->time == c.time);
  CHECK(back->progress.frames == 8);
  CHECK(back->progress.log_rows == 100);
  CHECK(back->progress.warnings == 2);
  CHECK(back->log_offset == 12345);
  CHECK(back->contacts_offset == 678);
  CHECK(back->simulation == c.simulation);
}

TEST_CASE("a checkpoint that is cut off or damaged anywhere is refused, and the message names the byte") {
  const Folder folder;
  REQUIRE_FALSE(record::write_checkpoint(folder / "c", make_checkpoint()));
  const std::string good = bytes_of(folder / "c");
  const auto refused = [&](const std::string& bytes) {
    write_bytes(folder / "d", bytes);
    const auto read = record::read_checkpoint(folder / "d");
    return !read && message_of(read.diagnostics()).find("byte ") != std::string::npos;
  };
  for (size_t at = 0; at < good.size(); ++at) {
    INFO("byte ", at);
    REQUIRE(refused(good.substr(0, at)));
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
    REQUIRE(refused(bad));
  }
  CHECK(refused(good + "x"));
  CHECK_FALSE(record::read_checkpoint(folder / "missing"));
}

TEST_CASE("if a checkpoint cannot be written, the old one stays unchanged") {
  const Folder folder;
  CHECK(record::write_checkpoint(folder / "no/such/folder", make_checkpoint()));
  std::filesystem::create_directory(folder / "c");
  CHECK(record::write_checkpoint(folder / "c", make_checkpoint()));
  CHECK_FALSE(std::filesystem::exists(folder / "c.new"));
}

TEST_CASE("the summary has every field of the contract and exact numbers") {
  const Folder folder;
  record::Summary summary;
  summary.scene = "yard";
  summary.accuracy = 1.0 / 3;
  summary.numbers = tumble::simulate::RunStatistics().values();
  summary.numbers.push_back({"broken", std::numeric_limits<double>::quiet_NaN()});
  summary.warnings = {"w", "not \xff utf-8"};
  REQUIRE_FALSE(record::write_summary(folder / "s.json", summary));
  auto json = nlohmann::json::parse(bytes_of(folder / "s.json"));
  for (const char* field :
       {"scene",        "version",         "method",           "accuracy",        "duration",
        "frames",       "steps",           "rejected_steps",   "substeps",        "holds",
        "freezes",      "handovers",       "impacts",          "max_contacts",    "energy_start",
        "energy_end",   "max_energy_gain", "max_energy_drift", "max_penetration", "max_joint_error",
        "wall_seconds", "verify_seconds",  "realtime_factor",  "warnings"}) {
    INFO(field);
    CHECK(json.contains(field));
  }
  CHECK(json["accuracy"].get<double>() == 1.0 / 3);
  CHECK(json["broken"].is_null());
  CHECK(json["steps"].is_number_integer());
  CHECK(json["energy_end"].is_number_float());
  CHECK(json["warnings"].size() == 2);
  CHECK_FALSE(json.contains("error_estimate"));

  summary.error_estimate = record::ErrorEstimate{{{0, 0, 0}, {0.1, 1e-9, 2e-9}}, 1e-9, 2e-9};
  json = nlohmann::json::parse(record::to_json(summary));
  CHECK(json["error_estimate"]["frames"][1]["position_error"].get<double>() == 1e-9);
  CHECK(json["error_estimate"]["max_angle_error"].get<double>() == 2e-9);
}
