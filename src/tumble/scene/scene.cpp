#include "tumble/scene/scene.h"

#include <algorithm>
#include <tuple>

#include "tumble/scene/build.h"
#include "tumble/scene/limits.h"
#include "tumble/scene/settings.h"

namespace tumble::scene {

namespace {

// Sorts diagnostics by file and line, and cuts them to kMaxFaults.
void arrange(const detail::Files& files, core::Diagnostics& diagnostics) {
  std::stable_sort(diagnostics.begin(), diagnostics.end(),
                   [&](const core::Diagnostic& a, const core::Diagnostic& b) {
                     const auto key = [&](const core::Place& place) {
                       return std::make_tuple(files.rank(place.file), place.line, place.column, place.byte);
                     };
                     return key(a.place) < key(b.place);
                   });
  size_t errors = 0;
  const auto is_surplus = [&](const core::Diagnostic& d) {
    return d.severity == core::Severity::error && ++errors > kMaxFaults;
  };
  diagnostics.erase(std::remove_if(diagnostics.begin(), diagnostics.end(), is_surplus), diagnostics.end());
  if (errors > kMaxFaults)
    diagnostics.push_back(core::error_at({files.main().shown}, "and " + std::to_string(errors - kMaxFaults) +
                                                                   " more faults; correct these first"));
}

}  // namespace

core::Expected<Scene> load_scene(const std::string& path, const FileSource& source,
                                 const LoadOptions& options) {
  core::Diagnostics diagnostics;
  detail::Files files(path, source);
  detail::Documents documents(files, diagnostics);
  detail::apply_settings(options.settings, files, documents, diagnostics);
  detail::Reading reading = detail::read_elements(files, documents, diagnostics);
  std::optional<Scene> scene = detail::build_scene(reading, files, diagnostics);
  arrange(files, diagnostics);
  if (!scene) return diagnostics;
  scene->files = files.take();
  scene->settings = options.settings;
  return {std::move(*scene), std::move(diagnostics)};
}

core::Expected<Scene> load_scene(const std::string& path, const LoadOptions& options) {
  const size_t slash = path.find_last_of('/');
  return load_scene(path, DiskFiles(slash == std::string::npos ? "" : path.substr(0, slash + 1)), options);
}

core::Expected<Scene> load_scene_text(const std::string& xml) {
  const std::string name = "scene.xml";
  return load_scene(name, BundleFiles({SceneFile{name, xml}}));
}

}  // namespace tumble::scene
