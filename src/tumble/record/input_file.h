// A file that is read in pieces. Each read is checked against the length of the file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tumble/core/expected.h"

namespace tumble::record::detail {

class InputFile {
 public:
  static core::Expected<std::shared_ptr<const InputFile>> open(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  uint64_t size() const { return size_; }
  const std::string& path() const { return path_; }
  /// False when the file does not have all these bytes; `to` is then unspecified.
  bool read_at(uint64_t offset, void* to, uint64_t size) const;
  bool read_at(uint64_t offset, uint64_t size, std::string& to) const;
  core::Diagnostic fault_at(uint64_t byte, std::string message) const;

 private:
  InputFile(int descriptor, std::string path, uint64_t size)
      : descriptor_(descriptor), path_(std::move(path)), size_(size) {}
  int descriptor_;
  std::string path_;
  uint64_t size_;  // bytes
};

}  // namespace tumble::record::detail
