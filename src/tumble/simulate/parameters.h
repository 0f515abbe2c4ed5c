// All numbers of a run that are not part of the model, in one struct: SimulationOptions::parameters. The
// error of a run follows from the accuracy alone; these decide how it is reached. resolve() refuses numbers
// outside their sane range.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tumble/collision/parameters.h"
#include "tumble/contact/parameters.h"
#include "tumble/dynamics/kick_parameters.h"
#include "tumble/dynamics/solvers/solver_parameters.h"
#include "tumble/simulate/leapfrog/parameters.h"
#include "tumble/simulate/runge_kutta/parameters.h"

namespace tumble::simulate {

struct SimulationOptions;

/// Accuracies a user may ask for. Below, rounding decides; above, nothing is promised that anyone would want.
inline constexpr double kFinestAccuracy = 1e-13;
inline constexpr double kCoarsestAccuracy = 0.1;
inline constexpr double kDefaultAccuracy = 1e-6, kDefaultFastAccuracy = 1e-3;

/// The start of a run (start/prepare_start.h, start/separate_bodies.h).
struct StartParameters {
  /// A start is taken as it is when joints are closed, and velocities obey them, to this, relatively: what a
  /// file with ten digits can say. Sane: 1e-12 to 1e-6.
  double round_off = 1e-9;
  /// Joints open by more than this part of their bodies' size are a mistake. Sane: 0.01 to 0.5.
  double largest_joint_gap = 0.1;
  /// Bodies that overlap by no more than this part of the smaller one's size touch: a modeller's hand leaves
  /// as much. Sane: 1e-6 to 1e-2.
  double touching_depth = 1e-4;
  /// Bodies are brought apart to the contact offset less this part of it. Sane: 1e-3 to 0.1.
  double lack = 0.01;
  /// Each pass leaves this part of what was lacking. Sane: 1e-6 to 0.1.
  double pass_rest = 1e-3;
  /// No pass moves a body by more than this part of its size: the linear model of gaps holds. Sane: 0.05 to
  /// 0.5.
  double longest_move = 0.25;
  /// Passes, and steps of the projected gradient method in one. Sane: 50 to 1000, 500 to 20000.
  int most_passes = 200, most_steps = 4000;
  /// So many passes lead nowhere if none leaves less than this part of the least lack before it.
  /// Sane: 5 to 100, 0.8 to 0.99.
  int most_idle_passes = 20;
  double progress = 0.95;
  /// A gradient step may miss its bound of curvature by this part: rounding. Sane: 1e-12 to 1e-6.
  double curvature_round_off = 1e-9;
  /// Bodies begin this part of a compliant layer outside of it. Sane: 0 to 0.1.
  double layer_clearance = 0.02;
};

/// What is reported.
struct ReportParameters {
  /// In a precise run bodies meet when nearer than this part of the contact offset: at the start touching
  /// bodies are a whole offset apart. Sane: 0.1 to 0.9.
  double first_contact = 0.5;
};

/// Scales of a scene (scales.h).
struct ScaleParameters {
  /// Gravity below this part of what motion and forces at the start give does not set the time scale.
  /// Sane: 1e-12 to 1e-3.
  double negligible_gravity = 1e-6;
};
inline constexpr ScaleParameters kScales;

/// rad: contacts whose normals differ by no more are one patch in the contacts of a frame (contact_sums.h):
/// above what rounding makes of a normal, below the angle of neighbouring facets. Sane: 1e-6 to 0.02.
inline constexpr double kPatchNormal = 1e-3;

struct Parameters {
  LeapfrogParameters leapfrog;
  RungeKuttaParameters runge_kutta;
  contact::ContactParameters contact;
  collision::CollisionParameters collision;
  dynamics::ContactSolverParameters solver;
  dynamics::KickParameters kick;
  StartParameters start;
  ReportParameters report;
};

/// Those of the options, or the defaults. The options must outlive them.
const Parameters& parameters_of(const SimulationOptions& options);

/// One number of Parameters: a real one or an integer.
struct Parameter {
  /// What it means to halve or double it. Of a cosine the angle is halved, of a number near 1 its distance
  /// from 1, of a share between 0 and 1 the share itself or what is left of 1.
  enum class Kind { magnitude, cosine, near_one, share };

  std::string name;  // "leapfrog.step_scale"
  double* real = nullptr;
  int* integer = nullptr;
  double low = 0, high = 0;  // sane range
  Kind kind = Kind::magnitude;

  double value() const { return real ? *real : *integer; }
  double halved() const;
  double doubled() const;
  void set(double value) const;
};

/// The numbers that were chosen, not derived, with their sane ranges.
std::vector<Parameter> list_parameters(Parameters& parameters);
/// What is wrong with the first number outside its sane range, if there is one.
std::optional<std::string> find_fault(const Parameters& parameters);

}  // namespace tumble::simulate
