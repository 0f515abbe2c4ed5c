// Messages of the program. They go to stderr; requested data goes to stdout.
#pragma once

#include <string>

#include "tumble/core/expected.h"
#include "tumble/scene/scene.h"

namespace tumble::app {

void print_diagnostics(const core::Diagnostics& diagnostics);
/// The exit code for input with errors: wrong use if all errors are about --set, else bad input.
int exit_code_of(const core::Diagnostics& diagnostics);
/// "tumble: message" on stderr.
void say(const std::string& message);
/// "body "a" has no shapes", "3 bodies have no shapes (first "a")"; empty when all have some.
std::string describe_shapeless(const model::Model& model);
/// 3 significant digits.
std::string brief(double value);

}  // namespace tumble::app
