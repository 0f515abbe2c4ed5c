// The inertias of a step, which are those of its middle (midpoint_inertia.h): first without the joints, then
// with what joints change.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tumble/dynamics/kick_bodies.h"
#include "tumble/dynamics/kick_system.h"
#include "tumble/dynamics/midpoint_inertia.h"

namespace tumble::dynamics {

class StepInertia {
 public:
  /// `order`: nodes as they are assembled; `jointed`: those that joints hold, ascending.
  StepInertia(const KickBodies& bodies, std::span<const int> order, std::span<const int> jointed,
              const MidRotationParameters& parameters);

  /// Forgets the corrections of the last step.
  void begin() { is_corrected_ = false; }
  /// Adds M of order[first] to order[end - 1] to A, with the inertia of the middle of the coming step, and
  /// `turning` to b. What joints do to it is not known yet.
  void set_masses(size_t first, size_t end, std::span<const int> order, std::span<const double> momenta,
                  KickSystem& system);
  /// exp(h w) of every jointed node as a quaternion, four numbers each.
  void compute_turns(std::span<const double> v, double h, std::vector<double>& turns) const;
  /// Into x, six numbers a node: what angular momenta lack because joints turn bodies to another middle, less
  /// what the last correction of this step gave.
  void correct(std::span<const double> v, double h, const KickSystem& system, std::span<const int> jointed,
               std::vector<double>& x);
  /// M v.
  void momenta_from(const KickBodies& bodies, std::span<const double> v, std::vector<double>& momenta) const;

 private:
  const MidpointInertia& of_jointed() const { return jointed_ ? *jointed_ : all_; }

  MidpointInertia all_;                             // of all nodes, in the order of assembly
  std::optional<MidpointInertia> jointed_;          // of jointed ones, where some are not
  std::vector<MidpointInertia::Inertia> inertias_;  // kg m^2, by node, world axes
  std::vector<double> correction_;  // N m s, 3 a node: inertias_ w less the angular momentum that goes with v
  std::vector<double> next_;        // the same of the iteration at hand
  bool is_corrected_ = false;       // else correction_ counts as 0
};

}  // namespace tumble::dynamics
