// Writers of trajectories. Each writes one file. The extension of the path chooses the format.
//   .csv .txt   text, one row per frame
//   .glb .gltf  meshes and one animation; the data of a .gltf are in a .bin file next to it
//   .tumble     native: the scene, states as doubles, contacts, reactions, log, warnings, summary, index
// The bytes of a recording depend only on the scene, the flags and the build. They do not depend on the
// clock, on when the file was flushed, or on how often the run was interrupted and resumed.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tumble/core/expected.h"
#include "tumble/core/scene_file.h"
#include "tumble/model/state.h"
#include "tumble/record/failure.h"
#include "tumble/record/log_writer.h"
#include "tumble/record/summary.h"

namespace tumble::record {

using core::SceneFile;

struct RecordingInfo {
  std::string scene_name = {};  // empty: that of the model
  double fps = 60;
  size_t frames = 0;  // planned, t = 0 included: round(duration * fps) + 1
  std::string method = {}, integrator = {};
  double accuracy = 0;
  std::vector<SceneFile> files = {};  // so that a recording stands alone: the scene itself, then the others
  std::string version = {};           // empty: that of this library
  std::vector<std::string> settings = {};  // attributes that were replaced in the scene, ADDRESS=VALUE
  std::string inputs = {};                 // events of the run, as text
  double fixed_step = 0;                   // s; 0: the run chose its steps
  // What a .tumble holds in addition to frames and log.
  bool contacts = false, reactions = false;
  std::vector<std::string> log_bodies = {};  // bodies whose momenta and energies are in rows of the log
};

/// How much of its outputs a run has written. A checkpoint stores it, and a resumed run keeps so much.
struct Progress {
  size_t frames = 0, log_rows = 0, warnings = 0;
};

class FrameWriter {
 public:
  virtual ~FrameWriter() = default;

  /// Frame k is at t = k/fps. Frames must come in order, starting with keep.frames.
  virtual Failure write_frame(size_t k, const model::State& state) = 0;
  /// Contacts since frame k - 1, and mean reactions of joints. To be called before write_frame() with the
  /// same k, for a RecordingInfo that has them. Formats without a place for them ignore them.
  virtual Failure write_contacts(size_t, double, std::span<const model::ContactRow>) { return {}; }
  virtual Failure write_reactions(size_t, double, std::span<const double>) { return {}; }
  /// Formats without a log or warnings ignore them.
  virtual Failure write_log_row(const LogRow&) { return {}; }
  virtual Failure write_warning(const std::string&) { return {}; }
  /// Makes the file on disk readable up to the frames written so far. To be called about once a second and
  /// before a checkpoint. It does not affect the final bytes of the file.
  virtual Failure flush() = 0;
  /// Closes the file properly, also when fewer frames were written than planned. Formats that have a place
  /// for the summary store it, without its wall-clock times.
  virtual Failure finish(const Summary& summary) = 0;
  virtual const std::string& path() const = 0;
  /// The time of the last frame that can be read from the file on disk, s. Empty: none since it was opened.
  virtual std::optional<double> written_until() const = 0;
};

/// The extensions that open_frame_writer accepts, with their dots.
const std::vector<std::string>& frame_formats();

/// Opens the file or returns the reason why this failed. `model` must outlive the writer.
/// With keep.frames > 0 an existing file is continued in place after the amount given by `keep`. The final
/// file has the same bytes as that of an uninterrupted run, for any number of frames it was planned for. If
/// the file does not exist, a new one is created and gets only the remaining frames.
core::Expected<std::unique_ptr<FrameWriter>> open_frame_writer(const std::string& path,
                                                               const model::Model& model,
                                                               const RecordingInfo& info,
                                                               const Progress& keep = {});

}  // namespace tumble::record
