// The inertias of a step, which are those at its middle (midpoint_inertia.h): first without the effect of
// joints, then corrected for it.
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
  /// `order`: nodes in the order of assembly; `corrected`: nodes that joints or stiff laws act on, ascending.
  StepInertia(const KickBodies& bodies, std::span<const int> order, std::vector<int> corrected,
              const MidRotationParameters& parameters);

  /// Clears the corrections of the last step.
  void begin() { is_corrected_ = false; }
  /// Adds M of order[first] to order[end - 1] to A, with the inertia at the middle of the coming step, and
  /// the angular impulses to b. The effect of joints is not known yet.
  void set_masses(size_t first, size_t end, std::span<const int> order, std::span<const double> momenta,
                  KickSystem& system);
  /// exp(h w) of every corrected node as a quaternion, four numbers each.
  void compute_rotations(std::span<const double> v, double h, std::vector<double>& rotations) const;
  /// Computes into x, six numbers a node, the momentum errors that follow from the rotation of bodies by
  /// joints (MidpointInertia::compute_momentum_errors), less the last correction of this step.
  void compute_correction(std::span<const double> v, double h, const KickSystem& system,
                          std::vector<double>& x);
  /// M v.
  void compute_momenta(const KickBodies& bodies, std::span<const double> v,
                       std::vector<double>& momenta) const;

 private:
  const MidpointInertia& of_corrected() const { return some_ ? *some_ : all_; }

  MidpointInertia all_;                             // of all nodes, in the order of assembly
  std::optional<MidpointInertia> some_;             // of the corrected nodes, if they are not all
  std::vector<int> corrected_;                      // nodes
  std::vector<MidpointInertia::Inertia> inertias_;  // kg m^2, by node, world axes
  std::vector<double> correction_;  // N m s, 3 a node: inertias_ w less the angular momentum of v
  std::vector<double> next_;        // the same in the current iteration
  bool is_corrected_ = false;       // else correction_ counts as 0
};

}  // namespace tumble::dynamics
