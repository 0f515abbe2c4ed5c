#include "outputs.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>

#include "arguments.h"
#include "motion_source.h"

namespace tumble::app {

namespace {

template <typename T>
T opened(core::Expected<T> result) {
  if (!result) throw UsageError(to_string(result.diagnostics().front()));
  return std::move(result).value();
}

// The file a path leads to, through links and dots.
std::filesystem::path real_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real =
      std::filesystem::weakly_canonical(std::filesystem::absolute(path), error);
  return error ? std::filesystem::path(path) : real;
}

// Checks that no two outputs have the same file, that no output is a file the run reads, and that the formats
// are known.
void check_paths(const Outputs::Paths& paths) {
  std::vector<std::string> all = paths.frames;
  for (const std::string& path :
       {paths.log, paths.summary, paths.checkpoint, paths.reactions, paths.contacts})
    if (!path.empty()) all.push_back(path);
  std::set<std::filesystem::path> taken;
  for (const std::string& input : paths.inputs) taken.insert(real_path(input));
  for (const std::string& path : all) {
    const std::filesystem::path real = real_path(path);
    if (!taken.insert(real).second && !std::filesystem::is_character_file(real))
      throw UsageError(path + " is named twice, or is a file the run reads; give every output its own file");
  }
  for (const std::string& path : paths.frames) {
    const auto& known = record::frame_formats();
    if (std::find(known.begin(), known.end(), lower_extension(path)) == known.end()) {
      std::string list;
      for (const std::string& format : known) list += (list.empty() ? "" : ", ") + format;
      throw UsageError(path + ": the extension selects the format of a recording; known are " + list);
    }
  }
  for (const std::string& path : all) require_writable(path);
}

}  // namespace

void require_writable(const std::string& path) {
  std::error_code error;
  const bool existed = std::filesystem::exists(path, error);
  errno = 0;
  FILE* file = std::fopen(path.c_str(), "ab");
  if (!file) throw UsageError(path + ": cannot be opened for writing: " + std::strerror(errno));
  std::fclose(file);
  if (!existed) std::filesystem::remove(path, error);
}

Outputs::Outputs(const Paths& paths, const model::Model& model, const record::RecordingInfo& info,
                 const record::Checkpoint* resume) {
  check_paths(paths);
  const record::Progress keep = resume ? resume->progress : record::Progress{};
  for (const std::string& path : paths.frames)
    writers_.push_back(opened(record::open_frame_writer(path, model, info, keep)));
  if (!paths.reactions.empty())
    reactions_ = opened(record::ReactionWriter::open(paths.reactions, model, info.fps, keep.frames));
  if (!paths.log.empty())
    log_ = opened(record::LogWriter::open(paths.log, model.work_names(), resume ? resume->log_offset : 0));
  if (!paths.contacts.empty())
    contacts_ = opened(record::ContactWriter::open(paths.contacts, resume ? resume->contacts_offset : 0));
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

bool Outputs::write_contact(const record::ContactRow& row) {
  if (contacts_) note(contacts_->write_row(row));
  return !failure_;
}

bool Outputs::write_reactions(double t, std::span<const double> reactions) {
  if (reactions_) note(reactions_->write_row(t, reactions));
  return !failure_;
}

bool Outputs::write_warning(const std::string& text) {
  for (const auto& writer : writers_) note(writer->write_warning(text));
  return !failure_;
}

bool Outputs::flush() {
  if (log_) note(log_->flush());
  if (contacts_) note(contacts_->flush());
  for (const auto& writer : writers_) note(writer->flush());
  if (reactions_) note(reactions_->flush());
  return !failure_;
}

bool Outputs::finish(const record::Summary& summary) {
  if (log_) note(log_->finish());
  if (contacts_) note(contacts_->finish());
  for (const auto& writer : writers_) note(writer->finish(summary));
  if (reactions_) note(reactions_->finish());
  return !failure_;
}

}  // namespace tumble::app
