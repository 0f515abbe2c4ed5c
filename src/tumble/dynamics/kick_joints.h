// The joints of a kick problem: their Jacobian J, constraint errors C, and the right-hand side c of J v = c,
// equation (1) of kick_problem.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "tumble/dynamics/kick_bodies.h"
#include "tumble/dynamics/kick_schedule.h"
#include "tumble/dynamics/kick_system.h"

namespace tumble::dynamics {

class KickJoints {
 public:
  /// A joint that holds a point: its bodies as nodes and in the scene, and its lever arms in body axes.
  struct Point {
    int a, b;
    core::BodyId body_a, body_b;
    uint32_t joint, first_row = 0, J_a = 0, J_b = 0;  // its rows, and offsets of its lever arms in the matrix
    double scale;                                     // 1/m, as row_scales_
    math::Vec3 arm_A, arm_B;                          // m
  };
  /// Joint errors at the end of a drift. A drift that is only a part of a step leaves its share of the
  /// initial error. A joint also counts as closed if its error exceeds that by no more than the same share of
  /// the tolerance.
  struct Gaps {
    double tolerance;         // sizes of bodies, or rad
    double share, h;          // as in KickStep
    const double* initial;    // C at t_n
    const double* quadratic;  // h^2 C''/2; null: `linear` is not requested
    double* y;                // m/s or rad/s: right-hand side of the next iteration, by row
    // In sizes of bodies, or rad: the largest error; that of the linear step alone; the largest excess over
    // the error that may be left.
    double largest = 0, linear = 0, largest_excess = 0;
    bool closed = true;

    void add(size_t row, double gap, double scale) {
      const double over = gap - (1 - share) * initial[row];
      const double size = std::abs(gap) * scale, excess = std::abs(over) * scale;
      largest = std::max(largest, size), largest_excess = std::max(largest_excess, excess);
      if (quadratic) linear = std::max(linear, std::abs(gap + quadratic[row]) * scale);
      y[row] = -over / h;
      if (!(size <= tolerance || excess <= share * tolerance)) closed = false;
    }
  };

  explicit KickJoints(const KickBodies& bodies);

  /// The sparsity pattern of J, by constraint of the model.
  const std::vector<KktSolver::Rows>& rows() const { return rows_; }
  const std::vector<Point>& points() const { return points_; }
  /// Constraints that do not hold a point.
  const std::vector<size_t>& others() const { return others_; }
  /// Nodes of all joints, ascending.
  const std::vector<int>& jointed() const { return jointed_; }
  /// Sorts joints by part, and looks up their offsets in a matrix with the pattern rows().
  void schedule(const KktSolver& matrix, const PartOfNodes& part_of);

  void begin(size_t rows) { errors_.resize(rows), quadratic_.resize(rows); }
  /// Set J and c of points()[first] to points()[end - 1], and likewise of others().
  void set_points(size_t first, size_t end, KickSystem& system);
  void set_others(size_t first, size_t end, const KickBodies& bodies, KickSystem& system);

  /// Starts the computation of joint errors at the end of a drift of h with velocities v. `with_linear`: also
  /// those of the linear step. `y`: one number a row.
  Gaps begin_gaps(double tolerance, double h, const KickStep& step, bool with_linear,
                  std::vector<double>& y) const;
  /// `rotations`: exp(h w) of every jointed node, quaternions of four numbers.
  void compute_point_gaps(std::span<const double> v, std::span<const double> rotations, double h,
                          const KktSolver& matrix, Gaps& gaps) const;
  /// `end`: scratch, by body of the scene; it holds the poses of fixed bodies.
  void compute_other_gaps(const model::State& where, std::span<const double> v, double h,
                          const KickBodies& bodies, const KickSystem& system,
                          std::span<model::BodyMotion> end, Gaps& gaps) const;

 private:
  std::vector<KktSolver::Rows> rows_;
  std::vector<Point> points_;         // by part
  std::vector<size_t> others_;        // by part
  std::vector<int> jointed_;          // nodes
  std::vector<int> nodes_of_others_;  // nodes with joints that do not hold a point
  std::vector<double> row_scales_;    // by row: 1 for an angle, else 1/(size of the bodies) (1/m)
  std::vector<double> errors_;        // C at t_n, by row: m or rad
  std::vector<double> quadratic_;     // h^2 C''/2, quadratic term of C in the drift, by row: m or rad
};

}  // namespace tumble::dynamics
