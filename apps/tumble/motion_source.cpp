#include "motion_source.h"

#include <algorithm>
#include <filesystem>

#include "report.h"
#include "run_options.h"
#include "tumble/core/version.h"
#include "tumble/record/recording.h"
#include "tumble/scene/scene.h"
#include "tumble/simulate/start/prepare_start.h"

namespace tumble::app {

namespace {

template <typename T>
T value_or_fail(core::Expected<T> result) {
  print_diagnostics(result.diagnostics());
  if (!result) throw InputError{exit_code_of(result.diagnostics())};
  return std::move(result).value();
}

class SceneStart final : public MotionSource {
 public:
  SceneStart(scene::Scene scene, const std::string& path)
      : scene_(std::move(scene)), start_(value_or_fail(start_of(scene_, path)).state) {}
  const scene::Scene& scene() const override { return scene_; }
  record::RecordingInfo info() const override {
    record::RecordingInfo info;
    info.scene_name = scene_.model.name();
    info.fps = scene_.model.run_options().fps;
    info.frames = 1;
    info.method = "none";
    info.files = scene_.files;
    info.settings = scene_.settings;
    info.version = core::kVersion;
    return info;
  }
  size_t frame_count() const override { return 1; }
  model::State frame(size_t) override { return start_; }

 private:
  scene::Scene scene_;
  model::State start_;
};

class TumbleFile final : public MotionSource {
 public:
  explicit TumbleFile(record::Recording recording)
      : recording_(std::move(recording)), scene_(load(recording_.info())) {}
  const scene::Scene& scene() const override { return scene_; }
  record::RecordingInfo info() const override { return recording_.info(); }
  size_t frame_count() const override { return recording_.frame_count(); }
  model::State frame(size_t k) override { return value_or_fail(recording_.frame(k)); }
  const record::Recording* recording() const override { return &recording_; }

 private:
  static scene::Scene load(const record::RecordingInfo& info) {
    std::vector<core::SceneFile> files = info.files;
    if (files.empty()) {
      say("the recording contains no scene");
      throw InputError{};
    }
    const std::string name = files.front().path;
    core::Expected<scene::Scene> scene =
        scene::load_scene(name, scene::BundleFiles(std::move(files)), {.settings = info.settings});
    if (!scene) print_diagnostics(scene.diagnostics());  // its warnings were printed when it ran
    if (!scene) throw InputError{};
    return std::move(scene).value();
  }
  record::Recording recording_;
  scene::Scene scene_;
};

class CsvFile final : public MotionSource {
 public:
  CsvFile(const std::string& path, scene::Scene scene)
      : scene_(std::move(scene)), states_(value_or_fail(record::read_csv(path, scene_.model))) {}
  const scene::Scene& scene() const override { return scene_; }
  record::RecordingInfo info() const override {
    record::RecordingInfo info;
    info.scene_name = scene_.model.name();
    info.fps = states_.size() > 1
                   ? static_cast<double>(states_.size() - 1) / (states_.back().time - states_[0].time)
                   : scene_.model.run_options().fps;
    info.frames = states_.size();
    info.method = "csv";
    info.files = scene_.files;
    info.settings = scene_.settings;
    info.version = core::kVersion;
    return info;
  }
  size_t frame_count() const override { return states_.size(); }
  model::State frame(size_t k) override { return states_.at(k); }

 private:
  scene::Scene scene_;
  std::vector<model::State> states_;
};

}  // namespace

core::Diagnostics with_file(core::Diagnostics diagnostics, const std::string& path) {
  for (core::Diagnostic& diagnostic : diagnostics)
    if (diagnostic.place.file.empty()) diagnostic.place.file = path;
  return diagnostics;
}

core::Expected<simulate::Start> start_of(const scene::Scene& scene, const std::string& path,
                                         double accuracy) {
  core::Expected<simulate::Start> start = simulate::prepare_start(scene.model, accuracy);
  core::Diagnostics diagnostics = with_file(start.diagnostics(), path);
  if (!start) return diagnostics;
  return {std::move(start).value(), std::move(diagnostics)};
}

std::string lower_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return extension;
}

std::unique_ptr<MotionSource> open_recording(const std::string& path) {
  return std::make_unique<TumbleFile>(value_or_fail(record::Recording::open(path)));
}

std::unique_ptr<MotionSource> open_motion(const std::string& path, const Arguments& arguments) {
  const std::string extension = lower_extension(path);
  if (extension == ".tumble" && arguments.has("--set"))
    throw UsageError("--set changes a scene, but " + path + " is a recording");
  if (extension == ".tumble") return open_recording(path);
  if (extension == ".csv") {
    const std::optional<std::string> scene = arguments.text("--scene");
    if (!scene) throw UsageError("a .csv contains no shapes: name its scene with --scene SCENE");
    return std::make_unique<CsvFile>(path, value_or_fail(load_scene(*scene, arguments)));
  }
  if (extension == ".glb" || extension == ".gltf" || extension == ".txt")
    throw UsageError(path + ": this version reads recordings from .tumble, or from .csv with --scene" +
                     (extension == ".txt" ? "" : "; a " + extension + " can only be rendered"));
  return std::make_unique<SceneStart>(value_or_fail(load_scene(path, arguments)), path);
}

}  // namespace tumble::app
