// Bodies and constraints at one instant. With M the masses and inertias in world axes, and J the rows of all
// constraints,
//   M x + J^T l = b,      J x = c                                                                         (1)
// x are velocities, accelerations or small displacements. In each island of the joint graph, the joints of a
// spanning forest are eliminated body by body (tree_solver.h). Constraints beyond it, which close loops,
// follow by a Schur complement (loop_closure.h). An island with many of them is solved as a sparse matrix
// instead (sparse_island.h). Why not by KktSolver: docs/decisions/0027-where-kkt-solver-serves.md.
#pragma once

#include <optional>
#include <span>

#include "tumble/dynamics/linear/loop_closure.h"
#include "tumble/dynamics/linear/sparse_island.h"
#include "tumble/dynamics/linear/tree_solver.h"

namespace tumble::dynamics {

class ConstraintSolver {
 public:
  explicit ConstraintSolver(const model::Model& model, const LinearParameters& parameters = {});

  bool empty() const { return graph_.nodes.empty(); }
  const JointGraph& graph() const { return graph_; }
  /// Sets the limits that act as equations until the next call; indices into Model::limits().
  void set_active_limits(const std::vector<int>& limits);
  const std::vector<int>& active_limits() const { return active_limits_; }

  /// Number of rows, and the first row of a constraint or of an active limit.
  size_t rows() const { return evaluated_.values.size(); }
  size_t first_row(size_t constraint) const { return first_rows_[constraint]; }
  size_t first_row_of_limit(size_t active) const {
    return first_rows_[model_->constraints().size() + active];
  }

  /// Evaluates every row for these motions, by body of the scene. The factors stay as they are.
  void evaluate(double t, std::span<const model::BodyMotion> motions);
  /// Evaluates every row except for C', and factors (1).
  void factor(double t, std::span<const model::BodyMotion> motions);
  std::span<const double> values() const { return evaluated_.values; }  // C
  std::span<const double> rates() const { return evaluated_.rates; }    // dC/dt
  std::span<const double> biases() const { return evaluated_.biases; }
  std::span<const double> speeds() const { return evaluated_.speeds; }  // C', set by evaluate() only

  /// Solves (1). `x` holds b and then x, 6 numbers per node of the graph; `y` holds c and then l, one per
  /// row.
  void solve(double* x, double* y);
  /// World inertia of a node's body, lower triangle.
  const double* inertia(size_t node) const { return &inertias_[6 * node]; }

 private:
  // Values of every row.
  struct RowValues {
    std::vector<double> values, rates, biases, speeds;
    void resize(size_t rows);
    void store(size_t first_row, int count, const model::ConstraintRows& rows);
  };
  // Constraints of an island outside its forest, and the solver for them.
  struct Loops {
    std::vector<LoopConstraint> constraints;
    std::optional<LoopClosure> closure;  // none: no such constraint, or sparse
    std::optional<SparseIsland> sparse;
  };
  // Mass properties that factoring needs. model::Body is large.
  struct NodeBody {
    double mass;
    math::Mat3 inertia_B;
  };
  int node_of(core::BodyId body) const { return body.valid() ? graph_.node_of_body[body.index()] : kNone; }
  void number_rows();
  void evaluate_all(double t, std::span<const model::BodyMotion> motions, bool factoring);
  void evaluate_row(const model::Constraint& constraint, double t, std::span<const model::BodyMotion> motions,
                    bool factoring, size_t first_row, model::ConstraintRows& rows);
  void factor_node(size_t i, std::span<const model::BodyMotion> motions, const model::ConstraintRows& rows);

  const model::Model* model_;
  LinearParameters parameters_;
  JointGraph graph_;
  TreeSolver tree_;
  std::vector<NodeBody> bodies_;  // by node
  std::vector<double> inertias_;  // by node, lower triangles in world axes
  std::vector<Loops> loops_;      // by island
  std::vector<int> active_limits_;
  std::vector<size_t> first_rows_;  // by constraint, then by active limit
  RowValues evaluated_;
};

}  // namespace tumble::dynamics
