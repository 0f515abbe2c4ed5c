// A model whose numbers may change while it runs: gravity, friction, springs, drives, limits, pushes on bodies. A Model is
// constant and shared by threads. A LiveModel is a private copy of one, and whoever simulates it steps live.model(). Change it
// between two steps, from the thread that makes them. Bodies, shapes, joints and the number of laws and limits stay. So do the
// scales a run was begun with (simulate/scales.h): they set step lengths and tolerances, and a run that changed them half-way
// could not be compared with itself.
//   LiveModel live(model, {.pushed = {box}});
//   live.set_gravity({0, -1.62, 0});
//   live.push(box, {.force = {3, 0, 0}});
//   live.set("elbow.drive.target", 0.5);
// Every change is checked as the scene file's is. One that is refused changes nothing and says why.
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

/// One changed attribute with all its numbers.
struct Setting {
  std::string address;        // "world.gravity", "material:ice.friction", "joint:elbow.drive[2].target"
  std::vector<double> value;  // SI
  bool operator==(const Setting&) const = default;
};

struct LiveOptions {
  /// Bodies that may be pushed. Each has a force law NAME.input, after all others of the model.
  std::vector<BodyId> pushed = {};
  bool push_all = false;  // every body that is not fixed, instead
};

class LiveModel {
 public:
  /// The revision after a change, or why it was refused.
  using Changed = core::Expected<uint64_t>;

  /// Force laws and limits that cannot be copied (ForceLaw::clone) are shared with `model`.
  explicit LiveModel(const Model& model, const LiveOptions& options = {});
  ~LiveModel();
  LiveModel(LiveModel&&) noexcept;
  LiveModel& operator=(LiveModel&&) noexcept;

  /// It, and the laws and limits in it, stay where they are for as long as the LiveModel lives, also when that is moved.
  const Model& model() const { return *model_; }
  /// Rises with every change. Who keeps anything computed from the model's numbers looks here whether it still holds.
  uint64_t revision() const { return revision_; }

  Changed set_gravity(const Vec3& gravity);                          // m/s^2
  Changed set_friction(MaterialId material, double friction);        // Coulomb
  Changed set_restitution(MaterialId material, double restitution);  // 0..1
  /// `pair`: index into Model::material_pairs(). What it leaves to its materials stays so, and rigid contact stays rigid.
  Changed set_pair(size_t pair, const PairValues& values);

  // `force`: index into Model::forces(); of the law itself, not of the damper that goes with a spring.
  Changed set_spring(size_t force, const SpringValues& values);
  Changed set_applied(size_t force, const Vec3& value);   // N of a force, N m of a torque
  Changed set_attraction(size_t force, double constant);  // N m^2
  Changed set_drag(size_t force, const DragValues& values);

  // `joint`: index into Model::joints(). Numbers are rad or m, those of JointSpec and DriveSpec.
  Changed set_joint_spring(size_t joint, double stiffness, double rest);
  Changed set_joint_damping(size_t joint, double damping);
  Changed set_limits(size_t joint, const Range& limits);
  Changed set_twist(size_t joint, const Range& twist);
  /// All of a drive but its axis; JointParts::spec of model() has the present ones. Angles that nobody counted at the start
  /// (CountedHinge) are taken on the turn nearest to the target.
  Changed set_drive(size_t joint, size_t drive, const DriveSpec& values);

  /// Replaces what is done to the body so far; {} lets it go.
  Changed push(BodyId body, const Push& push);

  /// The same by name: [KIND:]NAME.ATTRIBUTE[.x|.y|.z|.N], with names and attributes of the scene file, N from 0.
  /// KIND (material, contact, body, joint, spring, force, torque, attraction, drag) is needed where two kinds share the name. A
  /// contact is called A,B after its materials; drives of a joint are drive, drive[2] and so on; a body that may be pushed has
  /// force, torque, pull.at, pull.to, pull.stiffness and pull.damping.
  Changed set(std::string_view address, std::span<const double> value);
  Changed set(std::string_view address, double value) { return set(address, std::span(&value, 1)); }
  /// The present numbers of an attribute.
  core::Expected<std::vector<double>> get(std::string_view address) const;

