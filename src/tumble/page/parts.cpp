#include "tumble/page/parts.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "tumble/page/focus.h"
#include "tumble/page/manifest.h"
#include "tumble/page/tolerances.h"
#include "tumble/record/glb_still.h"

namespace tumble::page {

namespace {

using math::Vec3;

constexpr size_t kContactNumbers = 16;  // of a contact

template <typename T>
void append(std::string& bytes, double value) {
  const auto number = static_cast<T>(value);
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append_doubles(std::string& bytes, const std::vector<double>& values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
}

template <typename T>
void append_frame(const model::Model& model, const model::State& state, bool velocities, std::string& bytes) {
  append<T>(bytes, state.time);
  for (size_t i = 0; i < model.bodies().size(); ++i) {
    const model::BodyId id(i);
    if (model.body(id).is_fixed()) continue;
    const math::Quat q = state.orientation(id);
    for (const double x : state.position(id)) append<T>(bytes, x);
    for (const double x : {q.w(), q.x(), q.y(), q.z()}) append<T>(bytes, x);
    if (!velocities) continue;
    for (const double x : Vec3(model::velocity(model, state, id))) append<T>(bytes, x);
    for (const double x : Vec3(model::angular_velocity(model, state, id))) append<T>(bytes, x);
  }
}

// A whole number without sign and zeros in front, or nothing.
std::optional<size_t> read_index(std::string_view text) {
  size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() ||
      (text.size() > 1 && text[0] == '0'))
    return std::nullopt;
  return value;
}

}  // namespace

Parts::Parts(const record::Recording& recording, const model::Model& model, PartOptions options)
    : recording_(&recording), model_(&model), options_(std::move(options)) {
  if (options_.file.empty()) options_.file = "run.tumble";
  options_.contacts = options_.contacts && recording.info().contacts;
  size_t movers = 0;
  for (const model::Body& body : model.bodies()) movers += body.is_fixed() ? 0 : 1;
  const size_t numbers = 1 + movers * (options_.velocities ? kAllNumbers : kPoseNumbers);
  frames_per_block_ = std::clamp<size_t>(
      kBlockBytes / (numbers * (options_.single ? sizeof(float) : sizeof(double))), 1, kMostFramesPerBlock);
}

core::Expected<Parts> Parts::create(const record::Recording& recording, const model::Model& model,
                                    const PartOptions& options) {
  const std::vector<std::string>& names = recording.body_names();
  bool same = names.size() == model.bodies().size();
  for (size_t i = 0; same && i < names.size(); ++i) same = names[i] == model.bodies()[i].name;
  if (!same || recording.force_names() != model.work_names())
    return core::error_at({}, "the bodies and forces of the recording are not those of its scene");
  if (recording.info().reactions && recording.joint_names().size() != model.joints().size())
    return core::error_at({}, "the joints of the recording are not those of its scene");
  if (recording.frame_count() == 0) return core::error_at({}, "the recording has no frames");
  Parts parts(recording, model, options);
  for (auto read : {&Parts::read_frames, &Parts::read_log})
    if (core::Diagnostics faults = (parts.*read)(); !faults.empty()) return faults;
  return parts;
}

// Reads the first frame, and computes what the motion fills.
core::Diagnostics Parts::read_frames() {
  const size_t count = recording_->frame_count();
  first_ = model::start_state(*model_);
  std::vector<size_t> sampled;
  for (size_t i = 0; count > 0 && i <= kFocusFrames; ++i) {
    const size_t k = (count - 1) * i / kFocusFrames;
    if (sampled.empty() || sampled.back() != k) sampled.push_back(k);
  }
  detail::Focus focus(*model_), start(*model_);
  const auto measure_all = [&]() -> core::Diagnostics {
    for (const size_t k : sampled) {
      const core::Expected<model::State> state = recording_->frame(k);
      if (!state) return state.diagnostics();
      if (k == 0) first_ = *state;
      focus.measure(*state);
    }
    return {};
  };
  if (core::Diagnostics faults = measure_all(); !faults.empty()) return faults;
  if (focus.needs_second_pass()) {
    focus.begin_second_pass();
    if (core::Diagnostics faults = measure_all(); !faults.empty()) return faults;
  }
  start.measure(first_);
  detail::Focus::Box all, at_start;
  focus_boxes_ = focus.boxes();
  for (const auto& box : focus_boxes_) all.extend(box);
  for (const auto& box : start.boxes()) at_start.extend(box);
  if (all.isEmpty()) return {};
  focus_center_ = all.center();
  focus_radius_ = 0;
  for (const auto& box : focus_boxes_) {
    const Vec3 corner =
        (box.min() - focus_center_).cwiseAbs().cwiseMax((box.max() - focus_center_).cwiseAbs());
    focus_radius_ = std::max(focus_radius_, corner.norm());
  }
  if (focus_boxes_.size() > kMostFocusBoxes) focus_boxes_ = {all};
  size_ = std::min(at_start.sizes().maxCoeff(), all.sizes().maxCoeff());
  // Bodies without shapes have no size.
  if (!(focus_radius_ > 0)) focus_radius_ = 1;
  if (!(size_ > 0)) size_ = focus_radius_;
  return {};
}

core::Diagnostics Parts::read_log() {
  core::Expected<detail::LogTable> table = detail::read_log_table(*recording_);
  if (!table) return table.diagnostics();
  log_ = std::move(*table);
  return {};
}

size_t Parts::block_count() const {
  return (recording_->frame_count() + frames_per_block_ - 1) / frames_per_block_;
}

size_t Parts::frames_in(size_t block) const {
  return std::min(frames_per_block_, recording_->frame_count() - block * frames_per_block_);
}

std::vector<std::string> Parts::names() const {
  std::vector<std::string> names = {"run.json", "scene.glb", "log"};
  for (size_t block = 0; block < block_count(); ++block) {
    const std::string number = std::to_string(block);
    names.push_back("frames/" + number);
    if (options_.contacts) names.push_back("contacts/" + number);
    if (recording_->info().reactions) names.push_back("reactions/" + number);
  }
  return names;
}

std::optional<core::Expected<std::string>> Parts::find(std::string_view name) const {
  if (name == "run.json") return make_manifest();
  if (name == "scene.glb") return make_scene();
  if (name == "log") {
    std::string bytes;
    append_doubles(bytes, log_.columns);
    return bytes;
  }
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::optional<size_t> block = read_index(name.substr(slash + 1));
  if (!block || *block >= block_count()) return std::nullopt;
  const std::string_view kind = name.substr(0, slash);
  if (kind == "frames") return make_frames(*block);
  if (kind == "contacts" && options_.contacts) return make_contacts(*block);
  if (kind == "reactions" && recording_->info().reactions) return make_reactions(*block);
  return std::nullopt;
}

std::string Parts::make_manifest() const {
  return detail::make_manifest(*recording_, *model_, log_,
                               {.single = options_.single,
                                .contacts = options_.contacts,
                                .compare = options_.compare,
                                .frames_per_block = frames_per_block_,
                                .numbers_per_body = options_.velocities ? kAllNumbers : kPoseNumbers,
                                .size = size_,
                                .focus_radius = focus_radius_,
                                .focus_center = focus_center_,
                                .focus_boxes = focus_boxes_,
                                .file = options_.file});
}

std::string Parts::make_scene() const {
  std::vector<math::Pose> poses;
  for (size_t i = 0; i < model_->bodies().size(); ++i)
    poses.push_back(model::body_pose(*model_, first_, model::BodyId(i)));
  return record::to_still_glb(*model_, recording_->info().scene_name, poses);
}

core::Expected<std::string> Parts::make_frames(size_t block) const {
  std::string bytes;
  for (size_t i = 0; i < frames_in(block); ++i) {
    const core::Expected<model::State> state = recording_->frame(block * frames_per_block_ + i);
    if (!state) return state.diagnostics();
    if (options_.single)
      append_frame<float>(*model_, *state, options_.velocities, bytes);
    else
      append_frame<double>(*model_, *state, options_.velocities, bytes);
  }
  return bytes;
}

core::Expected<std::string> Parts::make_contacts(size_t block) const {
  std::string bytes;
  for (size_t i = 0; i < frames_in(block); ++i) {
    const size_t k = block * frames_per_block_ + i;
    const core::Expected<record::FrameContacts> contacts = recording_->contacts(k);
    if (!contacts) return contacts.diagnostics();
    for (const record::FrameContacts::Point& point : contacts->points) {
      const double numbers[kContactNumbers] = {static_cast<double>(k),
                                               static_cast<double>(point.a),
                                               static_cast<double>(point.b),
                                               point.point.x(),
                                               point.point.y(),
                                               point.point.z(),
                                               point.normal.x(),
                                               point.normal.y(),
                                               point.normal.z(),
                                               point.gap,
                                               point.normal_impulse,
                                               point.impulse.x(),
                                               point.impulse.y(),
                                               point.impulse.z(),
                                               point.slip,
                                               static_cast<double>(point.state)};
      for (const double x : numbers) append<double>(bytes, x);
    }
  }
  return bytes;
}

core::Expected<std::string> Parts::make_reactions(size_t block) const {
  std::string bytes;
  for (size_t i = 0; i < frames_in(block); ++i) {
    const core::Expected<std::vector<double>> reactions =
        recording_->reactions(block * frames_per_block_ + i);
    if (!reactions) return reactions.diagnostics();
    append_doubles(bytes, *reactions);
  }
  return bytes;
}

}  // namespace tumble::page
