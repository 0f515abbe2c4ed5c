// One large step of all bodies, linear in their velocities over it. Positions x are known at times t_n, velocities v half way between. With
// k = (h- + h)/2 the mean of the steps before and after, and F the forces at t_n,
//   M v + J^T l = M v- + k F + G^T r,    J v = -C/h - dC/dt - h C''/2,    x(t_n + h) = x + h v,    p = M v        (1)
// which is the leapfrog method: of second order, and without gain or loss. J and G are the rows of joints and contacts at t_n, C'' is taken at v-. A short part of a
// step takes back its share of C alone, or C/h, however little C is, would be a speed.
// Laws that say how they resist, K = J^T k J and D = J^T d J (model/force_law.h), are taken by the theta method (dynamics/law_weights.h), with
// F at x and v-: instead of k F
//   k (F + theta_d D (v- - v)) - a (theta^2 h^2 K v - (1 - theta-)^2 h-^2 K v-)                                   (2)
// a being 1 where steps do not change.
// For steps of one length the sum over all laws of 1/2 v (M + h^2 (theta - 1/2)^2 K + h (theta_d - 1/2) D) v + 1/2 y K y, y = x + h v/2, never
// grows, however the thetas differ: it falls by (theta - 1/2) h^2/2 |v + v-|^2 in K, and by h/4 |v + v-|^2 in D.
// A law with a largest effort f is a row of its own: with (2) as C - B v along it, its impulse r is the nearest to that of size k f or less.
// Joints are closed at the end of the step by Newton's method with the factors of its beginning. Rotations use the inertia of the
// middle of the coming step: R_m turned by half the angle h w goes with L = R_m I R_m^T w, found by a few passes, and what joints do to it by those that
// close them; then spinning bodies neither gain nor lose. [Hernandez et al. 2011 is theta = 1 with R at the start, and joints not closed]
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "tumble/dynamics/law_weights.h"
#include "tumble/dynamics/midpoint_inertia.h"
#include "tumble/dynamics/solvers/contact_solver.h"
#include "tumble/model/state.h"

namespace tumble::dynamics {

class KickProblem {
 public:
  explicit KickProblem(const model::Model& model);

  /// Moving bodies, in the order of the scene.
  const std::vector<core::BodyId>& bodies() const { return bodies_.bodies(); }
  const MovingBodies& moving_bodies() const { return bodies_; }
  int node_of(core::BodyId body) const { return bodies_.node_of(body); }
  size_t size() const { return 6 * bodies_.size(); }
  /// P and L of every moving body of a state.
  std::vector<double> momenta_of(const model::State& state) const;

  /// Sets up (1) at a state's time and places for momenta half a step ago; h = 0: velocities at this very time, whatever C. `coupled`: pairs of nodes that contacts will tie.
  /// `closing` (s): what joints are open is closed over this time where h is shorter.
  void assemble(const model::State& where, std::span<const double> momenta, double kick, double h,
                const std::vector<std::pair<int, int>>& coupled, double closing = 0);
  /// The same without contacts, and at once its solution v with the multipliers l of the joints: part by part, so that the numbers of a body are
  /// fetched once. b() and c() are not to be asked for after it.
  void solve_alone(const model::State& where, std::span<const double> momenta, double kick, double h,
                   double closing, std::vector<double>& v, std::vector<double>& l);
  /// Where bodies are and how they move, as assemble() would have it, and nothing else.
  std::span<const model::BodyMotion> place(const model::State& where, std::span<const double> momenta);
  /// Velocities that momenta have under the joints, by the system assembled last.
  std::vector<double> velocities_of(std::span<const double> momenta);
  KktSolver& matrix() { return matrix_; }
  std::span<const double> b() const { return b_; }
  std::span<const double> c() const { return c_; }
  size_t first_row(size_t constraint) const { return matrix_.first_row(constraint); }
  double time() const { return time_; }           // s, of what was assembled last
  double step_before() const { return before_; }  // s
  double step() const { return h_; }              // s
  std::span<const model::BodyMotion> motions() const { return motions_; }

