#include <algorithm>
#include <unordered_map>

#include "tumble/record/bytes.h"
#include "tumble/record/output_file.h"
#include "tumble/record/tumble_file.h"

namespace tumble::record::detail {

namespace {

// The chunks since the last INDX chunk, and where that is.
struct OpenIndex {
  std::vector<IndexEntry> entries;
  uint64_t last_block_at = 0;  // 0: none

  void add(std::string_view type, uint64_t at) {
    IndexEntry& entry = entries.emplace_back();
    std::copy_n(type.data(), entry.type.size(), entry.type.data());
    entry.at = at;
  }
  void start_block(uint64_t at) {
    entries.clear();
    last_block_at = at;
  }
};

enum class StateCode : uint32_t { stick = 0, slip = 1, impact = 2 };

uint32_t state_code(std::string_view state) {
  return static_cast<uint32_t>(state == "impact" ? StateCode::impact
                               : state == "slip" ? StateCode::slip
                                                 : StateCode::stick);
}

class TumbleWriter : public FrameWriter {
 public:
  TumbleWriter(const model::Model& model, const RecordingInfo& info, std::unique_ptr<OutputFile> file,
               OpenIndex index)
      : bodies_(model.bodies().size()),
        forces_(model.work_count()),
        reactions_(model.joints().size() * model::kReactionSize),
        log_numbers_(info.log_bodies.size() * model::kBodyLogSize),
        contacts_expected_(info.contacts),
        reactions_expected_(info.reactions),
        file_(std::move(file)),
        index_(std::move(index)) {
    for (size_t i = 0; i < bodies_; ++i) body_index_[model.bodies()[i].name] = static_cast<uint32_t>(i);
  }

  // Each row has its patch; here each patch stands once, after the points.
  Failure write_contacts(size_t k, double t, std::span<const model::ContactRow> rows) override {
    if (!contacts_expected_) return {};
    size_t patches = 0;
    for (const model::ContactRow& row : rows) patches = std::max(patches, row.patch);
    std::vector<const model::ContactRow*> first(patches);
    payload_.clear();
    append_value(payload_, static_cast<uint64_t>(k));
    append_value(payload_, t);
    append_value(payload_, static_cast<uint32_t>(rows.size()));
    append_value(payload_, static_cast<uint32_t>(patches));
    for (const model::ContactRow& row : rows) {
      TUMBLE_REQUIRE(row.patch > 0, "patches are numbered from 1");
      first[row.patch - 1] = &row;
      append_value(payload_, body_index_.at(row.a));
      append_value(payload_, body_index_.at(row.b));
      append_value(payload_, state_code(row.state));
      append_value(payload_, static_cast<uint32_t>(row.patch));
      append_vec3(row.point), append_vec3(row.normal);
      append_value(payload_, row.gap);
      append_value(payload_, row.normal_impulse);
      append_vec3(row.impulse);
      append_value(payload_, row.slip);
    }
    for (const model::ContactRow* row : first) {
      TUMBLE_REQUIRE(row, "a patch has a point");
      append_vec3(row->patch_impulse), append_vec3(row->patch_center);
      append_value(payload_, row->patch_moment);
    }
    return append(kContactChunk, payload_);
  }

  Failure write_reactions(size_t k, double t, std::span<const double> reactions) override {
    if (!reactions_expected_) return {};
    TUMBLE_REQUIRE(reactions.size() == reactions_, "a frame needs the reactions of every joint");
    payload_.clear();
    append_value(payload_, static_cast<uint64_t>(k));
    append_value(payload_, t);
    for (const double x : reactions) append_value(payload_, x);
    return append(kReactionChunk, payload_);
  }

  Failure write_frame(size_t k, const model::State& state) override {
    TUMBLE_REQUIRE(state.y.size() == bodies_ * model::kBodySize && state.work.size() == forces_,
                   "the state is not one of this model");
    payload_.clear();
    append_value(payload_, static_cast<uint64_t>(k));
    append_value(payload_, state.time);
    append_doubles(payload_, state.y);
    append_doubles(payload_, state.work);
    return append(kFrameChunk, payload_, state.time);
  }

  Failure write_log_row(const LogRow& row) override {
    TUMBLE_REQUIRE(row.work_by_force.size() == forces_, "a log row needs the work of every force");
    TUMBLE_REQUIRE(row.by_body.size() == log_numbers_,
                   "a log row needs the numbers of the bodies in the log");
    payload_.clear();
    for (const double x : {row.t, row.h, row.kinetic, row.potential, row.energy}) append_value(payload_, x);
    for (const double x : row.momentum) append_value(payload_, x);
    for (const double x : row.angular_momentum) append_value(payload_, x);
    append_value(payload_, static_cast<uint64_t>(row.contacts));
    append_value(payload_, row.max_penetration);
    append_value(payload_, row.max_joint_error);
    append_value(payload_, static_cast<uint64_t>(row.impacts));
    append_value(payload_, row.work);
    append_doubles(payload_, row.work_by_force);
    append_doubles(payload_, row.by_body);
    return append(kLogChunk, payload_);
  }

  Failure write_warning(const std::string& text) override { return append(kWarningChunk, text); }
  Failure flush() override { return file_->flush(); }

  Failure finish(const Summary& summary) override {
    if (Failure failure = append(kSummaryChunk, record::to_json(summary, WallClock::left_out)))
      return failure;
    const uint64_t block_at = file_->size();
    chunk_.clear();
    append_chunk(chunk_, kIndexChunk, to_index_block(index_.last_block_at, index_.entries));
    payload_.clear();
    append_value(payload_, block_at);
    append_chunk(chunk_, kTailChunk, payload_);
    if (Failure failure = file_->append(chunk_)) return failure;
    return file_->close();
  }
  const std::string& path() const override { return file_->path(); }
  std::optional<double> written_until() const override { return file_->written_until(); }

