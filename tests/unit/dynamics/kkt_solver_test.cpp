// Elimination body by body, compared with dense matrices.
#include "tumble/dynamics/linear/kkt_solver.h"

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <random>

using namespace tumble;
using dynamics::KktSolver;
using dynamics::kNone;

namespace {

// A random graph of bodies with blocks and rows, as a solver and as one dense matrix.
struct RandomSystem {
  std::mt19937 generator;
  std::uniform_real_distribution<double> unit{-1, 1};
  KktSolver solver;
  Eigen::MatrixXd A, J;

  explicit RandomSystem(unsigned seed) : generator(seed) {}
  Eigen::MatrixXd matrix(int r, int c) {
    Eigen::MatrixXd m(r, c);
    for (int i = 0; i < r; ++i)
      for (int j = 0; j < c; ++j) m(i, j) = unit(generator);
    return m;
  }
  void build(int n, const std::vector<std::pair<int, int>>& couplings,
             const std::vector<KktSolver::Rows>& rows, bool copies = false,
             const std::vector<std::pair<int, int>>& angular = {}) {
    std::vector<std::pair<int, int>> tied = couplings;
    tied.insert(tied.end(), angular.begin(), angular.end());
    solver.set_pattern(static_cast<size_t>(n), tied, rows);
    A.setZero(6 * n, 6 * n), J.setZero(static_cast<Eigen::Index>(solver.rows()), 6 * n);
    for (int i = 0; i < n; ++i) {
      solver.set_diagonal(i, KktSolver::Block::Zero());
      add(i, i, 1);
    }
    for (const auto& [i, j] : couplings) add(i, j, 0.5);
    for (const auto& [i, j] : angular) tie_turning(i, j);
    for (size_t k = 0; k < rows.size(); ++k) {
      const int count = rows[k].count;
      Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor> on_a = matrix(count, 6),
                                                                on_b = matrix(count, 6);
      if (copies && count > 1) on_a.row(1) = on_a.row(0), on_b.row(1) = on_b.row(0);
      const auto first = static_cast<Eigen::Index>(solver.first_row(k));
      const bool point = rows[k].point != 0;
      if (point) {
        on_a = rows[k].point * hold_point(solver.J_a(k));
        on_b = -rows[k].point * hold_point(solver.J_b(k));
      } else {
        std::copy_n(on_a.data(), 6 * count, solver.J_a(k));
      }
      J.block(first, 6 * rows[k].a, count, 6) = on_a;
      if (rows[k].b == kNone) continue;
      if (!point) std::copy_n(on_b.data(), 6 * count, solver.J_b(k));
      J.block(first, 6 * rows[k].b, count, 6) = on_b;
    }
  }
  // The velocity of a point at some lever arm.
  Eigen::MatrixXd hold_point(double* arm) {
    const Eigen::Vector3d r = matrix(3, 1);
    std::copy_n(r.data(), 3, arm);
    Eigen::MatrixXd rows = Eigen::MatrixXd::Identity(3, 6);
    for (int k = 0; k < 3; ++k) rows.col(3 + k) = Eigen::Vector3d::Unit(k).cross(r);
    return rows;
  }
  // A resistance to the relative rotation of two bodies.
  void tie_turning(int i, int j) {
    const Eigen::MatrixXd G = matrix(3, 3);
    const Eigen::Matrix3d K = G * G.transpose();
    for (const int k : {i, j}) {
      KktSolver::Block angular = KktSolver::Block::Zero();
      angular.bottomRightCorner(3, 3) = K;
      solver.set_diagonal(k, solver.diagonal(k) + angular);
      A.block(6 * k + 3, 6 * k + 3, 3, 3) += K;
    }
    const double below[] = {K(0, 0), K(1, 0), K(1, 1), K(2, 0), K(2, 1), K(2, 2)};
    solver.subtract_angular(solver.coupling_of(i, j), below);
    A.block(6 * i + 3, 6 * j + 3, 3, 3) -= K;
    A.block(6 * j + 3, 6 * i + 3, 3, 3) -= K;
  }
  // A positive definite block on one body or two.
  void add(int i, int j, double factor) {
    const Eigen::MatrixXd G = matrix(12, 12), P = factor * G * G.transpose();
    solver.set_diagonal(i, solver.diagonal(i) + P.topLeftCorner(6, 6));
    A.block(6 * i, 6 * i, 6, 6) += P.topLeftCorner(6, 6);
    if (i == j) {
      solver.set_diagonal(i, solver.diagonal(i) + 0.5 * KktSolver::Block::Identity());
      A.diagonal().segment(6 * i, 6).array() += 0.5;
      return;
    }
    solver.set_diagonal(j, solver.diagonal(j) + P.bottomRightCorner(6, 6));
    solver.add_coupling(i, j, P.topRightCorner(6, 6));
    A.block(6 * j, 6 * j, 6, 6) += P.bottomRightCorner(6, 6);
    A.block(6 * i, 6 * j, 6, 6) += P.topRightCorner(6, 6);
    A.block(6 * j, 6 * i, 6, 6) += P.topRightCorner(6, 6).transpose();
  }
  // Largest residual of A x + J^T l = b, J x = c, relative to the largest number involved.
  double residual(const Eigen::VectorXd& c_wanted) {
    const Eigen::VectorXd b = matrix(static_cast<int>(A.rows()), 1);
    Eigen::VectorXd x = b, y = c_wanted;
    solver.factor();
    solver.solve(x.data(), y.data());
    const double size = std::max({1.0, x.cwiseAbs().maxCoeff(), y.size() ? y.cwiseAbs().maxCoeff() : 0});
    double left = (A * x + J.transpose() * y - b).cwiseAbs().maxCoeff();
    if (y.size()) left = std::max(left, (J * x - c_wanted).cwiseAbs().maxCoeff());
    return left / size;
  }
};

}  // namespace

