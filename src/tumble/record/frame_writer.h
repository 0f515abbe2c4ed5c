// Trajectories out: one writer a file, its format by the extension of the path.
//   .csv .txt   text, one row a frame
//   .glb .gltf  meshes and one animation; a .gltf has its data in a .bin beside it
//   .tumble     native: the scene, states as doubles, log, warnings, summary
// A recording depends on the scene, the flags and the build alone: never on the clock, on when it was
// flushed, or on how often the run was interrupted and resumed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tumble/core/expected.h"
#include "tumble/model/state.h"
#include "tumble/record/failure.h"
#include "tumble/record/log_writer.h"
#include "tumble/record/summary.h"

namespace tumble::record {

/// A file the scene was read from, kept so that a recording stands alone. The first one is the scene itself;
/// paths are relative to its folder.
struct SceneFile {
  std::string path, bytes;
};

struct RecordingInfo {
  std::string scene_name;
  double fps = 60;
  size_t frames = 0;  // planned, t = 0 included: round(duration * fps) + 1
  std::string method, integrator;
  double accuracy = 0;
  std::vector<SceneFile> files;
  std::string version;
  std::vector<std::string> settings = {};  // attributes that were replaced in the scene, ADDRESS=VALUE
  std::string inputs = {};                 // events of the run, as text
};

/// How far a run has come in its outputs: what a checkpoint stores and a resume keeps.
struct Progress {
  size_t frames = 0, log_rows = 0, warnings = 0;
};

class FrameWriter {
 public:
  virtual ~FrameWriter() = default;

  /// Frame k stands at t = k/fps; frames come in order, from keep.frames on.
  virtual Failure write_frame(size_t k, const model::State& state) = 0;
  /// Formats without a log or warnings take them and write nothing.
  virtual Failure write_log_row(const LogRow&) { return {}; }
  virtual Failure write_warning(const std::string&) { return {}; }
  /// Leaves a file on disk that reads as far as the frames so far: for about once a second and before a
  /// checkpoint. Never changes what the file ends as.
  virtual Failure flush() = 0;
  /// Closes the file properly, also when fewer frames came than were planned. The summary is kept by formats
  /// that can, without its wall-clock times.
  virtual Failure finish(const Summary& summary) = 0;
  virtual const std::string& path() const = 0;
};

/// The extensions open_frame_writer knows, with their dots.
const std::vector<std::string>& frame_formats();

/// Opens the file, or says why it cannot. `model` must outlive the writer.
/// With keep.frames > 0 an existing file is continued in place after what `keep` names; it ends
/// byte-identical to that of an uninterrupted run, whatever number of frames it was planned for. A file that
/// does not exist is made and takes the rest.
core::Expected<std::unique_ptr<FrameWriter>> open_frame_writer(const std::string& path,
                                                               const model::Model& model,
                                                               const RecordingInfo& info,
                                                               const Progress& keep = {});

}  // namespace tumble::record
