// The inertia of every moving body at the middle of a step of h, where it is rotated by half the angle h w.
// In body axes, L = R^T L_W:
//   w = E I^-1 E^T L,   E = exp(h w / 2),   I_m = (R E) I (R E)^T                                         (1)
// solved by fixed-point iteration. Four bodies are computed at once, in the lanes of a vector, in a given
// order.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "tumble/dynamics/kick_parameters.h"
#include "tumble/model/moving_bodies.h"

namespace tumble::dynamics {

class MidpointInertia {
 public:
  static constexpr size_t kLanes = 4;
  using Inertia = std::array<double, 6>;  // a lower triangle, row by row

  MidpointInertia(const model::Model& model, const model::MovingBodies& bodies, std::span<const int> order,
                  const MidRotationParameters& parameters = {});
  /// Computes (1) of the nodes order[first] to order[end - 1]. `first` and `end` are multiples of kLanes,
  /// except at the end of the order. L_W is the sum of `momenta`, six numbers a node, and `angular_impulse`,
  /// three a node.
  void compute(size_t first, size_t end, std::span<const model::BodyMotion> motions,
               std::span<const double> momenta, std::span<const double> angular_impulse, double h,
               std::span<Inertia> inertias) const;
  /// For all nodes of the order: exp(h w) as a quaternion, four numbers a node, for velocities v, six a node.
  void compute_rotations(std::span<const double> v, double h, std::span<double> rotations) const;
  /// Error of the angular momenta I_m w for I_m = `inertias`: I_m w - E R I R^T w, E = exp(h w / 2). It is
  /// not zero because joints rotate bodies as well, to a middle of the step other than the one `inertias`
  /// assume. w has the same components in the axes of the middle as in those of the start. Three numbers a
  /// node.
  void compute_momentum_errors(std::span<const model::BodyMotion> motions, std::span<const double> v,
                               double h, std::span<const Inertia> inertias, std::span<double> errors) const;

 private:
  // Data of four bodies, entry by entry of lower triangles. The last four may repeat a body.
  struct Four {
    uint32_t node[kLanes], body[kLanes];  // body: in the scene
    alignas(32) double inertia[6][kLanes], inverse[6][kLanes];
  };
  MidRotationParameters parameters_;
  std::vector<Four> fours_;
};

}  // namespace tumble::dynamics
