#include "tumble/simulate/runge_kutta/rotation_energy.h"

#include <cmath>

#include "tumble/math/elementary.h"

namespace tumble::simulate {

using dynamics::EquationsOfMotion;
using model::kBodySize;

void update_reduced_energy(size_t i, const RungeKuttaParameters& par, EquationsOfMotion& equations,
                           std::vector<double>& y, RungeKuttaMemory& memory) {
  if (equations.is_joined(i)) return;
  double& reduced_energy = y[equations.layout().reduced_energies_at + i];
  const EquationsOfMotion::Rotation now = equations.compute_rotation(y.data(), i);
  if (!(std::abs(reduced_energy - now.reduced_energy) <= par.energy_round_off * now.energy)) {
    memory.energy_reference[i] = equations.compute_best_reference(y.data(), i);
    equations.set_reference(i, memory.energy_reference[i]);
    reduced_energy = equations.compute_rotation(y.data(), i).reduced_energy;
  }
  memory.reduced_energy[i] = reduced_energy;
}

void project_rotations(const ErrorNorm& norm, const RungeKuttaParameters& par, double allowed,
                       EquationsOfMotion& equations, std::vector<double>& y, RungeKuttaMemory& memory) {
  for (const ErrorNorm::BodyScale& scale : norm.bodies()) {
    const size_t i = scale.body.index();
    if (equations.is_joined(i)) continue;
    const EquationsOfMotion::Rotation now = equations.compute_rotation(y.data(), i);
    const double missing = y[equations.layout().reduced_energies_at + i] - now.reduced_energy,
                 steepness = now.gradient.squaredNorm();
    // Near a rotation about a principal axis the energy does not determine the orientation.
    if (missing * missing < allowed * allowed * steepness) {
      // q <- q (1 + theta/2) / sqrt(1 + |theta/2|^2)
      const model::Vec3 half = (0.5 * missing / steepness) * now.gradient;
      const double square = half.squaredNorm(), shrink = 1 - square * (0.5 - 0.375 * square);
      double* q = &y[i * kBodySize + model::kOrientationAt];
      const model::Quat turned =
          model::Quat::from_wxyz(q[0], q[1], q[2], q[3]) *
          model::Quat::from_wxyz(shrink, shrink * half.x(), shrink * half.y(), shrink * half.z());
      q[0] = turned.w(), q[1] = turned.x(), q[2] = turned.y(), q[3] = turned.z();
      // The energy error is now at most |theta|^2 |omega| |L|, mostly far below rounding.
      if (16 * square * square * now.bound <
          math::square(par.energy_residual * par.energy_round_off * now.energy)) {
        memory.reduced_energy[i] = y[equations.layout().reduced_energies_at + i];
        continue;
      }
    }
    update_reduced_energy(i, par, equations, y, memory);
  }
}

}  // namespace tumble::simulate
