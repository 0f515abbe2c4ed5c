// Which columns a figure shows, and in which panels.
#pragma once

#include <string>
#include <vector>

#include "tumble/plot/source.h"

namespace tumble::plot {

/// Columns that share a panel.
struct PanelChoice {
  std::vector<std::string> columns;
  std::string quantity = {};  // title; empty: what the columns measure
};

struct Choice {
  std::vector<PanelChoice> panels;
  std::vector<std::string> notes;  // columns that were left out
};

/// The columns of a figure for which none are named. Columns that are zero, or negligible beside the others
/// of their panel, are left out. With `frames_only` (a spectrum) only columns with even times.
core::Expected<Choice> choose_default(const Source& source, bool frames_only);

/// Columns of the same quantity share a panel; panels come in the order of their first columns.
std::vector<PanelChoice> group_columns(const std::vector<std::string>& columns);

}  // namespace tumble::plot
