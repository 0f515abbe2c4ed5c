// All files that a run writes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tumble/record/checkpoint.h"
#include "tumble/record/contact_writer.h"
#include "tumble/record/frame_writer.h"
#include "tumble/record/log_writer.h"
#include "tumble/record/reaction_writer.h"
#include "tumble/simulate/simulation.h"

namespace tumble::app {

/// Throws UsageError if the file cannot be written. Does not change the file.
void require_writable(const std::string& path);

class Outputs {
 public:
  struct Paths {
    std::vector<std::string> frames;  // -o
    std::string log, summary, checkpoint, reactions, contacts;
    std::vector<std::string> inputs;  // files the run reads and must not write
  };

  /// Opens all files before the run, or throws UsageError. With a checkpoint it appends to existing files.
  Outputs(const Paths& paths, const model::Model& model, const record::RecordingInfo& info,
          const record::Checkpoint* resume);

  // Each returns false after any file has failed.
  bool write_frame(const simulate::Frame& frame);
  bool write_log_row(const record::LogRow& row);
  bool write_warning(const std::string& text);
  bool flush();
  bool finish(const record::Summary& summary);
  bool failed() const { return !failures_.empty(); }
  /// A line for each file that failed: why, and up to which time it is written.
  std::vector<std::string> describe_failures() const;
  /// The number of frames that every recording has, when `count` were written.
  size_t count_frames(size_t count, double fps) const;

  size_t contacts_offset() const { return contacts_ ? contacts_->offset() : 0; }
  size_t log_offset() const { return log_ ? log_->offset() : 0; }

 private:
  /// A file that failed.
  struct Failed {
    std::string path, why;
    std::optional<double> written_until;  // s; none: nothing was written
  };
  template <class Writer>
  void note(const Writer& writer, const record::Failure& failure);
  std::vector<std::unique_ptr<record::FrameWriter>> writers_;
  std::unique_ptr<record::LogWriter> log_;
  std::unique_ptr<record::ContactWriter> contacts_;
  std::unique_ptr<record::ReactionWriter> reactions_;
  std::vector<Failed> failures_;
  std::optional<double> resumed_at_;  // s: the time of the last frame before this run
};

}  // namespace tumble::app
