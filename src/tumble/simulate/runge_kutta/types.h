// Data of the Runge-Kutta stepper.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "tumble/dynamics/integrators/tableau.h"
#include "tumble/simulate/parameters.h"
#include "tumble/simulate/runge_kutta/parameters.h"

namespace tumble::simulate {

struct RungeKuttaOptions {
  double accuracy = kDefaultAccuracy;
  const dynamics::Tableau* method = &dynamics::dormand_prince_8();
  bool quergs = false;
  std::optional<double> fixed_step = {};  // s; required for methods without an error estimate
  bool reactions = false;                 // fills model::State::impulses
  /// k (1/s^2) and d (1/s) of Baumgarte's feedback: joints are held by it, not closed. To show the drift of 2007.
  std::optional<std::array<double, 2>> baumgarte = {};
  std::optional<Scales> scales = {};  // those a run began with; none: of the model as it is
  RungeKuttaParameters parameters = {};
};

/// What, beside the state, decides the next step. State and memory together have one future, bit for bit.
struct RungeKuttaMemory {
  double next_step = 0;  // s; 0: not chosen yet
  double last_error =
      0;  // logarithm of the last accepted step's error in tolerances; 0: none, or without influence
  /// By body: the account of its rotational energy as torques have changed it (J), and what the account refers to (1/(kg m^2)):
  /// K and c of (4) in dynamics/equations_of_motion.h. Empty: opened from the state.
  std::vector<double> rotation_account = {}, rotation_reference = {};
  double time_at_rounding = 0;  // s: the last steps whose tolerance was set by rounding
  int tiny_steps = 0;           // the last so many led nowhere
  // Stiffness.
  bool implicit = false;     // the implicit method is in use
  int steps_since_look = 0;  // since stiffness was last estimated
  int looks_for_other = 0;   // how many times in a row the other method fitted better
  int patience = RungeKuttaParameters{}.stiff_answers;  // answers that bring in the implicit method
  /// Slope of the implicit method at its last end, and that end; empty otherwise.
  std::vector<double> slope = {}, slope_at = {};
  /// Joint limits that carry a load; indices into Model::limits(), ascending.
  std::vector<int> active_limits = {};
};

template <class Archive>
void archive(Archive& ar, RungeKuttaMemory& m) {
  ar(m.next_step, m.last_error, m.time_at_rounding, m.implicit, m.steps_since_look, m.looks_for_other,
     m.patience, m.tiny_steps, m.active_limits, m.rotation_account, m.rotation_reference, m.slope,
     m.slope_at);
}

}  // namespace tumble::simulate
