#include "tumble/plot/choose.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tumble/plot/axis.h"
#include "tumble/plot/parameters.h"

namespace tumble::plot {

namespace {

// Names that may be in one panel of a default figure.
struct Candidates {
  std::vector<std::string> names;
  std::string quantity = {};
  bool changes = false;  // a constant column is left out, not only zero
};

std::vector<std::string> ending_with(const std::vector<std::string>& names, std::string_view ending) {
  std::vector<std::string> found;
  for (const std::string& name : names)
    if (name.ends_with(ending)) found.push_back(name);
  return found;
}

double size_of(const Series& series, bool changes) {
  double lo = INFINITY, hi = -INFINITY, largest = 0;
  for (const double value : series.y) {
    if (std::isnan(value)) continue;
    lo = std::min(lo, value), hi = std::max(hi, value);
    largest = std::max(largest, std::abs(value));
  }
  if (!changes) return largest;
  return hi - lo > kParameters.constant * largest ? hi - lo : 0;
}

// Leaves out columns that are negligible, and all but the largest of many.
core::Expected<PanelChoice> pick(const Source& source, const Candidates& candidates,
                                 std::vector<std::string>& notes) {
  const auto series = source.read(candidates.names);
  if (!series) return series.diagnostics();
  std::vector<double> sizes;
  for (const Series& one : *series) sizes.push_back(size_of(one, candidates.changes));
  const double largest = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::erase_if(order, [&](size_t i) { return !(sizes[i] > kParameters.negligible * largest); });
  if (const size_t count = order.size(); count > kParameters.most_curves) {
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return sizes[a] > sizes[b]; });
    order.resize(kParameters.most_curves);
    std::sort(order.begin(), order.end());
    const Quantity quantity = (*series)[order[0]].quantity;
    const std::string& name = candidates.quantity.empty() ? quantity.name : candidates.quantity;
    notes.push_back((name.empty() ? "" : name + ": ") + "the " + std::to_string(kParameters.most_curves) +
                    " largest of " + std::to_string(count) + " columns are shown; --columns names others");
  }
  PanelChoice panel{{}, candidates.quantity};
  for (const size_t i : order) panel.columns.push_back(candidates.names[i]);
  return panel;
}

// Of each body its momentum along the axis with most of it.
core::Expected<Candidates> body_momenta(const Source& source) {
  Candidates best;
  double most = 0;
  for (const char* axis : {"x", "y", "z"}) {
    const std::vector<std::string> names = ending_with(source.names(), std::string(".p") + axis);
    const auto series = source.read(names);
    if (!series) return series.diagnostics();
    double total = 0;
    for (const Series& one : *series) total += size_of(one, false);
    if (total > most || best.names.empty())
      best = {names, std::string("momentum along ") + axis}, most = std::max(most, total);
  }
  return best;
}

std::vector<Candidates> positions(const Source& source) {
  std::vector<Candidates> all;
  for (const char* axis : {"x", "y", "z"})
    all.push_back(
        {ending_with(source.names(), std::string(".") + axis), std::string("position along ") + axis, true});
  return all;
}

Range range_of(const Series& series) {
  Range range{INFINITY, -INFINITY};
  for (const double value : series.y)
    if (!std::isnan(value)) range = {std::min(range.lo, value), std::max(range.hi, value)};
  return range;
}

// Potential energy has any zero. If it is far from the kinetic energy, a common panel would show two straight
// lines.
core::Expected<std::vector<Candidates>> energy_panels(const Source& source) {
  const auto series = source.read({"kinetic", "potential", "energy"});
  if (!series) return series.diagnostics();
  const Range kinetic = range_of((*series)[0]), potential = range_of((*series)[1]),
              energy = range_of((*series)[2]);
  const Range other{std::min(potential.lo, energy.lo), std::max(potential.hi, energy.hi)};
  const double together = std::max(kinetic.hi, other.hi) - std::min(kinetic.lo, other.lo);
  const double apart = (kinetic.hi - kinetic.lo) + (other.hi - other.lo);
  if (!(together > kParameters.far_apart * apart) || size_of((*series)[0], false) == 0)
    return std::vector<Candidates>{{{"kinetic", "potential", "energy"}}};
  return std::vector<Candidates>{{{"kinetic"}}, {{"potential", "energy"}}};
}

core::Expected<std::vector<Candidates>> log_panels(const Source& source) {
  auto energies = energy_panels(source);
  if (!energies) return energies.diagnostics();
  std::vector<Candidates> panels = std::move(energies).value();
  if (ending_with(source.names(), ".px").empty()) {
    panels.push_back({{"px", "py", "pz"}});
  } else {
    const auto momenta = body_momenta(source);
    if (!momenta) return momenta.diagnostics();
    panels.push_back(*momenta);
  }
  for (const char* name : {"contacts", "h", "max_joint_error"}) panels.push_back({{name}});
  return panels;
}

std::vector<Candidates> in_groups(const std::vector<std::string>& names) {
  std::vector<Candidates> panels;
  for (PanelChoice& panel : group_columns(names)) panels.push_back({std::move(panel.columns)});
  return panels;
}

core::Expected<std::vector<Candidates>> find_candidates(const Source& source, bool frames_only) {
  switch (source.kind()) {
    case SourceKind::recording:
      if (!frames_only && source.has("kinetic")) return log_panels(source);
      return positions(source);
    case SourceKind::log:
      return log_panels(source);
    case SourceKind::frames:
      return positions(source);
    case SourceKind::reactions: {
      std::vector<std::string> forces, torques;
      for (const char* axis : {"x", "y", "z"}) {
        for (const std::string& name : ending_with(source.names(), std::string(".f") + axis))
          forces.push_back(name);
        for (const std::string& name : ending_with(source.names(), std::string(".t") + axis))
          torques.push_back(name);
      }
      return std::vector<Candidates>{{forces}, {torques}, {ending_with(source.names(), ".effort")}};
    }
    case SourceKind::contacts:
      return std::vector<Candidates>{{{"contacts.count"}}, {{"contacts.force"}}, {{"gap"}}, {{"slip"}}};
    case SourceKind::table:
      break;
  }
  return in_groups(source.names());
}

}  // namespace

core::Expected<Choice> choose_default(const Source& source, bool frames_only) {
  const auto candidates = find_candidates(source, frames_only);
  if (!candidates) return candidates.diagnostics();
  Choice choice;
  for (const Candidates& one : *candidates) {
    std::vector<std::string> names = one.names;
    std::erase_if(names, [&](const std::string& name) { return !source.has(name); });
    if (names.empty()) continue;
    auto panel = pick(source, {names, one.quantity, one.changes}, choice.notes);
    if (!panel) return panel.diagnostics();
    if (!panel->columns.empty()) choice.panels.push_back(std::move(*panel));
  }
  // Everything is zero: shown all the same.
  if (choice.panels.empty())
    for (const Candidates& one : *candidates)
      if (!one.names.empty() && source.has(one.names[0]) && choice.panels.empty())
        choice.panels.push_back({{one.names[0]}});
  return choice;
}

std::vector<PanelChoice> group_columns(const std::vector<std::string>& columns) {
  std::vector<PanelChoice> panels;
  std::vector<Quantity> quantities;
  for (const std::string& name : columns) {
    const Quantity quantity = quantity_of(name);
    const auto found = std::find(quantities.begin(), quantities.end(), quantity);
    if (found == quantities.end()) {
      quantities.push_back(quantity);
      panels.push_back({{name}});
    } else {
      panels[static_cast<size_t>(found - quantities.begin())].columns.push_back(name);
    }
  }
  return panels;
}

}  // namespace tumble::plot
