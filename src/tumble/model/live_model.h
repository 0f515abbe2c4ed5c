// A model whose parameters may change during a run: gravity, friction, springs, drives, limits, external
// forces. A Model is constant, and threads share it. A LiveModel is a private copy of a Model. Simulate
// live.model(), and change the LiveModel between two steps, in the thread that makes the steps. The bodies,
// the shapes, the joints and the number of laws and limits cannot change. The scales of a run
// (simulate/scales.h) do not change either. They determine step lengths and tolerances, which must be the
// same during the whole run.
//   LiveModel live(model, {.pushed = {box}});
//   live.set_gravity({0, -1.62, 0});
//   live.push(box, {.force = {3, 0, 0}});
//   live.set("elbow.drive.target", 0.5);
// Every change passes the same checks as a scene file. A change that fails a check has no effect and returns
// the error messages.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tumble/core/expected.h"
#include "tumble/model/body_script.h"
#include "tumble/model/force_laws.h"
#include "tumble/model/joint_spec.h"
#include "tumble/model/live_values.h"
#include "tumble/model/model.h"

namespace tumble::model {

/// An attribute and its value.
struct Setting {
  std::string address;        // "world.gravity", "material:ice.friction", "joint:elbow.drive[2].target"
  std::vector<double> value;  // SI
  bool operator==(const Setting&) const = default;
};

struct LiveOptions {
  /// Bodies that accept external inputs (Push). Each of them gets a force law NAME.input, after all other
  /// laws of the model.
  std::vector<BodyId> pushed = {};
  bool push_all = false;  // all bodies that are not fixed accept inputs, too
};

class LiveModel {
 public:
  /// The revision after a change, or the reasons why the change is not allowed.
  using Changed = core::Expected<uint64_t>;

  /// Force laws and limits without a copy function (ForceLaw::clone) are shared with `model`.
  explicit LiveModel(const Model& model, const LiveOptions& options = {});
  ~LiveModel();
  LiveModel(LiveModel&&) noexcept;
  LiveModel& operator=(LiveModel&&) noexcept;

  /// References to the model, its laws and its limits are valid during the whole life of the LiveModel, even
  /// if the LiveModel is moved.
  const Model& model() const { return *model_; }
  /// Increases with every change. A cache of values computed from the model is valid while the revision is
  /// the same.
  uint64_t revision() const { return revision_; }

  Changed set_gravity(const Vec3& gravity);                          // m/s^2
  Changed set_friction(MaterialId material, double friction);        // Coulomb
  Changed set_restitution(MaterialId material, double restitution);  // 0..1
  /// `pair`: index into Model::material_pairs(). A value that the pair does not override cannot become
  /// overridden, and a rigid contact cannot become compliant.
  Changed set_pair(size_t pair, const PairValues& values);

  // `force`: index into Model::forces(). For a spring with damping, it is the index of the spring, not of its
  // damper.
  Changed set_spring(size_t force, const SpringValues& values);
  Changed set_applied(size_t force, const Vec3& value);   // N of a force, N m of a torque
  Changed set_attraction(size_t force, double constant);  // N m^2
  Changed set_drag(size_t force, const DragValues& values);

  // `joint`: index into Model::joints(). Units (rad or m) and meanings are those of JointSpec and DriveSpec.
  Changed set_joint_spring(size_t joint, double stiffness, double rest);
  Changed set_joint_damping(size_t joint, double damping);
  Changed set_limits(size_t joint, const Range& limits);
  Changed set_twist(size_t joint, const Range& twist);
  /// Sets all values of a drive except its axis. JointParts::spec of model() has the current values. The
  /// angle of a hinge that was not unwrapped at the start (CountedHinge) is taken on the branch nearest to
  /// the target.
  Changed set_drive(size_t joint, size_t drive, const DriveSpec& values);

  /// Replaces the external input of the body. {} removes it.
  Changed push(BodyId body, const Push& push);

  /// Sets an attribute by its address: [KIND:]NAME.ATTRIBUTE[.x|.y|.z|.N]. Names and attributes are those of
  /// the scene file, and N counts from 0. KIND (material, contact, body, joint, spring, force, torque,
  /// attraction, drag) is necessary if objects of several kinds have the same name. The name of a contact is
  /// A,B, where A and B are its materials. The drives of a joint are drive, drive[2] and so on. A body that
  /// accepts inputs has the attributes force, torque, pull.at, pull.to, pull.stiffness and pull.damping.
  Changed set(std::string_view address, std::span<const double> value);
  Changed set(std::string_view address, double value) { return set(address, std::span(&value, 1)); }
  /// The current value of an attribute.
  core::Expected<std::vector<double>> get(std::string_view address) const;

  /// The attributes that differ from the original Model, each once, in the order of the model. A checkpoint
  /// stores them.
  std::vector<Setting> settings() const;
  /// Applies all settings, or none of them if one is not allowed. Applied to a new LiveModel of the same
  /// Model and options, settings() of another LiveModel reproduce that LiveModel.
  Changed apply(std::span<const Setting> settings);

