#include "drawn_motion.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report.h"
#include "run_options.h"
#include "tumble/simulate/simulation.h"
#include "tumble/view/interpolate.h"

namespace tumble::app {

namespace {

// Times this near to a frame, in parts of the time between frames, show it unchanged.
constexpr double kSameFrame = 1e-6;
constexpr int kWireSegments = 16;  // of round shapes, with --wireframe

// The frame before a time, and how far the time is on the way to the next one, 0..1.
struct Between {
  size_t frame = 0;
  double share = 0;

  Between(double time, double fps, size_t count) {
    const double at = std::clamp(time * fps, 0.0, static_cast<double>(count - 1));
    frame = static_cast<size_t>(at);
    share = at - static_cast<double>(frame);
    if (share > 1 - kSameFrame) ++frame, share = 0;
    if (share < kSameFrame) share = 0;
  }
  size_t nearest() const { return frame + (share > 0.5 ? 1 : 0); }
};

// Bodies with a model: a scene or a recording that contains it.
class ModelMotion : public DrawnMotion {
 public:
  ModelMotion(std::unique_ptr<MotionSource> source, std::optional<int> segments)
      : source_(std::move(source)) {
    const model::Model& model = source_->model();
    up = model.up();
    has_up = model.has_up();
    items = view::build_draw_list(model, source_->frame(0), segments);
    view::prepare_normals(items);
    if (const std::string shapeless = describe_shapeless(model); !shapeless.empty())
      say(shapeless + (items.empty() ? ": the picture is empty" : ": the picture does not show such bodies"));
    size_t at = 0;
    for (const model::Body& body : model.bodies()) {
      names.push_back(body.name);
      items_of_body.emplace_back(body.shapes.size());
      std::iota(items_of_body.back().begin(), items_of_body.back().end(), at);
      at += body.shapes.size();
    }
  }
  const model::Model* model() const override { return &source_->model(); }
  const model::State* state() const override { return &state_; }
  math::Vec3 position(size_t body) const override { return state_.position(model::BodyId(body)); }
  bool is_fixed(size_t body) const override { return source_->model().bodies()[body].is_fixed(); }

  std::vector<size_t> figure_of(size_t body) const override {
    const model::Model& model = source_->model();
    std::vector<size_t> group(model.bodies().size());
    std::iota(group.begin(), group.end(), size_t{0});
    const auto root = [&](size_t i) {
      while (group[i] != i) i = group[i] = group[group[i]];
      return i;
    };
    for (const model::JointParts& joint : model.joints()) {
      if (!joint.a.valid() || !joint.b.valid()) continue;
      const size_t a = joint.a.index(), b = joint.b.index();
      if (!is_fixed(a) && !is_fixed(b)) group[root(a)] = root(b);
    }
    std::vector<size_t> figure;
    for (size_t i = 0; i < group.size(); ++i)
      if (root(i) == root(body)) figure.push_back(i);
    return figure;
  }

 protected:
  void show_state(model::State state) {
    state_ = std::move(state);
    view::update_poses(source_->model(), state_, items);
  }
  MotionSource& source() { return *source_; }
  const MotionSource& source() const { return *source_; }

 private:
  std::unique_ptr<MotionSource> source_;
  model::State state_;
};

class RecordedMotion final : public ModelMotion {
 public:
  RecordedMotion(std::unique_ptr<MotionSource> motion, std::optional<int> segments)
      : ModelMotion(std::move(motion), segments) {
    is_recording = true;
    fps = source().info().fps;
    begin = source().frame(0).time;  // above 0: the rest of a resumed run
    end = begin + static_cast<double>(source().frame_count() - 1) / fps;
  }
  const record::Recording* recording() const override { return source().recording(); }
  size_t nearest_frame() const override { return nearest_; }

  void show(double time) override {
    const Between at(time - begin, fps, source().frame_count());
    nearest_ = at.nearest();
    if (at.share == 0)
      show_state(source().frame(at.frame));
    else
      show_state(view::interpolate_state(*model(), frame(at.frame), frame(at.frame + 1), at.share));
  }

 private:
  // In slow motion the same two frames are needed many times.
  const model::State& frame(size_t k) {
    std::pair<size_t, model::State>& kept = kept_[k % 2];
    if (kept.second.y.empty() || kept.first != k) kept = {k, source().frame(k)};
    return kept.second;
  }
  size_t nearest_ = 0;
  std::pair<size_t, model::State> kept_[2];
};

// A scene, simulated: its states are exact at every time.
class SimulatedMotion final : public ModelMotion {
 public:
  SimulatedMotion(std::unique_ptr<MotionSource> motion, std::optional<int> segments,
                  const Arguments& arguments)
      : ModelMotion(std::move(motion), segments),
        options_(resolve_options(source().scene(), arguments).simulation) {
    options_.verify = simulate::Verify::off;
    fps = options_.fps;
    end = options_.duration;
  }

