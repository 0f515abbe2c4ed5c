// The contacts of a run as CSV: for every frame, one row for each contact point that transmitted an impulse
// since the frame before.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tumble/core/expected.h"
#include "tumble/model/run_output.h"
#include "tumble/record/failure.h"

namespace tumble::record {

using model::ContactRow;

namespace detail {
class OutputFile;
}

class ContactWriter {
 public:
  /// With keep_bytes > 0 an existing file is truncated to this size (an offset() of an earlier run) and
  /// continued.
  static core::Expected<std::unique_ptr<ContactWriter>> open(const std::string& path, size_t keep_bytes = 0);
  ~ContactWriter();

  Failure write_row(const ContactRow& row);
  Failure flush();
  Failure finish();
  /// Length of the file once flushed, in bytes. A checkpoint stores it.
  size_t offset() const;
  const std::string& path() const;
  /// The time of the last row in the file on disk, s. Empty: none since it was opened.
  std::optional<double> written_until() const;

 private:
  explicit ContactWriter(std::unique_ptr<detail::OutputFile> file);
  std::unique_ptr<detail::OutputFile> file_;
  std::string row_;  // scratch
};

}  // namespace tumble::record
