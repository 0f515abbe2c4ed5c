// Halves and doubles the numbers of simulate::Parameters and checks the runs.
//
// A scene promises, for all sane numbers:
//   it starts and runs to its end
//   no bodies overlap, by the independent checker, at any step or frame
//   no body is held or frozen
//   it gives no warning that it does not give with the shipped numbers
//   joint errors are at most a tolerance t of the bodies' size. Fast: t is the accuracy, the error that is
//     allowed to any position. Precise: t = 1e-9, above which a step is rejected (docs/computation.md)
//   energy less work rises above its least value by at most 10 A E, or as with the shipped numbers. A is the
//     accuracy, E the largest kinetic energy, but at least sum 1/2 m (g T)^2, since a scene at rest would
//     have no scale
#pragma once

#include <string>
#include <vector>

#include "tumble/scene/scene.h"
#include "tumble/simulate/parameters.h"
#include "tumble/simulate/simulation_options.h"

namespace vary {

/// A scene, and for how long it is run.
struct SceneRun {
  std::string scene;  // scenes/NAME.xml
  double duration;    // s, at most
  /// Another method than the scene's, at that method's default accuracy; automatic: the scene's.
  tumble::simulate::Method method = tumble::simulate::Method::automatic;

  std::string name() const;  // "door" or "door by fast"
};

/// A number that is changed: halved or doubled, but not beyond its sane range.
struct Variation {
  std::string number;
  bool doubled = false;

  double value() const;
  std::string name() const;  // "leapfrog.touching doubled to 2"
};

/// Both variations of every number whose name begins with the prefix, without those that the range prevents.
std::vector<Variation> list_variations(const std::string& beginning);
/// The parameters with one number changed.
tumble::simulate::Parameters apply(const Variation& variation);
tumble::simulate::Parameters with(const std::string& number, double value);

/// The result of a run.
struct Outcome {
  std::string failure;  // empty: it reached its end
  std::vector<std::string> warnings;
  double overlap = 0;  // m
  double holds = 0, freezes = 0;
  double joint_error = 0, joint_tolerance = 0;  // m
  double energy_gain = 0, energy_scale = 0;     // J
  double accuracy = 0;
  std::vector<double> trace;  // state at the end, and counters of effort

  /// True if any bit differs.
  bool differs_from(const Outcome& other) const {
    return trace != other.trace || warnings != other.warnings || failure != other.failure;
  }
};
Outcome run(const SceneRun& scene, const tumble::simulate::Parameters& parameters);

/// A broken promise.
struct Violation {
  std::string promise;  // "end", "overlap", "holds", "freezes", "warnings", "joints", "energy"
  double figure = 0, bound = 0;
  std::string text;
};
/// `shipped`: the run with the shipped numbers; null if this is that run, or if it is not to be compared.
std::vector<Violation> judge(const Outcome& outcome, const Outcome* shipped);

}  // namespace vary
