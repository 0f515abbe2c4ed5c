#include "tumble/model/live_model.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tumble/core/require.h"
#include "tumble/model/joint_forces.h"

namespace tumble::model {

namespace {

bool are_same(const LiveField& x, const LiveField& y) {
  return std::equal(x.numbers.begin(), x.numbers.end(), y.numbers.begin(), y.numbers.end(),
                    [](const double* a, const double* b) {
                      return std::bit_cast<uint64_t>(*a) == std::bit_cast<uint64_t>(*b);
                    });
}

std::vector<double> numbers_of(const LiveField& field) {
  std::vector<double> numbers;
  for (const double* number : field.numbers) numbers.push_back(*number);
  return numbers;
}

bool holds(const LiveField& field, std::span<const double> numbers) {
  return std::equal(
      field.numbers.begin(), field.numbers.end(), numbers.begin(), numbers.end(),
      [](const double* a, double b) { return std::bit_cast<uint64_t>(*a) == std::bit_cast<uint64_t>(b); });
}

/// The values of an object, and its fields, which point into these values.
struct OpenDraft {
  LiveValues values;
  std::vector<LiveField> fields = {};
};

std::string count_fault(size_t takes, size_t given) {
  return " takes " + std::to_string(takes) + (takes == 1 ? " number" : " numbers") + ", not " +
         std::to_string(given);
}

}  // namespace

LiveModel::LiveModel(const Model& model, const LiveOptions& options)
    : model_(std::make_unique<Model>(model)), inputs_(model.bodies().size(), nullptr) {
  const LawRoom room = std::make_shared<Arena<char>::Room>();
  // Comfort zones and drives refer to limits and laws: they get the copies.
  const std::vector<std::shared_ptr<const Limit>> originals = replace_limits_by_copies(room);
  replace_laws_by_copies(room);
  redirect_to_copies(originals);
  add_inputs(options, room);
  for (size_t k = 0; k < model.constraints().size(); ++k)
    if (auto script = std::dynamic_pointer_cast<const BodyScript>(model.constraints()[k]);
        script && std::isfinite(script->path().release_time()))
      releases_.push_back({k, script, std::make_shared<ReleasedScript>(*script)});
}

bool LiveModel::release_until(double t) {
  bool changed = false;
  for (Release& release : releases_) {
    const bool due = is_release_due(release.script->path().release_time(), t);
    if (due == release.done) continue;
    changed = true;
    release.done = due;
    model_->bodies_[release.script->b().index()].mobility = due ? Mobility::dynamic : Mobility::kinematic;
    std::shared_ptr<const Constraint>& rows = model_->constraints_[release.constraint];
    if (due)
      rows = release.released;
    else
      rows = release.script;
  }
  if (changed) ++revision_;
  return changed;
}

LiveModel::~LiveModel() = default;
LiveModel::LiveModel(LiveModel&&) noexcept = default;
LiveModel& LiveModel::operator=(LiveModel&&) noexcept = default;

std::vector<std::shared_ptr<const Limit>> LiveModel::replace_limits_by_copies(const LawRoom& room) {
  std::vector<std::shared_ptr<const Limit>> originals = model_->limits_;
  for (std::shared_ptr<const Limit>& limit : model_->limits_) {
    const std::shared_ptr<Limit> copy = limit->clone(room);
    limits_.push_back(copy.get());
    if (copy) limit = copy;
  }
  return originals;
}

// Copies the laws in the order of the model, so that their order in memory is the order of evaluation.
void LiveModel::replace_laws_by_copies(const LawRoom& room) {
  for (std::shared_ptr<const ForceLaw>& law : model_->forces_) {
    const std::shared_ptr<ForceLaw> copy = law->clone(room);
    laws_.push_back(copy.get());
    if (copy) law = copy;
  }
}

// Makes the joints refer to the copied laws, and the comfort zones to the copied limits.
void LiveModel::redirect_to_copies(const std::vector<std::shared_ptr<const Limit>>& originals) {
  for (JointParts& joint : model_->joints_) {
    size_t next = 0;  // the drives are in the order of the force laws
    for (size_t k = joint.first_force; k < joint.end_force; ++k) {
      if (next < joint.drives.size() && joint.drives[next]->name() == laws_[k]->name())
        joint.drives[next++] = std::dynamic_pointer_cast<const JointLaw>(model_->forces_[k]);
      auto* comfort = dynamic_cast<ComfortLaw*>(laws_[k]);
      for (size_t i = joint.first_limit; comfort && i < joint.end_limit; ++i)
        if (comfort->limit() == originals[i]) comfort->set_limit(model_->limits_[i]);
    }
  }
}

void LiveModel::add_inputs(const LiveOptions& options, const LawRoom& room) {
  std::vector<bool> pushed(model_->bodies_.size(), false);
  for (const BodyId id : options.pushed) {
    TUMBLE_REQUIRE(id.valid() && id.index() < pushed.size(), "a body to be pushed is not in the model");
    pushed[id.index()] = true;
  }
  for (size_t i = 0; i < pushed.size(); ++i) {
    const Body& body = model_->bodies_[i];
    if (!pushed[i] && !(options.push_all && !body.is_fixed())) continue;
    const auto input = make_in<BodyInput>(room, body.name + ".input", BodyId(i), body.center_B);
    inputs_[i] = input.get();
    laws_.push_back(input.get());
    model_->forces_.push_back(input);
  }
}

template <class Law>
Law* LiveModel::law_as(size_t force) const {
  return force < laws_.size() ? dynamic_cast<Law*>(laws_[force]) : nullptr;
}

// A spring with damping in a scene file becomes two laws, a Spring and a Damper (model/force_laws.h).
Damper* LiveModel::damper_of(size_t force) const {
  auto* damper = law_as<Damper>(force + 1);
  return damper && damper->name() == laws_[force]->name() + ".damping" ? damper : nullptr;
}

std::optional<LiveKind> LiveModel::kind_of(size_t force) const {
  if (law_as<Spring>(force)) return LiveKind::spring;
  if (law_as<AppliedForce>(force)) return LiveKind::force;
  if (law_as<AppliedTorque>(force)) return LiveKind::torque;
  if (law_as<InverseSquare>(force)) return LiveKind::attraction;
  if (law_as<Drag>(force)) return LiveKind::drag;
  return std::nullopt;
}

LiveValues LiveModel::read(const LiveTarget& target) const {
  const size_t i = target.index;
  switch (target.kind) {
    case LiveKind::world:
      return WorldValues{model_->gravity_};
    case LiveKind::material:
      return MaterialValues{model_->materials_[i].friction, model_->materials_[i].restitution};
    case LiveKind::contact: {
      const MaterialPair& pair = model_->material_pairs_[i];
      return PairValues{pair.friction, pair.restitution, pair.stiffness, pair.damping};
    }
    case LiveKind::body:
      return inputs_[i] ? BodyValues{.pushed = true, .push = inputs_[i]->push()}
                        : BodyValues{.push = {}, .fixed = model_->bodies_[i].is_fixed()};
    case LiveKind::joint: {
      const JointParts& parts = model_->joints_[i];
      JointValues values{.spec = *parts.spec, .limited = parts.end_limit > parts.first_limit};
      for (size_t k = parts.first_force; k < parts.end_force; ++k) {
        values.sprung = values.sprung || laws_[k]->name() == parts.name + ".spring";
        values.damped = values.damped || laws_[k]->name() == parts.name + ".damper";
      }
      return values;
    }
    case LiveKind::spring: {
      const Spring& spring = *law_as<Spring>(i);
      const Damper* damper = damper_of(i);
      return SpringValues{spring.stiffness(), spring.length(), damper ? damper->damping() : 0,
                          damper != nullptr};
    }
    case LiveKind::force:
      return AppliedValues{law_as<AppliedForce>(i)->value()};
    case LiveKind::torque:
      return AppliedValues{law_as<AppliedTorque>(i)->value()};
    case LiveKind::attraction:
      return AttractionValues{law_as<InverseSquare>(i)->constant()};
    case LiveKind::drag:
      return DragValues{law_as<Drag>(i)->linear(), law_as<Drag>(i)->quadratic(), law_as<Drag>(i)->wind()};
  }
  return WorldValues{};
}

void LiveModel::write(const LiveTarget& target, const LiveValues& values) {
  const size_t i = target.index;
  switch (target.kind) {
    case LiveKind::world:
      model_->gravity_ = std::get<WorldValues>(values).gravity;
      return;
    case LiveKind::material: {
      const auto& wanted = std::get<MaterialValues>(values);
      model_->materials_[i].friction = wanted.friction;
      model_->materials_[i].restitution = wanted.restitution;
      return;
    }
    case LiveKind::contact: {
      const auto& wanted = std::get<PairValues>(values);
      MaterialPair& pair = model_->material_pairs_[i];
      pair.friction = wanted.friction, pair.restitution = wanted.restitution;
      pair.stiffness = wanted.stiffness, pair.damping = wanted.damping;
      return;
    }
    case LiveKind::body:
      return inputs_[i]->set_push(std::get<BodyValues>(values).push);
    case LiveKind::joint: {
      JointParts& parts = model_->joints_[i];
      parts.spec = std::make_shared<JointSpec>(std::get<JointValues>(values).spec);
      return write_joint(parts, *parts.spec, limits_, laws_);
    }
    case LiveKind::spring: {
      const auto& wanted = std::get<SpringValues>(values);
      law_as<Spring>(i)->set_values(wanted.length, wanted.stiffness);
      if (Damper* damper = damper_of(i)) damper->set_damping(wanted.damping);
      return;
    }
    case LiveKind::force:
      return law_as<AppliedForce>(i)->set_value(std::get<AppliedValues>(values).value);
    case LiveKind::torque:
      return law_as<AppliedTorque>(i)->set_value(std::get<AppliedValues>(values).value);
    case LiveKind::attraction:
      return law_as<InverseSquare>(i)->set_constant(std::get<AttractionValues>(values).constant);
    case LiveKind::drag: {
      const auto& wanted = std::get<DragValues>(values);
      return law_as<Drag>(i)->set_values(wanted.linear, wanted.quadratic, wanted.wind);
    }
  }
}

std::vector<std::string> LiveModel::faults(const LiveTarget& target, const LiveValues& values) const {
  if (target.kind == LiveKind::joint) {
    const auto& joint = std::get<JointValues>(values);
    const JointSpec& spec = joint.spec;
    if (!joint.sprung && (spec.stiffness != 0 || spec.rest != 0 || !spec.rest_rotation.isZero(0)))
      return {"it has no spring to begin with; give it a stiffness above 0 in the scene"};
    if (!joint.damped && spec.damping != 0)
      return {"it has no damper to begin with; give it a damping above 0 in the scene"};
    return find_joint_faults(model_->joints_[target.index], spec, limits_, laws_);
  }
  if (target.kind == LiveKind::contact) {
    const auto& pair = std::get<PairValues>(values);
    const MaterialPair& now = model_->material_pairs_[target.index];
    if (pair.friction.has_value() != now.friction.has_value() ||
        pair.restitution.has_value() != now.restitution.has_value())
      return {"what the pair takes from its materials, it keeps taking from them"};
    if ((pair.stiffness > 0) != (now.stiffness > 0))
      return {"rigid contact stays rigid, and a soft layer keeps a stiffness above 0"};
  }
  return find_faults(values);
}

core::Diagnostics LiveModel::find_faults_of(const Drafts& drafts) const {
  core::Diagnostics refused;
  for (const auto& [target, values] : drafts)
    for (const std::string& fault : faults(target, values))
      refused.push_back(core::error_at({}, describe(target) + ": " + fault));
  return refused;
}

// Checks all drafts before it writes any of them.
LiveModel::Changed LiveModel::commit(const Drafts& drafts) {
  if (core::Diagnostics refused = find_faults_of(drafts); !refused.empty()) return refused;
  bool any = false;
  for (const auto& [target, draft] : drafts) {
    LiveValues now = read(target), wanted = draft;
    const std::vector<LiveField> before = fields_of(target.kind, now), after = fields_of(target.kind, wanted);
    bool changes = false;
    for (size_t f = 0; f < before.size(); ++f) {
      if (are_same(before[f], after[f])) continue;
      changes = true;
      const std::pair key(target, f);
      if (!changed_.contains(key))
        changed_[key] = {address_of(target) + "." + before[f].name, numbers_of(before[f])};
    }
    if (changes) write(target, wanted);
    any = any || changes;
  }
  if (any) ++revision_;
  return revision_;
}

std::vector<Setting> LiveModel::settings() const {
  std::vector<Setting> list;
  for (const auto& [key, changed] : changed_) {
    LiveValues values = read(key.first);
    const LiveField field = fields_of(key.first.kind, values)[key.second];
    if (!holds(field, changed.original)) list.push_back({changed.address, numbers_of(field)});
  }
  return list;
}

LiveModel::Changed LiveModel::apply(std::span<const Setting> settings) {
  Drafts drafts;
  core::Diagnostics refused;
  for (const Setting& setting : settings)
    if (core::Diagnostics faults = draft(setting.address, setting.value, drafts); !faults.empty())
      refused.insert(refused.end(), faults.begin(), faults.end());
  if (!refused.empty()) return refused;
  return commit(drafts);
}

LiveModel::Changed LiveModel::set(std::string_view address, std::span<const double> value) {
  Drafts drafts;
  if (core::Diagnostics faults = draft(address, value, drafts); !faults.empty()) return faults;
  return commit(drafts);
}

core::Diagnostics LiveModel::draft(std::string_view address, std::span<const double> value,
                                   Drafts& drafts) const {
  const core::Expected<Place> place = find(address);
  if (!place) return place.diagnostics();
  LiveValues& values = drafts.try_emplace(place->target, read(place->target)).first->second;
  const LiveField field = fields_of(place->target.kind, values)[place->field];
  if (value.size() != place->count)
    return {core::error_at({}, "\"" + std::string(address) + "\"" + count_fault(place->count, value.size()))};
  for (size_t i = 0; i < value.size(); ++i) *field.numbers[place->part.value_or(i)] = value[i];
  return {};
}

core::Expected<std::vector<double>> LiveModel::get(std::string_view address) const {
  const core::Expected<Place> place = find(address);
  if (!place) return place.diagnostics();
  return numbers_at(*place, read(place->target));
}

std::vector<double> LiveModel::numbers_at(const Place& place, LiveValues values) const {
  const LiveField field = fields_of(place.target.kind, values)[place.field];
  if (place.part) return {*field.numbers[*place.part]};
  return numbers_of(field);
}

void LiveModel::try_all(std::span<const NewValue> changes,
                        const std::function<void(size_t number, const std::string& why)>& refuse) const {
  std::map<LiveTarget, OpenDraft> drafts;
  std::vector<double> before;
  for (size_t n = 0; n < changes.size(); ++n) {
    const auto& [place, value] = changes[n];
    const auto [at, is_new] = drafts.try_emplace(place->target);
    OpenDraft& draft = at->second;
    if (is_new) draft.values = read(place->target);
    if (is_new) draft.fields = fields_of(place->target.kind, draft.values);
    if (value.size() != place->count) {
      refuse(n, place->attribute + count_fault(place->count, value.size()));
      continue;
    }
    before.clear();
    for (size_t i = 0; i < value.size(); ++i) {
      double& number = *draft.fields[place->field].numbers[place->part.value_or(i)];
      before.push_back(number);
      number = value[i];
    }
    const std::vector<std::string> found = faults(place->target, draft.values);
    for (const std::string& fault : found) refuse(n, describe(place->target) + ": " + fault);
    for (size_t i = 0; !found.empty() && i < value.size(); ++i)
      *draft.fields[place->field].numbers[place->part.value_or(i)] = before[i];
  }
}

bool LiveModel::is_in_force(const LiveTarget& target, LiveValues values) const {
  LiveValues now = read(target);
  const std::vector<LiveField> before = fields_of(target.kind, now), after = fields_of(target.kind, values);
  return std::equal(before.begin(), before.end(), after.begin(), after.end(), are_same);
}

core::Diagnostics LiveModel::stage_values(const Drafts& drafts, const Look& look) {
  if (core::Diagnostics refused = find_faults_of(drafts); !refused.empty()) return refused;
  for (const auto& [target, values] : drafts) {
    if (!look) break;
    const LiveValues now = read(target);
    write(target, values);
    const std::string fault = look(target);
    write(target, now);
    if (!fault.empty()) return {core::error_at({}, describe(target) + ": " + fault)};
  }
  for (const auto& [target, values] : drafts)
    if (is_in_force(target, values))
      staged_.erase(target);
    else
      staged_.insert_or_assign(target, values);
  return {};
}

core::Diagnostics LiveModel::stage(std::span<const NewValue> changes, const Look& look) {
  Drafts drafts;
  std::map<LiveTarget, std::vector<LiveField>> fields;
  for (const auto& [place, value] : changes) {
    const LiveTarget& target = place->target;
    const auto [draft, is_new] = drafts.try_emplace(target);
    if (is_new) {
      const auto waits = staged_.find(target);
      draft->second = waits == staged_.end() ? read(target) : waits->second;
      fields[target] = fields_of(target.kind, draft->second);
    }
    if (value.size() != place->count)
      return {core::error_at({}, "\"" + address_of(target) + "." + place->attribute + "\"" +
                                     count_fault(place->count, value.size()))};
    const LiveField& field = fields[target][place->field];
    for (size_t i = 0; i < value.size(); ++i) *field.numbers[place->part.value_or(i)] = value[i];
  }
  return stage_values(drafts, look);
}

core::Diagnostics LiveModel::stage(BodyId body, const Push& push) {
  TUMBLE_REQUIRE(body.valid() && body.index() < inputs_.size(), "no such body");
  if (!inputs_[body.index()]) return {no_input(body)};
  return stage_values({{{LiveKind::body, body.index()}, BodyValues{.pushed = true, .push = push}}}, {});
}

LiveModel::Changed LiveModel::make_staged() {
  Changed changed = commit(staged_);
  if (changed) staged_.clear();
  return changed;
}

std::vector<Setting> LiveModel::staged() const {
  std::vector<Setting> list;
  for (const auto& [target, values] : staged_) {
    LiveValues now = read(target), wanted = values;
    const std::vector<LiveField> before = fields_of(target.kind, now), after = fields_of(target.kind, wanted);
    for (size_t f = 0; f < after.size(); ++f)
      if (!are_same(before[f], after[f]))
        list.push_back({address_of(target) + "." + after[f].name, numbers_of(after[f])});
  }
  return list;
}

core::Expected<std::vector<double>> LiveModel::get_staged(std::string_view address) const {
  const core::Expected<Place> place = find(address);
  if (!place) return place.diagnostics();
  const auto waits = staged_.find(place->target);
  return numbers_at(*place, waits == staged_.end() ? read(place->target) : waits->second);
}

LiveModel::Changed LiveModel::start_over(std::span<const Setting> settings, std::span<const Setting> staged) {
  Drafts drafts;
  for (const auto& [key, changed] : changed_) {
    LiveValues& values = drafts.try_emplace(key.first, read(key.first)).first->second;
    const LiveField field = fields_of(key.first.kind, values)[key.second];
    for (size_t i = 0; i < field.numbers.size(); ++i) *field.numbers[i] = changed.original[i];
  }
  core::Diagnostics refused;
  const auto draft_all = [&](std::span<const Setting> list, Drafts& to) {
    for (const Setting& setting : list)
      for (core::Diagnostic& fault : draft(setting.address, setting.value, to))
        refused.push_back(std::move(fault));
  };
  draft_all(settings, drafts);
  Drafts next = drafts;
  draft_all(staged, next);
  for (core::Diagnostic& fault : find_faults_of(next)) refused.push_back(std::move(fault));
  if (!refused.empty()) return refused;
  Changed changed = commit(drafts);
  if (!changed) return changed;
  std::erase_if(next, [&](const auto& waits) { return is_in_force(waits.first, waits.second); });
  staged_ = std::move(next);
  return changed;
}

// Reads the values of an object, changes them with `make`, and writes them.
template <class Values, class Change>
LiveModel::Changed LiveModel::change(const LiveTarget& target, const Change& make) {
  LiveValues values = read(target);
  make(std::get<Values>(values));
  return commit({{target, std::move(values)}});
}

LiveModel::Changed LiveModel::set_gravity(const Vec3& gravity) {
  return change<WorldValues>({LiveKind::world, 0}, [&](WorldValues& world) { world.gravity = gravity; });
}

LiveModel::Changed LiveModel::set_friction(MaterialId id, double friction) {
  TUMBLE_REQUIRE(id.valid() && id.index() < model_->materials_.size(), "no such material");
  return change<MaterialValues>({LiveKind::material, id.index()},
                                [&](MaterialValues& material) { material.friction = friction; });
}

LiveModel::Changed LiveModel::set_restitution(MaterialId id, double restitution) {
  TUMBLE_REQUIRE(id.valid() && id.index() < model_->materials_.size(), "no such material");
  return change<MaterialValues>({LiveKind::material, id.index()},
                                [&](MaterialValues& material) { material.restitution = restitution; });
}

LiveModel::Changed LiveModel::set_pair(size_t pair, const PairValues& values) {
  TUMBLE_REQUIRE(pair < model_->material_pairs_.size(), "no such pair of materials");
  return change<PairValues>({LiveKind::contact, pair}, [&](PairValues& now) { now = values; });
}

template <class Values>
LiveModel::Changed LiveModel::set_law(size_t force, std::initializer_list<LiveKind> kinds,
                                      const Values& values) {
  TUMBLE_REQUIRE(force < laws_.size(), "no such force law");
  const std::optional<LiveKind> kind = kind_of(force);
  if (kind && std::find(kinds.begin(), kinds.end(), *kind) != kinds.end())
    return change<Values>({*kind, force}, [&](Values& now) { now = values; });
  return core::error_at({}, "force law \"" + model_->forces_[force]->name() + "\" is no " +
                                to_string(*kinds.begin()) +
                                (kind ? std::string(", but a ") + to_string(*kind) : ""));
}

LiveModel::Changed LiveModel::set_spring(size_t force, const SpringValues& values) {
  SpringValues wanted = values;
  wanted.damped = law_as<Spring>(force) && damper_of(force);
  return set_law(force, {LiveKind::spring}, wanted);
}

LiveModel::Changed LiveModel::set_applied(size_t force, const Vec3& value) {
  return set_law(force, {LiveKind::force, LiveKind::torque}, AppliedValues{value});
}

LiveModel::Changed LiveModel::set_attraction(size_t force, double constant) {
  return set_law(force, {LiveKind::attraction}, AttractionValues{constant});
}

LiveModel::Changed LiveModel::set_drag(size_t force, const DragValues& values) {
  return set_law(force, {LiveKind::drag}, values);
}

template <class Change>
LiveModel::Changed LiveModel::change_joint(size_t joint, const Change& make) {
  TUMBLE_REQUIRE(joint < model_->joints_.size(), "no such joint");
  const JointParts& parts = model_->joints_[joint];
  if (!parts.spec)
    return core::error_at({}, "joint \"" + parts.name + "\": a constraint added by hand cannot change");
  LiveValues values = read({LiveKind::joint, joint});
  if (const char* fault = make(std::get<JointValues>(values).spec))
    return core::error_at({}, "joint \"" + parts.name + "\": " + fault);
  return commit({{{LiveKind::joint, joint}, values}});
}

LiveModel::Changed LiveModel::set_joint_spring(size_t joint, double stiffness, double rest) {
  return change_joint(joint, [&](JointSpec& spec) -> const char* {
    spec.stiffness = stiffness, spec.rest = rest;
    return nullptr;
  });
}

LiveModel::Changed LiveModel::set_joint_damping(size_t joint, double damping) {
  return change_joint(joint, [&](JointSpec& spec) -> const char* {
    spec.damping = damping;
    return nullptr;
  });
}

LiveModel::Changed LiveModel::set_limits(size_t joint, const Range& limits) {
  return change_joint(joint, [&](JointSpec& spec) -> const char* {
    if (!spec.limits) return "it has no limits to begin with; give them in the scene";
    spec.limits = limits;
    return nullptr;
  });
}

LiveModel::Changed LiveModel::set_twist(size_t joint, const Range& twist) {
  return change_joint(joint, [&](JointSpec& spec) -> const char* {
    if (!spec.twist) return "it has no twist limits to begin with; give them in the scene";
    spec.twist = twist;
    return nullptr;
  });
}

LiveModel::Changed LiveModel::set_drive(size_t joint, size_t drive, const DriveSpec& values) {
  return change_joint(joint, [&](JointSpec& spec) -> const char* {
    if (drive >= spec.drives.size()) return "it has no such drive";
    const Vec3 axis = spec.drives[drive].axis;
    spec.drives[drive] = values;
    spec.drives[drive].axis = axis;
    return nullptr;
  });
}

core::Diagnostic LiveModel::no_input(BodyId body) const {
  return core::error_at(
      {}, "body \"" + model_->body(body).name + "\" was not among those to be pushed when the run began");
}

LiveModel::Changed LiveModel::push(BodyId body, const Push& push) {
  TUMBLE_REQUIRE(body.valid() && body.index() < inputs_.size(), "no such body");
  if (!inputs_[body.index()]) return no_input(body);
  return change<BodyValues>({LiveKind::body, body.index()}, [&](BodyValues& now) { now.push = push; });
}

}  // namespace tumble::model
