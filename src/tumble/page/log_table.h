// The log of a recording as columns.
#pragma once

#include <string>
#include <vector>

#include "tumble/record/log_columns.h"
#include "tumble/record/recording.h"

namespace tumble::page::detail {

using record::Column;

/// The columns of --log, with their units.
std::vector<Column> log_columns(const record::Recording& recording);

struct LogTable {
  size_t rows = 0, every = 1;   // every n-th row of the recording, and its last one
  std::vector<double> columns;  // column after column
  double at(size_t column, size_t row) const { return columns[column * rows + row]; }
};

core::Expected<LogTable> read_log_table(const record::Recording& recording);

}  // namespace tumble::page::detail
