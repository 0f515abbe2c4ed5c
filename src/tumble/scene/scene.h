// Reads scene files and returns a checked Model. docs/scene.md describes scene files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tumble/core/expected.h"
#include "tumble/core/scene_file.h"
#include "tumble/model/model.h"

namespace tumble::scene {

using core::SceneFile;

/// The source of files: the disk, or a bundle in memory (a recording contains its scene and meshes). Paths
/// are relative to the folder of the main scene file.
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

/// Attributes of <simulation> that do not affect the motion (those are in model::RunOptions): files to read
/// and write, and messages. Paths are relative to the current folder, like those of flags. Empty: not given.
struct ProgramOptions {
  std::string summary, log, checkpoint, resume, contacts, reactions;
  std::string log_bodies;  // names with commas between them, or "all"
  std::string inputs;      // file of events (scene/inputs.h); the scene's own folder is already joined to it
  double max_cpu = 0;      // stop after this CPU time, s; 0: no limit
  bool estimate_error = false, profile = false, quiet = false, verbose = false;
};

struct Scene {
  model::Model model;
  ProgramOptions program;
  /// The attributes of <simulation> that were given, and their places.
  std::map<std::string, core::Place> given;
  /// All files that were read, the scene file first. load_scene(files[0].path, BundleFiles(files),
  /// {settings}) returns the same scene.
  std::vector<SceneFile> files;
  std::vector<std::string> settings;  // LoadOptions::settings
};

struct LoadOptions {
  /// [KIND:]PATH.ATTRIBUTE[.x|.y|.z|.N]=VALUE replaces or adds the text of an attribute. PATH is a name, then
  /// child elements (drive, box, box[2]), or simulation or world. The name of a contact is A,B, its two
  /// materials. If two settings change the same attribute, the later one wins. docs/scene.md has the details.
  std::vector<std::string> settings = {};
};

/// True for the place of a diagnostic about LoadOptions::settings, which is "--set ADDRESS" instead of a
/// file.
bool is_setting(const core::Place& place);

/// Reads a scene and all files it names. Reports all faults at once, in the order of files and lines. A scene
/// without errors may have warnings (a repaired mesh). Diagnostics show `path` as typed, and other files
/// joined to its folder.
core::Expected<Scene> load_scene(const std::string& path, const LoadOptions& options = {});
/// The same with another source of files. The main file is looked up by its name without the folder.
core::Expected<Scene> load_scene(const std::string& path, const FileSource& files,
                                 const LoadOptions& options = {});
/// Reads a scene from text. It cannot use other files. Its name in diagnostics is "scene.xml".
core::Expected<Scene> load_scene_text(const std::string& xml);

}  // namespace tumble::scene
