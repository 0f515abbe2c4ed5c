// Readers of recordings. Every length is checked before it is used: bad bytes give an error that names the
// byte, never a crash.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tumble/core/expected.h"
#include "tumble/model/state.h"
#include "tumble/record/frame_writer.h"

namespace tumble::record {

namespace detail {
struct Chunk;
class InputFile;
class GlbTracks;
}  // namespace detail

/// The contacts of a frame, with the numbers of --contacts. Bodies are indices into body_names().
struct FrameContacts {
  enum class State : uint32_t { stick, slip, impact };
  struct Point {
    uint32_t a = 0, b = 0;
    State state = State::stick;
    uint32_t patch = 0;  // index into patches
    math::Vec3 point = math::Vec3::Zero(), normal = math::Vec3::Zero();
    double gap = 0, normal_impulse = 0;  // m, N s
    math::Vec3 impulse = math::Vec3::Zero();
    double slip = 0;  // m/s
  };
  struct Patch {
    math::Vec3 impulse = math::Vec3::Zero(), center = math::Vec3::Zero();
    double moment = 0;
  };
  double t = 0;  // s
  std::vector<Point> points;
  std::vector<Patch> patches;
};

/// A .tumble file. Frames are read on demand, so memory does not grow with the length of the run.
class Recording {
 public:
  /// Refuses a file that is not a recording. With an index only head, index, warnings and summary are read.
  /// Otherwise (a killed run, an old version, a damaged index) every chunk is looked at; a file that is cut
  /// off or damaged is read up to the fault, and the result has a warning.
  static core::Expected<Recording> open(const std::string& path);
  ~Recording();
  Recording(Recording&&) noexcept;
  Recording& operator=(Recording&&) noexcept;

  const RecordingInfo& info() const { return info_; }  // info().frames is the number in the file
  const std::vector<std::string>& body_names() const { return body_names_; }
  const std::vector<std::string>& force_names() const { return force_names_; }
  size_t frame_count() const { return offsets_.frames.size(); }
  /// 0 unless a resumed run wrote the remaining frames into a new file.
  size_t first_frame() const { return start_.frames; }
  /// The i-th frame of the file. Verifies its checksum.
  core::Expected<model::State> frame(size_t i) const;
  size_t log_row_count() const { return offsets_.log_rows.size(); }
  core::Expected<std::vector<LogRow>> log_rows() const { return log_rows(0, log_row_count()); }
  core::Expected<std::vector<LogRow>> log_rows(size_t first, size_t count) const;
  /// info().contacts: whether frames have them. A damaged recording may lack those of its last frame.
  core::Expected<FrameContacts> contacts(size_t i) const;
  /// info().reactions; model::kReactionSize numbers for each of joint_names().
  core::Expected<std::vector<double>> reactions(size_t i) const;
  const std::vector<std::string>& joint_names() const { return joint_names_; }  // empty before version 3
  uint32_t version() const { return version_; }                                 // of the format
  bool has_index() const { return has_index_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// The first damaged frame, log row, contacts or reactions, or a damaged index, or nothing.
  Failure find_damage() const;
  /// Copies all whole chunks unchanged into a new file, including log, warnings and summary.
  Failure copy_to(const std::string& path) const;
  /// The summary as JSON text, empty when the run was killed before it could write one.
  const std::string& summary_json() const { return summary_json_; }

 private:
  Recording();
  // Byte offsets of chunks.
  struct Offsets {
    std::vector<uint64_t> frames, log_rows, contacts, reactions;
  };
  core::Diagnostics read_chunks(uint64_t at);
  Failure read_head_chunk(const detail::Chunk& chunk);
  Failure note_chunk(std::string_view type, uint64_t at);
  core::Diagnostic as_warning(core::Diagnostic fault) const;
  std::shared_ptr<const detail::InputFile> file_;
  RecordingInfo info_;
  Progress start_;
  std::vector<std::string> body_names_, force_names_, joint_names_, warnings_;
  std::string summary_json_;
  Offsets offsets_;
  uint32_t version_ = 0;
  bool has_index_ = false;
  Failure index_damage_;
  uint64_t end_ = 0;  // bytes up to here are whole chunks
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
