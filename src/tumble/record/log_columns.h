// The columns of the log, with their units: for --log, and for all that shows the log of a recording.
#pragma once

#include <string>
#include <vector>

#include "tumble/model/run_output.h"

namespace tumble::record {

struct Column {
  std::string name, unit;
};

/// `t` first. `forces` are the names of Model::work_names(), `bodies` those of --log-bodies.
std::vector<Column> log_columns(const std::vector<std::string>& forces,
                                const std::vector<std::string>& bodies);

/// Appends the numbers of a row, in the order of log_columns().
void append_log_row(const model::LogRow& row, std::vector<double>& numbers);

}  // namespace tumble::record
