#include <algorithm>
#include <charconv>
#include <cmath>

#include "tumble/record/input_file.h"
#include "tumble/record/number_format.h"
#include "tumble/record/output_file.h"
#include "tumble/record/text_table.h"
#include "tumble/record/tolerances.h"

namespace tumble::record::detail {

namespace {

class TextWriter : public FrameWriter {
 public:
  TextWriter(TextFormat format, const model::Model& model, std::unique_ptr<OutputFile> file)
      : model_(model), separator_(format == TextFormat::csv ? ',' : ' '), file_(std::move(file)) {}

  Failure write_frame(size_t, const model::State& state) override {
    row_.clear();
    append_number(row_, state.time);
    for (size_t i = 0; i < model_.bodies().size(); ++i) {
      const core::BodyId body(i);
      const math::Quat q = state.orientation(body);
      add(state.position(body));
      for (const double x : {q.w(), q.x(), q.y(), q.z()}) add(x);
      add(model::velocity(model_, state, body));
      add(model::angular_velocity(model_, state, body));
    }
    row_ += '\n';
    return file_->append(row_, state.time);
  }
  Failure flush() override { return file_->flush(); }
  Failure finish(const Summary&) override { return file_->close(); }
  const std::string& path() const override { return file_->path(); }
  std::optional<double> written_until() const override { return file_->written_until(); }

 private:
  void add(double x) {
    row_ += separator_;
    append_number(row_, x);
  }
  void add(const math::Vec3& v) {
    for (const double x : v) add(x);
  }

  const model::Model& model_;
  char separator_;
  std::unique_ptr<OutputFile> file_;
  std::string row_;  // scratch
};

// The offset in an existing file after the rows that a resumed run keeps. The first frame is not always
// frame 0: a run that was resumed into a new file wrote only the remaining frames.
core::Expected<uint64_t> find_kept_end(const std::string& path, const std::string& header, double fps,
                                       size_t keep_frames) {
  const auto opened = InputFile::open(path);
  if (!opened) return opened.diagnostics();
  const InputFile& file = **opened;
  std::string block;
  if (!file.read_at(0, header.size(), block) || block != header)
    return core::error_at({path, 1}, "cannot be continued: its columns are not those of this scene");

  uint64_t at = header.size();
  if (!file.read_at(at, std::min<uint64_t>(32, file.size() - at), block))
    return file.fault_at(at, "cannot be read");
  double first_time = 0;
  if (std::from_chars(block.data(), block.data() + block.size(), first_time).ec != std::errc())
    return file.fault_at(at, "cannot be continued: it has no first frame");
  const double first = std::round(first_time * fps);
  if (!(first >= 0 && first <= static_cast<double>(keep_frames)))
    return file.fault_at(at, "cannot be continued: its first frame is after the checkpoint");

  size_t rows = keep_frames - static_cast<size_t>(first);
  while (rows > 0) {
    if (at == file.size())
      return file.fault_at(at, "cannot be continued: it ends " + std::to_string(rows) +
                                   " frames before the checkpoint; resume into a new file");
    if (!file.read_at(at, std::min<uint64_t>(kBufferSize, file.size() - at), block))
      return file.fault_at(at, "cannot be read");
    size_t used = 0;
    for (; rows > 0; --rows) {
      const size_t end = block.find('\n', used);
      if (end == std::string::npos) {
        used = block.size();
        break;
      }
      used = end + 1;
    }
    at += used;
  }
  return at;
}

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::vector<std::string> table_columns(const model::Model& model) {
  std::vector<std::string> columns = {"t"};
  columns.reserve(1 + model::kBodySize * model.bodies().size());
  for (const model::Body& body : model.bodies())
    for (const char* part :
         {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz", ".vx", ".vy", ".vz", ".wx", ".wy", ".wz"})
      columns.push_back(body.name + part);
  return columns;
}

std::string table_header(TextFormat format, const model::Model& model) {
  const bool csv = format == TextFormat::csv;
  std::string header = csv ? "" : "% One row a frame, SI units; columns:\n%";
  for (const std::string& column : table_columns(model)) {
    if (csv) {
      header += csv_field(column) + ",";
    } else {
      std::string name = column;  // a line end in a name would end the comment line
      std::replace_if(
          name.begin(), name.end(), [](char c) { return c == '\n' || c == '\r'; }, '_');
      header += " " + name;
    }
  }
  if (csv) header.pop_back();
  return header + "\n";
}

core::Expected<std::unique_ptr<OutputFile>> open_table(const std::string& path, const std::string& header,
                                                       double fps, size_t keep_frames) {
  const bool resume = keep_frames > 0 && file_exists(path);
  uint64_t end = 0;
  if (resume) {
    const auto found = find_kept_end(path, header, fps, keep_frames);
    if (!found) return found.diagnostics();
    end = *found;
  }
  auto file = resume ? OutputFile::reopen(path, end) : OutputFile::create(path);
  if (!file) return file.diagnostics();
  if (!resume)
    if (Failure failure = (*file)->append(header)) return *failure;
  return file;
}

core::Expected<std::unique_ptr<OutputFile>> open_rows(const std::string& path, const std::string& header,
                                                      size_t keep_bytes) {
  const bool resume = keep_bytes > 0 && file_exists(path);
  if (resume) {
    const auto old = InputFile::open(path);
    if (!old) return old.diagnostics();
    std::string head;
    char last = 0;
    if (!(*old)->read_at(0, header.size(), head) || head != header)
      return core::error_at({path, 1}, "cannot be continued: its columns are not those of this run");
    if (keep_bytes < header.size() || !(*old)->read_at(keep_bytes - 1, &last, 1) || last != '\n')
      return (*old)->fault_at(keep_bytes, "cannot be continued: no row ends here");
  }
  auto file = resume ? OutputFile::reopen(path, keep_bytes) : OutputFile::create(path);
  if (!file) return file.diagnostics();
  if (!resume)
    if (Failure failure = (*file)->append(header)) return *failure;
  return file;
}

core::Expected<std::unique_ptr<FrameWriter>> open_text_writer(TextFormat format, const std::string& path,
                                                              const model::Model& model,
                                                              const RecordingInfo& info,
                                                              const Progress& keep) {
  auto file = open_table(path, table_header(format, model), info.fps, keep.frames);
  if (!file) return file.diagnostics();
  return std::unique_ptr<FrameWriter>(new TextWriter(format, model, std::move(*file)));
}

}  // namespace tumble::record::detail
