#include "tumble/core/expected.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

using namespace tumble::core;

TEST_CASE("an Expected holds its value together with warnings") {
  Expected<std::string> result("text", {warning_at({"a"}, "odd")});
  REQUIRE(result);
  CHECK(*result == "text");
  CHECK(result->size() == 4);
  CHECK(result.diagnostics().size() == 1);
  *result += "!";
  CHECK(std::as_const(result).value() == "text!");
}

TEST_CASE("an Expected with errors has no value, and reading it is a precondition error") {
  Expected<int> result(error_at({"a", 3}, "wrong"));
  CHECK_FALSE(result);
  CHECK(result.diagnostics().front().message == "wrong");
  CHECK_THROWS_AS(result.value(), LogicError);
  CHECK_THROWS_AS(*result, LogicError);
  CHECK_THROWS_AS(std::as_const(result).value(), LogicError);
}

TEST_CASE("the exception of an Expected without value names its first error") {
  const Expected<int> result(Diagnostics{warning_at({"a", 1}, "odd"), error_at({"a", 3}, "wrong")});
  try {
    result.value();
    FAIL("not reached");
  } catch (const LogicError& error) {
    CHECK(std::string(error.what()) == "there is no value: a:3: wrong");
  }
}

TEST_CASE("an Expected without value must have an error") {
  CHECK_THROWS_AS(Expected<int>(Diagnostics{}), LogicError);
  CHECK_THROWS_AS(Expected<int>(Diagnostics{warning_at({}, "only odd")}), LogicError);
}

TEST_CASE("a move-only value can be moved out") {
  Expected<std::unique_ptr<int>> result(std::make_unique<int>(5));
  const std::unique_ptr<int> out = std::move(result).value();
  CHECK(*out == 5);
}

TEST_CASE("a broken precondition reports its condition, location and message") {
  try {
    TUMBLE_REQUIRE(1 + 1 == 3, "sums must add up");
    FAIL("not reached");
  } catch (const LogicError& error) {
    const std::string text = error.what();
    CHECK(text.find("1 + 1 == 3") != std::string::npos);
    CHECK(text.find("expected_test.cpp") != std::string::npos);
    CHECK(text.find("sums must add up") != std::string::npos);
  }
}
