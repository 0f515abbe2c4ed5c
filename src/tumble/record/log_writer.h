// The log of a run: one row per step at whose end all bodies have the same time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tumble/core/expected.h"
#include "tumble/model/run_output.h"
#include "tumble/record/failure.h"

namespace tumble::record {

using model::LogRow;

namespace detail {
class OutputFile;
}

/// Writes `t,h,kinetic,...,impacts,work,work.NAME...,NAME.px,...,NAME.potential...` as CSV. Rows are
/// buffered: flush() before a checkpoint.
class LogWriter {
 public:
  /// With keep_bytes > 0 an existing file is truncated to this size (an offset() of an earlier run) and
  /// continued; a missing file is created. Refuses a file with other columns.
  static core::Expected<std::unique_ptr<LogWriter>> open(const std::string& path,
                                                         const std::vector<std::string>& force_names,
                                                         size_t keep_bytes = 0,
                                                         const std::vector<std::string>& bodies = {});
  ~LogWriter();

  Failure write_row(const LogRow& row);
  /// Writes all buffered rows to the file.
  Failure flush();
  /// Flushes and closes.
  Failure finish();
  /// Length of the file once flushed, in bytes. A checkpoint stores it.
  size_t offset() const;
  const std::string& path() const;
  /// The time of the last row in the file on disk, s. Empty: none since it was opened.
  std::optional<double> written_until() const;

 private:
  LogWriter(std::unique_ptr<detail::OutputFile> file, size_t forces, size_t bodies);
  std::unique_ptr<detail::OutputFile> file_;
  size_t forces_, bodies_;
  std::vector<double> numbers_;  // scratch
  std::string row_;              // scratch
};

}  // namespace tumble::record
