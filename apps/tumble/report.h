// Messages of the program. They go to stderr; requested data goes to stdout.
#pragma once

#include <string>
#include <string_view>

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
/// Writes a whole file. Throws UsageError if it cannot be opened; says why it cannot be written. Returns the
/// exit code.
int write_whole(const std::string& path, std::string_view bytes);
/// stdin, stdout and stderr that are closed get a descriptor that refuses what is done with them. Otherwise
/// the first file that is opened would become stdout. To be called first.
void occupy_standard_streams();
/// The exit code of the program. It is not "done" if requested data could not be written to stdout. To be
/// called once, at the end.
int close_stdout(int exit_code);
/// 3 significant digits.
std::string brief(double value);

}  // namespace tumble::app
