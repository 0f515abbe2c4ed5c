// Halves and doubles the numbers of simulate::Parameters and judges the runs that follow.
//
// A scene promises, whatever the numbers are:
//   it starts and runs to its end
//   no bodies overlap by the independent checker, at any step or frame
//   no body is held or frozen
//   it gives no warning that it does not give with the numbers as shipped
//   joints are open by no more than a tolerance t of their bodies' size. Fast: t is the accuracy, the error
//     that is allowed to any place. Precise: t = 1e-9, at which a step is refused (docs/computation.md)
//   energy less work rises above its least value by no more than 10 A E, or as with the numbers as shipped.
//     A is the accuracy, E the largest kinetic energy, but at least sum 1/2 m (g T)^2: else a scene at rest
//     would have no scale
#pragma once

#include <string>
#include <vector>

#include "tumble/scene/scene.h"
#include "tumble/simulate/parameters.h"
#include "tumble/simulate/simulation_options.h"

namespace vary {

/// A scene and how much of it is run.
struct SceneRun {
  std::string scene;  // scenes/NAME.xml
  double duration;    // s, at most
  /// Another method than the scene's, at that method's default accuracy; automatic: the scene's.
  tumble::simulate::Method method = tumble::simulate::Method::automatic;

  std::string name() const;  // "door" or "door by fast"
};

/// A number that is changed: to half of what it is, or to its double, but not beyond its sane range.
struct Variation {
  std::string number;
  bool doubled = false;

  double value() const;
  std::string name() const;  // "leapfrog.touching doubled to 2"
};

/// Both variations of every number whose name begins like this, without those that the range leaves as it is.
std::vector<Variation> list_variations(const std::string& beginning);
/// The numbers with one of them changed.
tumble::simulate::Parameters apply(const Variation& variation);
tumble::simulate::Parameters with(const std::string& number, double value);

/// What a run came to.
struct Outcome {
  std::string failure;  // empty: it went to its end
  std::vector<std::string> warnings;
  double overlap = 0;  // m
  double holds = 0, freezes = 0;
  double joint_error = 0, joint_tolerance = 0;  // m
  double energy_gain = 0, energy_scale = 0;     // J
  double accuracy = 0;
  std::vector<double> trace;  // state at the end, and counters of effort

  /// Something is not the same to the last bit.
  bool differs_from(const Outcome& other) const {
    return trace != other.trace || warnings != other.warnings || failure != other.failure;
  }
};
Outcome run(const SceneRun& scene, const tumble::simulate::Parameters& parameters);

/// A promise that was broken.
struct Violation {
  std::string promise;  // "end", "overlap", "holds", "freezes", "warnings", "joints", "energy"
  double figure = 0, bound = 0;
  std::string text;
};
/// `shipped`: the run with the numbers as shipped; null if this is it, or if it does not count.
std::vector<Violation> judge(const Outcome& outcome, const Outcome* shipped);

}  // namespace vary
