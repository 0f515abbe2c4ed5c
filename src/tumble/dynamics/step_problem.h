// One large step of all bodies, linear in their velocities over it. Positions x are known at times t_n, velocities v half way between. With
// k = (h- + h)/2 the mean of the steps before and after, and F the forces at t_n,
//   M v + J^T l = M v- + k F + G^T r,    J v = -C/h - dC/dt,    x(t_n + h) = x + h v,    p = M v                  (1)
// which is the leapfrog method: of second order, and without gain or loss. J and G are the rows of joints and contacts at t_n.
// Laws that say how they resist, K = J^T k J and D = J^T d J (model/force_law.h), are taken by the theta method, whose own velocities
// u at t_n give v = theta u(t_n + h) + (1 - theta) u(t_n): with F at x and v-, instead of k F
//   (theta h + (1 - theta) h-) F + theta h D (v- - v) - theta^2 h^2 K v + (1 - theta)^2 h-^2 K v-                 (2)
// For steps of one length the sum over all laws of 1/2 v (M + h^2 (theta - 1/2)^2 K) v + 1/2 y K y, y = x + h v/2, never grows, however the
// thetas differ: it falls by (theta - 1/2) h^2/2 |v + v-|^2 in K, and by the work of D. The theta of a law follows from s = h w, w^2 =
// k j and j = J M^-1 J^T, or h d j if that is more: 1/2 + s/32 up to s = 0.3, beyond it 1, which is the step of 1.
// A law with a largest effort f is a row of its own: with (2) as C - B v along it, its impulse r is the nearest to that of size k f or less.
// Joints are closed at the end of the step by Newton's method with the factors of its beginning. Rotations use the inertia of the
// middle of the coming step: R_m turned by half the angle h w goes with L = R_m I R_m^T w, found by a few passes; then spinning bodies
// neither gain nor lose. [Hernandez et al. 2011 is theta = 1 with R at the start, and joints not closed]
#pragma once

#include <span>

#include "tumble/dynamics/contact_solver.h"
#include "tumble/dynamics/middle_inertia.h"
#include "tumble/model/state.h"

namespace tumble::dynamics {

class StepProblem {
 public:
  explicit StepProblem(const model::Model& model);

  /// Moving bodies, in the order of the scene.
  const std::vector<core::BodyId>& bodies() const { return bodies_.bodies(); }
  int node_of(core::BodyId body) const { return bodies_.node_of(body); }
  size_t size() const { return 6 * bodies_.size(); }
  /// P and L of every moving body of a state.
  std::vector<double> momenta_of(const model::State& state) const;

  /// Sets up (1) at a state's time and places for momenta half a step ago; h = 0: velocities at this very time, whatever C. `coupled`: pairs of nodes that contacts will tie.
  void assemble(const model::State& where, std::span<const double> momenta, double kick, double h,
                const std::vector<std::pair<int, int>>& coupled);
  BlockSolver& matrix() { return matrix_; }
  std::span<const double> b() const { return b_; }
  std::span<const double> c() const { return c_; }
  double time() const { return time_; }           // s, of what was assembled last
  double step_before() const { return before_; }  // s
  double step() const { return h_; }              // s
  std::span<const model::BodyMotion> motions() const { return motions_; }

  /// Laws with a largest effort, as rows for the contact solver: indices into Model::forces() and rows. Where h = 0 there is nothing to solve, and
  /// they have acted already.
  struct Limited {
    size_t law;
    ConeRow row;
  };
  std::vector<Limited> limited_rows();
  /// What a law passes on in the step to v, by (2): impulses, and along its row, or the length of those of a turning law. Of one with a
  /// largest effort, `row` is what limited_rows() gave and the solver made of it; null where h = 0.
  struct Passed {
    model::Wrench on_a, on_b;
    double effort = 0;
  };
  Passed passed_on(size_t law, std::span<const double> v, const ConeRow* row);

  /// How far joints were open before and are after (parts of their bodies' size, or rad), and whether that is as little as asked.
  struct Closing {
    double before = 0, after = 0;
    bool closed = true;
  };
  /// Changes v, by the factors of matrix(), and l with it, so that joints are closed where a drift of h from `where` ends.
  Closing close_joints(const model::State& where, double h, double tolerance, std::vector<double>& v,
                       std::vector<double>& l);
  /// The largest angle by which a body turns.
  static double largest_turn(std::span<const double> v, double h);

  /// M v.
  std::vector<double> momenta_from(std::span<const double> v) const;
  /// x + h v: places of the bodies, and the time.
  void drift(std::span<const double> v, double h, model::State& state) const;

 private:
  struct Law {
    const model::ForceLaw* law;
    int a, b;      // nodes
    size_t index;  // into Model::forces()
  };
  // What steps need of a body, side by side.
  struct Weight {
    double mass, inverse_mass;     // kg, 1/kg
    double least_turning;          // 1/(kg m^2), of the inverse moments
    math::Mat3 inverse_inertia_B;  // 1/(kg m^2)
  };
  // A joint that holds a point: its bodies in the scene and its arms in their axes.
  struct Point {
    size_t joint;
    core::BodyId a, b;
    math::Vec3 arm_A, arm_B;
  };
  void set_motions(const model::State& where, std::span<const double> momenta);
  void add_forces(double t, double h_before, double h);
  void add_turning(const Law& law, const model::Wrench& on_a, const model::Wrench& on_b, double h_before,
                   double h);
  ConeRow make_limited_row(const Law& law, double h_before, double h);
  void add_limited_kicks(double h_before);
  void add_resistance(const Law& law, double theta, double h_before, double h, double* at_a, double* at_b);
  double choose_theta(const Law& law, double h) const;
  double mobility(int node, const double* J) const;
  void set_masses(std::span<const double> momenta, double h);
  void set_rows(double t, double h);
  double* at(std::vector<double>& x, int node) {
    return node == kNone ? nullptr : &x[6 * static_cast<size_t>(node)];
  }

  const model::Model* model_;
  MovingBodies bodies_;
  MiddleInertia middle_;
  std::vector<Law> laws_, limited_;              // without and with a largest effort
  std::vector<Weight> weights_;                  // by node
  std::vector<std::pair<int, int>> tied_, all_;  // nodes that laws tie; these and contacts
  std::vector<BlockSolver::Rows> joints_;
  std::vector<Point> points_;       // of joints that hold one
  std::vector<size_t> others_;      // joints that do not
  std::vector<double> row_scales_;  // of C: 1 of an angle, else one over the size of the bodies
  BlockSolver matrix_;
  double time_ = 0, before_ = 0, h_ = 0;  // s: steps before and after
  std::vector<double> b_, c_, smooth_;
  std::vector<math::Mat3> inertias_;  // in the middle of the step
  std::vector<model::BodyMotion> motions_, end_;
  model::Resistance resistance_;  // scratch
  std::vector<double> x_, y_;     // scratch
};

}  // namespace tumble::dynamics
