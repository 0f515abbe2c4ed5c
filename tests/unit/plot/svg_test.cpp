#include "tumble/plot/svg.h"

#include <doctest/doctest.h>

using namespace tumble;

TEST_CASE("coordinates are short and have two decimals") {
  CHECK(plot::pixel_text(12) == "12");
  CHECK(plot::pixel_text(12.3) == "12.3");
  CHECK(plot::pixel_text(-0.046) == "-0.05");
  CHECK(plot::pixel_text(-0.001) == "0");
  CHECK(plot::pixel_text(1234.567) == "1234.57");
}

TEST_CASE("exact numbers read back as they are") {
  for (const double x : {0.1, 1.0 / 3, 1e-300, -2.5}) CHECK(std::stod(plot::exact_text(x)) == x);
  CHECK(plot::exact_text(0.1) == "0.1");
}

TEST_CASE("any bytes become XML") {
  CHECK(plot::xml_text("a<b>&\"c\"") == "a&lt;b&gt;&amp;&quot;c&quot;");
  CHECK(plot::xml_text("m²/s") == "m²/s");
  CHECK(plot::xml_text("a\x01z\n") == "a\uFFFDz ");
  CHECK(plot::xml_text("\xff\xc3") == "\uFFFD\uFFFD");
  CHECK(plot::xml_text("\xed\xa0\x80") == "\uFFFD\uFFFD\uFFFD");  // half of a pair of UTF-16
}

TEST_CASE("long names keep both ends") {
  CHECK(plot::shorten("left.shoulder.vx", 9) == "left…r.vx");
  CHECK(plot::shorten("m²/s", 4) == "m²/s");
  CHECK(plot::count_characters("m²/s") == 4);
}
