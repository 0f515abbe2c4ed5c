#include "tumble/dynamics/joint_closer.h"

namespace tumble::dynamics {

JointClosing JointCloser::close(const model::State& where, double h, double tolerance, double target,
                                const KickBodies& bodies, const KickJoints& joints, StepInertia& inertia,
                                KickSystem& system, std::vector<double>& v, std::vector<double>& l) {
  JointClosing closing;
  KktSolver& matrix = system.matrix;
  if (matrix.rows() == 0) return closing;
  end_.resize(system.motions.size());
  for (const core::BodyId id : bodies.fixed) end_[id.index()] = system.motions[id.index()];
  y_.resize(matrix.rows());
  for (NewtonProgress progress(parameters_.max_iterations, parameters_.stall);;) {
    const bool first = progress.is_first();
    KickJoints::Gaps gaps = joints.begin_gaps(tolerance, h, system.step, first, y_);
    inertia.compute_rotations(v, h, rotations_);
    joints.compute_point_gaps(v, rotations_, h, matrix, gaps);
    joints.compute_other_gaps(where, v, h, bodies, system, end_, gaps);
    closing.after = gaps.largest, closing.closed = gaps.closed;
    if (first) closing.before = gaps.linear;
    // At least one iteration is needed to correct the predicted midpoint rotation. In loops, redundant rows
    // may contradict each other; that part of the gap stays.
    const double enough =
        first ? parameters_.round_off : std::max(parameters_.round_off, system.step.share * target);
    if ((closing.closed && gaps.largest_excess <= enough) || progress.should_stop(gaps.largest_excess))
      return closing;
    progress.count_iteration(gaps.largest_excess);
    inertia.compute_correction(v, h, system, joints.jointed(), x_);
    matrix.solve(x_.data(), y_.data());
    for (size_t k = 0; k < v.size(); ++k) v[k] += x_[k];
    for (size_t k = 0; k < l.size(); ++k) l[k] += y_[k];
  }
}

}  // namespace tumble::dynamics
