// All numbers of a run that are not part of the model, in one struct: SimulationOptions::parameters. The
// error of a run follows from the accuracy alone; these numbers decide how it is reached. resolve() refuses
// numbers outside their sane range.
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

/// Range of the accuracy. Below it rounding dominates; above it results would be of no use.
inline constexpr double kFinestAccuracy = 1e-13;
inline constexpr double kCoarsestAccuracy = 0.1;
inline constexpr double kDefaultAccuracy = 1e-6, kDefaultFastAccuracy = 1e-3;

/// The start of a run (start/prepare_start.h, start/separate_bodies.h).
struct StartParameters {
  /// A start is accepted unchanged if joints are closed and velocities satisfy them to this, relatively: the
  /// precision of a file with ten digits. Sane: 1e-12 to 1e-6.
  double round_off = 1e-9;
  /// Velocities that scripts prescribe contradict each other if joints keep errors above this part of the
  /// largest speed. The projection leaves 1e-10 where they do not. Sane: 1e-8 to 1e-3.
  double contradiction = 1e-6;
  /// Joint errors above this part of the bodies' size are an error of the scene. Sane: 0.01 to 0.5.
  double largest_joint_gap = 0.1;
  /// Bodies that overlap by no more than this part of the smaller one's size count as touching: modelling by
  /// hand is no more precise. Sane: 1e-6 to 1e-2.
  double touching_depth = 1e-4;
  /// Bodies are separated up to the contact offset, less this part of it. Sane: 1e-3 to 0.1.
  double shortfall = 0.01;
  /// Each pass leaves this part of the shortfall. Sane: 1e-6 to 0.1.
  double pass_residual = 1e-3;
  /// A pass moves a body by at most this part of its size, so that the linear model of gaps holds. Sane: 0.05
  /// to 0.5.
  double longest_move = 0.25;
  /// Largest number of passes, and of steps of the projected gradient method in each. Sane: 50 to 1000, 500
  /// to 20000.
  int max_passes = 200, max_steps = 4000;
  /// Separation fails after so many passes of which none reduces the shortfall below this part of the least
  /// one. Sane: 5 to 100, 0.8 to 0.99.
  int max_idle_passes = 20;
  double progress = 0.95;
  /// Pairs that reach less than this part of their contact offset have no room at all. It is above what the
  /// shortfall leaves open. Sane: 0.01 to 0.3.
  double no_room = 0.05;
  /// Relative rounding error in the test of a gradient step against its curvature bound. Sane: 1e-12 to 1e-6.
  double curvature_round_off = 1e-9;
  /// Corners that touch move along a tangent by about this part of what they would move by unhindered:
  /// normals turn by as many radians. Smaller values slow down convergence. Sane: 1e-3 to 0.1.
  double tangent_compliance = 0.01;
  /// Bodies start outside of a compliant layer, by this part of its thickness. Sane: 0 to 0.1.
  double layer_clearance = 0.02;
};

/// Parameters of reports.
struct ReportParameters {
  /// In a precise run bodies are reported as touching when nearer than this part of the contact offset.
  /// Bodies that touch at the start are separated by a whole offset. Sane: 0.1 to 0.9.
  double first_contact = 0.5;
};

/// Scales of a scene (scales.h).
struct ScaleParameters {
  /// Gravity below this part of the acceleration by motion and forces at the start does not set the time
  /// scale. Sane: 1e-12 to 1e-3.
  double negligible_gravity = 1e-6;
};
inline constexpr ScaleParameters kScales;

/// rad: contacts whose normals differ by no more belong to one patch in the contacts of a frame
/// (contact_sums.h). Above the rounding error of a normal, below the angle between neighbouring facets. Sane:
/// 1e-6 to 0.02.
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

/// The parameters in the options, or the defaults. The options must outlive them.
const Parameters& parameters_of(const SimulationOptions& options);

/// One number of Parameters: a real one or an integer.
struct Parameter {
  /// How the sensitivity test halves or doubles it. For a cosine it is the angle; for a number near 1, its
  /// distance from 1; for a share between 0 and 1, doubling halves the distance from 1.
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
/// A description of the first number outside its sane range, if there is one.
std::optional<std::string> find_fault(const Parameters& parameters);

}  // namespace tumble::simulate
