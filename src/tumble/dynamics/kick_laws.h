// What laws do in a kick: equation (2) of kick_problem.h. Those with a largest effort are compliant rows of
// the contact solver,
//   r = C - B u,   B = m theta_d d + a theta^2 h^2 k,   C = m (F + theta_d d u-) + a (1 - theta-)^2 h-^2 k u-,   m = (h- + h)/2
//   u + r/B - C/B = 0 while |r| <= f m,   else r of that size along C - B u                                  (1)
// A turning law has three such rows, the axes of the world, with the stiffness it has about its own axis: for
// a turn across that axis the torque k r changes by at most k (p cot p <= 1 with p half the angle), beside a
// part that does no work.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tumble/dynamics/kick_bodies.h"
#include "tumble/dynamics/kick_parameters.h"
#include "tumble/dynamics/kick_schedule.h"
#include "tumble/dynamics/kick_system.h"
#include "tumble/dynamics/solvers/cone_constraint.h"

namespace tumble::dynamics {

/// What a law passes on in a step.
struct LawImpulses {
  model::Wrench on_a, on_b;  // N s and N m s
  double effort = 0;         // along its one row, or the length of the torque of a turning law: N s or N m s
};

class KickLaws {
 public:
  struct Law {
    const model::ForceLaw* law;
    int a, b;        // nodes
    uint32_t index;  // into Model::forces()
    uint32_t tie;    // between these in the matrix without contacts
    bool limited;    // has a largest effort
  };

  KickLaws(const KickBodies& bodies, const ThetaParameters& parameters);

  const std::vector<Law>& laws() const { return laws_; }
  bool has_limited() const { return !limited_.empty(); }
  /// Pairs of nodes between which laws resist, each once.
  const std::vector<std::pair<int, int>>& tied() const { return tied_; }
  std::pair<int, int> nodes_of(size_t index) const { return nodes_[index]; }
  /// Sorts laws by part. `matrix` has the pattern without contacts.
  void schedule(const KktSolver& matrix, const PartOfNodes& part_of);

  /// Looks again which laws have a largest effort: it may have changed.
  void update_limited();

  /// Forgets the laws of the last assembly.
  void begin() { used_ = 0; }
  /// Adds laws()[first] to laws()[end - 1] to A and b. Those with a largest effort only where h = 0: else
  /// they are rows.
  void add(size_t first, size_t end, const KickBodies& bodies, KickSystem& system);
  /// Appends a row for each law with a largest effort that resists, by ascending index, and that index. None
  /// where h = 0.
  void add_actuators(const KickBodies& bodies, const KickSystem& system, std::vector<ConeConstraint>& cones,
                     std::vector<size_t>& laws);
  /// The impulses of a law for the solution v. `row`: of a law with an effort limit, solved; null if h = 0.
  LawImpulses compute_impulses(size_t index, std::span<const double> v, const ConeConstraint* row,
                               const KickBodies& bodies, const KickSystem& system);

 private:
  // What a law without a largest effort does in the step, as far as v decides: impulses on a and, unless it
  // is the world, on b; then for each row its weight and the row, which adds -weight J v. Of one that turns:
  // the torque on b and a lower triangle.
  struct Linear {
    uint32_t at = 0;  // among numbers_
    int8_t rows = 0;
    bool turns = false, has_b = false;
  };
  void add_law(const Law& law, const KickBodies& bodies, KickSystem& system);
  void add_rows(const Law& law, const model::Wrench& on_a, const model::Wrench& on_b,
                const KickBodies& bodies, KickSystem& system);
  void add_turning(const Law& law, const model::Wrench& on_b, const KickBodies& bodies, KickSystem& system);
  double* reserve(size_t numbers);
  LawImpulses linear_impulses(const Linear& linear, std::span<const double> v,
                              std::pair<int, int> nodes) const;

  ThetaParameters theta_;
  std::vector<Law> laws_;                   // by part
  std::vector<Law> limited_;                // those with a largest effort, by index
  std::vector<std::pair<int, int>> tied_;   // sorted
  std::vector<std::pair<int, int>> nodes_;  // of a and b, by index
  std::vector<Linear> linear_;              // by index
  std::vector<double> numbers_;             // of these, one after the other
  size_t used_ = 0;                         // of numbers_
  model::Resistance resistance_;            // scratch: of the law at hand
};

}  // namespace tumble::dynamics
