// A recording as the page gets it: parts, each with a name and bytes. docs/page.md describes them.
//   run.json     the manifest: bodies, joints, springs, columns of the log, promises
//   scene.glb    shapes and materials, one node per body
//   frames/B     block B of frames
//   contacts/B   their contacts
//   reactions/B  their reactions
//   log          the columns of the log
#pragma once

#include <Eigen/Geometry>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tumble/page/log_table.h"

namespace tumble::page {

struct PartOptions {
  bool single = false;     // numbers of frames as f32; else f64
  bool velocities = true;  // 13 numbers per body; else 7, without velocities
  bool contacts = true;    // if the recording has them
  bool compare = false;    // there is a second recording to compare with
  std::string file = {};   // the name of the recording in the command that reproduces it; empty: run.tumble
};

/// Parts are made when they are asked for. Can be used by several threads at once.
class Parts {
 public:
  /// `recording` and `model`, which is that of the recording's scene, must outlive the parts. Reads the first
  /// frame, some others, and the log.
  static core::Expected<Parts> create(const record::Recording& recording, const model::Model& model,
                                      const PartOptions& options = {});

  /// The names of all parts.
  std::vector<std::string> names() const;
  /// Nothing if there is no such part. An error if the recording is damaged there.
  std::optional<core::Expected<std::string>> find(std::string_view name) const;
  size_t block_count() const;

 private:
  Parts(const record::Recording& recording, const model::Model& model, PartOptions options);
  core::Diagnostics read_frames();
  core::Diagnostics read_log();
  size_t frames_in(size_t block) const;
  std::string make_manifest() const;
  std::string make_scene() const;
  core::Expected<std::string> make_frames(size_t block) const;
  core::Expected<std::string> make_contacts(size_t block) const;
  core::Expected<std::string> make_reactions(size_t block) const;

  const record::Recording* recording_;
  const model::Model* model_;
  PartOptions options_;
  size_t frames_per_block_ = 1;
  model::State first_;                            // frame
  math::Vec3 focus_center_ = math::Vec3::Zero();  // m
  double focus_radius_ = 1, size_ = 1;            // m
  std::vector<Eigen::AlignedBox3d> focus_boxes_;  // m
  detail::LogTable log_;
};

}  // namespace tumble::page