  /// Appends a row for each law with a largest effort, by ascending index into Model::forces(), and that index. Where h = 0 there is
  /// nothing to solve, and such laws have acted already.
  void add_actuators(std::vector<ConeConstraint>& cones, std::vector<size_t>& laws);
  /// Laws got or lost a largest effort since the constructor.
  void update_limited();
  bool has_limited() const { return !limited_.empty(); }
  /// What a law passes on in the step to v, by (2): impulses, and along its row, or the length of those of a turning law. Of one with a
  /// largest effort, `row` is what add_actuators() gave and the solver made of it; null where h = 0.
  struct Passed {
    model::Wrench on_a, on_b;
    double effort = 0;
  };
  Passed passed_on(size_t law, std::span<const double> v, const ConeConstraint* row);
  /// The nodes of a law's two bodies.
  std::pair<int, int> nodes_of_law(size_t law) const { return law_nodes_[law]; }

  /// How far joints were open before, as the linear step alone would leave them, and are after (parts of their bodies' size, or rad), and whether that is as little as asked.
  struct Closing {
    double before = 0, after = 0;
    bool closed = true;
  };
  /// Changes v, by the factors of matrix(), and l with it, so that joints are closed where a drift of h from `where` ends, or, where that is
  /// less than what was said to assemble(), as open as may be left of what they were; and to `rest`, if that is less, as far as passes go.
  Closing close_joints(const model::State& where, double h, double tolerance, double rest,
                       std::vector<double>& v, std::vector<double>& l);
  /// The largest angle by which a body turns.
  static double largest_turn(std::span<const double> v, double h);

  /// M v of the velocities found last.
  std::vector<double> momenta_from(std::span<const double> v) const;
  void momenta_from(std::span<const double> v, std::vector<double>& momenta) const;
  /// Adds what a state says of the velocities of every moving body.
  void add_velocities(const model::State& state, std::vector<double>& v) const;
  /// x + h v: places of the bodies, and the time.
  void drift(std::span<const double> v, double h, model::State& state) const;

 private:
  struct Law {
    const model::ForceLaw* law;
    int a, b;        // nodes
    uint32_t index;  // into Model::forces()
    uint32_t tie;    // between these, where nothing else ties bodies
    bool limited;    // has a largest effort
  };
  // What a law without one does in the step, as far as v decides: impulses of force and torque on a and, unless it is the world, on b, and
  // along each row, which comes with its weight, - weight J v; of one that turns, the torque on b alone and a lower triangle in place of the rows.
  struct Acting {
    uint32_t at = 0;  // among impulses_
    int8_t rows = 0;
    bool turns = false, has_b = false;
  };
  // What steps need of a body, side by side. Here and below as little as will do: thousands of bodies are gone through in each step, and what does not fit
  // into the caches is waited for.
  struct Weight {
    double mass, inverse_mass;                        // kg, 1/kg
    double least_turning;                             // 1/(kg m^2), of the inverse moments
    double inverse_inertia_B[6];                      // 1/(kg m^2), a lower triangle
    math::Vec3 turned(const math::Vec3& L_B) const {  // I^-1 L
      const double *I = inverse_inertia_B, x = L_B[0], y = L_B[1], z = L_B[2];
      return {I[0] * x + I[1] * y + I[3] * z, I[1] * x + I[2] * y + I[4] * z, I[3] * x + I[4] * y + I[5] * z};
    }
    double mean_turning() const {
      return (inverse_inertia_B[0] + inverse_inertia_B[2] + inverse_inertia_B[5]) / 3;
    }
  };
  // A joint that holds a point: its bodies as nodes and in the scene, and its arms in their axes.
  struct Point {
    int a, b;
    core::BodyId body_a, body_b;
    uint32_t joint, first_row = 0, J_a = 0, J_b = 0;  // where its rows are, and its arms in the matrix
    double scale;                                     // 1/m, as row_scales_
    math::Vec3 arm_A, arm_B;
  };
  // Bodies are taken in the order of elimination, some at a time: where those of a part begin, what is needed for the first time there, and the
  // laws and joints whose first body is among them.
  struct Part {
    size_t node = 0, opened = 0, law = 0, point = 0, other = 0;
  };
  void plan_parts();
  void tie_bodies(const std::vector<std::pair<int, int>>& coupled);
  void begin(const model::State& where, double kick, double h, double closing);
  void fetch_body(size_t opened, const model::State& where, std::span<const double> momenta);
  void assemble_part(const Part& part, const Part& next, const model::State& where,
                     std::span<const double> momenta);
  void place_body(core::BodyId id, const model::State& where);
  void move_body(size_t node, const model::State& where, const double* momenta);
  void open_body(int node, const model::State& where, std::span<const double> momenta);
  void add_law(const Law& law);
  void add_rows_of(const Law& law, const model::Wrench& on_a, const model::Wrench& on_b);
  void add_turning(const Law& law, const model::Wrench& on_b);
  void push_on(int node, const double* impulse, bool soft);
  double* keep(size_t numbers);
  ConeConstraint make_limited_row(const Law& law, double h_before, double h);
  void add_limited_kick(const Law& law);
  LawWeights choose_weights(const Law& law, double h_before, double h, bool at_end = false) const;
  LawWeights choose_turning_weights(const Law& law, double h_before, double h, bool at_end = false) const;
  double mobility(int node, const double* J) const;
  void set_masses(size_t first, size_t end, std::span<const double> momenta);
  void set_points(size_t first, size_t end);
  struct Gaps;
  void find_gaps_of_points(std::span<const double> v, double h, Gaps& gaps);
  void find_gaps_of_others(const model::State& where, std::span<const double> v, double h, Gaps& gaps);
  void set_others(size_t first, size_t end);
  void turn_middles(double h, const std::vector<double>& v);
  const MidpointInertia& middle_of_jointed() const {
    return middle_of_jointed_ ? *middle_of_jointed_ : *middle_;
  }
  Eigen::Map<const KktSolver::Vec6> velocity_in(std::span<const double> v, int node) const;

