#include "tumble/record/log_columns.h"

namespace tumble::record {

std::vector<Column> log_columns(const std::vector<std::string>& forces,
                                const std::vector<std::string>& bodies) {
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
  for (const std::string& name : forces) columns.push_back({"work." + name, "J"});
  constexpr const char* kUnits[model::kBodyLogSize] = {"kg m/s",  "kg m/s",  "kg m/s", "kg m²/s",
                                                       "kg m²/s", "kg m²/s", "J",      "J"};
  for (const std::string& body : bodies)
    for (size_t i = 0; i < model::kBodyLogSize; ++i)
      columns.push_back({body + "." + std::string(model::kBodyLogColumns[i]), kUnits[i]});
  return columns;
}

void append_log_row(const model::LogRow& row, std::vector<double>& numbers) {
  numbers.insert(numbers.end(), {row.t, row.h, row.kinetic, row.potential, row.energy});
  numbers.insert(numbers.end(), row.momentum.begin(), row.momentum.end());
  numbers.insert(numbers.end(), row.angular_momentum.begin(), row.angular_momentum.end());
  numbers.insert(numbers.end(), {static_cast<double>(row.contacts), row.max_penetration, row.max_joint_error,
                                 static_cast<double>(row.impacts), row.work});
  numbers.insert(numbers.end(), row.work_by_force.begin(), row.work_by_force.end());
  numbers.insert(numbers.end(), row.by_body.begin(), row.by_body.end());
}

}  // namespace tumble::record
