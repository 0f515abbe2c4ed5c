#include "tumble/record/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tumble/record/tolerances.h"

namespace tumble::record::detail {

namespace {

core::Diagnostic cannot(const std::string& path, const std::string& what, int error) {
  return core::error_at({path}, "cannot be " + what + ": " + std::strerror(error));
}

}  // namespace

bool file_exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

core::Expected<std::unique_ptr<OutputFile>> OutputFile::create(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return cannot(path, "opened for writing", errno);
  return std::unique_ptr<OutputFile>(new OutputFile(descriptor, path));
}

core::Expected<std::unique_ptr<OutputFile>> OutputFile::reopen(const std::string& path, uint64_t size) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return cannot(path, "opened for writing", errno);
  std::unique_ptr<OutputFile> file(new OutputFile(descriptor, path));
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return cannot(path, "examined", errno);
  if (static_cast<uint64_t>(status.st_size) < size)
    return core::error_at({path}, "cannot be continued: it has " + std::to_string(status.st_size) +
                                      " bytes, the run to be resumed had written " + std::to_string(size));
  if (Failure failure = file->resize(size)) return *failure;
  return file;
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Failure OutputFile::append(std::string_view record) {
  if (failure_) return failure_;
  buffer_.append(record);
  return buffer_.size() >= kBufferSize ? flush() : Failure{};
}

Failure OutputFile::write_at(uint64_t offset, const void* bytes, size_t size) {
  if (failure_) return failure_;
  const char* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = ::pwrite(descriptor_, from, size, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail("written", errno);
    from += written;
    offset += static_cast<uint64_t>(written);
    size -= static_cast<size_t>(written);
  }
  return {};
}

Failure OutputFile::resize(uint64_t size) {
  if (failure_) return failure_;
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) return fail("resized", errno);
  buffer_.clear();
  flushed_ = size;
  return {};
}

Failure OutputFile::flush() {
  if (failure_ || buffer_.empty()) return failure_;
  if (Failure failure = write_at(flushed_, buffer_.data(), buffer_.size())) {
    // Half a record would be a lie to whoever reads the file; if this fails too, readers skip a cut-off tail.
    [[maybe_unused]] const int ignored = ::ftruncate(descriptor_, static_cast<off_t>(flushed_));
    return failure;
  }
  flushed_ += buffer_.size();
  buffer_.clear();
  return {};
}

Failure OutputFile::sync() {
  if (Failure failure = flush()) return failure;
  if (::fsync(descriptor_) != 0) return fail("written", errno);
  return {};
}

Failure OutputFile::close() {
  if (descriptor_ < 0) return failure_;
  const Failure failure = flush();
  const int result = ::close(std::exchange(descriptor_, -1));
  if (failure) return failure;
  return result == 0 ? Failure{} : fail("written", errno);
}

Failure OutputFile::fail(const char* what, int error) {
  if (!failure_) failure_ = cannot(path_, what, error);
  return failure_;
}

}  // namespace tumble::record::detail
