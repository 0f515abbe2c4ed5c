// Force laws in a kick: (1) and (2) of law_weights.h. A law with an effort limit f is a compliant row of the
// contact solver, an actuator:
//   r = C - B u,   B = m theta_d d + (1/4 + e) h^2 k,   m = (h- + h)/2,
//   C = m (F + theta_d d u-) + (1/4 - e-) h-^2 k u-
//   u + r/B - C/B = 0 if |r| <= f m,   else r has that magnitude and the direction of C - B u            (1)
// A law of the relative rotation has three such rows along the world axes, with the stiffness k about its own
// axis. For a rotation across that axis the torque k r changes by at most k (p cot p <= 1 with p half the
// angle), apart from a term that does no work.
//
// A kick at t_n covers the time from t_n - h-/2 to t_n + h/2. A law that is switched on or off in it exerts
// the mean of its force over that time: the kicks together pass on exactly its impulse.
//
// The frequency w of a law is that of its two bodies under all joints, with all other laws absent. The ratio
// of mobilities with and without joints is taken at the start of the run.
//
// The velocities of drifts differ from those at t_n by more than a mean: by (2), half of a kick exerts other
// impulses of a stiff law than the other half. compute_nodal_shift() is what is missing in the mean.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tumble/dynamics/kick_bodies.h"
#include "tumble/dynamics/kick_parameters.h"
#include "tumble/dynamics/kick_schedule.h"
#include "tumble/dynamics/kick_system.h"
#include "tumble/dynamics/law_weights.h"
#include "tumble/dynamics/solvers/cone_constraint.h"

namespace tumble::dynamics {

/// The impulses of a law in a step.
struct LawImpulses {
  model::Wrench on_a, on_b;  // N s and N m s
  double effort = 0;         // along its one row, or magnitude of the torque of an angular law: N s or N m s
};

class KickLaws {
 public:
  struct Law {
    const model::ForceLaw* law;
    int a, b;           // nodes
    uint32_t index;     // into Model::forces()
    uint32_t coupling;  // number of the coupling of a and b in the matrix without contacts
    bool has_effort_limit;
    uint32_t first_switch, switches;  // its switch times in switch_times_
    bool has_length;                  // its coordinate is not a linear function of the motion
    double scale;                     // 1/m: 1/(size of its bodies)
    double joint_ratio;               // mobility with joints, divided by that without
  };

  KickLaws(const KickBodies& bodies, const LawParameters& parameters);

  const std::vector<Law>& laws() const { return laws_; }
  /// True if some law depends on poses or velocities.
  bool resist() const {
    return std::any_of(laws_.begin(), laws_.end(), [](const Law& law) { return law.law->resists(); });
  }
  bool has_effort_limits() const { return !actuators_.empty(); }
  /// Pairs of nodes that laws couple implicitly, sorted and unique.
  const std::vector<std::pair<int, int>>& couplings() const { return couplings_; }
  std::pair<int, int> nodes_of(size_t index) const { return nodes_[index]; }
  /// Sorts laws by part. `matrix` has the pattern without contacts.
  void schedule(const KktSolver& matrix, const PartOfNodes& part_of);

  /// Updates which laws have an effort limit.
  void update_effort_limits();

  /// Computes the ratios of mobilities with and without joints. `system` holds masses and joints at the start
  /// of the run, factored.
  void set_joint_ratios(const KickBodies& bodies, const FrequencyParameters& par, KickSystem& system);

  /// Clears the laws of the last assembly. `history`: by index, of the last kick; empty if the drift before
  /// has no length.
  void begin(std::span<const LawHistory> history, double h_before);
  // Damping of velocities at t_n, by (4) of law_weights.h, with the motions of `system` and the drift before
  // as its h_before.
  void clear_ringing(double h_before) {
    ringing_.clear();
    if (h_before > 0) ringing_loss_ = 0;
  }
  /// Finds laws that ring after the last drift, or, without a history, those with h w > stiff_step in a drift
  /// of h. False: there are none.
  bool find_ringing(const KickBodies& bodies, std::span<const LawHistory> history, const KickSystem& system,
                    double h, double stiff_step);
  /// Adds the impulses of laws in the half step before t_n to momenta.
  void add_impulses_before(const KickSystem& system, std::span<double> p);
  /// Adds the damping to the matrix.
  void add_ringing(const KickBodies& bodies, KickSystem& system);
  /// Saves its impulses for the velocities v. Kicks exert them until clear_ringing().
  void save_ringing(std::span<const double> v, const KickSystem& system);
  /// The saved impulses of a law.
  LawImpulses compute_ringing_impulses(size_t law, const KickSystem& system);
  /// Adds laws()[first] to laws()[end - 1] to A and b. Laws with an effort limit are added only if h = 0;
  /// otherwise they are rows.
  void add(size_t first, size_t end, const KickBodies& bodies, KickSystem& system);
  /// Appends a row for each law with an effort limit that resists, by ascending index, and that index.
  /// Appends none if h = 0.
  void add_actuators(const KickBodies& bodies, const KickSystem& system, std::vector<ConeConstraint>& cones,
                     std::vector<size_t>& laws);
  /// The impulses of a law for the solution v. `row`: of a law with an effort limit, solved; null if h = 0.
  LawImpulses compute_impulses(size_t index, std::span<const double> v, const ConeConstraint* row,
                               const KickBodies& bodies, const KickSystem& system);

