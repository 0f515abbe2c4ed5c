// A complete and valid scene. ModelBuilder::finish() creates it. It is constant, so threads can share it.
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

/// One shape of a body. S is the shape's frame. B is the body's frame, as given by the user.
struct BodyShape {
  collision::Shape shape;
  Pose X_BS;
  MaterialId material;
  bool collide = true;
};

/// What determines the motion of a body.
enum class Mobility {
  dynamic,    // forces
  kinematic,  // a prescribed path (model/body_script.h); forces do not change it
  fixed,      // it never moves; solvers have no node for it
};

struct Body {
  std::string name;
  Mobility mobility = Mobility::dynamic;
  /// The time (s) at which a kinematic body becomes dynamic; infinity: never.
  double release = std::numeric_limits<double>::infinity();
  std::string group;
  std::vector<BodyShape> shapes;

  // Initial state: pose of the body's frame, velocity of the centre of mass, angular velocity; world axes.
  Pose X_WB;
  Vec3 velocity = Vec3::Zero();          // m/s
  Vec3 angular_velocity = Vec3::Zero();  // rad/s

  // Mass properties. The inverse mass and inertia of a fixed body are zero, independently of its mass.
  double mass = 0;                        // kg
  Vec3 center_B = Vec3::Zero();           // m, centre of mass in B
  Mat3 inertia_B = Mat3::Zero();          // kg m^2, about the centre of mass, axes of B
  double inverse_mass = 0;                // 1/kg
  Mat3 inverse_inertia_B = Mat3::Zero();  // 1/(kg m^2)
  double radius = 0;                      // m, bounding radius about the centre of mass

  core::Place place = {};  // position in the scene file

  bool collides() const;  // at least one of its shapes does
  bool is_fixed() const { return mobility == Mobility::fixed; }
  bool is_dynamic() const { return mobility == Mobility::dynamic; }
  /// Whether it is dynamic now or after its release.
  bool becomes_dynamic() const { return is_dynamic() || release < std::numeric_limits<double>::infinity(); }
};

/// Run options of the scene. A flag of the command line overrides them.
struct RunOptions {
  double duration = 5;                // s
  double fps = 60;                    // output frames per simulated second; does not set the step size
  std::string method = "auto";        // auto | precise | fast
  std::optional<double> accuracy;     // default: depends on the method
  std::string integrator = "dopri8";  // dopri8 | dopri5 | cash-karp | rk4 | euler
  /// quaternion | quergs. quergs is for cash-karp only, and demonstrates its reduction to order 2.
  std::string orientation = "quaternion";
  /// k (1/s^2) and d (1/s) of the Baumgarte stabilisation C'' = -k C - d C'. It replaces the projection of
  /// joint errors. For cash-karp only.
  std::optional<std::array<double, 2>> baumgarte;
  std::optional<double> step;     // s, fixed step size, for teaching
  bool settle = false;            // separate bodies that overlap at the start; false: overlap is an error
  std::optional<int> threads;     // not used yet
  std::string verify = "frames";  // off | frames | steps: when the independent checker measures penetration
};

class JointLaw;
struct JointSpec;

/// A limit that the start pose passes by no more than the tolerance. It was widened up to the start pose.
struct WidenedLimit {
  std::string limit;   // "upper limit"
  double by = 0;       // rad or m
  bool angle = false;  // in rad
};

/// The constraint, limits and force laws of the model that belong to one joint of the scene.
struct JointParts {
  std::string name, type;
  BodyId a, b;                            // a: not valid for the world
  Vec3 arm_B = Vec3::Zero();              // m, from b's centre of mass, body axes: point of a's force on b
  std::optional<size_t> constraint = {};  // none for a rope, which has limits only
  size_t first_limit = 0, end_limit = 0, first_force = 0, end_force = 0;
  std::vector<std::shared_ptr<const JointLaw>> drives = {};  // Model::forces() contains them, too
  core::Place place = {};
  /// The specification of the joint; null for a constraint from ModelBuilder::add_constraint.
  std::shared_ptr<const JointSpec> spec = {};
  JointFrames frames = {};
  int counted = rows::kNotCounted;  // index into Model::counted_hinges()
  std::vector<WidenedLimit> widened = {};
};

/// A hinge whose angle is unwrapped (it may exceed pi), because a spring, a drive or a wide limit needs this.
struct CountedHinge {
  BodyId a, b;  // a: not valid for the world
  JointFrames frames;
  double start = 0;  // rad
};

class Model {
 public:
  const std::string& name() const { return name_; }
  const Vec3& gravity() const { return gravity_; }  // m/s^2
  /// A unit vector along an axis: up in pictures and in glTF files. It does not affect the motion.
  const Vec3& up() const { return up_; }
  /// Whether up was given or follows from gravity; otherwise it is Y.
  bool has_up() const { return has_up_; }
  const std::vector<Body>& bodies() const { return bodies_; }
  const Body& body(BodyId id) const { return bodies_[id.index()]; }
  const std::vector<Material>& materials() const { return materials_; }
  const Material& material(MaterialId id) const { return materials_[id.index()]; }
  const std::vector<MaterialPair>& material_pairs() const { return material_pairs_; }
  const std::vector<std::shared_ptr<const ForceLaw>>& forces() const { return forces_; }
  /// Joints and other constraints, in the order in which they were added.
  const std::vector<std::shared_ptr<const Constraint>>& constraints() const { return constraints_; }
  const std::vector<std::shared_ptr<const Limit>>& limits() const { return limits_; }
  /// One entry for each joint and each constraint from ModelBuilder::add_constraint. Those with rows are in
  /// the order of constraints().
  const std::vector<JointParts>& joints() const { return joints_; }
  /// Indices of the constraints that depend on time. The log contains their work.
  const std::vector<size_t>& moving_constraints() const { return moving_constraints_; }
  /// Names of the entries of State::work: all force laws, then all time-dependent constraints (as
  /// NAME.script).
  std::vector<std::string> work_names() const;
  size_t work_count() const { return forces_.size() + moving_constraints_.size(); }
  const std::vector<CountedHinge>& counted_hinges() const { return counted_hinges_; }
  /// The length (m) by which angles of a constraint are multiplied: the radius of the smaller one of its
  /// moving bodies, or 0 if neither body moves.
  double size_of(const Constraint& constraint) const;
  const RunOptions& run_options() const { return run_options_; }
  /// The body with this name, or none.
  std::optional<BodyId> find_body(const std::string& name) const;
  /// Pairs of bodies that never collide, each with a < b, sorted.
  const std::vector<std::pair<BodyId, BodyId>>& ignored_pairs() const { return ignored_pairs_; }
  /// Whether at least one of the bodies is dynamic and the pair is not ignored.
  bool may_collide(BodyId a, BodyId b) const;
  /// Whether there are two bodies that can collide, now or after a release.
  bool has_colliding_bodies() const;

 private:
  friend class ModelBuilder;
  friend class LiveModel;
  std::string name_;
  Vec3 gravity_ = Vec3(0, -9.81, 0);  // m/s^2
  Vec3 up_ = Vec3::UnitY();
  bool has_up_ = false;
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
