// The scene, checked and complete: built by ModelBuilder::finish(), constant from then on, shared by threads.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tumble/collision/shape.h"
#include "tumble/core/expected.h"
#include "tumble/core/ids.h"
#include "tumble/model/force_law.h"
#include "tumble/model/joint_rows.h"
#include "tumble/model/material.h"

namespace tumble::model {

using core::BodyId;
using core::MaterialId;
using math::Mat3;
using math::Pose;
using math::Quat;
using math::Vec3;

/// One shape of a body. S is the shape's frame, B the body's own frame as the user gave it.
struct BodyShape {
  collision::Shape shape;
  Pose X_BS;
  MaterialId material;
  bool collide = true;
};

/// What decides how a body moves.
enum class Mobility {
  dynamic,    // forces: it can be pushed
  kinematic,  // a path (model/body_script.h), whatever touches it
  fixed,      // it never moves; solvers have no node for it
};

struct Body {
  std::string name;
  Mobility mobility = Mobility::dynamic;
  /// s: a kinematic body becomes dynamic then; infinity: never.
  double release = std::numeric_limits<double>::infinity();
  std::string group;
  std::vector<BodyShape> shapes;

  // Start: pose of the body's frame, velocity of the centre of mass, angular velocity; world axes.
  Pose X_WB;
  Vec3 velocity = Vec3::Zero();          // m/s
  Vec3 angular_velocity = Vec3::Zero();  // rad/s

  // Mass. A fixed body never moves: its inverse mass and inertia are zero, whatever its mass.
  double mass = 0;                        // kg
  Vec3 center_B = Vec3::Zero();           // m, centre of mass in B
  Mat3 inertia_B = Mat3::Zero();          // kg m^2, about the centre of mass, axes of B
  double inverse_mass = 0;                // 1/kg
  Mat3 inverse_inertia_B = Mat3::Zero();  // 1/(kg m^2)
  double radius = 0;                      // m, bounding radius about the centre of mass

  core::Place place = {};  // where the scene says so

  bool collides() const;  // some shape of it does
  bool is_fixed() const { return mobility == Mobility::fixed; }
  bool is_dynamic() const { return mobility == Mobility::dynamic; }
  /// Forces move it, now or after its release.
  bool becomes_dynamic() const { return is_dynamic() || release < std::numeric_limits<double>::infinity(); }
};

/// Wishes of the scene about how to run it; a flag of the command line wins over them.
struct RunOptions {
  double duration = 5;                // s
  double fps = 60;                    // frames written per simulated second; never the step size
  std::string method = "auto";        // auto | precise | fast
  std::optional<double> accuracy;     // default: that of the method
  std::string integrator = "dopri8";  // dopri8 | dopri5 | cash-karp | rk4 | euler
  std::string orientation =
      "quaternion";  // quaternion | quergs (cash-karp only, to show its fall to order 2)
  /// k (1/s^2) and d (1/s) of the feedback C'' = -k C - d C' that replaces closing the joints; cash-karp only.
  std::optional<std::array<double, 2>> baumgarte;
  std::optional<double> step;     // s, fixed step for teaching
  bool settle = false;            // push overlapping starts apart instead of refusing them
  std::optional<int> threads;     // not used yet
  std::string verify = "frames";  // off | frames | steps: where the independent checker looks
};

class JointLaw;
struct JointSpec;

/// A joint as its user knows it: which rows, limits and forces of the model are its own.
struct JointParts {
  std::string name, type;
  BodyId a, b;                            // a: none for the world
  Vec3 arm_B = Vec3::Zero();              // m, from b's centre of mass, body axes: where a's force on b acts
  std::optional<size_t> constraint = {};  // a rope has limits alone
  size_t first_limit = 0, end_limit = 0, first_force = 0, end_force = 0;
  std::vector<std::shared_ptr<const JointLaw>> drives = {};  // also among the forces
  core::Place place = {};
  /// What it was made from; null for a constraint added by hand.
  std::shared_ptr<const JointSpec> spec = {};
  JointFrames frames = {};
  int counted = rows::kNotCounted;  // its place among Model::counted_hinges()
};

/// A hinge whose angle is counted beyond a turn, because a spring, drive or wide limit asks for it.
struct CountedHinge {
  BodyId a, b;  // a: none for the world
  JointFrames frames;
  double start = 0;  // rad
};

class Model {
 public:
  const std::string& name() const { return name_; }
  const Vec3& gravity() const { return gravity_; }  // m/s^2
  const std::vector<Body>& bodies() const { return bodies_; }
  const Body& body(BodyId id) const { return bodies_[id.index()]; }
  const std::vector<Material>& materials() const { return materials_; }
  const Material& material(MaterialId id) const { return materials_[id.index()]; }
  const std::vector<MaterialPair>& material_pairs() const { return material_pairs_; }
  const std::vector<std::shared_ptr<const ForceLaw>>& forces() const { return forces_; }
  /// Joints and other equations between bodies, in the order they were added.
  const std::vector<std::shared_ptr<const Constraint>>& constraints() const { return constraints_; }
  const std::vector<std::shared_ptr<const Limit>>& limits() const { return limits_; }
  /// One for each joint, and for each constraint added by hand; those with rows in the order of constraints().
  const std::vector<JointParts>& joints() const { return joints_; }
  /// Indices of constraints that move with time: their work is counted.
  const std::vector<size_t>& moving_constraints() const { return moving_constraints_; }
  /// What work is counted for: every force law, then every moving constraint (as NAME.script).
  std::vector<std::string> work_names() const;
  size_t work_count() const { return forces_.size() + moving_constraints_.size(); }
  const std::vector<CountedHinge>& counted_hinges() const { return counted_hinges_; }
  /// The size (m) an angle of a constraint counts with: the radius of the smaller of its moving bodies; 0 if none moves.
  double size_of(const Constraint& constraint) const;
  const RunOptions& run_options() const { return run_options_; }
  /// The body of that name, or nothing.
  std::optional<BodyId> find_body(const std::string& name) const;
  /// Pairs of bodies that never collide, each with a < b, sorted.
  const std::vector<std::pair<BodyId, BodyId>>& ignored_pairs() const { return ignored_pairs_; }
  /// Two bodies of which at least one can be pushed, and that are not ignored.
  bool may_collide(BodyId a, BodyId b) const;
  /// Some two bodies with shapes that collide may do so, now or after a release.
  bool has_colliding_bodies() const;

 private:
  friend class ModelBuilder;
  friend class LiveModel;
  std::string name_;
  Vec3 gravity_ = Vec3(0, -9.81, 0);  // m/s^2, unless the scene says otherwise
  std::vector<Body> bodies_;
  std::vector<Material> materials_;
  std::vector<MaterialPair> material_pairs_;
  std::vector<std::shared_ptr<const ForceLaw>> forces_;
  std::vector<std::shared_ptr<const Constraint>> constraints_;
  std::vector<std::shared_ptr<const Limit>> limits_;
  std::vector<JointParts> joints_;
  std::vector<size_t> moving_constraints_;
  std::vector<CountedHinge> counted_hinges_;
  std::vector<std::pair<BodyId, BodyId>> ignored_pairs_;
  RunOptions run_options_;
  std::unordered_map<std::string, BodyId> body_by_name_;
};

}  // namespace tumble::model
