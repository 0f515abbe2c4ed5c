// Files of events: what `tumble run --inputs` reads. One JSON object stands in a line; docs/scene.md
// describes them.
//   {"t": 1.5, "set": "ice.friction", "value": "0.02"}
//   {"t": 2, "pull": "hand", "at": [0, 0, 0], "to": [1, 2, 0], "stiffness": 500, "damping": 20}
//   {"t": 3, "release": "hand"}
#pragma once

#include <string>
#include <string_view>

#include "tumble/core/expected.h"
#include "tumble/model/input_events.h"

namespace tumble::scene {

/// Reads events for a model. Texts of values are as in a scene file, units included; numbers are SI. All
/// faults are reported at once, as FILE:LINE:COLUMN, those of names and values too
/// (InputEvents::find_faults). `file` is what messages call the file.
core::Expected<model::InputEvents> read_inputs(std::string_view text, const std::string& file,
                                               const model::Model& model);

}  // namespace tumble::scene
