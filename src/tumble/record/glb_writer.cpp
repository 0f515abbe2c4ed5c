#include "tumble/record/glb_writer.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "tumble/record/glb_document.h"
#include "tumble/record/glb_tracks.h"
#include "tumble/record/output_file.h"
#include "tumble/record/tolerances.h"

namespace tumble::record::detail {

namespace {

bool is_gltf(const std::string& path) { return lower_extension(path) == ".gltf"; }

// The name of the data file as the .gltf refers to it: a percent-encoded URI.
std::string data_uri(const std::string& path) {
  std::string uri;
  for (const char c : std::filesystem::path(gltf_data_path(path)).filename().string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::strchr("-._~", c) != nullptr;
    char code[4];
    std::snprintf(code, sizeof code, "%%%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
    uri += plain ? std::string(1, c) : code;
  }
  return uri;
}

class GlbWriter : public FrameWriter {
 public:
  GlbWriter(std::string path, const model::Model& model, const RecordingInfo& info, size_t first,
            size_t capacity)
      : path_(std::move(path)),
        model_(model),
        document_(model, info, first, capacity, is_gltf(path_) ? data_uri(path_) : ""),
        first_(first),
        fps_(info.fps) {
    const size_t movers = document_.moving().size();
    const size_t frame_size = kTimeSize + movers * (kTranslationSize + kRotationSize);
    block_capacity_ = std::clamp<size_t>(kAnimationBudget / frame_size, 1, capacity);
    times_.resize(block_capacity_);
    translations_.resize(movers * block_capacity_);
    rotations_.resize(movers * block_capacity_);
    last_rotation_.assign(movers, {0, 0, 0, 0});
  }

  const GlbDocument& document() const { return document_; }

  /// Creates the files. They are valid at once, because they hold the start state. `suffix` is appended to
  /// their names until they are renamed.
  Failure create(const std::string& suffix) {
    const bool two_files = is_gltf(path_);
    auto file = OutputFile::create((two_files ? gltf_data_path(path_) : path_) + suffix);
    if (!file) return file.diagnostics().front();
    file_ = std::move(*file);
    file_->set_path(two_files ? gltf_data_path(path_) : path_);  // messages have the final names
    if (two_files) {
      auto json_file = OutputFile::create(path_ + suffix);
      if (!json_file) return json_file.diagnostics().front();
      json_file_ = std::move(*json_file);
      json_file_->set_path(path_);
      if (Failure failure = json_file_->write_at(0, document_.json().data(), document_.json().size()))
        return failure;
    }
    const std::string head = document_.take_data_head();
    if (Failure failure = file_->write_at(0, head.data(), head.size())) return failure;
    if (Failure failure = file_->resize(document_.size())) return failure;
    store(model::start_state(model_));
    Failure failure = write_block();
    written_ = 0;
    if (!failure && first_ == 0) readable_ = 1;
    last_rotation_.assign(last_rotation_.size(), {0, 0, 0, 0});
    return failure;
  }

  /// Renames files that were created with a suffix to their final names, the data first.
  Failure rename_from(const std::string& suffix) {
    const auto put = [&](OutputFile& file, const std::string& name) -> Failure {
      if (std::rename((name + suffix).c_str(), name.c_str()) != 0)
        return core::error_at({name}, std::string("cannot be replaced: ") + std::strerror(errno));
      file.set_path(name);
      return {};
    };
    if (!json_file_) return put(*file_, path_);
    if (Failure failure = put(*file_, gltf_data_path(path_))) return failure;
    return put(*json_file_, path_);
  }

  /// Copies the first `frames` frames of an older file of the same scene.
  Failure copy_from(const GlbTracks& old, size_t frames) {
    if (frames == 0) return {};
    for (size_t k = 0; k < frames && !document_.moving().empty(); ++k) {
      const float time = document_.time(k);
      if (Failure failure = file_->write_at(document_.times_at() + k * kTimeSize, &time, kTimeSize))
        return failure;
    }
    for (size_t i = 0; i < document_.moving().size(); ++i) {
      const GlbTracks::Track& track = *old.tracks()[document_.moving()[i].index()];
      if (Failure failure = copy(old.file(), track.translations_at, document_.translations_at(i),
                                 frames * kTranslationSize))
        return failure;
      if (Failure failure =
              copy(old.file(), track.rotations_at, document_.rotations_at(i), frames * kRotationSize))
        return failure;
      if (!old.file().read_at(track.rotations_at + (frames - 1) * kRotationSize, last_rotation_[i].data(),
                              kRotationSize))
        return old.file().fault_at(track.rotations_at, "cannot be read");
    }
    written_ = frames;
    return write_counts();
  }

  Failure write_frame(size_t k, const model::State& state) override {
    TUMBLE_REQUIRE(k == first_ + written_ + buffered_ && k < first_ + document_.capacity(),
                   "frames come in order, and no more than were planned");
    if (file_->failure()) return file_->failure();
    store(state);
    return buffered_ == block_capacity_ ? write_block() : Failure{};
  }

  Failure flush() override {
    if (Failure failure = write_block()) return failure;
    return write_counts();
  }

  Failure finish(const Summary&) override {
    if (Failure failure = flush()) return failure;
    if (json_file_)
      if (Failure failure = json_file_->close()) return failure;
    return file_->close();
  }
  const std::string& path() const override { return path_; }
  std::optional<double> written_until() const override {
    if (readable_ == 0) return std::nullopt;
    return static_cast<double>(first_ + readable_ - 1) / fps_;
  }

 private:
  // Puts one frame into the block. The sign of a quaternion is chosen so that it is in the hemisphere of the
  // frame before: players then interpolate the short way, and the curves of the components are smooth. The
  // comparison uses floats, as the file stores them, so that a resumed run chooses the same signs.
  void store(const model::State& state) {
    times_[buffered_] = document_.time(written_ + buffered_);
    for (size_t i = 0; i < document_.moving().size(); ++i) {
      const math::Pose X = model::body_pose(model_, state, document_.moving()[i]);
      const math::Quat& q = X.rotation;
      std::array<float, 4> xyzw = {static_cast<float>(q.x()), static_cast<float>(q.y()),
                                   static_cast<float>(q.z()), static_cast<float>(q.w())};
      std::array<float, 4>& last = last_rotation_[i];
      const float dot = xyzw[0] * last[0] + xyzw[1] * last[1] + xyzw[2] * last[2] + xyzw[3] * last[3];
      if (dot < 0)
        for (float& x : xyzw) x = -x;
      last = xyzw;
      rotations_[i * block_capacity_ + buffered_] = xyzw;
      translations_[i * block_capacity_ + buffered_] = {static_cast<float>(X.translation.x()),
                                                        static_cast<float>(X.translation.y()),
                                                        static_cast<float>(X.translation.z())};
    }
    ++buffered_;
  }

  Failure write_block() {
    if (buffered_ == 0) return file_->failure();
    const size_t n = buffered_, at = written_;
    for (size_t i = 0; i < document_.moving().size(); ++i) {
      const size_t row = i * block_capacity_;
      Failure failure = file_->write_at(document_.translations_at(i) + at * kTranslationSize,
                                        &translations_[row], n * kTranslationSize);
      if (!failure)
        failure = file_->write_at(document_.rotations_at(i) + at * kRotationSize, &rotations_[row],
                                  n * kRotationSize);
      if (failure) return failure;
    }
    if (!document_.moving().empty())
      if (Failure failure =
              file_->write_at(document_.times_at() + at * kTimeSize, times_.data(), n * kTimeSize))
        return failure;
    written_ += n;
    buffered_ = 0;
    return {};
  }

  // The counts are written after the data: a reader in between sees the frames of the last flush.
  Failure write_counts() {
    if (written_ == 0) return file_->failure();
    document_.set_frames(written_);
    const std::string_view patch = document_.patch();
    OutputFile& file = json_file_ ? *json_file_ : *file_;
    if (Failure failure = file.write_at(document_.patch_at(), patch.data(), patch.size())) return failure;
    readable_ = written_;
    return {};
  }

  Failure copy(const InputFile& from, uint64_t from_at, uint64_t to_at, uint64_t size) {
    std::string block;
    for (uint64_t done = 0; done < size; done += block.size()) {
      if (!from.read_at(from_at + done, std::min<uint64_t>(kBufferSize, size - done), block))
        return from.fault_at(from_at + done, "cannot be read");
      if (Failure failure = file_->write_at(to_at + done, block.data(), block.size())) return failure;
    }
    return {};
  }

  std::string path_;
  const model::Model& model_;
  GlbDocument document_;
  std::unique_ptr<OutputFile> file_;       // with the data
  std::unique_ptr<OutputFile> json_file_;  // of a .gltf
  size_t first_;
  double fps_;
  size_t written_ = 0;   // frames in the file
  size_t readable_ = 0;  // of these, as many as its counts say
  size_t buffered_ = 0;  // frames in the block that follows them
  size_t block_capacity_ = 1;
  std::vector<float> times_;
  // One row of block_capacity_ for each moving body.
  std::vector<std::array<float, 3>> translations_;
  std::vector<std::array<float, 4>> rotations_;
  std::vector<std::array<float, 4>> last_rotation_;
};

// Whether a new file can take the place of this one. Not that of a device or a link, or in a folder that
// takes no new files.
bool can_be_replaced(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_type type = std::filesystem::symlink_status(path, error).type();
  if (type != std::filesystem::file_type::not_found && type != std::filesystem::file_type::regular)
    return false;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return ::access(folder.empty() ? "." : folder.c_str(), W_OK) == 0;
}

// A device stays.
void remove_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error)) std::filesystem::remove(path, error);
}

