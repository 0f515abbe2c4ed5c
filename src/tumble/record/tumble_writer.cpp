#include "tumble/record/bytes.h"
#include "tumble/record/output_file.h"
#include "tumble/record/tumble_file.h"

namespace tumble::record::detail {

namespace {

class TumbleWriter : public FrameWriter {
 public:
  TumbleWriter(const model::Model& model, std::unique_ptr<OutputFile> file)
      : bodies_(model.bodies().size()), forces_(model.work_count()), file_(std::move(file)) {}

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
    return append(kLogChunk, payload_);
  }

  Failure write_warning(const std::string& text) override { return append(kWarningChunk, text); }
  Failure flush() override { return file_->flush(); }

  Failure finish(const Summary& summary) override {
    if (Failure failure = append(kSummaryChunk, record::to_json(summary, WallClock::left_out)))
      return failure;
    return file_->close();
  }
  const std::string& path() const override { return file_->path(); }
  std::optional<double> written_until() const override { return file_->written_until(); }

 private:
  Failure append(std::string_view type, std::string_view payload, std::optional<double> frame_time = {}) {
    chunk_.clear();
    append_chunk(chunk_, type, payload);
    return frame_time ? file_->append(chunk_, *frame_time) : file_->append(chunk_);
  }

  size_t bodies_, forces_;
  std::unique_ptr<OutputFile> file_;
  std::string payload_, chunk_;  // scratch
};

// All bytes before the first frame.
std::string build_head(const model::Model& model, const RecordingInfo& info, const Progress& first) {
  TumbleInfo head{info, first, {}, {}};
  for (const model::Body& body : model.bodies()) head.bodies.push_back(body.name);
  head.forces = model.work_names();

  std::string bytes(kTumbleMagic);
  append_value(bytes,
               info.settings.empty() && info.inputs.empty() ? kTumbleVersion : kTumbleVersionWithInputs);
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

// The offset in an existing file after the chunks that a resumed run keeps.
core::Expected<uint64_t> find_kept_end(const std::string& path, const model::Model& model,
                                       const RecordingInfo& info, const Progress& keep) {
  const auto opened = InputFile::open(path);
  if (!opened) return opened.diagnostics();
  const InputFile& file = **opened;
  if (Failure failure = check_tumble_head(file)) return *failure;
  const ChunkReader reader(file);
  const auto info_chunk = reader.chunk_at(kTumbleHeadSize);
  if (!info_chunk) return file.fault_at(kTumbleHeadSize, "cannot be continued: it is cut off here");
  const auto json = reader.payload(*info_chunk);
  if (!json) return json.diagnostics();
  const auto old = parse_tumble_info(*json);
  std::string head;
  if (!old || !file.read_at(0, build_head(model, info, old->first).size(), head) ||
      head != build_head(model, info, old->first))
    return file.fault_at(kTumbleHeadSize,
                         "cannot be continued: it was recorded from another scene or with other options");

  Progress reached = old->first;
  uint64_t at = head.size();
  while (reached.frames != keep.frames || reached.log_rows != keep.log_rows ||
         reached.warnings != keep.warnings) {
    const auto chunk = reader.chunk_at(at);
    if (!chunk || chunk->type == kSummaryChunk)
      return file.fault_at(at,
                           "cannot be continued: it does not reach as far as the checkpoint; resume into "
                           "a new file");
    if (chunk->type == kFrameChunk) ++reached.frames;
    if (chunk->type == kLogChunk) ++reached.log_rows;
    if (chunk->type == kWarningChunk) ++reached.warnings;
    at = chunk->end();
  }
  return at;
}

}  // namespace

core::Expected<std::unique_ptr<FrameWriter>> open_tumble_writer(const std::string& path,
                                                                const model::Model& model,
                                                                const RecordingInfo& info,
                                                                const Progress& keep) {
  const bool resume = keep.frames > 0 && file_exists(path);
  uint64_t end = 0;
  if (resume) {
    const auto found = find_kept_end(path, model, info, keep);
    if (!found) return found.diagnostics();
    end = *found;
  }
  auto file = resume ? OutputFile::reopen(path, end) : OutputFile::create(path);
  if (!file) return file.diagnostics();
  if (!resume)
    if (Failure failure = (*file)->append(build_head(model, info, keep))) return *failure;
  return std::unique_ptr<FrameWriter>(new TumbleWriter(model, std::move(*file)));
}

}  // namespace tumble::record::detail
