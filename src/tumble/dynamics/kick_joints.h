// The joints of a kick problem: their rows J, how far they are open (C) and what the step asks of J v,
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
  /// A joint that holds a point: its bodies as nodes and in the scene, and its arms in their axes.
  struct Point {
    int a, b;
    core::BodyId body_a, body_b;
    uint32_t joint, first_row = 0, J_a = 0, J_b = 0;  // where its rows are, and its arms in the matrix
    double scale;                                     // 1/m, as row_scales_
    math::Vec3 arm_A, arm_B;                          // m
  };
  /// How far joints are open at the end of a drift. A part of a step leaves its share of what there was; more
  /// than that by the same share of the tolerance is closed, too.
  struct Gaps {
    double tolerance;  // sizes of bodies, or rad
    double share, h;   // as of KickStep
    const double* open;
    const double* bent;  // or null: `linear` is not asked for
    double* y;           // m/s or rad/s: what is asked of the solver, by row
    // In sizes of bodies, or rad: the largest gap; as a linear step alone leaves it; the largest that is over
    // what may be left.
    double largest = 0, linear = 0, most = 0;
    bool closed = true;

    void enter(size_t row, double gap, double scale) {
      const double over = gap - (1 - share) * open[row];
      const double size = std::abs(gap) * scale, excess = std::abs(over) * scale;
      largest = std::max(largest, size), most = std::max(most, excess);
      if (bent) linear = std::max(linear, std::abs(gap + bent[row]) * scale);
      y[row] = -over / h;
      if (!(size <= tolerance || excess <= share * tolerance)) closed = false;
    }
  };

  explicit KickJoints(const KickBodies& bodies);

  /// The pattern of J, by constraint of the model.
  const std::vector<KktSolver::Rows>& rows() const { return rows_; }
  const std::vector<Point>& points() const { return points_; }
  /// Constraints that hold no point.
  const std::vector<size_t>& others() const { return others_; }
  /// Nodes of all joints, ascending.
  const std::vector<int>& jointed() const { return jointed_; }
  /// Sorts joints by part, and finds their places in a matrix that has the pattern rows().
  void schedule(const KktSolver& matrix, const PartOfNodes& part_of);

  void begin(size_t rows) { open_.resize(rows), bent_.resize(rows); }
  /// Set J and c of points()[first] to points()[end - 1], and of others().
  void set_points(size_t first, size_t end, KickSystem& system);
  void set_others(size_t first, size_t end, const KickBodies& bodies, KickSystem& system);

  /// The gaps where velocities v lead in h. `with_linear`: also as the linear step leaves them. `y`: one
  /// number a row.
  Gaps begin_gaps(double tolerance, double h, const KickStep& step, bool with_linear,
                  std::vector<double>& y) const;
  /// `turns`: exp(h w) of every jointed node, four numbers each.
  void find_gaps_of_points(std::span<const double> v, std::span<const double> turns, double h,
                           const KktSolver& matrix, Gaps& gaps) const;
  /// `end`: scratch, by body of the scene, in which fixed bodies are placed.
  void find_gaps_of_others(const model::State& where, std::span<const double> v, double h,
                           const KickBodies& bodies, const KickSystem& system,
                           std::span<model::BodyMotion> end, Gaps& gaps) const;

 private:
  std::vector<KktSolver::Rows> rows_;
  std::vector<Point> points_;       // by part
  std::vector<size_t> others_;      // by part
  std::vector<int> jointed_;        // nodes
  std::vector<int> around_others_;  // nodes
  std::vector<double> row_scales_;  // by row: 1 of an angle, else one over the size of the bodies (1/m)
  std::vector<double> open_;        // C at t_n, by row: m or rad
  std::vector<double> bent_;        // what C'' makes of C in the step, by row: m or rad
};

}  // namespace tumble::dynamics
