// One file per verb; each defines its Verb and the function behind it.
#pragma once

#include "arguments.h"

namespace tumble::app {

Verb run_verb();
Verb check_verb();
Verb info_verb();
Verb convert_verb();
Verb examples_verb();
Verb render_verb();

}  // namespace tumble::app
