#include "tumble/dynamics/step_inertia.h"

#include "tumble/dynamics/linear/ball_kernel.h"

namespace tumble::dynamics {

StepInertia::StepInertia(const KickBodies& bodies, std::span<const int> order, std::vector<int> corrected,
                         const MidRotationParameters& parameters)
    : all_(*bodies.model, bodies.moving, order, parameters),
      corrected_(std::move(corrected)),
      inertias_(bodies.size()) {
  if (corrected_.size() < order.size()) some_.emplace(*bodies.model, bodies.moving, corrected_, parameters);
}

void StepInertia::set_masses(size_t first, size_t end, std::span<const int> order,
                             std::span<const double> momenta, KickSystem& system) {
  all_.compute(first, end, system.motions, momenta, system.angular_impulse, system.step.h, inertias_);
  for (size_t at = first; at < end; ++at) {
    const auto n = static_cast<size_t>(order[at]);
    double *A = system.matrix.lower_diagonal(order[at]), *b = &system.b[6 * n + 3];
    const double* angular_impulse = &system.angular_impulse[3 * n];
    const MidpointInertia::Inertia& inertia = inertias_[n];
    for (int r = 0; r < 3; ++r) {
      b[r] += angular_impulse[r];
      for (int c = 0; c <= r; ++c) A[lower(3 + r, 3 + c)] += inertia[static_cast<size_t>(lower(r, c))];
    }
  }
}

void StepInertia::compute_rotations(std::span<const double> v, double h,
                                    std::vector<double>& rotations) const {
  rotations.resize(4 * inertias_.size());
  of_corrected().compute_rotations(v, h, rotations);
}

void StepInertia::compute_correction(std::span<const double> v, double h, const KickSystem& system,
                                     std::vector<double>& x) {
  const size_t nodes = inertias_.size();
  correction_.resize(3 * nodes), next_.resize(3 * nodes);
  of_corrected().compute_momentum_errors(system.motions, v, h, inertias_, next_);
  if (corrected_.size() < nodes) x.assign(6 * nodes, 0.0);
  x.resize(6 * nodes);
  for (const int node : corrected_) {
    const auto n = static_cast<size_t>(node);
    for (size_t k = 0; k < 3; ++k)
      x[6 * n + k] = 0, x[6 * n + 3 + k] = next_[3 * n + k] - (is_corrected_ ? correction_[3 * n + k] : 0);
  }
  std::swap(correction_, next_);
  is_corrected_ = true;
}

void StepInertia::compute_momenta(const KickBodies& bodies, std::span<const double> v,
                                  std::vector<double>& momenta) const {
  momenta.resize(6 * bodies.size());
  for (size_t n = 0; n < bodies.size(); ++n) {
    const double *u = &v[6 * n], mass = bodies.masses[n].mass;
    double* p = &momenta[6 * n];
    for (int k = 0; k < 3; ++k) p[k] = mass * u[k], p[3 + k] = times_symmetric(inertias_[n].data(), u + 3, k);
  }
  for (size_t n = 0; is_corrected_ && n < bodies.size(); ++n)
    for (size_t k = 0; k < 3; ++k) momenta[6 * n + 3 + k] -= correction_[3 * n + k];
}

}  // namespace tumble::dynamics
