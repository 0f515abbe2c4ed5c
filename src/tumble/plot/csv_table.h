// Reads CSV files: those that a run writes, and tables of other programs. The first column is the abscissa,
// the first line has the names. Every fault comes back with file, line and column.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tumble/core/expected.h"

namespace tumble::plot {

class CsvTable {
 public:
  /// Checks that every row has as many cells as the first line. A last row without line end, which a killed
  /// run leaves, is left out with a warning. Empty lines are skipped.
  static core::Expected<CsvTable> parse(std::string text, const std::string& path);

  const std::vector<std::string>& names() const { return names_; }
  /// Whether the cell of the first row is neither empty nor a number.
  bool has_words(size_t column) const;
  size_t row_count() const { return rows_.size(); }
  /// The numbers of some columns. An empty cell is NaN; anything else that is not a number is an error.
  core::Expected<std::vector<std::vector<double>>> numbers(const std::vector<size_t>& columns) const;

 private:
  struct Row {
    size_t at = 0;  // byte where it begins
    int line = 0;
  };
  std::string text_, path_;
  std::vector<std::string> names_;
  std::vector<Row> rows_;
};

}  // namespace tumble::plot
