#include "tumble/plot/series.h"

#include <algorithm>
#include <map>

#include "tumble/core/diagnostic.h"

namespace tumble::plot {

namespace {

struct Known {
  std::string_view column, quantity, unit;
};

// Whole names, or what follows the last dot.
constexpr Known kKnown[] = {
    {"t", "time", "s"},
    {"h", "step size", "s"},
    {"kinetic", "energy", "J"},
    {"potential", "energy", "J"},
    {"energy", "energy", "J"},
    {"work", "work", "J"},
    {"px", "momentum", "kg m/s"},
    {"py", "momentum", "kg m/s"},
    {"pz", "momentum", "kg m/s"},
    {"lx", "angular momentum", "kg m²/s"},
    {"ly", "angular momentum", "kg m²/s"},
    {"lz", "angular momentum", "kg m²/s"},
    {"contacts", "contacts", ""},
    {"impacts", "impacts", ""},
    {"max_penetration", "deepest overlap", "m"},
    {"max_joint_error", "largest joint error", "m"},
    {"x", "position", "m"},
    {"y", "position", "m"},
    {"z", "position", "m"},
    {"qw", "orientation", ""},
    {"qx", "orientation", ""},
    {"qy", "orientation", ""},
    {"qz", "orientation", ""},
    {"vx", "velocity", "m/s"},
    {"vy", "velocity", "m/s"},
    {"vz", "velocity", "m/s"},
    {"wx", "angular velocity", "rad/s"},
    {"wy", "angular velocity", "rad/s"},
    {"wz", "angular velocity", "rad/s"},
    {"fx", "force", "N"},
    {"fy", "force", "N"},
    {"fz", "force", "N"},
    {"tx", "torque", "N m"},
    {"ty", "torque", "N m"},
    {"tz", "torque", "N m"},
    {"effort", "effort", "N m or N"},
    {"nx", "normal", ""},
    {"ny", "normal", ""},
    {"nz", "normal", ""},
    {"gap", "gap", "m"},
    {"jn", "impulse", "N s"},
    {"jx", "impulse", "N s"},
    {"jy", "impulse", "N s"},
    {"jz", "impulse", "N s"},
    {"slip", "sliding speed", "m/s"},
    {"patch", "patch", ""},
    {"patch_jx", "impulse of a patch", "N s"},
    {"patch_jy", "impulse of a patch", "N s"},
    {"patch_jz", "impulse of a patch", "N s"},
    {"patch_x", "centre of a patch", "m"},
    {"patch_y", "centre of a patch", "m"},
    {"patch_z", "centre of a patch", "m"},
    {"patch_moment", "moment of a patch", "N m s"},
};

}  // namespace

Quantity quantity_of(std::string_view column) {
  if (column == "contacts.count") return {"contacts", ""};
  if (column == "contacts.force") return {"normal force of all contacts", "N"};
  if (column.starts_with("work.")) return {"work", "J"};
  if (column.ends_with(')'))
    if (const size_t open = column.rfind(" ("); open != std::string_view::npos)
      return {"", std::string(column.substr(open + 2, column.size() - open - 3))};
  const std::string_view last = column.substr(column.rfind('.') + 1);
  for (const Known& known : kKnown)
    if (known.column == last) return {std::string(known.quantity), std::string(known.unit)};
  return {};
}

bool matches(std::string_view pattern, std::string_view name) {
  size_t p = 0, n = 0, star = std::string_view::npos, from = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++from;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string near_names(const std::string& name, const std::vector<std::string>& known) {
  constexpr size_t kMost = 3;
  std::vector<std::string> left = known, near;
  while (near.size() < kMost) {
    const std::string next = core::nearest_name(name, left);
    if (next.empty()) break;
    near.push_back(next);
    std::erase(left, next);
  }
  std::string text;
  for (size_t i = 0; i < near.size(); ++i)
    text += (i == 0 ? "" : i + 1 == near.size() ? " or " : ", ") + near[i];
  return text;
}

std::string summarize_names(const std::vector<std::string>& names) {
  constexpr size_t kMostOwners = 6, kMostPlain = 40;
  std::vector<std::string> plain, owners;
  std::map<std::string, std::string> endings;  // of each owner
  for (const std::string& name : names) {
    const size_t dot = name.rfind('.');
    if (dot == std::string::npos || name.starts_with("work.") || name.starts_with("contacts.")) {
      plain.push_back(name);
      continue;
    }
    const auto [entry, is_new] = endings.try_emplace(name.substr(0, dot));
    if (is_new) owners.push_back(entry->first);
    entry->second += " " + name.substr(dot);
  }
  std::string text;
  for (size_t i = 0; i < std::min(plain.size(), kMostPlain); ++i) text += (i > 0 ? ", " : "") + plain[i];
  if (plain.size() > kMostPlain) text += " and " + std::to_string(plain.size() - kMostPlain) + " more";
  std::vector<std::string> done;
  for (const std::string& first : owners) {
    const std::string& ending = endings[first];
    if (std::find(done.begin(), done.end(), ending) != done.end()) continue;
    done.push_back(ending);
    std::vector<std::string> alike;
    for (const std::string& owner : owners)
      if (endings[owner] == ending) alike.push_back(owner);
    if (!text.empty()) text += "; ";
    for (size_t i = 0; i < std::min(alike.size(), kMostOwners); ++i) text += (i > 0 ? ", " : "") + alike[i];
    if (alike.size() > kMostOwners) text += " and " + std::to_string(alike.size() - kMostOwners) + " more";
    text += (alike.size() > 1 ? ", each with" : " with") + ending;
  }
  return text;
}

}  // namespace tumble::plot
