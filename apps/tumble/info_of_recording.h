#pragma once

#include "arguments.h"

namespace tumble::app {

/// tumble info of a .tumble: what ran, with its settings and inputs. Returns the exit code.
int info_of_recording(const std::string& path, const Arguments& arguments);

}  // namespace tumble::app
