#include "tumble/dynamics/joint_closer.h"

namespace tumble::dynamics {

JointClosing JointCloser::close(const model::State& where, double h, double tolerance, double rest,
                                const KickBodies& bodies, const KickJoints& joints, StepInertia& inertia,
                                KickSystem& system, std::vector<double>& v, std::vector<double>& l) {
  JointClosing closing;
  KktSolver& matrix = system.matrix;
  if (matrix.rows() == 0) return closing;
  end_.resize(system.motions.size());
  for (const core::BodyId id : bodies.fixed) end_[id.index()] = system.motions[id.index()];
  y_.resize(matrix.rows());
  for (NewtonProgress progress(parameters_.most_iterations, parameters_.stall);;) {
    const bool first = progress.is_first();
    KickJoints::Gaps gaps = joints.begin_gaps(tolerance, h, system.step, first, y_);
    inertia.compute_turns(v, h, turns_);
    joints.find_gaps_of_points(v, turns_, h, matrix, gaps);
    joints.find_gaps_of_others(where, v, h, bodies, system, end_, gaps);
    closing.after = gaps.largest, closing.closed = gaps.closed;
    if (first) closing.before = gaps.linear;
    // One iteration at least, or the middle of the step stays where it was predicted. Loops may keep what
    // redundant rows disagree about.
    const double enough =
        first ? parameters_.round_off : std::max(parameters_.round_off, system.step.share * rest);
    if ((closing.closed && gaps.most <= enough) || progress.stops_at(gaps.most)) return closing;
    progress.iterate_from(gaps.most);
    inertia.correct(v, h, system, joints.jointed(), x_);
    matrix.solve(x_.data(), y_.data());
    for (size_t k = 0; k < v.size(); ++k) v[k] += x_[k];
    for (size_t k = 0; k < l.size(); ++k) l[k] += y_[k];
  }
}

}  // namespace tumble::dynamics