  const model::Model* model_;
  MovingBodies bodies_;
  std::vector<Law> laws_;                        // by part
  std::vector<Law> limited_;                     // those with a largest effort, in the order of the scene
  std::vector<Weight> weights_;                  // by node
  std::vector<std::pair<int, int>> tied_, all_;  // nodes that laws tie; these and contacts
  bool tied_by_contacts_ = false;                // as the matrix knows it
  std::vector<KktSolver::Rows> joints_;
  std::vector<Point> points_;       // of joints that hold one
  std::vector<size_t> others_;      // joints that do not
  std::vector<int> jointed_;        // nodes that joints hold
  std::vector<double> row_scales_;  // of C: 1 of an angle, else one over the size of the bodies
  KktSolver matrix_;
  std::vector<std::pair<int, int>> law_nodes_;
  std::vector<core::BodyId> fixed_;
  std::vector<int> around_others_;  // nodes of joints that hold no point
  std::vector<int> order_, opened_;
  std::vector<Part> parts_;                                    // and the end
  std::optional<MidpointInertia> middle_, middle_of_jointed_;  // the second where not all are jointed
  double time_ = 0, before_ = 0, h_ = 0;                       // s: steps before and after
  double kick_ = 0;                                            // s
  double share_ = 0, rate_ = 0;       // of C: the part that a step takes back, and that per s
  std::vector<double> b_, c_, open_;  // open_: C
  std::vector<double> bent_;          // what C'' makes of C in the step
  std::vector<double>
      turning_;  // N m s, three a node: of kicks that turn bodies on the way to the middle of the step
  std::vector<Acting> acting_;                      // by law
  std::vector<double> impulses_;                    // of these
  size_t kept_ = 0;                                 // of them
  std::vector<MidpointInertia::Inertia> inertias_;  // in the middle of the step
  std::vector<double> beside_;  // N m s, 3 a node: inertias_ w less the angular momentum that goes with v
  bool has_beside_ = false;     // else nothing
  std::vector<double> lacks_;   // the same of the pass that is under way
  std::vector<model::BodyMotion> motions_, end_;  // end_: where joints that hold no point are
  model::Resistance resistance_;                  // scratch
  std::vector<double> x_, y_, turns_;             // scratch; turns_: quaternions, by node
};

}  // namespace tumble::dynamics
