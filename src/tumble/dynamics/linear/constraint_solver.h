// Bodies and constraints together: at one instant, with M the masses and inertias (world axes) and J all rows,
//   M x + J^T l = b,      J x = c                                                                                (1)
// x being velocities, accelerations or small displacements. Forests by elimination (tree_kernel.h). Rows J_e beyond the
// forest (loops, limits in contact) by the Schur complement over the forest's solution operator T:
//   S m = J_e T(b, c) - c_e,   S = J_e T J_e^T                                                                   (2)
// S is singular where rows are redundant. Rows are never dropped: the proximal iteration
//   m <- m + (S + E)^-1 (J_e x - c_e),   E a small part of the diagonal of J_e M^-1 J_e^T                         (3)
// converges to the exact motion, and to the multipliers nearest to where they began. Where the rows beyond the
// forest are many (a net of links), S would be a large dense matrix, and the whole island is eliminated as a
// sparse one (sparse_solver.h). Why not by KktSolver: docs/decisions/0027-where-kkt-solver-serves.md.
#pragma once

#include <Eigen/Cholesky>
#include <optional>
#include <span>

#include "tumble/dynamics/linear/sparse_solver.h"
#include "tumble/dynamics/linear/tree_solver.h"

namespace tumble::dynamics {

class ConstraintSolver {
 public:
  explicit ConstraintSolver(const model::Model& model);

  bool empty() const { return graph_.nodes.empty(); }
  const JointGraph& graph() const { return graph_; }
  /// Limits that act as equations until this is called again; indices into Model::limits().
  void set_active_limits(const std::vector<int>& limits);
  const std::vector<int>& active_limits() const { return active_limits_; }
  /// From how many rows beyond the forest an island is solved by sparse elimination.
  void set_sparse_from(size_t rows);

  /// Number of rows, and where those of a constraint, or of an active limit, begin.
  size_t rows() const { return values_.size(); }
  size_t first_row(size_t constraint) const { return first_rows_[constraint]; }
  size_t first_row_of_limit(size_t active) const {
    return first_rows_[model_->constraints().size() + active];
  }

  /// Evaluates every row where the bodies are (indexed by body), without factoring: the factors stay those of before.
  void evaluate(double t, std::span<const model::BodyMotion> motions);
  /// The same, and factors (1).
  void factor(double t, std::span<const model::BodyMotion> motions);
  std::span<const double> values() const { return values_; }  // C
  std::span<const double> rates() const { return rates_; }    // dC/dt
  std::span<const double> biases() const { return biases_; }
  std::span<const double> speeds() const { return speeds_; }  // C'; by evaluate() alone

  /// Solves (1). `x` holds b and then x, 6 numbers per node of the graph; `y` holds c and then l, per row.
  void solve(double* x, double* y);
  /// World inertia of a node's body, lower triangle.
  const double* inertia(size_t node) const { return &inertias_[6 * node]; }

 private:
  // A constraint outside the forest.
  struct Extra {
    const model::Constraint* constraint;
    size_t first_row;
    int node_a, node_b;
    model::ConstraintRows rows;
  };
  // What (2) needs in one island.
  struct Closing {
    std::vector<Extra> extras;
    size_t rows = 0, first_row = 0;     // of the extras
    Eigen::MatrixXd T, multipliers, S;  // T J_e^T and the forest's multipliers in it, by columns
    Eigen::VectorXd softening, residual, solution, correction;
    Eigen::LDLT<Eigen::MatrixXd> factors;
    std::optional<SparseSolver> sparse;  // in place of (2)
    std::vector<size_t> order;           // its rows among those of all
  };
  int node_of(core::BodyId body) const { return body.valid() ? graph_.node_of_body[body.index()] : kNone; }
  void place_rows();
  void walk(double t, std::span<const model::BodyMotion> motions, bool factoring);
  void keep_rows(size_t first_row, int count, const model::ConstraintRows& rows);
  void keep_speeds(const model::Constraint& constraint, size_t first_row, const model::ConstraintRows& rows,
                   const model::BodyMotion& a, const model::BodyMotion& b);
  Closing& closing_of_node(size_t node) {
    return closings_[static_cast<size_t>(graph_.island_of_node[node])];
  }
  void begin_sparse(const JointGraph::Island& island, Closing& closing);
  int first_node(const Closing& closing) const {
    return graph_.islands[static_cast<size_t>(&closing - closings_.data())].first;
  }
  void add_sparse_body(Closing& closing, size_t node);
  void add_sparse_rows(Closing& closing, size_t first_row, const model::Constraint& constraint,
                       const model::ConstraintRows& rows);
  void solve_sparse(const JointGraph::Island& island, Closing& closing, double* x, double* y);
  void close(const JointGraph::Island& island, Closing& closing);
  void solve_closing(const JointGraph::Island& island, Closing& closing, double* x, double* y);

  // What the walk needs of a node's body, side by side: model::Body is large.
  struct NodeBody {
    double mass;
    math::Mat3 inertia_B;
  };

  const model::Model* model_;
  std::vector<NodeBody> bodies_;  // by node
  JointGraph graph_;
  TreeSolver tree_;
  std::vector<Closing> closings_;  // by island
  std::vector<int> active_limits_;
  std::vector<size_t> first_rows_;  // by constraint, then by active limit
  std::vector<double> values_, rates_, biases_, speeds_, inertias_;
  size_t sparse_from_;
};

}  // namespace tumble::dynamics
