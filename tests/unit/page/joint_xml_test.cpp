#include "tumble/page/joint_xml.h"

#include <doctest/doctest.h>

using tumble::core::Place;
using tumble::page::detail::find_element;

namespace {

std::string joint_at(const std::string& text, int line, int column, const std::string& file = "a.xml") {
  return find_element({{"b.xml", "<joint/>"}, {"a.xml", text}}, Place{file, line, column}, "joint");
}

}  // namespace

TEST_CASE("the text of an element is found by its place") {
  CHECK(joint_at("<scene>\n  <joint name=\"k\"/>\n</scene>", 2, 3) == "<joint name=\"k\"/>");
  CHECK(joint_at("<scene>\r\n <joint>\r\n</joint ></scene>", 2, 2) == "<joint>\r\n</joint >");
  CHECK(joint_at("\xef\xbb\xbf<joint a=\"gr\xc3\xb6\xc3\x9f\x65\"/><joint b='1>2'/>", 1, 19) ==
        "<joint b='1>2'/>");
  CHECK(joint_at("<joint><drive x=\"/\"/><!-- </joint> --><drive></drive></joint>x", 1, 1) ==
        "<joint><drive x=\"/\"/><!-- </joint> --><drive></drive></joint>");
}

TEST_CASE("no text is found where there is no such element") {
  const std::string text = "<scene>\n<joints/><joint name=\"k\"";
  for (int line = -1; line < 5; ++line)
    for (int column = -1; column < 40; ++column) CHECK(joint_at(text, line, column).empty());
  CHECK(joint_at("<joint/>", 1, 1, "c.xml").empty());
  CHECK(joint_at("<joint><joint/>", 1, 1).empty());
  CHECK(joint_at("<joint><!-- ", 1, 1).empty());
  CHECK(joint_at("<joint a=\"></joint>", 1, 1).empty());
  CHECK(joint_at("<jointed/>", 1, 1).empty());
  CHECK(joint_at("", 1, 1).empty());
}