 private:
  Failure append(std::string_view type, std::string_view payload, std::optional<double> frame_time = {}) {
    if (index_.entries.size() == kIndexBlock) {
      const uint64_t at = file_->size();
      chunk_.clear();
      append_chunk(chunk_, kIndexChunk, to_index_block(index_.last_block_at, index_.entries));
      if (Failure failure = file_->append(chunk_)) return failure;
      index_.start_block(at);
    }
    index_.add(type, file_->size());
    chunk_.clear();
    append_chunk(chunk_, type, payload);
    return frame_time ? file_->append(chunk_, *frame_time) : file_->append(chunk_);
  }

  void append_vec3(const math::Vec3& v) {
    for (const double x : v) append_value(payload_, x);
  }

  size_t bodies_, forces_, reactions_, log_numbers_;  // bodies, forces; numbers in a REAC and LOGR chunk
  bool contacts_expected_, reactions_expected_;
  std::unordered_map<std::string, uint32_t> body_index_;
  std::unique_ptr<OutputFile> file_;
  OpenIndex index_;
  std::string payload_, chunk_;  // scratch
};

// All bytes before the first frame.
std::string build_head(const model::Model& model, const RecordingInfo& info, const Progress& first) {
  TumbleInfo head{info, first, {}, {}, {}};
  for (const model::Body& body : model.bodies()) head.bodies.push_back(body.name);
  head.forces = model.work_names();
  for (const model::JointParts& joint : model.joints()) head.joints.push_back(joint.name);

  std::string bytes(kTumbleMagic);
  append_value(bytes, kTumbleVersion);
  append_value(bytes, uint32_t{0});
  append_chunk(bytes, kInfoChunk, to_json(head));
  for (const SceneFile& file : info.files) {
    std::string payload;
    append_value(payload, static_cast<uint64_t>(file.path.size()));
    payload += file.path;
    payload += file.bytes;
    append_chunk(bytes, kFileChunk, payload);
  }
  for (const std::string& setting : info.settings) append_chunk(bytes, kSettingChunk, setting);
  if (!info.inputs.empty()) append_chunk(bytes, kInputsChunk, info.inputs);
  return bytes;
}

// The part of an existing file that a resumed run keeps.
struct Kept {
  uint64_t end = 0;  // byte
  OpenIndex index;
};

core::Expected<Kept> find_kept(const std::string& path, const model::Model& model, const RecordingInfo& info,
                               const Progress& keep) {
  const auto opened = InputFile::open(path);
  if (!opened) return opened.diagnostics();
  const InputFile& file = **opened;
  if (Failure failure = check_tumble_head(file)) return *failure;
  uint32_t version = 0;
  file.read_at(kTumbleMagic.size(), &version, sizeof version);
  if (version != kTumbleVersion)
    return file.fault_at(kTumbleMagic.size(), "cannot be continued: it is a recording of version " +
                                                  std::to_string(version) + ", this program writes version " +
                                                  std::to_string(kTumbleVersion) +
                                                  "; resume into a new file");
  const ChunkReader reader(file);
  const auto info_chunk = reader.chunk_at(kTumbleHeadSize);
  if (!info_chunk) return file.fault_at(kTumbleHeadSize, "cannot be continued: it is cut off here");
  const auto json = reader.payload(*info_chunk);
  if (!json) return json.diagnostics();
  const auto old = parse_tumble_info(*json);
  std::string head;
  bool same = old && file.read_at(0, build_head(model, info, old->first).size(), head) &&
              head == build_head(model, info, old->first);
  if (same)
    if (const auto next = reader.chunk_at(head.size()); next && is_head_chunk(next->type)) same = false;
  if (!same)
    return file.fault_at(kTumbleHeadSize,
                         "cannot be continued: it was recorded from another scene or with other options");

  Progress reached = old->first;
  uint64_t at = head.size();
  OpenIndex index;
  while (reached.frames != keep.frames || reached.log_rows != keep.log_rows ||
         reached.warnings != keep.warnings) {
    const auto chunk = reader.chunk_at(at);
    if (!chunk || chunk->type == kSummaryChunk)
      return file.fault_at(at,
                           "cannot be continued: it does not reach as far as the checkpoint; resume into "
                           "a new file");
    if (chunk->type == kIndexChunk)
      index.start_block(at);
    else
      index.add(chunk->type, at);
    if (chunk->type == kFrameChunk) ++reached.frames;
    if (chunk->type == kLogChunk) ++reached.log_rows;
    if (chunk->type == kWarningChunk) ++reached.warnings;
    at = chunk->end();
  }
  return Kept{at, std::move(index)};
}

}  // namespace

core::Expected<std::unique_ptr<FrameWriter>> open_tumble_writer(const std::string& path,
                                                                const model::Model& model,
                                                                const RecordingInfo& info,
                                                                const Progress& keep) {
  const bool resume = keep.frames > 0 && file_exists(path);
  Kept kept;
  if (resume) {
    auto found = find_kept(path, model, info, keep);
    if (!found) return found.diagnostics();
    kept = std::move(*found);
  }
  auto file = resume ? OutputFile::reopen(path, kept.end) : OutputFile::create(path);
  if (!file) return file.diagnostics();
  if (!resume)
    if (Failure failure = (*file)->append(build_head(model, info, keep))) return *failure;
  return std::unique_ptr<FrameWriter>(new TumbleWriter(model, info, std::move(*file), std::move(kept.index)));
}

}  // namespace tumble::record::detail
