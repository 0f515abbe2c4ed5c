#include "tumble/dynamics/joint_closer.h"

namespace tumble::dynamics {

JointClosing JointCloser::close(const model::State& where, double h, double tolerance, double target,
                                const KickBodies& bodies, const KickJoints& joints, KickLaws& laws,
                                StepInertia& inertia, KickSystem& system, std::vector<double>& v,
                                std::vector<double>& l) {
  JointClosing closing;
  KktSolver& matrix = system.matrix;
  if (matrix.rows() == 0 && !laws.has_lengths()) return closing;
  end_.resize(system.motions.size());
  for (const core::BodyId id : bodies.fixed) end_[id.index()] = system.motions[id.index()];
  y_.resize(matrix.rows());
  for (NewtonProgress progress(parameters_.max_iterations, parameters_.stall);;) {
    const bool first = progress.is_first();
    KickJoints::Gaps gaps = joints.begin_gaps(tolerance, h, system.step, first, y_);
    inertia.compute_rotations(v, h, rotations_);
    joints.compute_point_gaps(v, rotations_, h, matrix, gaps);
    joints.compute_other_gaps(where, v, h, bodies, system, end_, gaps);
    KickLaws::LengthErrors lengths;
    if (laws.has_lengths()) {
      lengths_.assign(v.size(), 0.0);
      lengths = laws.add_length_errors(where, v, h, system, lengths_);
    }
    closing.after = gaps.largest, closing.excess = gaps.largest_excess, closing.closed = gaps.closed;
    if (first) closing.before = std::max(gaps.linear, lengths.linear);
    // At least one iteration is needed to correct the predicted midpoint rotation. In loops, redundant rows
    // may contradict each other; that part of the gap stays.
    const double enough =
        first ? parameters_.round_off : std::max(parameters_.round_off, system.step.share * target);
    const bool done =
        closing.closed && gaps.largest_excess <= enough && lengths.largest <= parameters_.round_off;
    const double error = std::max(gaps.largest_excess, lengths.largest);
    if (done || progress.should_stop(error)) return closing;
    progress.count_iteration(error);
    inertia.compute_correction(v, h, system, x_);
    if (laws.has_lengths()) {
      for (size_t k = 0; k < x_.size(); ++k) x_[k] += lengths_[k];
      laws.accept_length_errors();
    }
    matrix.solve(x_.data(), y_.data());
    for (size_t k = 0; k < v.size(); ++k) v[k] += x_[k];
    for (size_t k = 0; k < l.size(); ++k) l[k] += y_[k];
  }
}

}  // namespace tumble::dynamics
