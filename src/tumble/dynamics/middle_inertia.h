// The inertia of every moving body in the middle of a step of h, where it is turned by half the angle h w. In its own axes, L = R^T L_W:
//   w = E I^-1 E^T L,   E = exp(h w / 2),   I_m = (R E) I (R E)^T                                               (1)
// found by a few passes. Four bodies are done at once, in the lanes of a vector.
#pragma once

#include <span>

#include "tumble/dynamics/moving_bodies.h"

namespace tumble::dynamics {

class MiddleInertia {
 public:
  MiddleInertia(const model::Model& model, const MovingBodies& bodies);
  /// `momenta` and `kicks`, six numbers a node, make the momenta of the step.
  void compute(std::span<const model::BodyMotion> motions, std::span<const double> momenta,
               std::span<const double> kicks, double h, std::vector<math::Mat3>& inertias) const;

 private:
  static constexpr size_t kLanes = 4;
  // Of four bodies, entry by entry, column by column. The last four may hold one body more than once.
  struct Four {
    size_t body[kLanes];  // in the scene
    alignas(32) double inertia[9][kLanes], inverse[9][kLanes];
  };
  std::vector<Four> fours_;
  size_t nodes_;
};

}  // namespace tumble::dynamics
