// Energy and momentum of a whole state.
#pragma once

#include <array>

#include "tumble/model/run_output.h"
#include "tumble/model/state.h"

namespace tumble::dynamics {

struct Balance {
  double kinetic = 0;                          // J
  double potential = 0;                        // J: gravity (zero at the origin) and force laws
  double stored = 0;                           // J: the part of force laws in it
  double work = 0;                             // J, done so far by scripts and by laws without a potential
  model::Vec3 momentum = model::Vec3::Zero();  // kg m/s
  model::Vec3 angular_momentum = model::Vec3::Zero();  // kg m^2/s about the origin
  double energy() const { return kinetic + potential; }
};

Balance compute_balance(const model::Model& model, const model::State& state);

/// The numbers of one body as a row of the log has them (model::kBodyLogColumns). Zero for a fixed body.
std::array<double, model::kBodyLogSize> compute_body_balance(const model::Model& model,
                                                             const model::State& state, model::BodyId id);

}  // namespace tumble::dynamics
