// The elimination of forests, compared with dense solutions of the same equations.
#include "tumble/dynamics/linear/tree_solver.h"

#include <doctest/doctest.h>

#include <Eigen/LU>
#include <random>

#include "tumble/dynamics/linear/tree_kernel.h"

using namespace tumble::dynamics;

namespace {

enum class Shape { random, chain, star, forest };

int parent_of(Shape shape, int i, std::mt19937& random) {
  switch (shape) {
    case Shape::chain:
      return i - 1;
    case Shape::star:
      return i == 0 ? kNone : 0;
    case Shape::forest:
      return i % 3 == 0 ? kNone : i - 1;
    default:
      return static_cast<int>(random() % static_cast<unsigned>(i + 1)) - 1;
  }
}

// Solves a random system both ways; returns the largest relative difference.
double compare(Shape shape, int links, std::mt19937& random) {
  std::normal_distribution<double> normal;
  const auto count = static_cast<size_t>(links);
  std::vector<TreeSolver::Link> tree(count);
  for (int i = 0; i < links; ++i) {
    const int parent = parent_of(shape, i, random);
    // a floating root has no joint; others have one of 1 to 5 rows, which cannot be redundant
    const int rows = static_cast<int>(random() % 5) + 1;
    tree[static_cast<size_t>(i)] = {parent, parent == kNone && random() % 2 == 0 ? 0 : rows};
  }
  TreeSolver solver(tree);
  const Eigen::Index bodies = 6 * links, size = bodies + static_cast<Eigen::Index>(solver.rows());
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(size, size);
  const Eigen::VectorXd right = Eigen::VectorXd::NullaryExpr(size, [&] { return normal(random); });
  struct Rows {
    double J[6][6] = {}, P[6][6] = {};
  };
  std::vector<Rows> rows(count);
  for (size_t i = 0; i < count; ++i) {
    const auto at = static_cast<Eigen::Index>(6 * i);
    Eigen::MatrixXd B = Eigen::MatrixXd::NullaryExpr(6, 6, [&] { return normal(random); });
    B = B * B.transpose() + Eigen::MatrixXd::Identity(6, 6);
    K.block(at, at, 6, 6) = B;
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c <= r; ++c) solver.matrix(i)[lower(r, c)] = B(r, c);
    for (int r = 0; r < tree[i].rows; ++r)
      for (int c = 0; c < 6; ++c) {
        const Eigen::Index row = bodies + static_cast<Eigen::Index>(solver.first_row(i)) + r;
        K(row, at + c) = K(at + c, row) = rows[i].J[r][c] = normal(random);
        if (tree[i].parent == kNone) continue;
        const Eigen::Index p = 6 * tree[i].parent + c;
        K(row, p) = K(p, row) = rows[i].P[r][c] = normal(random);
      }
  }
  for (size_t i = count; i-- > 0;) solver.factor(i, rows[i].J, rows[i].P);
  Eigen::VectorXd x = right;
  solver.solve(0, count, x.data(), x.data() + bodies);
  const Eigen::VectorXd dense = K.fullPivLu().solve(right);
  return (x - dense).cwiseAbs().maxCoeff() / dense.cwiseAbs().maxCoeff();
}

}  // namespace

TEST_CASE("trees, chains, stars and forests have the solution of a dense matrix") {
  std::mt19937 random(1);
  for (const Shape shape : {Shape::random, Shape::chain, Shape::star, Shape::forest})
    for (int n = 1; n <= 20; ++n)
      // rounding 1e-16 times the condition number, at most 1e6 for the normal numbers of this seed
      CHECK(compare(shape, n, random) < 1e-9);
}
