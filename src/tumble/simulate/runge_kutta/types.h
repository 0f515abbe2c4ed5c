// Data of the Runge-Kutta stepper.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "tumble/dynamics/integrators/tableau.h"
#include "tumble/simulate/parameters.h"
#include "tumble/simulate/runge_kutta/parameters.h"
#include "tumble/simulate/scales.h"

namespace tumble::simulate {

struct RungeKuttaOptions {
  double accuracy = kDefaultAccuracy;
  const dynamics::Tableau* method = &dynamics::dormand_prince_8();
  bool quergs = false;
  std::optional<double> fixed_step = {};  // s; required for methods without an error estimate
  bool reactions = false;                 // fills model::State::impulses
  /// k (1/s^2) and d (1/s) of Baumgarte's stabilisation, instead of projection. To show the joint drift of
  /// 2007.
  std::optional<std::array<double, 2>> baumgarte = {};
  std::optional<Scales> scales = {};  // those a run began with; none: of the model as it is
  RungeKuttaParameters parameters = {};
};

/// What determines the next step, besides the state. State and memory together determine all later steps, bit
/// for bit.
struct RungeKuttaMemory {
  double next_step = 0;   // s; 0: not chosen yet
  double last_error = 0;  // log of the last accepted error in tolerances (PI controller); 0: none
  /// By body: its integrated reduced rotational energy (J), and the reference of that (1/(kg m^2)): K and c
  /// of (4) in dynamics/equations_of_motion.h. Empty: to be set from the state.
  std::vector<double> reduced_energy = {}, energy_reference = {};
  double time_at_rounding = 0;  // s: duration of the last steps whose tolerance was set by rounding
  int tiny_steps = 0;           // number of successive steps that made no progress
  // Stiffness.
  bool implicit = false;         // the implicit method is in use
  int steps_since_estimate = 0;  // steps since the last estimate of stiffness
  int votes_for_other = 0;       // number of successive estimates in favour of the other method
  int patience = RungeKuttaParameters{}.switch_votes;  // votes that switch to the implicit method
  /// Slope of the implicit method at the end of its last step, and that end; empty otherwise.
  std::vector<double> slope = {}, slope_at = {};
  /// Active joint limits; indices into Model::limits(), ascending.
  std::vector<int> active_limits = {};
};

template <class Archive>
void archive(Archive& ar, RungeKuttaMemory& m) {
  ar(m.next_step, m.last_error, m.time_at_rounding, m.implicit, m.steps_since_estimate, m.votes_for_other,
     m.patience, m.tiny_steps, m.active_limits, m.reduced_energy, m.energy_reference, m.slope, m.slope_at);
}

}  // namespace tumble::simulate
