// What a .glb or .gltf of a scene looks like, before any frame is known: JSON, and data which are
//   vertices, indices, times, then for each moving body its translations and its rotations, each track in one
//   piece of `capacity` frames.
// In a .glb both stand in one file, each in a chunk; beside a .gltf the data have a file of their own, .bin.
// Numbers that depend on how many frames were written stand in slots of fixed width, so that they can be
// changed in place at any time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tumble/record/frame_writer.h"
#include "tumble/record/glb_scene.h"

namespace tumble::record::detail {

inline constexpr uint64_t kTimeSize = 4, kTranslationSize = 12, kRotationSize = 16;  // bytes a frame
inline constexpr uint32_t kGlbMagic = 0x46546c67, kGlbVersion = 2;
inline constexpr uint32_t kJsonChunk = 0x4e4f534a, kBinChunk = 0x004e4942;
inline constexpr uint64_t kGlbJsonAt = 20;  // bytes: file header and chunk header

/// The mark by which we know our own files again: the name of the animation and of our object in extras.
inline constexpr const char* kGlbMark = "tumble";

class GlbDocument {
 public:
  /// For frames `first`, first + 1, ..., at most `capacity` of them. With the address of a data file it is
  /// the document of a .gltf, else of a .glb.
  GlbDocument(const model::Model& model, const RecordingInfo& info, size_t first, size_t capacity,
              const std::string& data_uri = "");

  const std::string& json() const { return json_; }
  /// What stands before the tracks in the file that holds them. To be asked for once: the meshes are handed
  /// over.
  std::string take_data_head();
  /// Changes the numbers that depend on how many frames there are, 1..capacity.
  void set_frames(size_t frames);
  /// The part of the JSON that set_frames() changes, and where it stands in its file.
  std::string_view patch() const {
    return std::string_view(json_).substr(patch_begin_, patch_end_ - patch_begin_);
  }
  uint64_t patch_at() const { return json_at_ + patch_begin_; }  // byte

  const std::vector<core::BodyId>& moving() const { return moving_; }
  size_t capacity() const { return capacity_; }
  uint64_t size() const { return tracks_at_ + track_bytes(); }  // bytes, of the file with the data
  // Where tracks begin, bytes from the start of that file; `mover` is an index into moving().
  uint64_t times_at() const { return tracks_at_; }
  uint64_t translations_at(size_t mover) const { return tracks_at_ + translations_in_tracks(mover); }
  uint64_t rotations_at(size_t mover) const { return translations_at(mover) + capacity_ * kTranslationSize; }
  /// s; glTF keeps times as floats.
  float time(size_t frame) const { return static_cast<float>(static_cast<double>(first_ + frame) / fps_); }

 private:
  struct Slot {
    size_t at, width;  // characters of json_
  };

  void append_accessors(const GlbScene& scene);
  void append_animation(size_t first_accessor);
  void append_scene(const model::Model& model, const RecordingInfo& info);
  void append_buffers(const GlbScene& scene, const std::string& data_uri);
  Slot append_slot(size_t width);
  void fill(const Slot& slot, const std::string& number);

  uint64_t translations_in_tracks(size_t mover) const {
    return capacity_ * (kTimeSize + mover * (kTranslationSize + kRotationSize));
  }
  uint64_t track_bytes() const { return moving_.empty() ? 0 : translations_in_tracks(moving_.size()); }

  size_t first_, capacity_, count_width_;
  double fps_;
  std::vector<core::BodyId> moving_;
  std::string json_, meshes_;
  std::vector<Slot> counts_;
  std::vector<Slot> last_time_;  // none without moving bodies
  size_t patch_begin_ = 0, patch_end_ = 0;
  uint64_t json_at_ = 0, tracks_at_ = 0;
};

}  // namespace tumble::record::detail
