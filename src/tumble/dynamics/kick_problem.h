// One large step of all bodies, linear in their velocities over it. Positions x are known at times t_n,
// velocities v half-way between. With k = (h- + h)/2 the mean of the steps before and after t_n, and F the
// forces at t_n,
//   M v + J^T l = M v- + k F + G^T r,   J v = -C/h - dC/dt - h C''/2,   x(t_n + h) = x + h v,   p = M v   (1)
// This is the leapfrog method: second order, without numerical energy gain or loss. J and G are the Jacobians
// of joints and contacts at t_n; C'' is taken at v-. A drift that is only a short part of a step corrects
// only its share of the joint error C. Otherwise C/h would be a large velocity, however small C is. Laws with
// a linear resistance, K = J^T k J and D = J^T d J (model/force_law.h), are integrated by the midpoint rule
// (law_weights.h), with F at x and v-: instead of k F
//   k (F + theta_d D (v- - v)) - (1/4 + e) h^2 K v + (1/4 - e-) h-^2 K v-                                 (2)
// With V_n the velocity at t_n this is two half kicks,
//   (M + (1/4 + e) h^2 K) v = M V_n + h F/2,   V_n+1 = 2 v - V_n
// and 1/2 V M V + 1/2 x K x falls by 2 e h^2 v K v in a step, whatever the next h and e are. A law with an
// effort limit f is a row of its own: with (2) as C - B v along the row, its impulse r is the nearest to C -
// B v with |r| <= k f. Joints are closed at the end of the step by Newton's method with the factors of its
// start (joint_closer.h); the same iterations let stiff laws act by the true change of their coordinate in
// the drift. Momenta are advanced by impulses, not by M v: internal forces are pairs, and rounding errors
// of stiff systems do not change the total momentum. Rotations use the inertia at the middle of
// the coming step (step_inertia.h): R_m, rotated by half the angle h w, satisfies L = R_m I R_m^T w. It is
// found by a few iterations; those that close joints add the effect of the joints. So spinning bodies neither
// gain nor lose energy. [Hernandez et al. 2011 is theta = 1 with R at the start, and joints not closed]
//
// Parts: KickBodies (masses), KickLaws (F, K, D), KickJoints (J, C), StepInertia (M), JointCloser. All of
// them fill one KickSystem, in the order of a KickSchedule.
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

/// What the drift before a kick leaves: momenta, six numbers a node, and the laws at its start, by index into
/// Model::forces(). Without a drift before the kick `laws` may be empty.
struct KickStart {
  std::span<const double> momenta;
  std::span<const LawHistory> laws = {};
  /// N and N m, six numbers a node: contacts, limits and dampers in the last kick. Empty: zero.
  std::span<const double> other_forces = {};
};

class KickProblem {
 public:
  explicit KickProblem(const model::Model& model, const KickParameters& parameters = {});

  /// Moving bodies, in the order of the scene.
  const std::vector<core::BodyId>& bodies() const { return bodies_.moving.bodies(); }
  const MovingBodies& moving_bodies() const { return bodies_.moving; }
  int node_of(core::BodyId body) const { return bodies_.moving.node_of(body); }
  size_t size() const { return 6 * bodies_.size(); }
  const KickParameters& parameters() const { return parameters_; }
  /// Nodes of bodies with joints.
  const std::vector<int>& jointed() const { return joints_.jointed(); }
  /// The nodes of a law's two bodies.
  std::pair<int, int> nodes_of_law(size_t law) const { return laws_.nodes_of(law); }
  /// True if some law has an effort limit.
  bool has_effort_limits() const { return laws_.has_effort_limits(); }
  /// To be called when laws have gained or lost an effort limit.
  void update_effort_limits() { laws_.update_effort_limits(); }

  /// Computes the impulses that damp the velocities of very stiff laws at t_n, by (4) of law_weights.h, after
  /// a drift of h_before and before one of h. All kicks exert them until the next call, which is due when the
  /// momenta at the start are others: at every t_n, and after an impact.
  void damp_ringing(const model::State& where, const KickStart& start, double h_before, double h);
  /// In an impact a very stiff law acts as a rod: otherwise the bodies would bounce off it within one step.
  /// Adds B = J^T b J of (4), for a coming drift of h, to the masses of the assembled system. Returns false
  /// if no law is that stiff.
  bool add_impact_resistance(double h);
  /// After the impact: computes the impulses -B v of these laws, and adds them to the momenta.
  void add_resistance_impulses(std::span<const double> v, std::span<double> momenta);
  /// The impulses of a law in the impact.
  LawImpulses compute_resistance_impulses(size_t law) { return laws_.compute_ringing_impulses(law, system_); }
  /// Sets up (1) at the time and poses of a state, for momenta half a step before. h = 0: velocities at this
  /// very time, without correction of C. `coupled`: pairs of nodes that contacts couple. `closing` (s): the
  /// time in which joint errors are corrected if h is shorter.
  void assemble(const model::State& where, const KickStart& start, double kick, double h,
                const std::vector<std::pair<int, int>>& coupled, double closing = 0);
  /// Assembles the same without contacts, and solves for v and the multipliers l of the joints in one pass,
  /// part by part: the data of a body are fetched once.
  void solve_without_contacts(const model::State& where, const KickStart& start, double kick, double h,
                              double closing, std::vector<double>& v, std::vector<double>& l);
  /// Computes poses and velocities of bodies as assemble() does, and nothing else.
  std::span<const model::BodyMotion> update_motions(const model::State& where,
                                                    std::span<const double> momenta);

