// What a run was asked to do: the scene's wishes, overruled by the flags.
#pragma once

#include <string>
#include <vector>

#include "arguments.h"
#include "tumble/model/model.h"
#include "tumble/simulate/precise.h"

namespace tumble::app {

struct ResolvedOptions {
  double duration = 5, fps = 60;
  std::string method = "precise";
  std::string method_reason;
  simulate::PreciseOptions driver;
  bool accuracy_given = false;

  /// round(duration * fps) + 1, at t = k/fps exactly.
  size_t frames() const;
  /// Time of the last frame or the duration, whichever is later: the run covers both.
  double end() const;
  /// The part that decides the motion: a resumed run must agree with it.
  std::string to_json() const;
};

/// Flags shared by every verb that simulates.
std::vector<Flag> motion_flags();
/// What the scene itself wishes for and cannot have, whatever the flags; nothing when all is well.
std::optional<std::string> find_fault(const model::RunOptions& wishes);
/// Throws UsageError for wishes that cannot be met.
ResolvedOptions resolve_options(const model::RunOptions& wishes, const Arguments& arguments);

}  // namespace tumble::app
