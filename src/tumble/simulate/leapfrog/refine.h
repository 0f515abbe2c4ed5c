// What a kick is given where its drift would bring bodies too near or pass limits, before it is solved again.
#pragma once

#include "tumble/simulate/leapfrog/solve_kick.h"

namespace tumble::simulate {

/// What one violation calls for.
struct Remedy {
  enum class Kind {
    press_through,  // a compliant contact is used up: rigid from here on
    cut,            // the drift ends where the bodies meet, or where nothing more can be certified
    raise,          // a row that is there asks for more
    add             // a row that is missing
  } kind;
  double h;                                      // s: the drift may be no longer
  const contact::ContactPoint* point = nullptr;  // of press_through and raise
  double velocity_bias = 0;                      // m/s, of raise
  collision::Contact contact = {};               // of add: as it is at t_n
};

/// Decides; changes nothing. `v` and `cones` are the solution for a drift of h.
Remedy choose_remedy(const StepContext& c, const model::State& at, const contact::Violation& violation,
                     const contact::ContactSet& contacts, const ConstraintSet& cones,
                     std::span<const double> v, double h);
void apply_remedy(const StepContext& c, const model::State& at, const contact::Violation& violation,
                  const Remedy& remedy, const contact::ContactCache& cache, KickRows& rows);
/// Gives every violation its remedy. Returns how long the drift may be.
double refine(const StepContext& c, const model::State& at, const contact::ContactCache& cache,
              const DriftCheck& check, const ConstraintSet& cones, std::span<const double> v, double h,
              KickRows& rows);

/// Bodies that hang together by joints: what is held, is held as a whole.
class JointedGroups {
 public:
  JointedGroups(const model::Model& model, const model::MovingBodies& bodies);
  /// Marks all nodes that hang on a marked one.
  void spread(std::vector<char>& marked) const;

 private:
  std::vector<int> group_;  // by node
};

/// No refinement helped. Limits stay passed. Bodies that would come too near, and all that hang on them by joints, stay where they are
/// while the others drift, and more if need be: their velocities are 0, their momenta stay as they were found.
void hold(const StepContext& c, const model::State& at, double h, const contact::ContactSet& contacts,
          const JointedGroups& groups, contact::ContactFinder& finder, DriftCheck& check,
          KickSolution& solution, StepReport& report);

}  // namespace tumble::simulate
