// A column as it is plotted: values over an abscissa, with name, unit and the quantity it measures.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tumble::plot {

struct Quantity {
  std::string name, unit;  // "momentum", "kg m/s"; both empty: not known
  bool operator==(const Quantity&) const = default;
};

/// What a column of our files measures, by its name: `energy`, `ball.vx`, `hinge.effort`. A unit in
/// parentheses at the end of a name counts, too: `time per frame (ms)`.
Quantity quantity_of(std::string_view column);

struct Series {
  std::string name = {};
  Quantity quantity = {};
  std::shared_ptr<const std::vector<double>> x = {};
  std::vector<double> y = {};  // as many as x; NaN: missing
  bool separate = false;       // points that no line joins, e.g. of contacts
};

/// Whether a name matches a pattern, in which * is any text and ? any character.
bool matches(std::string_view pattern, std::string_view name);

/// Up to three known names that are nearest to `name`: "a, b or c"; empty if none is near.
std::string near_names(const std::string& name, const std::vector<std::string>& known);

/// A list of column names for a message. Names with the same endings are one entry:
/// "h, kinetic; a, b, c (and 3 more) each with .x .y .z".
std::string summarize_names(const std::vector<std::string>& names);

}  // namespace tumble::plot
