#include "tumble/page/log_table.h"

#include <algorithm>

#include "tumble/page/tolerances.h"

namespace tumble::page::detail {

std::vector<Column> log_columns(const record::Recording& recording) {
  return record::log_columns(recording.force_names(), recording.info().log_bodies);
}

core::Expected<LogTable> read_log_table(const record::Recording& recording) {
  const size_t count = recording.log_row_count(), columns = log_columns(recording).size();
  LogTable table;
  table.every = std::max<size_t>(1, (count * columns * sizeof(double) + kLogBudget - 1) / kLogBudget);
  // Every n-th row, and the last one.
  table.rows = count == 0 ? 0 : (count - 1) / table.every + 1 + ((count - 1) % table.every > 0 ? 1 : 0);
  table.columns.resize(table.rows * columns);
  std::vector<double> numbers;
  size_t to = 0;
  for (size_t first = 0; first < count; first += kLogRowsAtOnce) {
    const auto rows = recording.log_rows(first, std::min(kLogRowsAtOnce, count - first));
    if (!rows) return rows.diagnostics();
    for (size_t i = 0; i < rows->size(); ++i) {
      if ((first + i) % table.every != 0 && first + i + 1 != count) continue;
      numbers.clear();
      record::append_log_row((*rows)[i], numbers);
      for (size_t c = 0; c < columns; ++c) table.columns[c * table.rows + to] = numbers[c];
      ++to;
    }
  }
  return table;
}

}  // namespace tumble::page::detail
