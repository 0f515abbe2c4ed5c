// Scene files in, a checked Model out. docs/scene.md tells users what a scene file may say.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tumble/core/expected.h"
#include "tumble/core/scene_file.h"
#include "tumble/model/model.h"

namespace tumble::scene {

using core::SceneFile;

/// Where files come from: the disk, or a bundle kept in memory (a recording carries its scene and meshes with
/// it). Paths are relative to the folder of the main scene file.
class FileSource {
 public:
  virtual ~FileSource() = default;
  virtual core::Expected<std::string> read(const std::string& path) const = 0;
};

class DiskFiles final : public FileSource {
 public:
  explicit DiskFiles(std::string folder = "") : folder_(std::move(folder)) {}
  core::Expected<std::string> read(const std::string& path) const override;

 private:
  std::string folder_;
};

class BundleFiles final : public FileSource {
 public:
  explicit BundleFiles(std::vector<SceneFile> files) : files_(std::move(files)) {}
  core::Expected<std::string> read(const std::string& path) const override;

 private:
  std::vector<SceneFile> files_;
};

/// What a scene wishes of the program that runs it, beside what decides its motion (model::RunOptions). Paths
/// are relative to the current folder, as those of flags are; an empty one is no wish.
struct ProgramWishes {
  std::string summary, log, checkpoint, resume, contacts, reactions;
  std::string inputs;  // events (scene/inputs.h); a path beside the scene, joined to its folder
  double max_cpu = 0;  // s of CPU after which to stop; 0: never
  bool estimate_error = false, profile = false, quiet = false, verbose = false;
};

struct Scene {
  model::Model model;
  ProgramWishes wishes;
  /// Where the attributes of <simulation> stand that were given.
  std::map<std::string, core::Place> given;
  /// Every file that was read, the scene file first: load_scene(files[0].path, BundleFiles(files),
  /// {settings}) gives the same scene again.
  std::vector<SceneFile> files;
  std::vector<std::string> settings;  // LoadOptions::settings
};

struct LoadOptions {
  /// [KIND:]PATH.ATTRIBUTE[.x|.y|.z|.N]=VALUE: the attribute has this text instead of the one in the file, or
  /// gets it. PATH is a name, then child elements (drive, box, box[2]), or simulation or world; a contact is
  /// called A,B after its materials. Of two settings of one attribute the later one counts. docs/scene.md has
  /// the whole of it.
  std::vector<std::string> settings = {};
};

/// Whether a diagnostic is about one of LoadOptions::settings and not about a file: its place is "--set
/// ADDRESS".
bool is_setting(const core::Place& place);

/// Reads a scene and everything it names. All faults are reported at once, in the order of files and lines;
/// warnings (a mended mesh) stand beside the value. Diagnostics show `path` as it was typed, other files
/// joined to its folder.
core::Expected<Scene> load_scene(const std::string& path, const LoadOptions& options = {});
/// The same with files from elsewhere: the main file is looked up by its name without the folder.
core::Expected<Scene> load_scene(const std::string& path, const FileSource& files,
                                 const LoadOptions& options = {});
/// A scene given as text, which names no other files. Diagnostics call it "scene.xml".
core::Expected<Scene> load_scene_text(const std::string& xml);

}  // namespace tumble::scene
