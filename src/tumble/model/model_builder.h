// Builds a Model, in a program or from a scene file. The builder collects errors. finish() makes the
// remaining checks and returns all errors together, each with the place of its element. Places are empty for
// models built in a program.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "tumble/geometry/mesh_check.h"
#include "tumble/model/arena.h"
#include "tumble/model/body_script.h"
#include "tumble/model/force_laws.h"
#include "tumble/model/joint_spec.h"
#include "tumble/model/model.h"

namespace tumble::model {

/// Explicit mass properties. They replace those computed from the shapes.
struct GivenInertia {
  double mass = 0;               // kg
  Vec3 center = Vec3::Zero();    // m, in the body's frame
  Vec3 moments = Vec3::Zero();   // kg m^2: xx yy zz of the inertia matrix about the centre of mass, body axes
  Vec3 products = Vec3::Zero();  // kg m^2: its elements xy xz yz, with the sign of -integral of x y dm
  core::Place place = {};
};

struct ShapeSpec {
  collision::Shape shape;
  Pose X_BS = {};
  MaterialId material = {};  // not valid: the default material
  bool collide = true;
  core::Place place = {};
};

struct BodySpec {
  std::string name;
  bool fixed = false;
  std::string group;
  Pose X_WB;
  Vec3 velocity = Vec3::Zero();          // m/s, of the centre of mass, world axes
  Vec3 angular_velocity = Vec3::Zero();  // rad/s, world axes
  std::vector<ShapeSpec> shapes;
  std::optional<GivenInertia> inertia;
  core::Place place = {};
};

class ModelBuilder {
 public:
  explicit ModelBuilder(std::string name = "scene");

  void set_name(const std::string& name) { model_.name_ = name; }
  void set_gravity(const Vec3& gravity) { model_.gravity_ = gravity; }
  /// The axis (x 0, y 1, z 2) that is up. Without this call: the axis, in either direction, that is nearest
  /// to the opposite of gravity.
  void set_up(int axis);
  void set_run_options(const RunOptions& options) { model_.run_options_ = options; }
  MaterialId add_material(const Material& material, const core::Place& place = {});
  void add_material_pair(const MaterialPair& pair) { model_.material_pairs_.push_back(pair); }
  /// The materials of its shapes must have been added before. The id is valid even if the body has errors.
  BodyId add_body(const BodySpec& spec);
  /// The vector from the body's centre of mass to a point, in body axes. The point is in world coordinates,
  /// in the start pose. For the world, the result is the point itself.
  Vec3 arm_of(BodyId body, const Vec3& point_W) const;
  /// A body that has been added, with its mass properties.
  const Body& body(BodyId body) const { return model_.body(body); }
  /// The initial centre of mass of a body that has been added, in world coordinates.
  Vec3 start_center(BodyId body) const;
  void add_force(std::shared_ptr<const ForceLaw> law) { model_.forces_.push_back(std::move(law)); }
  /// Adds a force law for every pair of bodies of a group, e.g. gravitation among planets. It uses the bodies
  /// that have been added so far. `make` returns the law of a pair, or null for no law. It is not called for
  /// pairs in which no body can move.
  using MakeLaw = std::function<std::shared_ptr<const ForceLaw>(BodyId a, BodyId b)>;
  void add_forces_among(const std::string& group, const MakeLaw& make);
  /// Adds the rows, limits and force laws of a joint. Its bodies must have been added before.
  void add_joint(const JointSpec& spec);
  void add_constraint(std::shared_ptr<const Constraint> constraint);
  /// Makes a body kinematic: it starts on the path and follows it. Add the body before, and its joints after
  /// this call.
  void add_script(BodyId body, const PathSpec& path, const core::Place& place = {});
  void add_limit(std::shared_ptr<const Limit> limit) { model_.limits_.push_back(std::move(limit)); }
  void ignore_pair(BodyId a, BodyId b);
  /// Bodies of group g do not collide with bodies of group h (g and h may be equal).
  void ignore_groups(const std::string& g, const std::string& h) { ignored_groups_.emplace_back(g, h); }

  /// Checks the whole model. An error names its body or element. A warning describes what the builder
  /// changed.
  core::Expected<Model> finish();

 private:
  void fail(const core::Place& place, std::string message);
  template <class Law, class... Arguments>
  std::shared_ptr<const Law> make_law(Arguments&&... arguments) {
    return make_in<Law>(room_for_laws_, std::forward<Arguments>(arguments)...);
  }
  bool check_joint(const JointSpec& spec);
  JointFrames compute_joint_frames(const JointSpec& spec) const;
  BodyMotion start_pose(BodyId body) const;
  void add_joint_rows(const JointSpec& spec, const JointFrames& frames, JointParts& parts);
  size_t add_rows(std::shared_ptr<const Constraint> constraint);
  int count_turns(const JointSpec& spec, const JointFrames& frames);
  bool resolve_start(JointSpec& spec);
  void add_joint_limits(JointSpec& spec, JointParts& parts);
  void add_joint_forces(const JointSpec& spec, const JointFrames& frames, int counted, JointParts& parts);
  void add_comfort(const JointSpec& spec, const std::shared_ptr<const Limit>& limit, double depth,
                   double swing);
  void compute_body_mass(const BodySpec& spec, Body& body);
  void use_given_inertia(const BodySpec& spec, const GivenInertia& given, Body& body);
  void add_up_shapes(const BodySpec& spec, Body& body);
  const std::string& hull_fault(const geometry::TriangleMesh& hull);
  const geometry::MeshReport& report_on(const geometry::TriangleMesh& mesh);

  Model model_;
  std::vector<std::pair<std::string, std::string>> ignored_groups_;
  std::map<const geometry::TriangleMesh*, geometry::MeshReport> mesh_reports_;  // each mesh is checked once
  std::map<const geometry::TriangleMesh*, std::string> hull_faults_;            // and each hull
  std::set<std::string> joint_names_;
  LawRoom room_for_laws_ = std::make_shared<Arena<char>::Room>();
  core::Diagnostics diagnostics_;
};

}  // namespace tumble::model
