#include "report.h"

#include <algorithm>
#include <cstdio>

#include "exit_codes.h"

namespace tumble::app {

void print_diagnostics(const core::Diagnostics& diagnostics) {
  for (const core::Diagnostic& diagnostic : diagnostics)
    std::fprintf(stderr, "%s\n", to_string(diagnostic).c_str());
}

int exit_code_of(const core::Diagnostics& diagnostics) {
  const bool wrong_use =
      std::all_of(diagnostics.begin(), diagnostics.end(), [](const core::Diagnostic& diagnostic) {
        return diagnostic.severity == core::Severity::warning || scene::is_setting(diagnostic.place);
      });
  return wrong_use ? kExitWrongUse : kExitBadInput;
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

std::string brief(double value) { return core::brief_number(value, 3); }

}  // namespace tumble::app
