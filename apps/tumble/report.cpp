#include "report.h"

#include <cstdio>
#include <map>

namespace tumble::app {

void print_diagnostics(const core::Diagnostics& diagnostics) {
  for (const core::Diagnostic& diagnostic : diagnostics)
    std::fprintf(stderr, "%s\n", to_string(diagnostic).c_str());
}

void say(const std::string& message) { std::fprintf(stderr, "tumble: %s\n", message.c_str()); }

std::string describe_shapeless(const model::Model& model) {
  size_t count = 0;
  std::string first;
  for (const model::Body& body : model.bodies())
    if (body.shapes.empty() && count++ == 0) first = "\"" + body.name + "\"";
  if (count == 0) return "";
  return count == 1 ? "body " + first + " has no shapes"
                    : std::to_string(count) + " bodies have no shapes (first " + first + ")";
}

std::vector<JointLine> list_joints(const model::Model& model) {
  std::vector<JointLine> lines;
  std::map<std::string, size_t> known;
  const auto line_of = [&](const model::Constraint& part, const std::string& type) -> JointLine& {
    const auto [found, is_new] = known.emplace(part.name(), lines.size());
    if (is_new) lines.push_back({part.name(), type, 0, 0, part.a(), part.b()});
    return lines[found->second];
  };
  for (const auto& joint : model.constraints()) line_of(*joint, joint->type()).rows = joint->rows();
  for (const auto& limit : model.limits()) ++line_of(*limit, "distance").limits;
  return lines;
}

std::string brief(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace tumble::app
