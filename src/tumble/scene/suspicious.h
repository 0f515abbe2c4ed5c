// Numbers that are allowed and probably not meant: angles in degrees without their unit, densities in g/cm3,
// sizes in millimetres. Each gives a warning.
#pragma once

#include "tumble/model/model.h"
#include "tumble/scene/reader.h"

namespace tumble::scene::detail {

void warn_of_numbers(const Reading& reading, core::Diagnostics& diagnostics);
void warn_of_bodies(const Reading& reading, const model::Model& model, core::Diagnostics& diagnostics);

}  // namespace tumble::scene::detail
