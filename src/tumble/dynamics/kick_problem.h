// One large step of all bodies, linear in their velocities over it. Positions x are known at times t_n,
// velocities v half way between. With k = (h- + h)/2 the mean of the steps before and after, and F the forces
// at t_n,
//   M v + J^T l = M v- + k F + G^T r,    J v = -C/h - dC/dt - h C''/2,    x(t_n + h) = x + h v,    p = M v        (1)
// which is the leapfrog method: of second order, and without gain or loss. J and G are the rows of joints and
// contacts at t_n, C'' is taken at v-. A short part of a step takes back its share of C alone, or C/h,
// however little C is, would be a speed. Laws that say how they resist, K = J^T k J and D = J^T d J
// (model/force_law.h), are taken by the theta method (law_weights.h), with F at x and v-: instead of k F
//   k (F + theta_d D (v- - v)) - a (theta^2 h^2 K v - (1 - theta-)^2 h-^2 K v-)                                   (2)
// a being 1 where steps do not change. For steps of one length the sum over all laws of 1/2 v (M + h^2 (theta
// - 1/2)^2 K + h (theta_d - 1/2) D) v + 1/2 y K y, y = x + h v/2, never grows, however the thetas differ: it
// falls by (theta - 1/2) h^2/2 |v + v-|^2 in K, and by h/4 |v + v-|^2 in D. A law with a largest effort f is
// a row of its own: with (2) as C - B v along it, its impulse r is the nearest to that of size k f or less.
// Joints are closed at the end of the step by Newton's method with the factors of its beginning
// (joint_closer.h). Rotations use the inertia of the middle of the coming step (step_inertia.h): R_m turned
// by half the angle h w goes with L = R_m I R_m^T w, found by a few iterations, and what joints do to it by
// those that close them; then spinning bodies neither gain nor lose. [Hernandez et al. 2011 is theta = 1 with
// R at the start, and joints not closed]
//
// Parts: KickBodies (masses), KickLaws (F, K, D), KickJoints (J, C), StepInertia (M), JointCloser; all fill
// one KickSystem, in the order of a KickSchedule.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "tumble/core/require.h"
#include "tumble/dynamics/joint_closer.h"
#include "tumble/dynamics/kick_bodies.h"
#include "tumble/dynamics/kick_joints.h"
#include "tumble/dynamics/kick_laws.h"
#include "tumble/dynamics/kick_parameters.h"
#include "tumble/dynamics/kick_schedule.h"
#include "tumble/dynamics/kick_system.h"
#include "tumble/dynamics/solvers/contact_solver.h"
#include "tumble/dynamics/step_inertia.h"
#include "tumble/model/state.h"

namespace tumble::dynamics {

class KickProblem {
 public:
  explicit KickProblem(const model::Model& model, const KickParameters& parameters = {});

  /// Moving bodies, in the order of the scene.
  const std::vector<core::BodyId>& bodies() const { return bodies_.moving.bodies(); }
  const MovingBodies& moving_bodies() const { return bodies_.moving; }
  int node_of(core::BodyId body) const { return bodies_.moving.node_of(body); }
  size_t size() const { return 6 * bodies_.size(); }
  const KickParameters& parameters() const { return parameters_; }
  /// The nodes of a law's two bodies.
  std::pair<int, int> nodes_of_law(size_t law) const { return laws_.nodes_of(law); }
  /// Whether some law has a largest effort.
  bool has_limited() const { return laws_.has_limited(); }
  /// Laws got or lost a largest effort since the constructor.
  void update_limited() { laws_.update_limited(); }

  /// Sets up (1) at a state's time and places for momenta half a step ago; h = 0: velocities at this very
  /// time, whatever C. `coupled`: pairs of nodes that contacts will tie. `closing` (s): what joints are open
  /// is closed over this time where h is shorter.
  void assemble(const model::State& where, std::span<const double> momenta, double kick, double h,
                const std::vector<std::pair<int, int>>& coupled, double closing = 0);
  /// The same without contacts, and at once its solution v with the multipliers l of the joints: part by
  /// part, so that the numbers of a body are fetched once.
  void solve_alone(const model::State& where, std::span<const double> momenta, double kick, double h,
                   double closing, std::vector<double>& v, std::vector<double>& l);
  /// Poses and velocities of bodies, as assemble() would have it, and nothing else.
  std::span<const model::BodyMotion> place(const model::State& where, std::span<const double> momenta);

