// A file that is being written. Appending is buffered, other writes are not. Errors are returned as values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tumble/core/expected.h"
#include "tumble/record/failure.h"

namespace tumble::record::detail {

class OutputFile {
 public:
  /// Creates the file, or empties an existing one.
  static core::Expected<std::unique_ptr<OutputFile>> create(const std::string& path);
  /// Opens an existing file and truncates it to `size` bytes; it must have that many.
  static core::Expected<std::unique_ptr<OutputFile>> reopen(const std::string& path, uint64_t size);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Adds a record at the end. The file ends with a whole record even when the disk is full. Only a killed
  /// process may leave a partial record.
  Failure append(std::string_view record);
  /// The same for a record of a time: a frame or a row.
  Failure append(std::string_view record, double time);
  /// Writes immediately, without the buffer.
  Failure write_at(uint64_t offset, const void* bytes, size_t size);
  Failure resize(uint64_t size);
  Failure flush();
  /// Flushes, and waits until the data are on the disk (fsync).
  Failure sync();
  Failure close();

  /// The file was renamed: messages use the new path.
  void set_path(const std::string& path) { path_ = path; }

  uint64_t size() const { return flushed_ + buffer_.size(); }
  const std::string& path() const { return path_; }
  const Failure& failure() const { return failure_; }
  /// The time of the last record of a time that is in the file (not in the buffer); none since it was opened.
  std::optional<double> written_until() const { return written_until_; }

 private:
  OutputFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  Failure fail(const char* what, int error);
  Failure write_some(uint64_t offset, const char* from, size_t size, size_t& done);

  struct Record {
    size_t end = 0;  // in buffer_
    std::optional<double> time = {};
  };
  Failure append(std::string_view bytes, std::optional<double> time);
  void note_written(const Record& record);

  int descriptor_;
  std::string path_;
  std::string buffer_;           // bytes to be written after the first flushed_ bytes
  std::vector<Record> records_;  // in buffer_
  uint64_t flushed_ = 0;
  uint64_t last_record_end_ = 0;  // where the last whole record of the file ends
  Failure failure_;               // the first one
  std::optional<double> written_until_;
};

bool file_exists(const std::string& path);
/// The extension in lower case: ".csv" for "a.CSV".
std::string lower_extension(const std::string& path);

}  // namespace tumble::record::detail
