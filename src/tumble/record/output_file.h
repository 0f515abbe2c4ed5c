// A file being written: buffered at its end, directly anywhere else; errors come back as values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tumble/core/expected.h"
#include "tumble/record/failure.h"

namespace tumble::record::detail {

class OutputFile {
 public:
  /// Makes the file, or empties the one that is there.
  static core::Expected<std::unique_ptr<OutputFile>> create(const std::string& path);
  /// Opens a file that is there and cuts it to its first `size` bytes, which it must have.
  static core::Expected<std::unique_ptr<OutputFile>> reopen(const std::string& path, uint64_t size);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Adds a record at the end. The file ends with a whole record, also when the disk is full; a killed process may leave
  /// one cut.
  Failure append(std::string_view record);
  /// Writes at once, without the buffer.
  Failure write_at(uint64_t offset, const void* bytes, size_t size);
  Failure resize(uint64_t size);
  Failure flush();
  /// Hands everything to the disk itself, not only to the system.
  Failure sync();
  Failure close();

  /// The file was renamed: messages shall name it so.
  void set_path(const std::string& path) { path_ = path; }

  uint64_t size() const { return flushed_ + buffer_.size(); }
  const std::string& path() const { return path_; }
  const Failure& failure() const { return failure_; }

 private:
  OutputFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  Failure fail(const char* what, int error);
  Failure write_some(uint64_t offset, const char* from, size_t size, size_t& done);

  int descriptor_;
  std::string path_;
  std::string buffer_;               // what follows the first flushed_ bytes
  std::vector<size_t> record_ends_;  // in buffer_
  uint64_t flushed_ = 0;
  uint64_t kept_ = 0;  // the end of the last whole record in the file
  Failure failure_;    // the first one
};

bool file_exists(const std::string& path);
/// ".csv" of "a.CSV".
std::string lower_extension(const std::string& path);

}  // namespace tumble::record::detail
