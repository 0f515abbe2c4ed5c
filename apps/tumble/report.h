// What the program says to people: stderr for messages, stdout for data asked for.
#pragma once

#include <string>

#include "tumble/core/expected.h"
#include "tumble/scene/scene.h"

namespace tumble::app {

void print_diagnostics(const core::Diagnostics& diagnostics);
/// Of input that has errors: wrong use if all of them are about --set, else bad input.
int exit_code_of(const core::Diagnostics& diagnostics);
/// "tumble: message" on stderr.
void say(const std::string& message);
/// "body "a" has no shapes", "3 bodies have no shapes (first "a")"; empty when all have some.
std::string describe_shapeless(const model::Model& model);
/// 3 significant digits.
std::string brief(double value);

}  // namespace tumble::app
