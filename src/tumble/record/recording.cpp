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
  // Older versions do not say theirs here.
  recording.file_->read_at(detail::kTumbleMagic.size(), &recording.version_, sizeof recording.version_);
  if (head->version != (recording.version_ < detail::kVersionWithIndex ? 0 : recording.version_))
    return recording.file_->fault_at(detail::kTumbleMagic.size(),
                                     "the recording is damaged: its version is not that of its INFO chunk");
  recording.info_ = std::move(head->info);
  recording.start_ = head->first;
  recording.body_names_ = std::move(head->bodies);
  recording.force_names_ = std::move(head->forces);
  recording.joint_names_ = std::move(head->joints);

  recording.end_ = first->end();
  core::Diagnostics warnings = recording.read_chunks(first->end());
  recording.info_.frames = recording.frame_count();
  return {std::move(recording), std::move(warnings)};
}

core::Diagnostic Recording::as_warning(core::Diagnostic fault) const {
  fault.severity = core::Severity::warning;
  fault.message += "; the " + std::to_string(frame_count()) + " frames before are used";
  return fault;
}

// A chunk of the head: a file of the scene, a setting, inputs. Other chunks are an error of the caller.
Failure Recording::read_head_chunk(const Chunk& chunk) {
  auto payload = ChunkReader(*file_).payload(chunk);
  if (!payload) return payload.diagnostics().front();
  if (chunk.type == detail::kFileChunk) {
    ByteReader fields(*payload);
    SceneFile file;
    uint64_t length = 0;
    if (!fields.read(length) || !fields.read_text(length, file.path))
      return file_->fault_at(chunk.at, "the scene file that begins here has a wrong length");
    fields.read_text(fields.left(), file.bytes);
    info_.files.push_back(std::move(file));
  } else if (chunk.type == detail::kSettingChunk) {
    info_.settings.push_back(std::move(*payload));
  } else {
    info_.inputs = std::move(*payload);
  }
  return {};
}

// Stores the offset of a chunk after the head, or reads it.
Failure Recording::note_chunk(std::string_view type, uint64_t at) {
  if (type == detail::kFrameChunk) offsets_.frames.push_back(at);
  if (type == detail::kLogChunk) offsets_.log_rows.push_back(at);
  if (type == detail::kContactChunk) offsets_.contacts.push_back(at);
  if (type == detail::kReactionChunk) offsets_.reactions.push_back(at);
  if (type != detail::kWarningChunk && type != detail::kSummaryChunk) return {};
  auto payload = ChunkReader(*file_).payload_at(at, type);
  if (!payload) return payload.diagnostics().front();
  if (type == detail::kWarningChunk)
    warnings_.push_back(std::move(*payload));
  else
    summary_json_ = std::move(*payload);
  return {};
}

// Reads the chunks of the head, then the index. Without one, looks at every chunk and stops at the first
// fault, which it returns as a warning.
core::Diagnostics Recording::read_chunks(uint64_t at) {
  const ChunkReader reader(*file_);
  core::Diagnostics warnings;
  const auto stop = [&](const core::Diagnostic& fault) {
    warnings.push_back(as_warning(fault));
    return warnings;
  };
  for (auto chunk = reader.chunk_at(at); chunk && detail::is_head_chunk(chunk->type);
       chunk = reader.chunk_at(at)) {
    if (Failure fault = read_head_chunk(*chunk)) return stop(*fault);
    at = end_ = chunk->end();
  }
  if (version_ >= detail::kVersionWithIndex) {
    const auto index = reader.read_index(at);
    if (index && *index) {
      for (const detail::IndexEntry& entry : **index)
        if (Failure fault = note_chunk({entry.type.data(), entry.type.size()}, entry.at)) {
          fault->severity = core::Severity::warning;
          warnings.push_back(*fault);
        }
      end_ = file_->size();
      has_index_ = true;
      return warnings;
    }
    if (!index) {
      index_damage_ = index.diagnostics().front();
      warnings.push_back(*index_damage_);
      warnings.back().severity = core::Severity::warning;
      warnings.back().message += "; the recording is read without it";
    }
  }
  const uint64_t frame_length = 16 + 8 * (body_names_.size() * model::kBodySize + force_names_.size());
  const uint64_t row_length =
      detail::kLogRowSize + 8 * (force_names_.size() + info_.log_bodies.size() * model::kBodyLogSize);
  while (at < file_->size()) {
    const auto chunk = reader.chunk_at(at);
    if (!chunk) return stop(file_->fault_at(at, "the recording is cut off here"));
    const bool is_frame = chunk->type == detail::kFrameChunk, is_row = chunk->type == detail::kLogChunk;
    if ((is_frame && chunk->length != frame_length) || (is_row && chunk->length != row_length))
      return stop(file_->fault_at(at, "the chunk that begins here has a wrong length"));
    if (detail::is_head_chunk(
            chunk->type)) {  // also between frames, as a reader of other versions takes them
      if (Failure fault = read_head_chunk(*chunk)) return stop(*fault);
    } else if (chunk->type == detail::kIndexChunk || chunk->type == detail::kTailChunk) {
      if (const auto payload = reader.payload(*chunk); !payload && warnings.empty()) {
        index_damage_ = payload.diagnostics().front();
        warnings.push_back(*index_damage_);
        warnings.back().severity = core::Severity::warning;
      }
    } else {
      // Unknown chunks are skipped if they are whole. Large ones that are known are verified when they are
      // used.
      const bool later =
          is_frame || is_row || chunk->type == detail::kContactChunk || chunk->type == detail::kReactionChunk;
      if (!later)
        if (const auto payload = reader.payload(*chunk); !payload) return stop(payload.diagnostics().front());
      if (Failure fault = note_chunk(chunk->type, at)) return stop(*fault);
    }
    at = end_ = chunk->end();
  }
  return warnings;
}

