// Reads files of events (`tumble run --inputs`), one JSON object per line. docs/scene.md describes them.
//   {"t": 1.5, "set": "ice.friction", "value": "0.02"}
//   {"t": 2, "pull": "hand", "at": [0, 0, 0], "to": [1, 2, 0], "stiffness": 500, "damping": 20}
//   {"t": 3, "release": "hand"}
#pragma once

#include <string>
#include <string_view>

#include "tumble/core/expected.h"
#include "tumble/model/input_events.h"

namespace tumble::scene {

/// Reads events for a model. A value is a number in SI units, or text as in a scene file, with units. Reports
/// all faults at once, as FILE:LINE:COLUMN, including wrong names and values (InputEvents::find_faults).
/// `file` is the file name in messages.
core::Expected<model::InputEvents> read_inputs(std::string_view text, const std::string& file,
                                               const model::Model& model);

}  // namespace tumble::scene
