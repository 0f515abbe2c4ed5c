#include "tumble/simulate/simulation.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "tumble/core/hash.h"
#include "tumble/dynamics/joint_limits.h"
#include "tumble/simulate/archive.h"
#include "tumble/simulate/contact_sums.h"
#include "tumble/simulate/first_contact.h"
#include "tumble/simulate/input_queue.h"
#include "tumble/simulate/leapfrog/accounting.h"
#include "tumble/simulate/reference_run.h"
#include "tumble/simulate/run_check.h"
#include "tumble/simulate/start/prepare_start.h"
#include "tumble/simulate/stepper.h"

namespace tumble::simulate {

namespace {

std::string number_text(double value) { return core::brief_number(value, 3); }

bool all_finite(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

// A run with an error estimate is compared with a second run and must not be changed.
core::Diagnostics refuse_inputs(const SimulationOptions& options) {
  if (!options.estimate_error) return {};
  return {core::error_at({},
                         "a run with an error estimate cannot be changed: it is compared with a second "
                         "run that would not have the change")};
}

// Clearances of the limits of a joint, in m or rad; negative: passed.
std::vector<double> clearances_of(const model::JointParts& joint, const model::Model& model,
                                  const model::State& state) {
  std::vector<double> list;
  for (size_t k = joint.first_limit; k < joint.end_limit; ++k)
    list.push_back(dynamics::compute_limit_value(model, state, k));
  return list;
}

constexpr const char* kNoContact =
    "contact is not simulated by the precise method, bodies pass through each other: ";

// Options that a restored run must share with the saved one, and the sizes of its model.
struct RunIdentity {
  double fps = 0, accuracy = 0, fixed_step = 0;
  std::string integrator;
  bool quergs = false, reactions = false;
  std::array<double, 2> baumgarte = {};
  std::array<uint64_t, 4> sizes = {};  // bodies, joints, force laws, limits
  std::vector<uint64_t> pushed = {};   // indices of bodies that may be pushed
};

template <class Archive>
void archive(Archive& ar, RunIdentity& id) {
  ar(id.fps, id.accuracy, id.fixed_step, id.integrator, id.quergs, id.reactions, id.baumgarte, id.sizes,
     id.pushed);
}

std::string identity_of(const model::LiveModel& live, const SimulationOptions& options,
                        const InputQueue& inputs) {
  const model::Model& model = live.model();
  RunIdentity identity{
      .fps = options.fps,
      .accuracy = *options.accuracy,
      .fixed_step = options.fixed_step.value_or(0),
      .integrator = options.integrator_name(),
      .quergs = options.quergs,
      .reactions = options.reactions,
      .baumgarte = options.baumgarte.value_or(std::array<double, 2>{}),
      .sizes = {model.bodies().size(), model.joints().size(), model.forces().size(), model.limits().size()}};
  for (size_t i = 0; i < model.bodies().size(); ++i)
    if (live.has_input(model::BodyId(i))) identity.pushed.push_back(i);
  return to_bytes(identity) + (inputs.empty() ? "" : to_bytes(inputs.hash));
}

}  // namespace

struct Simulation::Internals {
  contact::TightPairs tight;  // of the start
  std::unique_ptr<Stepper> stepper;
  StepperMemory start_memory;  // of the stepper at step_start()
  ContactSums contact_sums;    // of steps before the last one, as far as later frames need them
  InputQueue inputs;
  // Observers of the run. Empty: not requested, or nothing to observe.
  std::optional<ReferenceRun> reference;
  std::unique_ptr<PenetrationCheck> penetration;
  std::optional<FirstContactSearch> first_contact;
  std::unique_ptr<dynamics::ConstrainedBodies> joints;  // measures joint errors
};

// The data that save() writes.
struct Simulation::Saved {
  std::string identity;
  std::vector<model::Setting> settings;  // in force since `start`
  std::vector<model::Setting> staged;    // for the next step
  StepStart start;
  StepperMemory memory;    // at the start
  bool step_made = false;  // a restored run repeats the step from `start`
  size_t frames = 0;
  double previous_frame = 0;           // s
  std::vector<double> frame_impulses;  // model::State::impulses at that time
  ContactSums contact_sums;
  std::vector<std::string> warnings;
  std::optional<uint64_t> inputs_taken = {};  // of the InputQueue, if the run has one

