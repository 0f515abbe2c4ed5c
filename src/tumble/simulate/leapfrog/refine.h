// Refinement of a kick whose drift would bring bodies too near or pass limits, before the kick is solved
// again.
#pragma once

#include "tumble/simulate/leapfrog/solve_kick.h"

namespace tumble::simulate {

/// The correction for one violation.
struct Remedy {
  enum class Kind {
    press_through,  // the layer of a compliant contact is used up: the contact is rigid from here on
    cut,            // the drift ends where the bodies meet, or where the certificate ends
    raise,          // the bias of an existing row is raised
    add             // a missing row is added
  } kind;
  double h;                                      // s, upper bound of the drift
  const contact::ContactPoint* point = nullptr;  // for press_through and raise
  double velocity_bias = 0;                      // m/s, for raise
  collision::Contact contact = {};               // for add: the contact at t_n
};

/// Chooses the remedy and changes nothing. `v` and `cones` are the solution for a drift of h.
Remedy choose_remedy(const StepContext& c, const model::State& at, const contact::Violation& violation,
                     const KickRows& rows, const ConstraintSet& cones, std::span<const double> v, double h);
void apply_remedy(const StepContext& c, const model::State& at, const contact::Violation& violation,
                  const Remedy& remedy, const contact::ContactCache& cache, KickRows& rows);
/// Applies a remedy for every violation. Returns the longest permitted drift, s; the report names the bodies
/// that shorten it.
double refine(const StepContext& c, const model::State& at, const contact::ContactCache& cache,
              const DriftCheck& check, const ConstraintSet& cones, std::span<const double> v, double h,
              KickRows& rows, StepReport& report);

/// Groups of bodies that are connected by joints or by limits, e.g. ropes. A group is held as a whole.
class JointedGroups {
 public:
  JointedGroups(const model::Model& model, const model::MovingBodies& bodies);
  /// Marks a node, which may be kNone.
  static void mark(int node, std::vector<char>& marked) {
    if (node != model::kNone) marked[static_cast<size_t>(node)] = 1;
  }
  /// Marks all nodes of every group that has a marked node.
  void mark_groups(std::vector<char>& marked) const;

 private:
  std::vector<int> group_;  // by node
};

/// True if a contact or limit still approaches after an impact because a script moves its bodies: there is no
/// room. The report then says where.
bool find_jam_in_impact(const StepContext& c, const model::State& at, const KickRows& rows,
                        const JointedGroups& groups, StepReport& report);

/// Last resort when refinement has failed, also in the shortest drift. Limits stay passed. Bodies that would
/// come too near stay in place while the others drift, together with all bodies joined to them, and further
/// bodies if necessary. The velocities of held bodies are 0 in the drift; their momenta stay as solved. A
/// body that a script moves cannot stay: the report then has the status `jammed`.
void hold_bodies(const StepContext& c, const model::State& at, double h, const contact::ContactSet& contacts,
                 const JointedGroups& groups, contact::ContactFinder& finder, DriftCheck& check,
                 KickSolution& solution, StepReport& report);

}  // namespace tumble::simulate
