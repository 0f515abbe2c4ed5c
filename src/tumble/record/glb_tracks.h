// The animation of a .glb or .gltf file that tumble wrote. Frames stay in the file and are read on demand.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tumble/core/expected.h"
#include "tumble/record/input_file.h"

namespace tumble::record::detail {

class GlbTracks {
 public:
  struct Track {
    uint64_t translations_at, rotations_at;  // bytes from the start of the file
  };

  const InputFile& file() const { return *file_; }  // the file with the data
  size_t frame_count() const { return frame_count_; }
  size_t first_frame() const { return first_frame_; }
  double fps() const { return fps_; }
  const std::vector<std::string>& node_names() const { return node_names_; }
  /// One for each body; fixed bodies have none.
  const std::vector<std::optional<Track>>& tracks() const { return tracks_; }

 private:
  friend class GlbReader;
  std::shared_ptr<const InputFile> file_;
  size_t frame_count_ = 0, first_frame_ = 0;
  double fps_ = 60;
  std::vector<std::string> node_names_;
  std::vector<std::optional<Track>> tracks_;
};

/// The path of the data of a .gltf: the same name with the extension .bin.
std::string gltf_data_path(const std::string& path);

/// Reads a .gltf if the path ends with .gltf, otherwise a .glb.
core::Expected<std::shared_ptr<const GlbTracks>> read_glb_tracks(const std::string& path);

}  // namespace tumble::record::detail
