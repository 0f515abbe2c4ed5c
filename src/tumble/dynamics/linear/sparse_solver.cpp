#include "tumble/dynamics/linear/sparse_solver.h"

#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <limits>

namespace tumble::dynamics {

struct SparseSolver::Factors {
  using Matrix = Eigen::SparseMatrix<double>;
  Matrix K;                                 // (1), lower triangle
  std::vector<int> columns, inner_indices;  // the pattern that was analysed
  Eigen::SimplicialLDLT<Matrix, Eigen::Lower> ldlt;
};

SparseSolver::SparseSolver(const ProximalParameters& parameters)
    : parameters_(parameters), factors_(std::make_unique<Factors>()) {}
SparseSolver::~SparseSolver() = default;
SparseSolver::SparseSolver(SparseSolver&&) noexcept = default;
SparseSolver& SparseSolver::operator=(SparseSolver&&) noexcept = default;

void SparseSolver::begin(size_t nodes) {
  masses_.assign(nodes, Block::Zero());
  rows_.clear();
}

void SparseSolver::set_mass(int node, const Block& M) { masses_[static_cast<size_t>(node)] = M; }

void SparseSolver::add_row(int node_a, const double* J_a, int node_b, const double* J_b) {
  Row row{{node_a, node_b}, {}};
  if (node_a != kNone) std::copy_n(J_a, 6, row.J[0]);
  if (node_b != kNone) std::copy_n(J_b, 6, row.J[1]);
  rows_.push_back(row);
}

void SparseSolver::factor() {
  const auto n = static_cast<Eigen::Index>(6 * masses_.size()), m = static_cast<Eigen::Index>(rows_.size());
  std::vector<Eigen::Triplet<double>> entries;
  const auto put = [&](Eigen::Index r, Eigen::Index c, double value) {
    entries.emplace_back(static_cast<int>(r), static_cast<int>(c), value);
  };
  std::vector<Eigen::LDLT<Block>> inverses(masses_.size());
  for (size_t i = 0; i < masses_.size(); ++i) {
    inverses[i].compute(masses_[i]);
    for (Eigen::Index r = 0; r < 6; ++r)
      for (Eigen::Index c = 0; c <= r; ++c)
        put(static_cast<Eigen::Index>(6 * i) + r, static_cast<Eigen::Index>(6 * i) + c, masses_[i](r, c));
  }
  regularization_.resize(m);
  for (Eigen::Index k = 0; k < m; ++k) {
    const Row& row = rows_[static_cast<size_t>(k)];
    double scale = 0;
    for (int side = 0; side < 2; ++side) {
      if (row.nodes[side] == kNone) continue;
      const Eigen::Map<const Eigen::Matrix<double, 6, 1>> J(row.J[side]);
      scale += J.dot(inverses[static_cast<size_t>(row.nodes[side])].solve(J));
      for (Eigen::Index c = 0; c < 6; ++c) put(n + k, Eigen::Index{6} * row.nodes[side] + c, J[c]);
    }
    regularization_[k] = parameters_.regularization * std::abs(scale);
    put(n + k, n + k, -regularization_[k]);
  }
  Factors& f = *factors_;
  f.K.resize(n + m, n + m);
  f.K.setFromTriplets(entries.begin(), entries.end());
  std::vector<int> columns(f.K.outerIndexPtr(), f.K.outerIndexPtr() + n + m + 1);
  std::vector<int> inner_indices(f.K.innerIndexPtr(), f.K.innerIndexPtr() + f.K.nonZeros());
  if (columns != f.columns || inner_indices != f.inner_indices) {
    f.ldlt.analyzePattern(f.K);
    f.columns = std::move(columns);
    f.inner_indices = std::move(inner_indices);
  }
  f.ldlt.factorize(f.K);
}

void SparseSolver::solve(double* x, double* y) {
  const auto n = static_cast<Eigen::Index>(6 * masses_.size()), m = static_cast<Eigen::Index>(rows_.size());
  Eigen::VectorXd right_side(n + m);
  right_side << Eigen::Map<Eigen::VectorXd>(x, n), Eigen::Map<Eigen::VectorXd>(y, m);
  // A row of zeros cannot be eliminated: the solution is NaN.
  const bool factored = factors_->ldlt.info() == Eigen::Success;
  Eigen::VectorXd z =
      Eigen::VectorXd::Constant(n + m, factored ? 0 : std::numeric_limits<double>::quiet_NaN());
  Eigen::VectorXd residual = right_side;
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; factored && k < parameters_.max_iterations; ++k) {
    z += factors_->ldlt.solve(residual);
    residual = right_side - factors_->K.selfadjointView<Eigen::Lower>() * z;
    residual.tail(m) -= regularization_.cwiseProduct(z.tail(m));
    const double now = residual.cwiseAbs().maxCoeff();
    if (!(now < parameters_.stall * best)) break;
    best = now;
  }
  Eigen::Map<Eigen::VectorXd>(x, n) = z.head(n);
  Eigen::Map<Eigen::VectorXd>(y, m) = z.tail(m);
}

}  // namespace tumble::dynamics
