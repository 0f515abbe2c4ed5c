// The motion inside a step, for frames. A drift is a straight line that is certified free of collisions. The
// motion itself is nearer to the cubic through both ends with the velocities there; the two differ by at most
// a h^2/8. Bodies are shown on the cubic, with joints closed. If bodies would overlap there, those that are
// near each other, and all bodies joined to them, are shown on the drift, with joints closed; and if they
// overlap there, on the drift as it is.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "tumble/dynamics/joint_projection.h"
#include "tumble/simulate/leapfrog/refine.h"

namespace tumble::simulate {

class DenseOutput {
 public:
  DenseOutput(const model::Model& model, const model::MovingBodies& bodies, const JointedGroups& groups)
      : model_(&model), bodies_(&bodies), groups_(&groups) {}

  /// The last step, from start to end. `v`: velocities of its drift, six numbers a node; `pairs`: the pairs
  /// of shapes that its certificate looked at; `near_free`: the part of its radius by which a body that is in
  /// none of them may leave the drift without touching anything.
  struct Step {
    model::State start, end;  // `end` has the momenta before an impact
    std::vector<double> v;
    std::vector<contact::PairTracker::SavedPair> pairs;
    double near_free = 0;
  };
  /// To be changed by the caller.
  Step& step() {
    is_updated_ = false;
    return step_;
  }
  const Step& step() const { return step_; }
  /// The state at a time inside the step, with momenta, impulses and works between those at its ends.
  void state_at(double time, const contact::ContactFinder& finder, model::State& state);

 private:
  // Closes joints; made when the first frame needs it.
  struct Joints {
    explicit Joints(const model::Model& model) : bodies(model), projection(bodies) {}
    dynamics::ConstrainedBodies bodies;
    dynamics::JointProjection projection;
  };
  // Departure from the drift at both ends of the step: hV - hv, and the same of rotation vectors.
  struct Departure {
    math::Vec3 start, end, turn_start, turn_end;
  };
  void update(const contact::ContactFinder& finder);
  void place(double time, bool near_on_cubic, model::State& state) const;
  void close_joints(model::State& state);
  bool overlaps(const model::State& state, const contact::ContactFinder& finder) const;

  const model::Model* model_;
  const model::MovingBodies* bodies_;
  const JointedGroups* groups_;
  Step step_;
  bool is_updated_ = false;                           // near_ and departures_ belong to step_
  std::vector<char> near_;                            // by node: in a group with a body that is in a pair
  std::vector<std::optional<Departure>> departures_;  // by node; none: on the drift
  std::unique_ptr<Joints> joints_;
  model::State closed_;  // scratch
};

}  // namespace tumble::simulate
