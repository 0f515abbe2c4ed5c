#include "report.h"

#include <cstdio>

namespace tumble::app {

void print_diagnostics(const core::Diagnostics& diagnostics) {
  for (const core::Diagnostic& diagnostic : diagnostics)
    std::fprintf(stderr, "%s\n", to_string(diagnostic).c_str());
}

void say(const std::string& message) { std::fprintf(stderr, "tumble: %s\n", message.c_str()); }

std::string brief(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace tumble::app
