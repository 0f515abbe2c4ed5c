// The summary of a run: one JSON object.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tumble/core/named_number.h"
#include "tumble/model/run_output.h"
#include "tumble/record/failure.h"

namespace tumble::record {

using model::ErrorEstimate;

struct Summary {
  std::string scene, version, method, integrator;
  double accuracy = 0;
  double duration = 0;                     // s, simulated
  size_t frames = 0;                       // written
  std::vector<core::NamedNumber> numbers;  // counts and extrema of the run, in this order
  size_t evaluations = 0;                  // evaluations of forces by this process
  double wall_seconds = 0;                 // s, without verification
  double verify_seconds = 0;               // s
  double realtime_factor = 0;              // simulated seconds per second of wall time
  std::string stopped;                     // why the run ended early; empty if it did not
  std::vector<std::string> warnings;
  std::optional<ErrorEstimate> error_estimate;
};

/// A recording must have the same bytes in every run, resumed or not. So its summary leaves out wall times
/// and the number of evaluations.
enum class WallClock { included, left_out };

/// One JSON object, indented. Every number reads back bit for bit. Infinities and NaN become null.
std::string to_json(const Summary& summary, WallClock wall_clock = WallClock::included);

Failure write_summary(const std::string& path, const Summary& summary);

}  // namespace tumble::record