// Checks, before memory is allocated, that there are not too many frames for this format.
Failure check_limits(const std::string& path, const model::Model& model, const RecordingInfo& info) {
  const auto movers = std::count_if(model.bodies().begin(), model.bodies().end(),
                                    [](const model::Body& body) { return !body.is_fixed(); });
  const double frame_size =
      static_cast<double>(kTimeSize) + static_cast<double>(movers) * (kTranslationSize + kRotationSize);
  const double size = frame_size * static_cast<double>(info.frames);
  if (size > static_cast<double>(kGlbLimit)) {
    char gigabytes[32];
    std::snprintf(gigabytes, sizeof gigabytes, "%.1f", size / kGigabyte);
    return core::error_at({path}, std::string("would have ") + gigabytes +
                                      " GB, and a .glb can have 4.2 at most; lower --fps or --duration, or "
                                      "write a .tumble or .csv");
  }
  // Times must increase strictly as floats: the spacing of floats near the last time must be below a frame.
  const auto last = static_cast<float>(static_cast<double>(info.frames - 1) / info.fps);
  if (info.frames > 1 && !(std::nextafter(last, HUGE_VALF) - last < 1 / info.fps))
    return core::error_at({path},
                          "the times of a .glb have single precision, which is too coarse for the last "
                          "frames; lower --fps, or write a .tumble or .csv");
  return {};
}

