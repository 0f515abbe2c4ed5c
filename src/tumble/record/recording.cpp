#include "tumble/record/recording.h"

#include <algorithm>

#include "tumble/record/bytes.h"
#include "tumble/record/output_file.h"
#include "tumble/record/tolerances.h"
#include "tumble/record/tumble_file.h"

namespace tumble::record {

using detail::ByteReader;
using detail::Chunk;
using detail::ChunkReader;

Recording::Recording() = default;
Recording::~Recording() = default;
Recording::Recording(Recording&&) noexcept = default;
Recording& Recording::operator=(Recording&&) noexcept = default;

core::Expected<Recording> Recording::open(const std::string& path) {
  const auto opened = detail::InputFile::open(path);
  if (!opened) return opened.diagnostics();
  Recording recording;
  recording.file_ = *opened;
  if (Failure failure = detail::check_tumble_head(*recording.file_)) return *failure;

  const ChunkReader reader(*recording.file_);
  const auto first = reader.chunk_at(detail::kTumbleHeadSize);
  if (!first) return recording.file_->fault_at(detail::kTumbleHeadSize, "the recording is cut off here");
  const auto json = reader.payload(*first);
  if (!json) return json.diagnostics();
  auto head = detail::parse_tumble_info(*json);
  if (first->type != detail::kInfoChunk || !head)
    return recording.file_->fault_at(first->at, "the recording does not begin with an INFO chunk");
  recording.info_ = std::move(head->info);
  recording.start_ = head->first;
  recording.body_names_ = std::move(head->bodies);
  recording.force_names_ = std::move(head->forces);

  recording.end_ = first->end();
  core::Diagnostics warnings = recording.index_chunks(first->end());
  recording.info_.frames = recording.frame_count();
  return {std::move(recording), std::move(warnings)};
}

// Stores the offsets of frames and log rows and reads all other chunks. Stops at the first fault and
// returns it as a warning.
core::Diagnostics Recording::index_chunks(uint64_t at) {
  const ChunkReader reader(*file_);
  const uint64_t frame_length = 16 + 8 * (body_names_.size() * model::kBodySize + force_names_.size());
  const uint64_t row_length = detail::kLogRowSize + 8 * force_names_.size();
  const auto stop = [&](core::Diagnostic fault) {
    fault.severity = core::Severity::warning;
    fault.message += "; the " + std::to_string(frame_count()) + " frames before are used";
    return core::Diagnostics{fault};
  };
  while (at < file_->size()) {
    const auto chunk = reader.chunk_at(at);
    if (!chunk) return stop(file_->fault_at(at, "the recording is cut off here"));
    if (chunk->type == detail::kFrameChunk || chunk->type == detail::kLogChunk) {
      const bool is_frame = chunk->type == detail::kFrameChunk;
      if (chunk->length != (is_frame ? frame_length : row_length))
        return stop(file_->fault_at(at, "the chunk that begins here has a wrong length"));
      (is_frame ? frame_offsets_ : log_row_offsets_).push_back(at);
    } else {  // unknown chunks are skipped if they are whole
      auto payload = reader.payload(*chunk);
      if (!payload) return stop(payload.diagnostics().front());
      ByteReader fields(*payload);
      SceneFile file;
      uint64_t length = 0;
      if (chunk->type == detail::kFileChunk) {
        if (!fields.read(length) || !fields.read_text(length, file.path))
          return stop(file_->fault_at(at, "the scene file that begins here has a wrong length"));
        fields.read_text(fields.left(), file.bytes);
        info_.files.push_back(std::move(file));
      } else if (chunk->type == detail::kSettingChunk) {
        info_.settings.push_back(std::move(*payload));
      } else if (chunk->type == detail::kInputsChunk) {
        info_.inputs = std::move(*payload);
      } else if (chunk->type == detail::kWarningChunk) {
        warnings_.push_back(std::move(*payload));
      } else if (chunk->type == detail::kSummaryChunk) {
        summary_json_ = std::move(*payload);
      }
    }
    at = end_ = chunk->end();
  }
  return {};
}

Failure Recording::find_damage() const {
  const ChunkReader reader(*file_);
  for (const auto* list : {&frame_offsets_, &log_row_offsets_})
    for (const uint64_t at : *list) {
      const auto chunk = reader.chunk_at(at);
      if (!chunk) return file_->fault_at(at, "the recording was cut off here while it was read");
      if (const auto payload = reader.payload(*chunk); !payload) return payload.diagnostics().front();
    }
  return {};
}

Failure Recording::copy_to(const std::string& path) const {
  auto file = detail::OutputFile::create(path);
  if (!file) return file.diagnostics().front();
  std::string block;
  for (uint64_t at = 0; at < end_; at += block.size()) {
    if (!file_->read_at(at, std::min<uint64_t>(kBufferSize, end_ - at), block))
      return file_->fault_at(at, "the recording was cut off here while it was read");
    if (Failure failure = (*file)->append(block)) return failure;
  }
  return (*file)->close();
}

core::Expected<model::State> Recording::frame(size_t i) const {
  TUMBLE_REQUIRE(i < frame_count(), "the recording has no such frame");
  const ChunkReader reader(*file_);
  const auto chunk = reader.chunk_at(frame_offsets_[i]);
  if (!chunk) return file_->fault_at(frame_offsets_[i], "the recording was cut off here while it was read");
  const auto payload = reader.payload(*chunk);
  if (!payload) return payload.diagnostics();
  ByteReader fields(*payload);
  model::State state;
  uint64_t k = 0;
  if (!fields.read(k) || !fields.read(state.time) ||
      !fields.read_doubles(body_names_.size() * model::kBodySize, state.y) ||
      !fields.read_doubles(force_names_.size(), state.work) || k != start_.frames + i)
    return file_->fault_at(frame_offsets_[i], "this is not frame " + std::to_string(start_.frames + i));
  return state;
}

core::Expected<std::vector<LogRow>> Recording::log_rows() const {
  const ChunkReader reader(*file_);
  std::vector<LogRow> rows;
  rows.reserve(log_row_offsets_.size());
  for (const uint64_t at : log_row_offsets_) {
    const auto chunk = reader.chunk_at(at);
    if (!chunk) return file_->fault_at(at, "the recording was cut off here while it was read");
    const auto payload = reader.payload(*chunk);
    if (!payload) return payload.diagnostics();
    ByteReader fields(*payload);
    LogRow& row = rows.emplace_back();
    uint64_t contacts = 0, impacts = 0;
    bool good = true;
    for (double* x : {&row.t, &row.h, &row.kinetic, &row.potential, &row.energy}) good &= fields.read(*x);
    for (double& x : row.momentum) good &= fields.read(x);
    for (double& x : row.angular_momentum) good &= fields.read(x);
    good &= fields.read(contacts) && fields.read(row.max_penetration) && fields.read(row.max_joint_error) &&
            fields.read(impacts) && fields.read(row.work) &&
            fields.read_doubles(force_names_.size(), row.work_by_force);
    if (!good) return file_->fault_at(at, "the log row that begins here is too short");
    row.contacts = contacts;
    row.impacts = impacts;
  }
  return rows;
}

}  // namespace tumble::record