  // What was placed last.
  double time() const { return read(Holds::places).step.time; }  // s
  std::span<const model::BodyMotion> motions() const { return read(Holds::places).motions; }
  // What was assembled or solved last.
  double step_before() const { return read(Holds::solution).step.before; }  // s
  double step() const { return read(Holds::solution).step.h; }              // s
  // What was assembled last. solve_alone() leaves no b and c.
  std::span<const double> b() const { return read(Holds::system).b; }
  std::span<const double> c() const { return read(Holds::system).c; }
  /// Its pattern is that of the last assembly, or of no contacts.
  KktSolver& matrix() { return system_.matrix; }
  size_t first_row(size_t constraint) const { return system_.matrix.first_row(constraint); }

  /// Velocities that momenta have under the joints, by the system assembled last.
  std::vector<double> velocities_of(std::span<const double> momenta);
  /// Appends a row for each law with a largest effort, by ascending index into Model::forces(), and that
  /// index. Where h = 0 there is nothing to solve, and such laws have acted already.
  void add_actuators(std::vector<ConeConstraint>& cones, std::vector<size_t>& laws);
  /// The impulses of a law in the step, by (2), for the solution v. For a law with an effort limit, `row` is
  /// its row of add_actuators() after the solve, or null if h = 0.
  LawImpulses compute_law_impulses(size_t law, std::span<const double> v, const ConeConstraint* row);

  /// Changes v, by the factors of matrix(), and l with it, so that joints are closed where a drift of h, as
  /// was assembled, from `where` ends, or, where h is less than `closing` of assemble(), as open as may be
  /// left of what they were; and to `rest`, if that is less, as far as iterations go.
  using Closing = JointClosing;
  Closing close_joints(const model::State& where, double h, double tolerance, double rest,
                       std::vector<double>& v, std::vector<double>& l);
  /// M v of the velocities found last.
  std::vector<double> momenta_from(std::span<const double> v) const;
  void momenta_from(std::span<const double> v, std::vector<double>& momenta) const;

  /// P and L of every moving body of a state.
  std::vector<double> momenta_of(const model::State& state) const {
    return dynamics::momenta_of(bodies_, state);
  }
  /// Adds what a state says of the velocities of every moving body.
  void add_velocities(const model::State& state, std::vector<double>& v) const {
    dynamics::add_velocities(bodies_, state, v);
  }
  /// x + h v: places of the bodies, and the time.
  void drift(std::span<const double> v, double h, model::State& state) const {
    dynamics::drift(bodies_, v, h, state);
  }
  /// The largest angle (rad) by which a body turns.
  static double largest_turn(std::span<const double> v, double h);

 private:
  // What system_ holds, each with all before it: nothing; poses and velocities; laws and joints of a step
  // that is solved; A, b, c.
  enum class Holds { nothing, places, solution, system };
  // Reading what is not of the last call is a mistake of the caller.
  const KickSystem& read([[maybe_unused]] Holds needed) const {
    TUMBLE_ASSERT(holds_ >= needed);
    return system_;
  }
  void tie_bodies(const std::vector<std::pair<int, int>>& coupled);
  void begin(const model::State& where, double kick, double h, double closing);
  void assemble_part(size_t part, const model::State& where, std::span<const double> momenta);
  void open_body(int node, const model::State& where, std::span<const double> momenta);
  void prefetch_body(size_t opened, const model::State& where, std::span<const double> momenta);

  KickParameters parameters_;
  KickBodies bodies_;
  KickLaws laws_;
  KickJoints joints_;
  KickSystem system_;
  KickSchedule schedule_;
  StepInertia inertia_;
  JointCloser closer_;
  Holds holds_ = Holds::nothing;
  std::vector<std::pair<int, int>> tied_;  // scratch: nodes that laws and contacts tie
};

}  // namespace tumble::dynamics