// Checks that an older file is of this scene and has enough frames.
Failure check_resumable(const GlbTracks& old, const model::Model& model, const RecordingInfo& info,
                        size_t keep_frames) {
  const std::string& path = old.file().path();
  bool same = old.fps() == info.fps && old.node_names().size() == model.bodies().size();
  for (size_t i = 0; same && i < model.bodies().size(); ++i)
    same = old.node_names()[i] == model.bodies()[i].name &&
           old.tracks()[i].has_value() == !model.bodies()[i].is_fixed();
  if (!same)
    return core::error_at({path},
                          "cannot be continued: it was recorded from another scene or at another rate");
  if (keep_frames < old.first_frame() || keep_frames > old.first_frame() + old.frame_count())
    return core::error_at({path}, "cannot be continued: it holds frames " +
                                      std::to_string(old.first_frame()) + " to " +
                                      std::to_string(old.first_frame() + old.frame_count() - 1) +
                                      ", the checkpoint needs those before frame " +
                                      std::to_string(keep_frames) + "; resume into a new file");
  return {};
}

}  // namespace

core::Expected<std::unique_ptr<FrameWriter>> open_glb_writer(const std::string& path,
                                                             const model::Model& model,
                                                             const RecordingInfo& info,
                                                             const Progress& keep) {
  if (Failure failure = check_limits(path, model, info)) return *failure;
  std::shared_ptr<const GlbTracks> old;
  size_t first = keep.frames;  // first frame of a new file
  if (keep.frames > 0 && file_exists(path)) {
    auto read = read_glb_tracks(path);
    if (!read) return read.diagnostics();
    old = std::move(*read);
    if (Failure failure = check_resumable(*old, model, info, keep.frames)) return *failure;
    first = old->first_frame();
  }
  const size_t capacity = std::max<size_t>(1, info.frames - first);
  auto writer = std::make_unique<GlbWriter>(path, model, info, first, capacity);
  if (writer->document().size() > kGlbLimit)
    return core::error_at({path}, "the meshes and frames are too large for a .glb; write a .tumble or .csv");
  // A file is complete when it gets its name: a run that is killed or that finds no room here leaves the old
  // one, or none. When a run is resumed, the offsets of all tracks depend on the planned number of frames, so
  // the kept frames are copied.
  const std::string suffix = old || can_be_replaced(path) ? ".new" : "";
  Failure failure = writer->create(suffix);
  if (!failure && old) failure = writer->copy_from(*old, keep.frames - first);
  if (!failure && !suffix.empty()) failure = writer->rename_from(suffix);
  if (!failure) return std::unique_ptr<FrameWriter>(std::move(writer));
  remove_file(path + suffix);
  if (is_gltf(path)) remove_file(gltf_data_path(path) + suffix);
  return *failure;
}

}  // namespace tumble::record::detail
