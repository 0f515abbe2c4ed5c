// Each verb has one file, which defines its Verb and its function.
#pragma once

#include "arguments.h"

namespace tumble::app {

Verb run_verb();
Verb check_verb();
Verb info_verb();
Verb convert_verb();
Verb examples_verb();
Verb render_verb();
Verb view_verb();
Verb report_verb();
Verb plot_verb();

}  // namespace tumble::app
