// The log of a recording as columns.
#pragma once

#include <string>
#include <vector>

#include "tumble/record/recording.h"

namespace tumble::page::detail {

struct Column {
  std::string name, unit;
};

/// The columns of --log, with their units.
std::vector<Column> log_columns(const record::Recording& recording);

/// The numbers of a row, in the order of log_columns().
void append_log_row(const record::LogRow& row, std::vector<double>& numbers);

struct LogTable {
  size_t rows = 0, every = 1;   // every n-th row of the recording, and its last one
  std::vector<double> columns;  // column after column
  double at(size_t column, size_t row) const { return columns[column * rows + row]; }
};

core::Expected<LogTable> read_log_table(const record::Recording& recording);

}  // namespace tumble::page::detail
