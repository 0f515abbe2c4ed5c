// All bodies of a model in a state, and the constraints between them: (1) of linear/constraint_solver.h with
// its right-hand side. Equations of motion and joint projection share one object, so that both see the same
// active limits.
#pragma once

#include <vector>

#include "tumble/dynamics/joint_gap.h"
#include "tumble/dynamics/linear/constraint_solver.h"
#include "tumble/model/state.h"

namespace tumble::dynamics {

class ConstrainedBodies {
 public:
  explicit ConstrainedBodies(const model::Model& model);

  /// The numbers of a body that the inner loop needs, packed.
  struct Body {
    double inverse_mass;
    double inverse_inertia[6];  // xx yy zz xy xz yz
    double weight[3];           // m g
    bool fixed;
  };

  const model::Model& model() const { return *model_; }
  const std::vector<Body>& bodies() const { return bodies_; }
  /// To be called when gravity has changed.
  void update_weights();
  bool has_constraints() const { return !solver_.empty(); }
  /// True if a constraint acts on the body.
  bool is_joined(size_t body) const { return solver_.graph().node_of_body[body] != kNone; }
  const std::vector<JointGraph::Node>& nodes() const { return solver_.graph().nodes; }
  ConstraintSolver& solver() { return solver_; }
  const ConstraintSolver& solver() const { return solver_; }

  /// Sets the limits that act as equations from now on; indices into Model::limits(), ascending.
  void set_active_limits(const std::vector<int>& limits);
  const std::vector<int>& active_limits() const { return solver_.active_limits(); }

  /// Computes poses and velocities of bodies from y, model::State::y. `hinge_angles`: those of counted
  /// hinges, or null.
  void update_motions(const double* y, const double* hinge_angles);
  /// By body of the scene; empty if there are neither force laws nor constraints. Callers that compute
  /// motions themselves write them here; those of fixed bodies stay.
  std::vector<model::BodyMotion>& motions() { return motions_; }
  const std::vector<model::BodyMotion>& motions() const { return motions_; }

  /// Right-hand side, then solution of M x + J^T l = b, J x = c: x of a node, and one number a row.
  Eigen::Map<Eigen::Matrix<double, 6, 1>> twist(size_t node) {
    return Eigen::Map<Eigen::Matrix<double, 6, 1>>(&twists_[6 * node]);
  }
  Eigen::Map<const Eigen::Matrix<double, 6, 1>> twist(size_t node) const {
    return Eigen::Map<const Eigen::Matrix<double, 6, 1>>(&twists_[6 * node]);
  }
  std::vector<double>& twists() { return twists_; }
  std::vector<double>& rows() { return rows_; }
  const std::vector<double>& rows() const { return rows_; }
  /// Solves with the factors of solver().
  void solve() { solver_.solve(twists_.data(), rows_.data()); }
  /// I w, with the inertia I of a node at the last factorisation.
  model::Vec3 times_inertia(size_t node, const model::Vec3& w) const {
    const double* I = solver_.inertia(node);  // xx yx yy zx zy zz
    return model::Vec3(I[0] * w[0] + I[1] * w[1] + I[3] * w[2], I[1] * w[0] + I[2] * w[1] + I[4] * w[2],
                       I[3] * w[0] + I[4] * w[1] + I[5] * w[2]);
  }

  /// Largest joint error at y (m); then gap_of() gives that of each joint.
  JointGap compute_gap(double t, const double* y);
  double gap_of(size_t constraint) const;
  /// The largest gap at the last evaluation of solver().
  JointGap largest_gap() const;

 private:
  const model::Model* model_;
  std::vector<Body> bodies_;
  std::vector<model::BodyMotion> motions_;
  ConstraintSolver solver_;
  std::vector<double> twists_, rows_;  // b then x, c then l
};

}  // namespace tumble::dynamics
