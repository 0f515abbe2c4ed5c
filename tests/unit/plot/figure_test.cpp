#include "tumble/plot/figure.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace tumble;

namespace {

plot::Line line_of(const std::string& name, std::vector<double> x, std::vector<double> y, size_t color = 0) {
  plot::Line line;
  line.series.name = name;
  line.series.quantity = plot::quantity_of(name);
  line.series.x = std::make_shared<const std::vector<double>>(std::move(x));
  line.series.y = std::move(y);
  line.color = color;
  return line;
}

plot::Figure figure_of(std::vector<plot::Line> lines) {
  plot::Figure figure;
  figure.title = "a < b & \"c\"";
  figure.files = {"run.csv"};
  figure.x_title = "time";
  figure.x_unit = "s";
  figure.panels.push_back({std::move(lines), {}});
  return figure;
}

std::string fault_of(const plot::Figure& figure) {
  const auto svg = plot::draw_figure(figure);
  return svg ? "" : svg.diagnostics().front().message;
}

}  // namespace

TEST_CASE("the same figure has the same bytes, and every name is escaped") {
  const plot::Figure figure = figure_of({line_of("<b>.vx", {0, 1, 2}, {1, 3, 2})});
  const auto svg = plot::draw_figure(figure);
  REQUIRE(svg);
  CHECK(*svg == *plot::draw_figure(figure));
  CHECK(svg->find("<b>") == std::string::npos);
  CHECK(svg->find("data-column=\"&lt;b&gt;.vx\"") != std::string::npos);
  CHECK(svg->find("velocity (m/s)") != std::string::npos);
  CHECK(svg->find("time (s)") != std::string::npos);
}

TEST_CASE("numbers are stored exactly if they are asked for") {
  plot::Figure figure = figure_of({line_of("energy", {0, 0.1, 0.30000000000000004}, {1.0 / 3, 2e-300, -7})});
  CHECK(plot::draw_figure(figure)->find("metadata") == std::string::npos);
  figure.numbers = true;
  CHECK(plot::draw_figure(figure)->find(">0,0.3333333333333333 0.1,2e-300 0.30000000000000004,-7<") !=
        std::string::npos);
}

TEST_CASE("figures that cannot be drawn say why") {
  plot::Figure figure = figure_of({line_of("energy", {0, 1}, {-1, -2})});
  figure.y_scale = plot::Scale::log;
  CHECK(fault_of(figure).find("no value above 0") != std::string::npos);
  figure.y_scale = plot::Scale::linear;
  figure.from = 5;
  CHECK(fault_of(figure).find("the data go from 0 to 1") != std::string::npos);
  figure.from = {};
  figure.width = 60, figure.height = 60;
  CHECK(fault_of(figure).find("no room for 1 panel") != std::string::npos);
  CHECK(fault_of(figure_of({line_of("energy", {}, {})})).find("there is no time") != std::string::npos);
  const double missing = std::nan("");
  CHECK(fault_of(figure_of({line_of("energy", {0, 1}, {missing, missing})})).find("no value") !=
        std::string::npos);
}

TEST_CASE("extreme numbers can be drawn") {
  for (const double scale : {0.0, 1e-320, 1e-300, 1e-15, 1e15, 9e299})
    for (const size_t rows : {size_t{1}, size_t{2}, size_t{5}}) {
      std::vector<double> x, y;
      for (size_t i = 0; i < rows; ++i) {
        x.push_back(scale * static_cast<double>(i % 3));
        y.push_back(scale * (static_cast<double>(i % 2) - 0.5));
      }
      const auto svg = plot::draw_figure(figure_of({line_of("energy", x, y), line_of("work", x, y, 1)}));
      REQUIRE(svg);
      CHECK(svg->find("nan") == std::string::npos);
      CHECK(svg->find("inf") == std::string::npos);
    }
}