Failure Recording::find_damage() const {
  const ChunkReader reader(*file_, kBufferSize);
  for (const auto& [type, list] :
       {std::pair(detail::kFrameChunk, &offsets_.frames), std::pair(detail::kLogChunk, &offsets_.log_rows),
        std::pair(detail::kContactChunk, &offsets_.contacts),
        std::pair(detail::kReactionChunk, &offsets_.reactions)})
    for (const uint64_t at : *list)
      if (const auto payload = reader.payload_at(at, type); !payload) return payload.diagnostics().front();
  return index_damage_;
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
  TUMBLE_REQUIRE(i < frame_count(), "there is no such frame");
  const uint64_t at = offsets_.frames[i];
  const auto payload = ChunkReader(*file_).payload_at(at, detail::kFrameChunk);
  if (!payload) return payload.diagnostics();
  ByteReader fields(*payload);
  model::State state;
  uint64_t k = 0;
  if (!fields.read(k) || !fields.read(state.time) ||
      !fields.read_doubles(body_names_.size() * model::kBodySize, state.y) ||
      !fields.read_doubles(force_names_.size(), state.work) || fields.left() > 0 || k != start_.frames + i)
    return file_->fault_at(at, "this is not frame " + std::to_string(start_.frames + i));
  return state;
}

core::Expected<FrameContacts> Recording::contacts(size_t i) const {
  TUMBLE_REQUIRE(info_.contacts && i < frame_count(), "there are no such contacts");
  if (i >= offsets_.contacts.size())
    return file_->fault_at(offsets_.frames[i], "the contacts of this frame are missing");
  const uint64_t at = offsets_.contacts[i];
  const auto payload = ChunkReader(*file_).payload_at(at, detail::kContactChunk);
  if (!payload) return payload.diagnostics();
  ByteReader fields(*payload);
  FrameContacts contacts;
  uint64_t k = 0;
  uint32_t points = 0, patches = 0;
  bool good = fields.read(k) && fields.read(contacts.t) && fields.read(points) && fields.read(patches) &&
              k == start_.frames + i &&
              fields.left() == points * detail::kContactSize + patches * detail::kPatchSize;
  if (good) contacts.points.resize(points), contacts.patches.resize(patches);
  const auto read_vec3 = [&](math::Vec3& v) {
    for (double& x : v) good = good && fields.read(x);
  };
  for (FrameContacts::Point& point : contacts.points) {
    uint32_t state = 0;
    good = good && fields.read(point.a) && fields.read(point.b) && fields.read(state) &&
           fields.read(point.patch) && point.a < body_names_.size() && point.b < body_names_.size() &&
           state <= static_cast<uint32_t>(FrameContacts::State::impact) && point.patch >= 1 &&
           point.patch <= patches;
    --point.patch;
    point.state = static_cast<FrameContacts::State>(state);
    read_vec3(point.point), read_vec3(point.normal);
    good = good && fields.read(point.gap) && fields.read(point.normal_impulse);
    read_vec3(point.impulse);
    good = good && fields.read(point.slip);
  }
  for (FrameContacts::Patch& patch : contacts.patches) {
    read_vec3(patch.impulse), read_vec3(patch.center);
    good = good && fields.read(patch.moment);
  }
  if (!good)
    return file_->fault_at(at, "these are not the contacts of frame " + std::to_string(start_.frames + i));
  return contacts;
}

core::Expected<std::vector<double>> Recording::reactions(size_t i) const {
  TUMBLE_REQUIRE(info_.reactions && i < frame_count(), "there are no such reactions");
  if (i >= offsets_.reactions.size())
    return file_->fault_at(offsets_.frames[i], "the reactions of this frame are missing");
  const uint64_t at = offsets_.reactions[i];
  const auto payload = ChunkReader(*file_).payload_at(at, detail::kReactionChunk);
  if (!payload) return payload.diagnostics();
  ByteReader fields(*payload);
  std::vector<double> reactions;
  uint64_t k = 0;
  double t = 0;
  if (!fields.read(k) || !fields.read(t) ||
      !fields.read_doubles(joint_names_.size() * model::kReactionSize, reactions) || fields.left() > 0 ||
      k != start_.frames + i)
    return file_->fault_at(at, "these are not the reactions of frame " + std::to_string(start_.frames + i));
  return reactions;
}

core::Expected<std::vector<LogRow>> Recording::log_rows(size_t first, size_t count) const {
  TUMBLE_REQUIRE(first <= log_row_count() && count <= log_row_count() - first, "there are no such rows");
  // Reading ahead is in vain where frames lie between the rows.
  const uint64_t span = count > 1 ? offsets_.log_rows[first + count - 1] - offsets_.log_rows[first] : 0;
  const ChunkReader reader(*file_, span / kCloseRows < count ? kReadAhead : 0);
  std::vector<LogRow> rows;
  rows.reserve(count);
  for (size_t i = first; i < first + count; ++i) {
    const uint64_t at = offsets_.log_rows[i];
    const auto payload = reader.payload_at(at, detail::kLogChunk);
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
            fields.read_doubles(force_names_.size(), row.work_by_force) &&
            fields.read_doubles(info_.log_bodies.size() * model::kBodyLogSize, row.by_body) &&
            fields.left() == 0;
    if (!good) return file_->fault_at(at, "the log row that begins here has a wrong length");
    row.contacts = contacts;
    row.impacts = impacts;
  }
  return rows;
}

}  // namespace tumble::record
