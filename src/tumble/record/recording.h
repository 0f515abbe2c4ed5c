// Readers of recordings. Every length is checked before it is used: bad bytes give an error that names the
// byte, never a crash.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "tumble/core/expected.h"
#include "tumble/model/state.h"
#include "tumble/record/frame_writer.h"

namespace tumble::record {

namespace detail {
class InputFile;
class GlbTracks;
}  // namespace detail

/// A .tumble file. Frames are read on demand, so memory does not grow with the length of the run.
class Recording {
 public:
  /// Refuses a file that is not a recording. A file that is cut off or damaged is read up to the fault, and
  /// the result has a warning.
  static core::Expected<Recording> open(const std::string& path);
  ~Recording();
  Recording(Recording&&) noexcept;
  Recording& operator=(Recording&&) noexcept;

  const RecordingInfo& info() const { return info_; }  // info().frames is the number in the file
  const std::vector<std::string>& body_names() const { return body_names_; }
  const std::vector<std::string>& force_names() const { return force_names_; }
  size_t frame_count() const { return frame_offsets_.size(); }
  /// 0 unless a resumed run wrote the remaining frames into a new file.
  size_t first_frame() const { return start_.frames; }
  /// The i-th frame of the file. Verifies its checksum.
  core::Expected<model::State> frame(size_t i) const;
  core::Expected<std::vector<LogRow>> log_rows() const;
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// The first damaged frame or log row, or nothing.
  Failure find_damage() const;
  /// Copies all whole chunks unchanged into a new file, including log, warnings and summary.
  Failure copy_to(const std::string& path) const;
  /// The summary as JSON text, empty when the run was killed before it could write one.
  const std::string& summary_json() const { return summary_json_; }

 private:
  Recording();
  core::Diagnostics index_chunks(uint64_t at);
  std::shared_ptr<const detail::InputFile> file_;
  RecordingInfo info_;
  Progress start_;
  std::vector<std::string> body_names_, force_names_, warnings_;
  std::string summary_json_;
  std::vector<uint64_t> frame_offsets_, log_row_offsets_;  // byte offsets of the chunks
  uint64_t end_ = 0;                                       // bytes up to here are whole chunks
};

/// The frames of a .csv written for this model. A last row without a line end (a killed run) is ignored.
core::Expected<std::vector<model::State>> read_csv(const std::string& path, const model::Model& model);

/// A .glb or .gltf written by a run: the data needed to draw it, in the coordinates of the scene.
class GlbRecording {
 public:
  struct Item {
    std::shared_ptr<const geometry::TriangleMesh> mesh;  // shared by all items of equal shape
    std::array<double, 3> color = {1, 1, 1};             // sRGB, 0..1
    bool two_sided = false;
    size_t node = 0;  // of the body
    math::Pose X_BS;  // shape in body
  };

  const std::string& scene_name() const { return scene_name_; }
  const std::vector<std::string>& node_names() const;  // one node per body, in scene order
  const std::vector<Item>& items() const { return items_; }
  double fps() const;
  size_t frame_count() const;
  double time(size_t frame) const;              // s
  const math::Vec3& up() const { return up_; }  // a unit vector
  /// The pose of a body in a frame.
  core::Expected<math::Pose> pose(size_t node, size_t frame) const;

 private:
  friend core::Expected<GlbRecording> read_glb_recording(const std::string& path);
  std::string scene_name_;
  std::vector<Item> items_;
  math::Vec3 up_ = math::Vec3::UnitY();
  std::vector<math::Pose> node_poses_;  // poses in the nodes; used for fixed bodies
  std::shared_ptr<const detail::GlbTracks> tracks_;
};

core::Expected<GlbRecording> read_glb_recording(const std::string& path);

}  // namespace tumble::record