  /// What differs from the model it was made of, each attribute once, in the order of the model: what a checkpoint keeps.
  std::vector<Setting> settings() const;
  /// All of them, or none if one is refused. A fresh LiveModel of the same Model with the same options becomes the one they
  /// are from.
  Changed apply(std::span<const Setting> settings);

  /// Where an address leads: the numbers of an attribute, all of them or one.
  struct Place {
    LiveTarget target;
    size_t field = 0;
    std::optional<size_t> part = {};
    std::string attribute = {};  // "drive[2].target"
    size_t count = 0;            // numbers that it takes
  };
  /// For who uses an address often. A Place is good for every LiveModel of the same Model with the same
  /// options.
  core::Expected<Place> find(std::string_view address) const;
  struct NewValue {
    const Place* place = nullptr;
    std::span<const double> value = {};  // SI
  };

  // Changes that wait, for whoever still needs the numbers in force: checked at once, made all together by make_staged().
  /// Says why the values of a thing cannot be; it is called while they are in force. Empty: they can.
  using Look = std::function<std::string(const LiveTarget& target)>;
  /// All of them, later ones on top of earlier ones, or none if what they come to is refused.
  core::Diagnostics stage(std::span<const NewValue> changes, const Look& look = {});
  core::Diagnostics stage(BodyId body, const Push& push);
  bool has_staged() const { return !staged_.empty(); }
  Changed make_staged();
  /// What waits, like settings().
  std::vector<Setting> staged() const;
  /// The numbers of an attribute after make_staged().
  core::Expected<std::vector<double>> get_staged(std::string_view address) const;

  /// Lets go of every body whose script ends at time t or before, and puts all others on their paths. True if this
  /// changed anything: what was built of the model must then be built anew.
  bool release_until(double t);

  /// As a fresh one with these settings, and with others that wait. If one is refused, all stays as it is.
  Changed start_over(std::span<const Setting> settings, std::span<const Setting> staged);

  /// Tries changes one after the other, each on top of those before it, and makes none of them. One that
  /// cannot be is left out and handed to `refuse` with its number.
  void try_all(std::span<const NewValue> changes,
               const std::function<void(size_t number, const std::string& why)>& refuse) const;
  /// Whether the body may be pushed.
  bool has_input(BodyId body) const { return inputs_[body.index()] != nullptr; }

 private:
  using Names = std::unordered_map<std::string, std::vector<size_t>>;  // indices by KIND:NAME
  using Drafts = std::map<LiveTarget, LiveValues>;
  /// A field that was changed.
  struct ChangedField {
    std::string address;
    std::vector<double> original;  // SI, before the first change
  };

  std::vector<std::shared_ptr<const Limit>> copy_limits(const LawRoom& room);
  void copy_laws(const LawRoom& room);
  void follow_copies(const std::vector<std::shared_ptr<const Limit>>& originals);
  void add_inputs(const LiveOptions& options, const LawRoom& room);

  template <class Law>
  Law* law_as(size_t force) const;
  Damper* damper_of(size_t force) const;
  std::optional<LiveKind> kind_of(size_t force) const;
  LiveValues read(const LiveTarget& target) const;
  void write(const LiveTarget& target, const LiveValues& values);
  std::vector<std::string> faults(const LiveTarget& target, const LiveValues& values) const;
  Changed commit(Drafts drafts);
  core::Diagnostics draft(std::string_view address, std::span<const double> value, Drafts& drafts) const;
  core::Diagnostics find_faults_of(const Drafts& drafts) const;
  core::Diagnostics stage_values(Drafts drafts, const Look& look);
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
    std::shared_ptr<const ReleasedScript> released;  // stands in for it afterwards
    bool done = false;
  };

  std::unique_ptr<Model> model_;
  std::vector<Release> releases_;
  std::vector<ForceLaw*> laws_;     // like Model::forces(); null: shared
  std::vector<Limit*> limits_;      // like Model::limits(); null: shared
  std::vector<BodyInput*> inputs_;  // like Model::bodies(); null: may not be pushed
  std::map<std::pair<LiveTarget, size_t>, ChangedField> changed_;  // by field of a target
  Drafts staged_;
  mutable Names names_;  // made when first asked for
  uint64_t revision_ = 0;
};

}  // namespace tumble::model