TEST_CASE("blocks of a random graph with joints are solved to rounding") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    RandomSystem s(seed);
    const int n = 1 + static_cast<int>(seed % 17);
    const auto below = [&](int m) { return static_cast<int>(s.generator() % static_cast<unsigned>(m)); };
    std::vector<std::pair<int, int>> couplings;
    for (int k = 0; k < 2 * n && n > 1; ++k)
      if (const int i = below(n), j = below(n); i != j) couplings.emplace_back(i, j);
    // Joints of a forest; some are to the world.
    std::vector<KktSolver::Rows> rows;
    for (int i = 0; i < n; ++i)
      if (below(3) > 0) rows.push_back({i, i == 0 ? kNone : below(i), 1 + below(5)});
    s.build(n, couplings, rows);
    // Condition numbers of these matrices are below 1e6.
    CHECK(s.residual(s.matrix(static_cast<int>(s.solver.rows()), 1)) < 1e-9);
  }
}

TEST_CASE(
    "joints that hold a point have the solution of their full rows: without coupling, with an angular one, "
    "with a full one, in trees and in loops") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    RandomSystem s(seed);
    const int n = 1 + static_cast<int>(seed % 13);
    const auto below = [&](int m) { return static_cast<int>(s.generator() % static_cast<unsigned>(m)); };
    std::vector<KktSolver::Rows> rows;
    std::vector<std::pair<int, int>> angular, full;
    for (int i = 0; i < n; ++i) {
      const int parent = i == 0 ? kNone : below(i), sign = below(2) == 0 ? 1 : -1;
      if (i > 0 && below(2) == 0)
        rows.push_back({parent, i, 3, sign});
      else
        rows.push_back({i, parent, 3, sign});
      if (parent != kNone && below(2) == 0) (below(3) == 0 ? full : angular).emplace_back(parent, i);
    }
    const bool loop = n > 3 && seed % 3 == 0;
    if (loop) rows.push_back({n - 1, 0, 3, 1});
    s.build(n, full, rows, false, angular);
    // Consistent velocities: two bodies may hold two points. Condition numbers of these matrices are below
    // 1e6.
    const Eigen::VectorXd c = s.J * s.matrix(6 * n, 1);
    CHECK(s.residual(c) < (loop ? 1e-8 : 1e-9));
  }
}

TEST_CASE("consistent redundant rows are solved, whichever of them are redundant") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    RandomSystem s(seed);
    const int n = 2 + static_cast<int>(seed % 7);
    const auto below = [&](int m) { return static_cast<int>(s.generator() % static_cast<unsigned>(m)); };
    std::vector<KktSolver::Rows> rows;
    for (int i = 0; i < n; ++i) rows.push_back({i, i == 0 ? kNone : i - 1, 3});
    for (int k = 0; k < 3; ++k) rows.push_back({below(n), kNone, 3});  // more rows than a body has freedoms
    s.build(n, {}, rows, true);
    // Consistent velocities.
    const Eigen::VectorXd c = s.J * s.matrix(6 * n, 1);
    CHECK(s.residual(c) < 1e-8);
  }
}

TEST_CASE("a known elimination order is reused with other numbers") {
  RandomSystem s(1);
  const std::vector<std::pair<int, int>> couplings = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}};
  const std::vector<KktSolver::Rows> rows = {{3, 1, 3}, {0, kNone, 2}};
  for (int round = 0; round < 3; ++round) {
    s.build(4, couplings, rows);
    CHECK(s.residual(s.matrix(5, 1)) < 1e-9);
  }
  s.build(5, {{4, 0}}, {});
  CHECK(s.residual(Eigen::VectorXd()) < 1e-9);
}
