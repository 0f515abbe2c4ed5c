#include "tumble/page/log_table.h"

#include <algorithm>

#include "tumble/page/tolerances.h"

namespace tumble::page::detail {

std::vector<Column> log_columns(const record::Recording& recording) {
  std::vector<Column> columns = {{"t", "s"},
                                 {"h", "s"},
                                 {"kinetic", "J"},
                                 {"potential", "J"},
                                 {"energy", "J"},
                                 {"px", "kg m/s"},
                                 {"py", "kg m/s"},
                                 {"pz", "kg m/s"},
                                 {"lx", "kg m²/s"},
                                 {"ly", "kg m²/s"},
                                 {"lz", "kg m²/s"},
                                 {"contacts", ""},
                                 {"max_penetration", "m"},
                                 {"max_joint_error", "m"},
                                 {"impacts", ""},
                                 {"work", "J"}};
  for (const std::string& name : recording.force_names()) columns.push_back({"work." + name, "J"});
  constexpr const char* kUnits[model::kBodyLogSize] = {"kg m/s",  "kg m/s",  "kg m/s", "kg m²/s",
                                                       "kg m²/s", "kg m²/s", "J",      "J"};
  for (const std::string& body : recording.info().log_bodies)
    for (size_t i = 0; i < model::kBodyLogSize; ++i)
      columns.push_back({body + "." + std::string(model::kBodyLogColumns[i]), kUnits[i]});
  return columns;
}

void append_log_row(const record::LogRow& row, std::vector<double>& numbers) {
  numbers.insert(numbers.end(), {row.t, row.h, row.kinetic, row.potential, row.energy});
  numbers.insert(numbers.end(), row.momentum.begin(), row.momentum.end());
  numbers.insert(numbers.end(), row.angular_momentum.begin(), row.angular_momentum.end());
  numbers.insert(numbers.end(), {static_cast<double>(row.contacts), row.max_penetration, row.max_joint_error,
                                 static_cast<double>(row.impacts), row.work});
  numbers.insert(numbers.end(), row.work_by_force.begin(), row.work_by_force.end());
  numbers.insert(numbers.end(), row.by_body.begin(), row.by_body.end());
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
      append_log_row((*rows)[i], numbers);
      for (size_t c = 0; c < columns; ++c) table.columns[c * table.rows + to] = numbers[c];
      ++to;
    }
  }
  return table;
}

}  // namespace tumble::page::detail
