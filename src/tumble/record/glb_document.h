// The layout of a .glb or .gltf file of a scene, fixed before any frame is known. It has JSON and data. The
// data are
//   vertices, indices, times, then for each moving body its translations and its rotations; each track is
//   contiguous and has room for `capacity` frames.
// A .glb holds both in one file, each in a chunk. A .gltf holds the JSON; its data are in a separate .bin.
// Numbers that depend on how many frames were written are in slots of fixed width, so that they can be
// overwritten in place at any time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tumble/record/frame_writer.h"
#include "tumble/record/glb_scene.h"

namespace tumble::record::detail {

inline constexpr uint64_t kTimeSize = 4, kTranslationSize = 12, kRotationSize = 16;  // bytes per frame
inline constexpr uint32_t kGlbMagic = 0x46546c67, kGlbVersion = 2;
inline constexpr uint32_t kJsonChunk = 0x4e4f534a, kBinChunk = 0x004e4942;
inline constexpr uint64_t kGlbJsonAt = 20;  // bytes: file header and chunk header

/// Marks a file as written by tumble: the name of the animation and of our object in extras.
inline constexpr const char* kGlbMark = "tumble";

class GlbDocument {
 public:
  /// For frames `first`, first + 1, ..., at most `capacity` of them. With a `data_uri` it is the document of
  /// a .gltf, otherwise that of a .glb.
  GlbDocument(const model::Model& model, const RecordingInfo& info, size_t first, size_t capacity,
              const std::string& data_uri = "");

  const std::string& json() const { return json_; }
  /// All bytes before the tracks in the file that holds the data. Can be called only once: it moves the
  /// meshes out.
  std::string take_data_head();
  /// Changes the numbers that depend on how many frames there are, 1..capacity.
  void set_frames(size_t frames);
  /// The part of the JSON that set_frames() changes, and its offset in the file.
  std::string_view patch() const {
    return std::string_view(json_).substr(patch_begin_, patch_end_ - patch_begin_);
  }
  uint64_t patch_at() const { return json_at_ + patch_begin_; }  // byte

  const std::vector<core::BodyId>& moving() const { return moving_; }
  size_t capacity() const { return capacity_; }
  uint64_t size() const { return tracks_at_ + track_bytes(); }  // bytes, of the file with the data
  // Offsets of the tracks in that file, in bytes; `mover` is an index into moving().
  uint64_t times_at() const { return tracks_at_; }
  uint64_t translations_at(size_t mover) const { return tracks_at_ + translations_in_tracks(mover); }
  uint64_t rotations_at(size_t mover) const { return translations_at(mover) + capacity_ * kTranslationSize; }
  /// s; times are floats in glTF.
  float time(size_t frame) const { return static_cast<float>(static_cast<double>(first_ + frame) / fps_); }

 private:
  struct Slot {
    size_t at, width;  // characters of json_
  };

  void append_accessors(const GlbScene& scene);
  void append_animation(size_t first_accessor);
  void append_scene(const GlbScene& scene, size_t bodies, const RecordingInfo& info);
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
  std::vector<Slot> last_time_;  // empty without moving bodies
  size_t patch_begin_ = 0, patch_end_ = 0;
  uint64_t json_at_ = 0, tracks_at_ = 0;
};

}  // namespace tumble::record::detail
