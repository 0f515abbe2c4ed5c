// What a run comes to: the numbers of --summary.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tumble/record/failure.h"

namespace tumble::record {

/// How far the run is from a second one at a tenth of the accuracy number.
struct ErrorEstimate {
  struct Frame {
    double t = 0;               // s
    double position_error = 0;  // m, the largest of all bodies
    double angle_error = 0;     // rad, the largest of all bodies
  };
  std::vector<Frame> frames;
  double max_position_error = 0;  // m
  double max_angle_error = 0;     // rad
};

struct Summary {
  std::string scene, version, method, integrator;
  double accuracy = 0;
  double duration = 0;  // s, simulated
  size_t frames = 0, steps = 0, rejected_steps = 0, evaluations = 0,
         substeps = 0;        // evaluations: of this process
  size_t implicit_steps = 0;  // of the steps, those made by the method for stiff motion
  size_t holds = 0, freezes = 0, handovers = 0, impacts = 0, max_contacts = 0;
  size_t factorisations = 0;                         // of the matrices of steps with contact
  double max_contact_residual = 0;                   // what no contact problem was solved worse to, relative
  double energy_start = 0, energy_end = 0;           // J
  double max_energy_gain = 0, max_energy_drift = 0;  // of the largest kinetic energy
  double max_penetration = 0;                        // m, by the independent checker
  double max_joint_error = 0;                        // m
  double wall_seconds = 0, verify_seconds = 0;       // s
  double realtime_factor = 0;                        // simulated seconds per second of wall time
  std::string stopped;                               // why the run ended early; empty: it did not
  std::vector<std::string> warnings;
  std::optional<ErrorEstimate> error_estimate;
};

/// What a summary may hold: recordings must be the same in every run, resumed or not, so theirs do not tell what it cost:
/// no wall times, no number of evaluations.
enum class WallClock { included, left_out };

/// One JSON object, indented; every number comes back bit for bit. Infinities and NaN become null.
std::string to_json(const Summary& summary, WallClock wall_clock = WallClock::included);

Failure write_summary(const std::string& path, const Summary& summary);

}  // namespace tumble::record
