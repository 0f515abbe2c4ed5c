// Files of events: one JSON object per line.
#include <doctest/doctest.h>

#include <random>

#include "tumble/scene/inputs.h"
#include "tumble/scene/json_line.h"
#include "tumble/scene/scene.h"

using namespace tumble;
using scene::detail::JsonLine, scene::detail::JsonMember;

namespace {
namespace inputs_test {

model::Model make_yard() {
  const scene::BundleFiles files(std::vector<scene::SceneFile>{{"yard.xml", R"(<scene>
    <material name="ice"/>
    <body name="hand"><sphere radius="1" material="ice"/></body>
    <body name="arm" position="5 0 0"><sphere radius="1"/></body>
    <joint name="rail" type="slider" b="arm" axis="1 0 0" limits="-1 1" stiffness="3" damping="1"/>
    </scene>)"}});
  return scene::load_scene("yard.xml", files).value().model;
}

std::string answer_to(const std::string& text) {
  const auto events = scene::read_inputs(text, "e.jsonl", make_yard());
  std::string lines;
  for (const core::Diagnostic& fault : events.diagnostics()) lines += to_string(fault) + "\n";
  CHECK(static_cast<bool>(events) == lines.empty());
  return lines;
}

}  // namespace inputs_test
}  // namespace

TEST_CASE("the texts, numbers and lists of a line are read") {
  std::vector<JsonMember> members;
  JsonLine line(R"( { "a\"\\\/\b\f\n\r\tz" : -12.5e-1 ,"\u00e9\ud83d\ude00":[ 1 ,-0, 2E+3 ])"
                R"(,"c":"x y", "d":[],"e":0} )");
  REQUIRE_MESSAGE(line.read(members), line.fault());
  REQUIRE(members.size() == 5);
  CHECK(members[0].name == "a\"\\/\b\f\n\r\tz");
  CHECK(members[0].value.numbers == std::vector<double>{-1.25});
  CHECK(members[1].name == "\xc3\xa9\xf0\x9f\x98\x80");
  CHECK(members[1].value.numbers == std::vector<double>{1, -0.0, 2000});
  CHECK(members[2].value.text == "x y");
  CHECK(members[2].value.type == scene::detail::JsonValue::Type::text);
  CHECK(members[3].value.numbers.empty());
  CHECK(members[4].value.numbers == std::vector<double>{0});
}

TEST_CASE("a truncated line is not JSON, and the place of a fault is inside the line") {
  const std::string good = R"({"t": 1.5, "set": "a.b\u0041", "value": [1, 2.5e3, -3]})";
  std::vector<JsonMember> members;
  for (size_t size = 0; size < good.size(); ++size) {
    JsonLine line(std::string_view(good).substr(0, size));
    CHECK_FALSE(line.read(members));
    CHECK(line.fault_at() <= size);
  }
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    std::string text = good;
    for (unsigned k = 0; k <= random() % 3; ++k)
      text[random() % text.size()] = static_cast<char>(random() % 256);
    JsonLine line(text);
    if (line.read(members)) continue;
    CHECK(line.fault_at() <= text.size());
    CHECK(!line.fault().empty());
  }
}

TEST_CASE("events may have units, and are checked in the order of their times") {
  using inputs_test::answer_to;
  CHECK(answer_to("") == "");
  CHECK(answer_to("{\"t\":\"1min\",\"set\":\"rail.limits\",\"value\":\"-5cm 5cm\"}\r\n\n"
                  "{\"t\":1,\"pull\":\"hand\",\"to\":\"1km 0 0\",\"stiffness\":\"2N/cm\"}") == "");
  CHECK(
      answer_to("{\"t\":1,\"set\":\"rail.limits\",\"value\":\"0 30deg\"}") ==
      "e.jsonl:1:36: limits=\"0 30deg\": \"deg\" is not a unit of length; expected one of m, km, cm, mm, um, "
      "in, ft\n");
  // The limits are -1 to 1. A lower limit of 3 is a fault, unless an earlier event has raised the upper one.
  const std::string low = "{\"t\":2,\"set\":\"rail.limits.0\",\"value\":3}\n";
  CHECK(answer_to(low).find("e.jsonl:1:38: joint \"rail\": ") == 0);
  CHECK(answer_to(low + "{\"t\":1,\"set\":\"rail.limits.1\",\"value\":4}\n") == "");
  CHECK(answer_to(low + "{\"t\":3,\"set\":\"rail.limits.1\",\"value\":4}\n").find("e.jsonl:1:38: ") == 0);
}
