#pragma once

#include "arguments.h"

namespace tumble::app {

/// tumble info of a .tumble: prints the options, settings and inputs of the run. Returns the exit code.
int info_of_recording(const std::string& path, const Arguments& arguments);

}  // namespace tumble::app
