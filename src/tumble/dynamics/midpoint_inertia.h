// The inertia of every moving body in the middle of a step of h, where it is turned by half the angle h w. In
// its own axes, L = R^T L_W:
//   w = E I^-1 E^T L,   E = exp(h w / 2),   I_m = (R E) I (R E)^T                                               (1)
// found by a few passes. Four bodies are done at once, in the lanes of a vector; they come in an order that
// is given.
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
  /// Of the nodes order[first] to order[end - 1], `first` being a multiple of kLanes and `end`, too, unless
  /// it is the last. `momenta`, six numbers a node, and `turning`, three, make the momenta of the step.
  void compute(size_t first, size_t end, std::span<const model::BodyMotion> motions,
               std::span<const double> momenta, std::span<const double> turning, double h,
               std::span<Inertia> inertias) const;
  /// Of all nodes of the order: exp(h w) as a quaternion, four numbers a node, for velocities v, six a node.
  void compute_turns(std::span<const double> v, double h, std::span<double> turns) const;
  /// What their angular momenta lack because the middle of the step, where joints have turned bodies as well,
  /// is not where `inertias` have it: with these I_m, I_m w - E R I R^T w, E = exp(h w / 2), since in the
  /// axes of the middle w is what it is at the start. Three numbers a node.
  void compute_lacks(std::span<const model::BodyMotion> motions, std::span<const double> v, double h,
                     std::span<const Inertia> inertias, std::span<double> lacks) const;

 private:
  // Of four bodies, entry by entry of lower triangles. The last four may hold one body more than once.
  struct Four {
    uint32_t node[kLanes], body[kLanes];  // body: in the scene
    alignas(32) double inertia[6][kLanes], inverse[6][kLanes];
  };
  MidRotationParameters parameters_;
  std::vector<Four> fours_;
};

}  // namespace tumble::dynamics