  bool prepare(const std::vector<double>& times) override {
    std::vector<double> sorted = times;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    core::Expected<simulate::Simulation> simulation = simulate::Simulation::create(*model(), options_);
    print_diagnostics(simulation.diagnostics());
    if (!simulation) throw InputError{};
    for (const double time : sorted) {
      if (!simulation->run_until(time)) {
        say("stopped: " + simulation->failure());
        if (states_.empty()) throw InputError{kExitNotHeld};
        end = states_.back().time;
        return false;
      }
      states_.push_back(simulation->state_at(time));
    }
    end = states_.empty() ? 0 : states_.back().time;
    return true;
  }

  void show(double time) override {
    const auto after = std::lower_bound(states_.begin(), states_.end(), time,
                                        [](const model::State& s, double t) { return s.time < t; });
    show_state(after == states_.end() ? states_.back() : *after);
  }

 private:
  simulate::SimulationOptions options_;
  std::vector<model::State> states_;
};

class GlbMotion final : public DrawnMotion {
 public:
  explicit GlbMotion(record::GlbRecording recording) : recording_(std::move(recording)) {
    up = recording_.up();
    is_recording = true;
    fps = recording_.fps();
    end = recording_.time(recording_.frame_count() - 1);
    names = recording_.node_names();
    items_of_body.resize(names.size());
    fixed_.assign(names.size(), true);
    for (size_t k = 0; k < recording_.frame_count() && std::count(fixed_.begin(), fixed_.end(), true); ++k)
      for (size_t node = 0; node < names.size(); ++node) {
        const math::Pose a = pose(node, 0), b = pose(node, k);
        if (a.translation != b.translation || std::abs(a.rotation.dot(b.rotation)) < 1 - kSameFrame)
          fixed_[node] = false;
      }
    // Where nothing moves, everything matters to the camera.
    if (std::find(fixed_.begin(), fixed_.end(), false) == fixed_.end()) fixed_.assign(names.size(), false);
    for (const record::GlbRecording::Item& item : recording_.items()) {
      items_of_body[item.node].push_back(items.size());
      items.push_back({.mesh = item.mesh, .X_WS = {}, .color = item.color, .fixed = fixed_[item.node]});
    }
    view::prepare_normals(items);
    poses_.resize(names.size());
    GlbMotion::show(0);
  }

  void show(double time) override {
    const Between at(time, fps, recording_.frame_count());
    for (size_t node = 0; node < names.size(); ++node)
      poses_[node] = at.share == 0
                         ? pose(node, at.frame)
                         : view::interpolate_pose(pose(node, at.frame), pose(node, at.frame + 1), at.share);
    for (size_t i = 0; i < items.size(); ++i) {
      const record::GlbRecording::Item& item = recording_.items()[i];
      items[i].X_WS = poses_[item.node] * item.X_BS;
    }
  }
  math::Vec3 position(size_t body) const override { return poses_[body].translation; }
  bool is_fixed(size_t body) const override { return fixed_[body]; }

 private:
  math::Pose pose(size_t node, size_t frame) const {
    const core::Expected<math::Pose> pose = recording_.pose(node, frame);
    print_diagnostics(pose.diagnostics());
    if (!pose) throw InputError{};
    return *pose;
  }
  record::GlbRecording recording_;
  std::vector<bool> fixed_;
  std::vector<math::Pose> poses_;
};

std::unique_ptr<DrawnMotion> open_glb(const std::string& path, const Arguments& arguments) {
  if (arguments.has("--set")) throw UsageError("--set changes a scene, but " + path + " is a recording");
  core::Expected<record::GlbRecording> recording = record::read_glb_recording(path);
  print_diagnostics(recording.diagnostics());
  if (!recording) throw InputError{};
  if (recording->items().empty()) say(path + ": no body has a shape; the picture is empty");
  return std::make_unique<GlbMotion>(std::move(recording).value());
}

}  // namespace

std::unique_ptr<DrawnMotion> DrawnMotion::open(const std::string& path, const Arguments& arguments) {
  const std::string extension = lower_extension(path);
  if (extension == ".glb" || extension == ".gltf") return open_glb(path, arguments);
  std::unique_ptr<MotionSource> source = open_motion(path, arguments);
  if (source->frame_count() == 0) {
    say(path + ": contains no frame");
    throw InputError{};
  }
  // Fine triangles would be one dark surface.
  const std::optional<int> segments =
      arguments.is_on("--wireframe").value_or(false) ? std::optional(kWireSegments) : std::nullopt;
  if (extension == ".tumble" || extension == ".csv")
    return std::make_unique<RecordedMotion>(std::move(source), segments);
  return std::make_unique<SimulatedMotion>(std::move(source), segments, arguments);
}

std::vector<double> DrawnMotion::sample_times(size_t most) const {
  const auto last = static_cast<size_t>(std::lround((end - begin) * fps));
  const size_t count = std::clamp<size_t>(most, 2, last + 1);
  std::vector<double> times = {begin};
  for (size_t k = 1; k < count; ++k)
    times.push_back(begin + static_cast<double>(k * last / (count - 1)) / fps);
  return times;
}

size_t DrawnMotion::find_body(const std::string& flag, const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  const std::string near = core::nearest_name(name, names);
  throw UsageError(flag + ": there is no body \"" + name + "\"" +
                   (near.empty() ? "" : "; did you mean \"" + near + "\"?"));
}

}  // namespace tumble::app
