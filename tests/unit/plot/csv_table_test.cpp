#include "tumble/plot/csv_table.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace tumble;
using plot::CsvTable;

namespace {

std::string fault_of(const std::string& text, const std::vector<size_t>& columns = {}) {
  const auto table = CsvTable::parse(text, "a.csv");
  if (!table) return to_string(table.diagnostics().front());
  const auto numbers = table->numbers(columns);
  return numbers ? "" : to_string(numbers.diagnostics().front());
}

}  // namespace

TEST_CASE("cells, quotes, empty cells and line ends of all kinds") {
  const auto table =
      CsvTable::parse("\xEF\xBB\xBFt,\"a,\"\"b\"\"\", c (J) \r\n0,1, 2 \r\n\r\n+1,,\"3e-400\"\r\n", "a.csv");
  REQUIRE(table);
  CHECK(table->names() == std::vector<std::string>{"t", "a,\"b\"", "c (J)"});
  const auto numbers = table->numbers({0, 1, 2, 0});
  REQUIRE(numbers);
  CHECK((*numbers)[0] == std::vector<double>{0, 1});
  CHECK((*numbers)[1][0] == 1);
  CHECK(std::isnan((*numbers)[1][1]));
  CHECK((*numbers)[2] == std::vector<double>{2, 0});
  CHECK((*numbers)[3] == (*numbers)[0]);
}

TEST_CASE("a fault names file, line and column") {
  CHECK(fault_of("").find("a.csv:1: the file is empty") == 0);
  CHECK(fault_of("t\n1\n").find("a.csv:1: expected at least two columns") == 0);
  CHECK(fault_of("0,1\n1,2\n").find("a.csv:1:1: expected a line with names") == 0);
  CHECK(fault_of("t,a,a\n").find("a.csv:1:5: columns 2 and 3 have the same name") == 0);
  CHECK(fault_of("t,\"a\n1,2\n").find("a.csv:1: a quote in the first line is not closed") == 0);
  CHECK(fault_of("t,a\n0,1\n0,1,2\n").find("a.csv:3: this row has 3 cells, but the first line names 2") == 0);
  CHECK(fault_of("t,a\n0,1\n5\n").find("a.csv:3: this row has 1 cell, but") == 0);
  CHECK(fault_of("t,a\n0,1\n1,x2\n", {1}) == "a.csv:3:3: expected a number here, not \"x2\"");
  CHECK(fault_of("t,a\n0,nan\n", {1}).find("a.csv:2:3: \"nan\" is not finite") == 0);
  CHECK(fault_of("t,a\n0,-inf\n", {1}).find("a.csv:2:3: \"-inf\" is not finite") == 0);
  CHECK(fault_of("t,a\n0,1e400\n", {1}).find("a.csv:2:3: \"1e400\" is too large") == 0);
  CHECK(fault_of("t,a\n0,-1e305\n", {1}).find("a.csv:2:3: \"-1e305\" is too large") == 0);
  CHECK(fault_of("t,\"a\nb\"\n0,\"\n\"\n0,x\n", {1}).find("a.csv:3:3: expected a number") == 0);
  CHECK(fault_of("t,a\n0,x\n", {0}).empty());  // a column that is not asked for
}

TEST_CASE("a row cut off by a kill is left out with a warning") {
  const auto table = CsvTable::parse("t,a\n0,1\n1,2.", "a.csv");
  REQUIRE(table);
  CHECK(table->row_count() == 1);
  REQUIRE(table.diagnostics().size() == 1);
  CHECK(to_string(table.diagnostics()[0]).find("a.csv:3: warning: the last row has no line end") == 0);
}

TEST_CASE("words are known by the first row") {
  const auto table = CsvTable::parse("t,a,b,c\n0,ball,1,\n", "a.csv");
  REQUIRE(table);
  CHECK(table->has_words(1));
  CHECK_FALSE(table->has_words(2));
  CHECK_FALSE(table->has_words(3));
}

TEST_CASE("random bytes give a table or a message") {
  std::mt19937 generator(2);
  const std::string letters = "t,a\n\r\"1.e-+ x\xff";
  std::uniform_int_distribution<size_t> letter(0, letters.size() - 1), length(0, 60);
  size_t tables = 0;
  for (int i = 0; i < 50000; ++i) {
    std::string text = i % 2 == 0 ? "t,a\n" : "";
    for (size_t n = length(generator); n > 0; --n) text += letters[letter(generator)];
    const auto table = CsvTable::parse(text, "a.csv");
    if (!table) continue;
    ++tables;
    for (size_t column = 0; column < table->names().size(); ++column) {
      (void)table->has_words(column);
      if (const auto numbers = table->numbers({column})) CHECK((*numbers)[0].size() == table->row_count());
    }
  }
  CHECK(tables > 100);
}