  /// A resolved address: an attribute, or one of its numbers.
  struct Place {
    LiveTarget target;
    size_t field = 0;
    std::optional<size_t> part = {};
    std::string attribute = {};  // "drive[2].target"
    size_t count = 0;            // how many numbers its value has
  };
  /// Resolves an address, for callers that use it often. The Place is valid for every LiveModel of the same
  /// Model with the same options.
  core::Expected<Place> find(std::string_view address) const;
  struct NewValue {
    const Place* place = nullptr;
    std::span<const double> value = {};  // SI
  };

  // Staged changes, for callers that still need the current values. stage() checks them at once, and
  // make_staged() applies all of them together.
  /// An additional check. It is called while the new values are temporarily applied to the model. It returns
  /// an error message, or "" if the values of `target` are allowed.
  using Look = std::function<std::string(const LiveTarget& target)>;
  /// Stages all changes in their order, or none of them if the result is not allowed.
  core::Diagnostics stage(std::span<const NewValue> changes, const Look& look = {});
  core::Diagnostics stage(BodyId body, const Push& push);
  bool has_staged() const { return !staged_.empty(); }
  Changed make_staged();
  /// The staged changes, in the form of settings().
  std::vector<Setting> staged() const;
  /// The value that an attribute will have after make_staged().
  core::Expected<std::vector<double>> get_staged(std::string_view address) const;

  /// Makes every kinematic body whose release time is t or earlier dynamic, and every other scripted body
  /// kinematic. Returns true if this changed the model. Objects built from the model must then be rebuilt.
  bool release_until(double t);

  /// Resets to the original Model, then applies `settings` and stages `staged`. If one of them is not
  /// allowed, nothing changes.
  Changed start_over(std::span<const Setting> settings, std::span<const Setting> staged);

  /// Checks a sequence of changes without applying them. Each one is checked on top of the allowed ones
  /// before it. For a change that is not allowed, `refuse` is called with its index and the reason.
  void try_all(std::span<const NewValue> changes,
               const std::function<void(size_t number, const std::string& why)>& refuse) const;
  /// Whether the body accepts external inputs.
  bool has_input(BodyId body) const { return inputs_[body.index()] != nullptr; }

 private:
  using Names = std::unordered_map<std::string, std::vector<size_t>>;  // indices by KIND:NAME
  using Drafts = std::map<LiveTarget, LiveValues>;
  /// A field that was changed.
  struct ChangedField {
    std::string address;
    std::vector<double> original;  // SI, before the first change
  };

  std::vector<std::shared_ptr<const Limit>> replace_limits_by_copies(const LawRoom& room);
  void replace_laws_by_copies(const LawRoom& room);
  void redirect_to_copies(const std::vector<std::shared_ptr<const Limit>>& originals);
  void add_inputs(const LiveOptions& options, const LawRoom& room);

  template <class Law>
  Law* law_as(size_t force) const;
  Damper* damper_of(size_t force) const;
  std::optional<LiveKind> kind_of(size_t force) const;
  LiveValues read(const LiveTarget& target) const;
  void write(const LiveTarget& target, const LiveValues& values);
  std::vector<std::string> faults(const LiveTarget& target, const LiveValues& values) const;
  Changed commit(const Drafts& drafts);
  core::Diagnostics draft(std::string_view address, std::span<const double> value, Drafts& drafts) const;
  core::Diagnostics find_faults_of(const Drafts& drafts) const;
  core::Diagnostics stage_values(const Drafts& drafts, const Look& look);
  bool is_in_force(const LiveTarget& target, LiveValues values) const;
  std::vector<double> numbers_at(const Place& place, LiveValues values) const;
  core::Diagnostic no_input(BodyId body) const;
  template <class Values, class Change>
  Changed change(const LiveTarget& target, const Change& make);
  template <class Values>
  Changed set_law(size_t force, std::initializer_list<LiveKind> kinds, const Values& values);
  template <class Change>
  Changed change_joint(size_t joint, const Change& make);

  // live_address.cpp
  const Names& names() const;
  std::string given_name(const LiveTarget& target) const;
  std::string describe(const LiveTarget& target) const;
  std::string address_of(const LiveTarget& target) const;
  std::vector<LiveTarget> targets_named(LiveKind kind, std::string_view name) const;
  core::Expected<Place> find_field(const LiveTarget& target, std::string_view attribute,
                                   const std::string& said) const;
  std::string no_such_name(std::string_view rest, const std::vector<LiveKind>& kinds) const;

  /// A body that is released at some time.
  struct Release {
    size_t constraint = 0;  // index into Model::constraints()
    std::shared_ptr<const BodyScript> script;
    std::shared_ptr<const ReleasedScript> released;  // replaces `script` after the release
    bool done = false;
  };

  std::unique_ptr<Model> model_;
  std::vector<Release> releases_;
  std::vector<ForceLaw*> laws_;     // like Model::forces(); null: shared
  std::vector<Limit*> limits_;      // like Model::limits(); null: shared
  std::vector<BodyInput*> inputs_;  // like Model::bodies(); null: accepts no inputs
  std::map<std::pair<LiveTarget, size_t>, ChangedField> changed_;  // by field of a target
  Drafts staged_;
  mutable Names names_;  // built on first use
  uint64_t revision_ = 0;
};

}  // namespace tumble::model
