#include "tumble/core/diagnostic.h"

#include <doctest/doctest.h>

using namespace tumble::core;

TEST_CASE("a diagnostic is written as editors expect it, with as much of its location as is known") {
  CHECK(to_string(error_at({"a.xml", 41, 7}, "is wrong")) == "a.xml:41:7: is wrong");
  CHECK(to_string(error_at({"a.obj", 41}, "is wrong")) == "a.obj:41: is wrong");
  CHECK(to_string(error_at({"a.stl", 0, 0, 84}, "is wrong")) == "a.stl: byte 84: is wrong");
  CHECK(to_string(error_at({"a.stl", 0, 0, 0}, "is wrong")) == "a.stl: byte 0: is wrong");
  CHECK(to_string(error_at({"a.txt"}, "is wrong")) == "a.txt: is wrong");
  CHECK(to_string(error_at({}, "is wrong")) == "is wrong");
  CHECK(to_string(warning_at({"a.xml", 3, 1}, "is odd")) == "a.xml:3:1: warning: is odd");
}

TEST_CASE("warnings alone are not errors") {
  CHECK_FALSE(has_errors({}));
  CHECK_FALSE(has_errors({warning_at({}, "w"), warning_at({}, "w")}));
  CHECK(has_errors({warning_at({}, "w"), error_at({}, "e")}));
}

TEST_CASE("the nearest name is found for typing errors") {
  const std::vector<std::string> known = {"friction", "restitution", "density", "position", "mass"};
  CHECK(nearest_name("frictoin", known) == "friction");       // two letters swapped
  CHECK(nearest_name("restituton", known) == "restitution");  // one missing
  CHECK(nearest_name("densityy", known) == "density");        // one too many
  CHECK(nearest_name("positoon", known) == "position");       // one wrong
  CHECK(nearest_name("masss", known) == "mass");
  CHECK(nearest_name("mass", known) == "mass");
}

TEST_CASE("nothing is suggested for a name that is not similar to any") {
  const std::vector<std::string> known = {"friction", "mass"};
  CHECK(nearest_name("colour", known) == "");
  CHECK(nearest_name("", known) == "");
  CHECK(nearest_name("x", {}) == "");
  CHECK(nearest_name(std::string(100, 'a'), {std::string(100, 'a')}) == "");  // too long to be a typing error
}

TEST_CASE("short names must be nearer than long names to be suggested") {
  CHECK(nearest_name("ab", {"cd"}) == "");
  CHECK(nearest_name("at", {"a"}) == "a");
  CHECK(nearest_name("angular-velosity", {"velocity", "angular-velocity"}) == "angular-velocity");
}

TEST_CASE("the first of equally near names is suggested") {
  CHECK(nearest_name("bat", {"cat", "hat"}) == "cat");
  CHECK(nearest_name("bat", {"hat", "cat"}) == "hat");
}