  // Valid after update_motions().
  double time() const { return read(Holds::motions).step.time; }  // s
  std::span<const model::BodyMotion> motions() const { return read(Holds::motions).motions; }
  // Valid after assemble() or solve_without_contacts().
  double step_before() const { return read(Holds::solution).step.h_before; }  // s
  double step() const { return read(Holds::solution).step.h; }                // s
  // Valid after assemble(). solve_without_contacts() overwrites b and c.
  std::span<const double> b() const { return read(Holds::system).b; }
  std::span<const double> c() const { return read(Holds::system).c; }
  /// Has the pattern of the last assembly, or that without contacts.
  KktSolver& matrix() { return system_.matrix; }
  const KktSolver& matrix() const { return system_.matrix; }
  size_t first_row(size_t constraint) const { return system_.matrix.first_row(constraint); }

  /// Solves for the velocities that belong to momenta under the joints, with the system assembled last.
  std::vector<double> solve_velocities(std::span<const double> momenta);
  /// Appends a row for each law with an effort limit, by ascending index into Model::forces(), and that
  /// index. If h = 0 there are no such rows: these laws have already acted.
  void add_actuators(std::vector<ConeConstraint>& cones, std::vector<size_t>& laws);
  /// The impulses of a law in the step, by (2), for the solution v. For a law with an effort limit, `row` is
  /// its row of add_actuators() after the solve, or null if h = 0.
  LawImpulses compute_law_impulses(size_t law, std::span<const double> v, const ConeConstraint* row);

  /// Changes v and l, with the factors of matrix(), so that joints are closed to `tolerance` at the end of a
  /// drift of h from `where`. h is the one assembled. If h is less than `closing` of assemble(), the share of
  /// the joint errors that may be left is left. Iterates further to `target`, if that is smaller, as long as
  /// iterations help.
  JointClosing close_joints(const model::State& where, double h, double tolerance, double target,
                            std::vector<double>& v, std::vector<double>& l);
  /// M v of the last solution.
  std::vector<double> compute_momenta(std::span<const double> v) const;
  void compute_momenta(std::span<const double> v, std::vector<double>& momenta) const;
  /// The same by adding impulses to the momenta before the kick: of gravity, of joints with multipliers l,
  /// and of `cones`. Those of laws are added by the caller (compute_law_impulses). With the last solution
  /// it is M v but for rounding and the residual of the contact solver.
  void add_impulses(std::span<const double> l, std::span<const ConeConstraint> cones,
                    std::span<double> momenta);

  /// What the next kick needs of the laws, after the solution v of the last assembly.
  const std::vector<LawHistory>& compute_law_history(std::span<const double> v) {
    laws_.save_half_impulses(v, system_.step.h);
    return laws_.history();
  }
  /// J: what the damping of unresolved modes took in the drift before the last kick.
  double numerical_loss() const { return laws_.numerical_loss(); }
  /// Computes what the momenta at t_n have beyond the mean of those before and after the kick, weighted by h
  /// and h-, six numbers a node (kick_laws.h). Returns false if it is zero. With joints this assembles and
  /// solves a system of its own, for the couplings of the last assembly.
  bool compute_nodal_shift(const model::State& where, std::span<const double> v,
                           const std::vector<std::pair<int, int>>& coupled, std::vector<double>& shift);
  /// Parts of the last compute_nodal_shift(): multipliers of joints, and what a law contributes.
  std::span<const double> nodal_multipliers() const { return row_scratch_; }
  LawImpulses compute_nodal_shift(size_t law, std::span<const double> v) const {
    return laws_.compute_nodal_shift(law, v);
  }

  /// P and L of every moving body of a state.
  std::vector<double> momenta_of(const model::State& state) const {
    return dynamics::momenta_of(bodies_, state);
  }
  /// Adds the velocities of every moving body in a state to v.
  void add_velocities(const model::State& state, std::span<double> v) const {
    dynamics::add_velocities(bodies_, state, v);
  }
  /// x + h v: advances poses and time.
  void drift(std::span<const double> v, double h, model::State& state) const {
    dynamics::drift(bodies_, v, h, state);
  }
  /// The largest rotation angle of a body in a drift, rad.
  static double largest_rotation(std::span<const double> v, double h);

 private:
  // What system_ holds; each includes the previous: nothing; poses and velocities; laws and joints of a
  // solved step; A, b, c.
  enum class Holds { nothing, motions, solution, system };
  // The caller must not read what the last call did not set.
  const KickSystem& read([[maybe_unused]] Holds needed) const {
    TUMBLE_ASSERT(holds_ >= needed);
    return system_;
  }
  void set_couplings(const std::vector<std::pair<int, int>>& coupled);
  void begin(const model::State& where, const KickStart& start, double kick, double h, double closing);
  void set_joint_ratios();
  void assemble_part(size_t part, const model::State& where, std::span<const double> momenta);
  void assemble_body(int node, const model::State& where, std::span<const double> momenta);
  void prefetch_body(size_t use, const model::State& where, std::span<const double> momenta);

  KickParameters parameters_;
  KickBodies bodies_;
  KickLaws laws_;
  KickJoints joints_;
  KickSystem system_;
  KickSchedule schedule_;
  StepInertia inertia_;
  JointCloser closer_;
  Holds holds_ = Holds::nothing;
  std::vector<std::pair<int, int>> couplings_;     // scratch: nodes that laws and contacts couple
  std::vector<double> row_scratch_, unused_rows_;  // by row of J
};

}  // namespace tumble::dynamics
