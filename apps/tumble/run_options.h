// What a run was asked to do: the scene's wishes, overruled by the flags.
#pragma once

#include <string>
#include <vector>

#include "arguments.h"
#include "tumble/scene/scene.h"
#include "tumble/simulate/stepper.h"

namespace tumble::app {

struct ResolvedOptions {
  double duration = 5, fps = 60;
  std::string method = "precise";  // or fast
  std::string method_reason;
  simulate::RungeKuttaOptions driver;  // accuracy and fixed step are those of fast, too
  bool accuracy_given = false;
  std::string verify = "frames";  // off | frames | steps
  scene::ProgramWishes program;

  bool is_fast() const { return method == "fast"; }
  std::string integrator() const { return is_fast() ? "leapfrog" : std::string(driver.method->name); }
  std::unique_ptr<simulate::Stepper> make_stepper(const model::Model& model) const;
  /// round(duration * fps) + 1, at t = k/fps exactly.
  size_t frames() const;
  /// Time of the last frame or the duration, whichever is later: the run covers both.
  double end() const;
  /// The part that decides the motion: a resumed run must agree with it.
  std::string to_json() const;
};

/// A wish of the scene that cannot be met and that no flag overrules: bad input, at its place.
struct SceneFault {
  core::Diagnostic diagnostic;
};

/// Flags shared by every verb that simulates.
std::vector<Flag> motion_flags();
/// Throws UsageError for flags that cannot be met, SceneFault for attributes.
ResolvedOptions resolve_options(const scene::Scene& scene, const Arguments& arguments);

}  // namespace tumble::app
