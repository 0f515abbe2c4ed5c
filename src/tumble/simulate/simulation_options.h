// The options of a run, and the choices that follow from them.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tumble/model/input_events.h"

namespace tumble::simulate {

struct Parameters;

enum class Method {
  automatic,  // fast where bodies can collide, else precise
  precise,    // Runge-Kutta with error control: smooth motion, no contact
  fast        // leapfrog: large steps, contact with friction
};
enum class Verify { off, frames, steps };  // when the independent penetration check runs

/// To add an option: a field here, and a line in the table of flags (apps/tumble/run_options.cpp).
struct SimulationOptions {
  double duration = 5;  // s, simulated; infinity: until the caller stops
  double fps = 60;      // frames per simulated second; never the step size
  Method method = Method::automatic;
  std::optional<double> accuracy = {};  // error allowed per time scale, relative; default: that of the method
  std::string integrator = {};  // dopri8 | dopri5 | cash-karp | rk4 | euler, of precise; empty: dopri8
  bool quergs = false;          // quaternions as the 2007 thesis added them; cash-karp only
  /// k (1/s^2) and d (1/s) of Baumgarte's feedback, which replaces the projection of joints; cash-karp only.
  std::optional<std::array<double, 2>> baumgarte = {};
  std::optional<double> fixed_step = {};  // s
  Verify verify = Verify::frames;
  bool log = false;                            // hand out a row of the log for every step
  std::vector<model::BodyId> log_bodies = {};  // whose momenta and energies are in the rows of the log
  bool contacts = false;                       // hand out the contacts of every frame; fast only
  bool reactions = false;                      // hand out the mean reactions of joints in every frame
  bool estimate_error = false;                 // compare every frame with a run of ten times the accuracy
  model::LiveOptions live = {};                // bodies that may be pushed while it runs
  /// Changes of the model at given times. Bodies that they push need not be in `live`. Null: none.
  std::shared_ptr<const model::InputEvents> inputs = {};
  /// What was said when the scene was read. It comes first in Simulation::warnings().
  std::vector<std::string> warnings = {};
  /// For experts and tests: the numbers by which the methods reach the accuracy (simulate/parameters.h, not a
  /// public header). There are no flags for them. Null: the defaults.
  std::shared_ptr<const Parameters> parameters = {};

  /// True if method and accuracy are chosen.
  bool is_resolved() const { return method != Method::automatic && accuracy.has_value(); }
  /// "leapfrog" for fast; else the Runge-Kutta method.
  std::string integrator_name() const;
  /// round(duration * fps) + 1: frames at t = k/fps exactly.
  size_t frame_count() const;
  /// s: the time of the last frame or the duration, whichever is later. A run covers both.
  double end_time() const;
};

std::string to_string(Method method);  // auto, precise, fast

/// The options that the scene requests.
SimulationOptions requested_options(const model::Model& model);

/// An option that is not valid. `options` names it by its flag without dashes. If there are several, the
/// caller should name the first that the user gave.
struct OptionFault {
  std::vector<std::string> options;
  std::string message;
};

/// The options with method and accuracy chosen, and the reasons.
struct ResolvedOptions {
  SimulationOptions options;
  std::string method_reason;
  bool accuracy_given = false;
  std::optional<OptionFault> fault = {};  // the first one; then the rest is incomplete
};

ResolvedOptions resolve(const model::Model& model, const SimulationOptions& requested);

}  // namespace tumble::simulate
