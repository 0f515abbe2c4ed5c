#include "tumble/record/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tumble/record/tolerances.h"

namespace tumble::record::detail {

namespace {

core::Diagnostic io_error(const std::string& path, const std::string& what, int error) {
  return core::error_at({path}, "cannot be " + what + ": " + std::strerror(error));
}

}  // namespace

bool file_exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

std::string lower_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return extension;
}

core::Expected<std::unique_ptr<OutputFile>> OutputFile::create(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return io_error(path, "opened for writing", errno);
  return std::unique_ptr<OutputFile>(new OutputFile(descriptor, path));
}

core::Expected<std::unique_ptr<OutputFile>> OutputFile::reopen(const std::string& path, uint64_t size) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return io_error(path, "opened for writing", errno);
  std::unique_ptr<OutputFile> file(new OutputFile(descriptor, path));
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return io_error(path, "examined", errno);
  if (static_cast<uint64_t>(status.st_size) < size)
    return core::error_at({path}, "cannot be continued: it has " + std::to_string(status.st_size) +
                                      " bytes, the run to be resumed had written " + std::to_string(size));
  if (Failure failure = file->resize(size)) return *failure;
  return file;
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Failure OutputFile::append(std::string_view record) { return append(record, std::optional<double>{}); }

Failure OutputFile::append(std::string_view record, double time) {
  return append(record, std::optional(time));
}

Failure OutputFile::append(std::string_view bytes, std::optional<double> time) {
  if (failure_) return failure_;
  buffer_.append(bytes);
  records_.push_back({buffer_.size(), time});
  return buffer_.size() >= kBufferSize ? flush() : Failure{};
}

void OutputFile::note_written(const Record& record) {
  last_record_end_ = flushed_ + record.end;
  if (record.time) written_until_ = record.time;
}

Failure OutputFile::write_at(uint64_t offset, const void* bytes, size_t size) {
  if (failure_) return failure_;
  size_t done = 0;
  return write_some(offset, static_cast<const char*>(bytes), size, done);
}

Failure OutputFile::write_some(uint64_t offset, const char* from, size_t size, size_t& done) {
  while (done < size) {
    const ssize_t written =
        ::pwrite(descriptor_, from + done, size - done, static_cast<off_t>(offset + done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail("written", errno);
    done += static_cast<size_t>(written);
  }
  return {};
}

Failure OutputFile::resize(uint64_t size) {
  if (failure_) return failure_;
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) return fail("resized", errno);
  buffer_.clear();
  records_.clear();
  flushed_ = last_record_end_ = size;
  return {};
}

Failure OutputFile::flush() {
  if (failure_ || buffer_.empty()) return failure_;
  size_t done = 0;
  if (Failure failure = write_some(flushed_, buffer_.data(), buffer_.size(), done)) {
    // The file must not end with a partial record. Keep the whole records that were written and cut off the
    // rest. If the cut fails too, readers skip the partial record.
    for (const Record& record : records_)
      if (record.end <= done) note_written(record);
    [[maybe_unused]] const int ignored = ::ftruncate(descriptor_, static_cast<off_t>(last_record_end_));
    return failure;
  }
  for (const Record& record : records_) note_written(record);
  flushed_ += buffer_.size();
  buffer_.clear();
  records_.clear();
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
  if (!failure_) failure_ = io_error(path_, what, error);
  return failure_;
}

}  // namespace tumble::record::detail
