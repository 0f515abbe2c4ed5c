#include "tumble/plot/series.h"

#include <doctest/doctest.h>

#include "tumble/plot/choose.h"
#include "tumble/record/log_columns.h"

using namespace tumble;

TEST_CASE("the units of the log are those of its columns") {
  for (const record::Column& column : record::log_columns({"spring", "hinge.script"}, {"ball", "a.b"})) {
    INFO(column.name);
    CHECK(plot::quantity_of(column.name).unit == column.unit);
  }
}

TEST_CASE("a unit may stand in the name") {
  CHECK(plot::quantity_of("time per frame (ms)") == plot::Quantity{"", "ms"});
  CHECK(plot::quantity_of("ball.vx") == plot::Quantity{"velocity", "m/s"});
  CHECK(plot::quantity_of("altitude") == plot::Quantity{});
}

TEST_CASE("wildcards") {
  CHECK(plot::matches("ball*.vx", "ball12.vx"));
  CHECK(plot::matches("*", ""));
  CHECK(plot::matches("*.x", "a.x.x"));
  CHECK(plot::matches("ball?.v?", "ball1.vx"));
  CHECK_FALSE(plot::matches("ball*.vx", "ball12.vxx"));
  CHECK_FALSE(plot::matches("ball?.vx", "ball.vx"));
}

TEST_CASE("near names and a short list") {
  CHECK(plot::near_names("ball1.vX", {"ball1.vx", "ball1.vy", "h"}) == "ball1.vx or ball1.vy");
  CHECK(plot::near_names("nonsense", {"h", "energy"}).empty());
  CHECK(plot::summarize_names({"h", "energy", "a.x", "a.y", "b.x", "b.y", "j.fx", "work.spring"}) ==
        "h, energy, work.spring; a, b, each with .x .y; j with .fx");
}

TEST_CASE("columns of one quantity share a panel") {
  const auto panels = plot::group_columns({"kinetic", "h", "ball.kinetic", "ball.px", "energy"});
  REQUIRE(panels.size() == 3);
  CHECK(panels[0].columns == std::vector<std::string>{"kinetic", "ball.kinetic", "energy"});
  CHECK(panels[1].columns == std::vector<std::string>{"h"});
  CHECK(panels[2].columns == std::vector<std::string>{"ball.px"});
}
