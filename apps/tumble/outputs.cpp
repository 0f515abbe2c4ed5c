#include "outputs.h"

#include <cstdio>
#include <filesystem>

#include "arguments.h"

namespace tumble::app {

namespace {

template <typename T>
T opened(core::Expected<T> result) {
  if (!result) throw UsageError(to_string(result.diagnostics().front()));
  return std::move(result).value();
}

// A file that is written at the end or by rename: can it be, before the run?
void require_writable(const std::string& path) {
  if (path.empty()) return;
  const bool existed = std::filesystem::exists(path);
  FILE* file = std::fopen(path.c_str(), "ab");
  if (!file) throw UsageError(path + ": cannot be opened for writing");
  std::fclose(file);
  if (!existed) std::filesystem::remove(path);
}

}  // namespace

Outputs::Outputs(const Paths& paths, const model::Model& model, const record::RecordingInfo& info,
                 const record::Checkpoint* resume) {
  require_writable(paths.summary);
  require_writable(paths.checkpoint);
  for (const std::string& path : paths.frames)
    writers_.push_back(
        opened(record::open_frame_writer(path, model, info, resume ? resume->progress : record::Progress{})));
  if (paths.log.empty()) return;
  std::vector<std::string> forces;
  for (const auto& law : model.forces()) forces.push_back(law->name());
  log_ = opened(record::LogWriter::open(paths.log, forces, resume ? resume->log_offset : 0));
}

bool Outputs::note(const record::Failure& failure) {
  if (failure && !failure_) failure_ = failure;
  return !failure_;
}

bool Outputs::write_frame(size_t k, const model::State& state) {
  for (const auto& writer : writers_) note(writer->write_frame(k, state));
  return !failure_;
}

bool Outputs::write_log_row(const record::LogRow& row) {
  if (log_) note(log_->write_row(row));
  for (const auto& writer : writers_) note(writer->write_log_row(row));
  return !failure_;
}

bool Outputs::write_warning(const std::string& text) {
  for (const auto& writer : writers_) note(writer->write_warning(text));
  return !failure_;
}

bool Outputs::flush() {
  if (log_) note(log_->flush());
  for (const auto& writer : writers_) note(writer->flush());
  return !failure_;
}

bool Outputs::finish(const record::Summary& summary) {
  if (log_) note(log_->finish());
  for (const auto& writer : writers_) note(writer->finish(summary));
  return !failure_;
}

}  // namespace tumble::app