  /// True if some law is stiff and its coordinate is not linear.
  bool has_lengths() const { return !lengths_.empty(); }
  /// Adds to x, six numbers a node, the impulses by which the true changes of coordinates in a drift of h
  /// from `where` differ from those taken into account so far. accept_length_errors() takes them into
  /// account.
  struct LengthErrors {
    double largest = 0;  // such difference, as a part of the bodies' size
    double linear = 0;   // the largest error of the linear change, likewise
  };
  LengthErrors add_length_errors(const model::State& where, std::span<const double> v, double h,
                                 const KickSystem& system, std::span<double> x);
  void accept_length_errors();
  void clear_length_errors() { length_errors_.assign(lengths_.size(), 0.0), accept_length_errors(); }
  /// Completes history() with the solution v of a kick and a drift of h.
  void save_half_impulses(std::span<const double> v, double h);
  /// Nodes of laws whose coordinate is not linear.
  std::vector<int> nodes_with_lengths() const;

  /// Of the last assembly: what the next kick needs, by index.
  const std::vector<LawHistory>& history() const { return next_; }
  /// J: what the damping of unresolved modes took in the last drift.
  double numerical_loss() const { return loss_ + ringing_loss_; }
  /// What a law contributes to the momenta at t_n beyond the mean of those before and after the kick,
  /// weighted by h and h-.
  LawImpulses compute_nodal_shift(size_t index, std::span<const double> v) const;

 private:
  // The impulse of a law without an effort limit, as a linear function of v: impulses on a and, unless it is
  // the world, on b; then, for each row, a Row and J, which contribute -weight J v along J. For an angular
  // law: the torque impulse on b, a lower triangle, the constant part of its nodal shift, the share of the
  // drift before, its damping.
  struct Linear {
    uint32_t at = 0;  // offset in numbers_
    int8_t rows = 0;
    bool turns = false, has_b = false;
  };
  // Numbers of a row before its J: its weight, the error of the drift's displacement divided by h (m/s), and
  // the nodal shift along J: a constant and a multiple of the velocity.
  enum RowNumber { kWeight, kLengthError, kShift, kShiftRate, kRowNumbers };
  void linearise(const Law& law, const KickStep& step, const model::BodyMotion& a, const model::BodyMotion& b,
                 model::Wrench& on_a, model::Wrench& on_b);
  void add_law(const Law& law, const KickBodies& bodies, KickSystem& system);
  void add_rows(const Law& law, const model::Wrench& on_a, const model::Wrench& on_b,
                const KickBodies& bodies, KickSystem& system);
  void add_angular(const Law& law, const model::Wrench& on_b, const KickBodies& bodies, KickSystem& system);
  // The linearisation of a law in resistance_.
  void linearise_at(const Law& law, const KickSystem& system);
  void add_impulses_before(const Law& law, const KickStep& step, std::span<const model::BodyMotion> motions,
                           std::span<double> p);
  // The impulses of save_ringing(), one a row, or a torque on b; null: none.
  const double* ringing_of(const Law& law) const {
    return ringing_.empty() ? nullptr : &ringing_[law.index * model::Resistance::kMostRows];
  }
  // The first row of a law without an effort limit, and the velocity along it.
  const double* row_of(const Law& law) const {
    const Linear& linear = linear_[law.index];
    return &numbers_[linear.at + (linear.has_b ? 12 : 6)];
  }
  double speed_along(const Law& law, const double* row, std::span<const double> v) const;
  double* reserve(size_t numbers);
  LawImpulses compute_linear_impulses(const Linear& linear, std::span<const double> v,
                                      std::pair<int, int> nodes) const;

  const LawHistory& history_of(const Law& law) const;
  const Law* find_actuator(size_t index) const;  // null: the law has no effort limit

  LawParameters par_;
  std::vector<double> switch_times_;            // s, of laws, one after the other, ascending for each
  std::vector<Law> laws_;                       // by part
  std::vector<Law> actuators_;                  // laws with an effort limit, by index
  std::vector<std::pair<int, int>> couplings_;  // sorted
  std::vector<std::pair<int, int>> nodes_;      // of a and b, by index
  std::vector<Linear> linear_;                  // by index
  std::vector<double> numbers_;                 // entries of linear_, one after the other
  size_t used_ = 0;                             // used length of numbers_
  std::span<const LawHistory> past_;            // of the last kick, by index; empty: none
  std::vector<LawHistory> next_;                // by index
  std::vector<uint32_t> lengths_;               // stiff laws whose coordinate is not linear, into laws_
  std::vector<double> length_errors_;           // m/s, like lengths_: kLengthError to be
  std::vector<std::pair<uint32_t, double>> ringing_laws_;  // into laws_, and b j of (4)
  std::vector<double> ringing_;                            // kMostRows a law; empty: none
  double loss_ = 0, ringing_loss_ = 0;                     // J, by e and by b
  model::Resistance resistance_;                           // scratch: of the current law
};

}  // namespace tumble::dynamics
