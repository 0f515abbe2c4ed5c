#include "outputs.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
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
  if (keep.frames > 0) resumed_at_ = static_cast<double>(keep.frames - 1) / info.fps;
  for (const std::string& path : paths.frames)
    writers_.push_back(opened(record::open_frame_writer(path, model, info, keep)));
  if (!paths.reactions.empty())
    reactions_ = opened(record::ReactionWriter::open(paths.reactions, model, info.fps, keep.frames));
  if (!paths.log.empty())
    log_ = opened(record::LogWriter::open(paths.log, model.work_names(), resume ? resume->log_offset : 0,
                                          info.log_bodies));
  if (!paths.contacts.empty())
    contacts_ = opened(record::ContactWriter::open(paths.contacts, resume ? resume->contacts_offset : 0));
}

template <class Writer>
void Outputs::note(const Writer& writer, const record::Failure& failure) {
  if (!failure) return;
  const auto known = std::find_if(failures_.begin(), failures_.end(),
                                  [&](const Failed& failed) { return failed.path == writer->path(); });
  if (known != failures_.end()) return;
  const std::optional<double> until = writer->written_until();
  failures_.push_back({writer->path(), to_string(*failure), until ? until : resumed_at_});
}

std::vector<std::string> Outputs::describe_failures() const {
  std::vector<std::string> lines;
  for (const Failed& failed : failures_)
    lines.push_back(failed.why + "; " +
                    (failed.written_until
                         ? "written up to t = " + core::brief_number(*failed.written_until, 12) + " s"
                         : "nothing was written"));
  return lines;
}

size_t Outputs::count_frames(size_t count, double fps) const {
  for (const auto& writer : writers_)
    for (const Failed& failed : failures_)
      if (failed.path == writer->path())
        count = std::min(count, failed.written_until
                                    ? static_cast<size_t>(std::llround(*failed.written_until * fps)) + 1
                                    : size_t{0});
  return count;
}

bool Outputs::write_frame(const simulate::Frame& frame) {
  const double t = frame.state->time;
  for (const auto& writer : writers_) {
    note(writer, writer->write_contacts(frame.index, t, frame.contacts));
    note(writer, writer->write_reactions(frame.index, t, frame.reactions));
    note(writer, writer->write_frame(frame.index, *frame.state));
  }
  if (reactions_) note(reactions_, reactions_->write_row(t, frame.reactions));
  if (contacts_)
    for (const record::ContactRow& row : frame.contacts) note(contacts_, contacts_->write_row(row));
  return !failed();
}

bool Outputs::write_log_row(const record::LogRow& row) {
  if (log_) note(log_, log_->write_row(row));
  for (const auto& writer : writers_) note(writer, writer->write_log_row(row));
  return !failed();
}

bool Outputs::write_warning(const std::string& text) {
  for (const auto& writer : writers_) note(writer, writer->write_warning(text));
  return !failed();
}

bool Outputs::flush() {
  if (log_) note(log_, log_->flush());
  if (contacts_) note(contacts_, contacts_->flush());
  for (const auto& writer : writers_) note(writer, writer->flush());
  if (reactions_) note(reactions_, reactions_->flush());
  return !failed();
}

bool Outputs::finish(const record::Summary& summary) {
  if (log_) note(log_, log_->finish());
  if (contacts_) note(contacts_, contacts_->finish());
  for (const auto& writer : writers_) note(writer, writer->finish(summary));
  if (reactions_) note(reactions_, reactions_->finish());
  return !failed();
}

}  // namespace tumble::app
