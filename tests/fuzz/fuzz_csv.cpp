// The reader of CSV tables for plots: any bytes give a table or a message, and every number of a table is one
// that can be drawn.
#include <cmath>
#include <numeric>
#include <string>

#include "tumble/plot/csv_table.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto table =
      tumble::plot::CsvTable::parse(std::string(reinterpret_cast<const char*>(data), size), "table.csv");
  if (!table) return 0;
  std::vector<size_t> columns(table->names().size());
  std::iota(columns.begin(), columns.end(), size_t{0});
  for (const size_t column : columns) {
    (void)table->has_words(column);
    const auto numbers = table->numbers({column});
    if (!numbers) continue;
    if (numbers->size() != 1 || (*numbers)[0].size() != table->row_count()) __builtin_trap();
    for (const double number : (*numbers)[0])
      if (std::abs(number) > 1e300) __builtin_trap();
  }
  const auto all = table->numbers(columns);
  if (all && all->size() != columns.size()) __builtin_trap();
  return 0;
}