  template <class Archive>
  friend void archive(Archive& ar, Saved& s) {
    ar(s.identity, s.settings, s.staged);
    ar(s.start.state);
    std::visit([&](auto& of_method) { ar(of_method); }, s.memory);
    ar(s.start.statistics, s.start.log_rows, s.start.warnings, s.step_made, s.frames, s.previous_frame,
       s.frame_impulses, s.contact_sums, s.warnings);
    if (s.inputs_taken) ar(*s.inputs_taken);
  }
};

Simulation::Simulation(model::LiveModel live, const SimulationOptions& options,
                       const contact::TightPairs& tight)
    : live_(std::move(live)), options_(options), internals_(std::make_unique<Internals>()) {
  internals_->tight = tight;
  internals_->inputs = make_queue(options, live_);
  build_internals({});
}

// What is built from the model.
void Simulation::build_internals(const std::optional<Scales>& scales) {
  internals_->stepper = make_stepper(model(), options_, internals_->tight, scales);
  internals_->joints = std::make_unique<dynamics::ConstrainedBodies>(model());
  if (options_.method == Method::precise)
    internals_->first_contact.emplace(model(), *options_.accuracy, parameters_of(options_),
                                      internals_->tight);
  if (options_.verify != Verify::off)
    internals_->penetration = std::make_unique<PenetrationCheck>(model(), internals_->tight);
  if (internals_->penetration && !internals_->penetration->needed()) internals_->penetration.reset();
}

// Bodies whose script ends here become dynamic. The next step starts without memory, with the
// scales of the start.
void Simulation::release_bodies() {
  if (!live_.release_until(now_.state.time)) return;
  build_internals(Scales(internals_->stepper->scales()));
}

Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

core::Expected<Simulation> Simulation::create(const model::Model& model, const SimulationOptions& options) {
  const ResolvedOptions resolved = resolve(model, options);
  if (resolved.fault)
    return core::error_at({}, resolved.fault->options.front() + ": " + resolved.fault->message);
  model::LiveOptions live_options = options.live;
  if (options.inputs) {
    if (const core::Diagnostics faults = options.inputs->find_faults(model); !faults.empty()) return faults;
    for (const model::BodyId body : options.inputs->find_pushed(model)) live_options.pushed.push_back(body);
  }
  model::LiveModel live(model, live_options);
  const core::Expected<Start> start =
      prepare_start(live.model(), *resolved.options.accuracy, parameters_of(resolved.options));
  if (!start) return start.diagnostics();
  Simulation simulation(std::move(live), resolved.options, start->tight);
  simulation.begin(start);
  return {std::move(simulation), start.diagnostics()};
}

void Simulation::begin(const core::Expected<Start>& start) {
  now_.state = start->state;
  if (options_.estimate_error) {
    internals_->reference.emplace(model(), options_, *start);
    results_.error_estimate.emplace();
  }
  if (options_.reactions) now_.state.impulses.assign(model().joints().size() * model::kReactionSize, 0.0);
  const dynamics::Balance balance = dynamics::compute_balance(model(), now_.state);
  results_.statistics = RunStatistics(balance, compute_least_energy_scale(model(), balance), scales().time);
  for (const std::string& warning : options_.warnings) results_.warnings.add(warning, "");
  for (const core::Diagnostic& warning : start.diagnostics()) results_.warnings.add(warning.message, "");
  measure(now_.state, now_.balance, now_.joint_error);
  frame_.state = now_.state;
  frame_.previous_time = -1 / options_.fps;  // means of frame 0 are over a frame before the start
  step_start_ = {now_.state, results_.statistics};
  internals_->start_memory = internals_->stepper->memory();
}

std::optional<Event> Simulation::next() {
  if (!results_.failure.empty()) return std::nullopt;
  if (due_ == Due::start_warnings) {
    if (const std::string* text = results_.warnings.next()) return Warning{*text};
    step_start_.warnings = results_.warnings.given();
    due_ = now_.state.time > step_start_.state.time || log_rows_ == 0 ? Due::row
           : is_event_due()                                           ? Due::warnings
                                                                      : Due::step;
  }
  if (frame_.count < options_.frame_count() &&
      static_cast<double>(frame_.count) / options_.fps <= now_.state.time)
    return next_frame();
  if (is_covered()) return std::nullopt;
  if (due_ == Due::row) {
    due_ = Due::warnings;
    if (options_.log) {
      ++log_rows_;
      return make_row(now_.state, now_.step.h, now_.balance, now_.joint_error);
    }
  }
  if (due_ == Due::warnings) {
    if (const std::string* text = results_.warnings.next()) return Warning{*text};
    if (!begin_step()) return std::nullopt;
  }
  const StepReport report = take_step(options_.end_time());
  if (!report.good()) return std::nullopt;
  return report;
}

bool Simulation::is_covered() const {
  return frame_.count >= options_.frame_count() && now_.state.time >= options_.end_time();
}

core::Diagnostics Simulation::set(std::string_view address, std::span<const double> value) {
  if (core::Diagnostics refused = refuse_inputs(options_); !refused.empty()) return refused;
  const core::Expected<model::LiveModel::Place> place = live_.find(address);
  if (!place) return place.diagnostics();
  const model::LiveModel::NewValue change{&*place, value};
  return stage(std::span(&change, 1));
}

core::Diagnostics Simulation::stage(std::span<const model::LiveModel::NewValue> changes) {
  if (options_.method == Method::fast) return live_.stage(changes);
  // The precise method enforces a reached limit by projection, like a joint. If the limit were far exceeded,
  // the joint would jump.
  std::map<size_t, std::vector<double>> before;  // by joint
  for (const model::LiveModel::NewValue& change : changes)
    if (const model::LiveTarget& target = change.place->target;
        target.kind == model::LiveKind::joint && !before.contains(target.index))
      before[target.index] = clearances_of(model().joints()[target.index], model(), now_.state);
  return live_.stage(changes, [&](const model::LiveTarget& target) -> std::string {
    if (target.kind != model::LiveKind::joint) return {};
    const model::JointParts& joint = model().joints()[target.index];
    const std::vector<double> after = clearances_of(joint, model(), now_.state);
    for (size_t k = 0; k < after.size(); ++k) {
      const size_t limit = joint.first_limit + k;
      const double slack =
          parameters_of(options_).runge_kutta.limit_slack * dynamics::unit_of_limit(model(), limit);
      if (!dynamics::is_limit_passed(after[k], slack, before.at(target.index)[k])) continue;
      const bool angle = model().limits()[limit]->is_angle(0);
      return "it is beyond such a limit by " + number_text(-after[k]) + (angle ? " rad" : " m") +
             ", and the precise method does not bring joints back; only the fast one does";
    }
    return {};
  });
}

bool Simulation::is_event_due() const {
  const InputQueue& queue = internals_->inputs;
  return queue.next < queue.order.size() && options_.inputs->time(queue.order[queue.next]) <= now_.state.time;
}

// Events whose time has come wait with what set() and push() gave, on top of it. False: one cannot be, and
// the run ends.
bool Simulation::stage_events() {
  if (!is_event_due()) return true;
  InputQueue& queue = internals_->inputs;
  std::vector<model::LiveModel::NewValue> changes;
  size_t end = queue.next;
  for (; end < queue.order.size() && options_.inputs->time(queue.order[end]) <= now_.state.time; ++end)
    options_.inputs->list_changes(queue.order[end], queue.places, changes);
  const core::Diagnostics refused = stage(changes);
  if (refused.empty()) {
    queue.next = end;
    return true;
  }
  core::Diagnostic fault = refused.front();
  fault.place = options_.inputs->place(queue.order[end - 1]);
  results_.failure = "t = " + number_text(now_.state.time) + " s: the inputs up to " + to_string(fault);
  return false;
}

core::Diagnostics Simulation::push(model::BodyId body, const model::Push& push) {
  if (core::Diagnostics refused = refuse_inputs(options_); !refused.empty()) return refused;
  return live_.stage(body, push);
}

// Applies staged inputs. The energy that they add or remove at once is no error of the steps.
void Simulation::apply_inputs() {
  if (!live_.has_staged()) return;
  const double before = now_.balance.energy() - now_.balance.work;
  const bool made = static_cast<bool>(live_.make_staged());
  TUMBLE_REQUIRE(made, "inputs are checked when they are given");
  internals_->stepper->model_changed();
  internals_->stepper->restart_from(now_.state);
  if (options_.contacts)
    internals_->contact_sums.truncate_at(now_.state.time);  // the next step replaces later impulses
  measure(now_.state, now_.balance, now_.joint_error);
  results_.statistics.shift_energy(now_.balance.energy() - now_.balance.work - before);
}

// A run that is saved after this call is restored at the present state.
bool Simulation::begin_step() {
  if (options_.contacts && now_.state.time > step_start_.state.time)
    internals_->contact_sums.add(internals_->stepper->contacts());
  release_bodies();
  const bool good = step_again_ || stage_events();
  if (good && !step_again_) apply_inputs();
  user_data_ = user_data();
  step_again_ = false;
  results_.statistics.reset_recent_penetration();
  step_start_.state = now_.state;
  internals_->start_memory = internals_->stepper->memory();
  step_start_.statistics = results_.statistics;
  step_start_.log_rows = log_rows_;
  step_start_.warnings = results_.warnings.given();
  step_start_.user_data = user_data_;
  due_ = Due::step;
  return good;
}

// Statistics count states up to `end`.
StepReport Simulation::take_step(double end) {
  StepReport report;
  {
    const Stopwatch watch(results_.timings.steps);
    report = internals_->stepper->step(now_.state);
  }
  if (!report.good()) {
    results_.failure = describe(report, model(), now_.state.time);
    return report;
  }
  due_ = Due::row;
  now_.step = report;
  results_.statistics.count_step(report);
  measure(now_.state, now_.balance, now_.joint_error);
  const RunCheck check(model(), options_, now_.state);
  check.warn_of_step(report, internals_->stepper->limited_by_rounding(), results_.warnings);
  if (now_.state.time > end) return report;
  results_.statistics.add_balance(now_.balance, now_.joint_error);
  const model::Constraint* open = check.find_open_joint(*internals_->joints);
  results_.statistics.count_joints(open != nullptr);
  if (options_.verify == Verify::steps) verify(now_.state);
  check.judge(results_.statistics, open, report, results_.warnings);
  if (!report.good()) {
    results_.failure = check.describe_failure(results_.statistics, report);
    now_.state = step_start_.state;  // the last good one
    results_.statistics.copy_energy_end(step_start_.statistics);
  }
  return report;
}

// Makes the next frame: its state, checks and warnings, contacts, reactions and error estimate.
std::optional<Event> Simulation::next_frame() {
  const double t = static_cast<double>(frame_.count) / options_.fps;
  if (t == now_.state.time)
    frame_.state = now_.state;
  else
    internals_->stepper->state_at(t, frame_.state);
  warn_of_first_contact(t);
  verify(frame_.state);
  if (!is_frame_finite(t)) return std::nullopt;
  fill_contacts_and_reactions(t);
  if (internals_->reference && !internals_->reference->compare(frame_.state, *results_.error_estimate)) {
    results_.warnings.add("the comparison run of --estimate-error failed",
                          " at t = " + number_text(t) + " s; no estimate from there on");
    internals_->reference.reset();
  }
  return Frame{frame_.count++, &frame_.state, frame_.contacts, frame_.reactions};
}

// The precise method does not simulate contact: warns once if bodies touch in the frame.
void Simulation::warn_of_first_contact(double t) {
  if (!internals_->first_contact || results_.warnings.has(kNoContact)) return;
  const Stopwatch watch(results_.timings.first_contact);
  if (const std::optional<FirstContact> pair = internals_->first_contact->find(frame_.state))
    results_.warnings.add(kNoContact, "\"" + model().body(pair->a).name + "\" and \"" +
                                          model().body(pair->b).name + "\" touch at t = " + number_text(t) +
                                          " s");
}

// Sets the failure of the run and returns false if the frame is not finite.
bool Simulation::is_frame_finite(double t) {
  if (const model::BodyId bad = find_not_finite(frame_.state); bad.valid()) {
    results_.failure = "t = " + number_text(t) + " s: body \"" + model().body(bad).name +
                       "\": the motion is no longer a finite number inside a step of " +
                       number_text(now_.step.h) + " s";
    return false;
  }
  if (!all_finite(frame_.state.impulses)) {
    results_.failure = "t = " + number_text(t) + " s: the forces in the joints are no longer finite numbers";
    return false;
  }
  return true;
}

void Simulation::fill_contacts_and_reactions(double t) {
  if (options_.contacts) {
    // The last step is not part of the sums yet, since a restored run repeats it.
    ContactSums sums = internals_->contact_sums;
    if (now_.state.time > step_start_.state.time) sums.add(internals_->stepper->contacts());
    frame_.contacts = make_contact_rows(sums, frame_.previous_time, t, [&](uint32_t item) {
      return model().body(internals_->stepper->body_of_item(item)).name;
    });
    internals_->contact_sums.drop_until(t);
  }
  if (options_.reactions && frame_.count == 0) {
    model::State start = frame_.state;
    start.impulses.clear();
    frame_.reactions = internals_->stepper->reactions_at_start(start);
  } else if (options_.reactions) {
    const double span = frame_.state.time - frame_.previous_time;
    frame_.reactions.resize(frame_.state.impulses.size());
    for (size_t i = 0; i < frame_.reactions.size(); ++i)
      frame_.reactions[i] = (frame_.state.impulses[i] - frame_.impulses[i]) / span;
  }
  frame_.impulses = frame_.state.impulses;
  frame_.previous_time = t;
}

// Energy includes the elastic energy of compliant contact.
void Simulation::measure(const model::State& state, dynamics::Balance& balance, double& joint_error) const {
  balance = dynamics::compute_balance(model(), state);
  balance.potential += internals_->stepper->contact_energy(state.time);
  joint_error = internals_->joints->has_constraints()
                    ? internals_->joints->compute_gap(state.time, state.y.data()).error
                    : 0;
}

model::LogRow Simulation::make_row(const model::State& state, double h, const dynamics::Balance& balance,
                                   double joint_error) const {
  std::vector<double> by_body;
  by_body.reserve(options_.log_bodies.size() * model::kBodyLogSize);
  for (const model::BodyId body : options_.log_bodies) {
    const auto numbers = dynamics::compute_body_balance(model(), state, body);
    by_body.insert(by_body.end(), numbers.begin(), numbers.end());
  }
  return {.t = state.time,
          .h = h,
          .kinetic = balance.kinetic,
          .potential = balance.potential,
          .energy = balance.energy(),
          .momentum = balance.momentum,
          .angular_momentum = balance.angular_momentum,
          .contacts = static_cast<size_t>(now_.step.contacts),
          .max_penetration = statistics().recent_penetration(),
          .max_joint_error = joint_error,
          .impacts = static_cast<size_t>(statistics().count("impacts")),
          .work = balance.work,
          .work_by_force = state.work,
          .by_body = std::move(by_body)};
}

// The end lies inside the last step, or is its end.
model::LogRow Simulation::finish() {
  TUMBLE_REQUIRE(failure().empty() && is_covered() && !finished_,
                 "finish() comes once, after the last event of a run that has not failed");
  const double end = options_.end_time();
  // A longer run would not check the state at this end: what is found here is not part of save().
  step_start_.statistics.copy_penetrations(results_.statistics);
  finished_ = true;
  const model::State state = state_at(end);
  dynamics::Balance balance;
  double joint_error = 0;
  measure(state, balance, joint_error);
  const bool inside = now_.state.time > end;
  if (options_.verify == Verify::steps && inside) verify(state);
  const model::LogRow row =
      make_row(state, inside ? end - step_start_.state.time : now_.step.h, balance, joint_error);
  results_.statistics.add_balance(balance, joint_error);
  if (inside) judge_end(state);
  if (const InputQueue& queue = internals_->inputs; queue.next < queue.order.size())
    results_.warnings.add(
        "inputs come too late",
        ": " + std::to_string(queue.order.size() - queue.next) + " of " + std::to_string(queue.order.size()) +
            " did nothing, the first for t = " + number_text(options_.inputs->time(queue.order[queue.next])) +
            " s: no step began then before the end at t = " + number_text(end) + " s");
  return row;
}

// The step that the run ends in. take_step() judges the others.
void Simulation::judge_end(const model::State& end) {
  const RunCheck check(model(), options_, end);
  const model::Constraint* open = check.find_open_joint(*internals_->joints);
  results_.statistics.count_joints(open != nullptr);
  StepReport report = now_.step;
  check.judge(results_.statistics, open, report, results_.warnings);
  if (!report.good()) results_.failure = check.describe_failure(results_.statistics, report);
}

StepReport Simulation::step() {
  TUMBLE_REQUIRE(failure().empty(), "a run that has failed cannot go on");
  if (!begin_step()) {
    StepReport refused;
    refused.status = StepStatus::input_refused;
    return refused;
  }
  // Frames that were due are skipped. Sums and means of the next frame begin here.
  const double t = now_.state.time;
  frame_.count = std::max(frame_.count, static_cast<size_t>(std::floor(t * options_.fps)) + 1);
  while (static_cast<double>(frame_.count) / options_.fps <= t) ++frame_.count;
  frame_.previous_time = t;
  frame_.impulses = now_.state.impulses;
  internals_->contact_sums.drop_until(t);
  return take_step(std::numeric_limits<double>::infinity());
}

bool Simulation::run_until(double t) {
  while (now_.state.time < t)
    if (!step().good()) return false;
  return true;
}

model::State Simulation::state_at(double t) {
  TUMBLE_REQUIRE(t >= step_start_.state.time && t <= now_.state.time,
                 "state_at() is for times inside the last step");
  model::State state = now_.state;
  if (t != now_.state.time) internals_->stepper->state_at(t, state);
  return state;
}

// The check changes statistics, never the motion.
void Simulation::verify(const model::State& state) {
  if (!internals_->penetration) return;
  const Stopwatch watch(results_.timings.verify);
  const BodyOverlap deepest = internals_->penetration->find_deepest(state);
  if (deepest.depth > statistics().max_penetration())
    results_.deepest_overlap = DeepestOverlap{deepest, state.time};
  results_.statistics.add_penetration(deepest.depth);
}

const Scales& Simulation::scales() const { return internals_->stepper->scales(); }

long long Simulation::evaluations() const { return internals_->stepper->evaluations(); }

StepTimes Simulation::step_times() const { return internals_->stepper->times(); }

PairCounters Simulation::pair_counters() const {
  const collision::ManifoldBuilder::Counters counters = internals_->first_contact
                                                            ? internals_->first_contact->counters()
                                                            : internals_->stepper->pair_counters();
  return {counters.known, counters.searched};
}

std::string Simulation::save() const {
  const InputQueue& inputs = internals_->inputs;
  Saved saved{.identity = identity_of(live_, options_, inputs),
              .settings = live_.settings(),
              .staged = live_.staged(),
              .start = step_start_,
              .memory = internals_->start_memory,
              .step_made = step_again_ || now_.state.time > step_start_.state.time,
              .frames = frame_.count,
              .previous_frame = frame_.previous_time,
              .frame_impulses = frame_.impulses,
              .contact_sums = internals_->contact_sums,
              .warnings = warnings(),
              .inputs_taken = inputs.empty() ? std::nullopt : std::optional<uint64_t>(inputs.next)};
  // Penetrations in frames of the last step are not measured again.
  if (!finished_) saved.start.statistics.copy_penetrations(results_.statistics);
  std::string bytes = to_bytes(saved);
  // Only where there are any: a run without user data has no bytes for them.
  if (!user_data_.empty() || !step_start_.user_data.empty()) {
    ArchiveWriter user_data;
    user_data(step_start_.user_data, user_data_);
    bytes += user_data.take();
  }
  return to_bytes(core::hash_bytes(bytes)) + bytes;
}

core::Diagnostics Simulation::restore(std::string_view bytes) {
  TUMBLE_REQUIRE(!options_.estimate_error,
                 "a run with an error estimate compares whole runs and cannot be restored");
  Saved saved;
  saved.memory = internals_->stepper->memory();  // has the type of this method
  InputQueue& inputs = internals_->inputs;
  const std::string identity = identity_of(live_, options_, inputs);
  if (!inputs.empty()) saved.inputs_taken = 0;
  uint64_t hash = 0;
  std::string known;
  const std::string_view rest = bytes.substr(std::min(bytes.size(), sizeof hash));
  ArchiveReader head(bytes);
  head(hash, known);
  if (hash != core::hash_bytes(rest)) return {core::error_at({}, "the saved run is cut off or damaged")};
  if (known != identity)
    return {core::error_at({}, "the saved run belongs to another model or other options")};
  ArchiveReader reader(rest);
  reader(saved);
  std::vector<double> user_data;
  if (!reader.at_end()) reader(saved.start.user_data, user_data);
  const bool whole = reader.good() && reader.at_end() && fits(saved.start.state, model());
  // Sizes are those of the model at the saved time. A run that does not fit leaves the model as it is.
  const bool changed = live_.release_until(whole ? saved.start.state.time : step_start_.state.time);
  const auto refuse = [&](const char* why) -> core::Diagnostics {
    live_.release_until(step_start_.state.time);
    return {core::error_at({}, why)};
  };
  const size_t impulses = options_.reactions ? model().joints().size() * model::kReactionSize : 0;
  if (!whole || !fits(saved.memory, model()) || !fits(saved.contact_sums.points(), model()) ||
      saved.start.state.impulses.size() != impulses ||
      (saved.frames > 0 && saved.frame_impulses.size() != impulses) ||
      saved.start.warnings > saved.warnings.size() || saved.inputs_taken.value_or(0) > inputs.order.size())
    return refuse("the saved run does not hold what it should");
  if (!live_.start_over(saved.settings, saved.staged))
    return refuse("the saved run has settings that its model does not take");

  if (changed) build_internals(Scales(internals_->stepper->scales()));
  internals_->stepper->model_changed();
  internals_->stepper->set_memory(saved.memory);
  now_ = {};
  now_.state = saved.start.state;
  measure(now_.state, now_.balance, now_.joint_error);
  frame_ = {};
  frame_.state = now_.state;
  frame_.count = saved.frames;
  frame_.previous_time = saved.previous_frame;
  frame_.impulses = saved.frame_impulses;
  internals_->contact_sums = saved.contact_sums;
  step_start_ = saved.start;
  user_data_ = std::move(user_data);
  internals_->start_memory = saved.memory;
  results_ = {};
  results_.statistics = saved.start.statistics;
  results_.warnings = WarningList(saved.warnings, saved.start.warnings);
  log_rows_ = saved.start.log_rows;
  finished_ = false;
  due_ = Due::start_warnings;
  inputs.next = saved.inputs_taken.value_or(0);
  step_again_ = saved.step_made;
  // Repeat the step, so that frames inside it can be made. Not if log rows are requested from its start on.
  const bool needs_first_row = options_.log && log_rows_ == 0;
  if (saved.step_made && !needs_first_row && now_.state.time < options_.end_time()) {
    take_step(options_.end_time());
    due_ = Due::start_warnings;
    step_again_ = false;
  }
  return {};
}

}  // namespace tumble::simulate
