#include "tumble/record/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tumble::record::detail {

core::Expected<std::shared_ptr<const InputFile>> InputFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return core::error_at({path}, std::string("cannot be read: ") + std::strerror(errno));
  struct stat status {};
  const bool known = ::fstat(descriptor, &status) == 0;
  std::shared_ptr<const InputFile> file(
      new InputFile(descriptor, path, known ? static_cast<uint64_t>(status.st_size) : 0));
  if (!known || !S_ISREG(status.st_mode)) return core::error_at({path}, "is not a file");
  return file;
}

InputFile::~InputFile() { ::close(descriptor_); }

bool InputFile::read_at(uint64_t offset, void* to, uint64_t size) const {
  if (offset > size_ || size > size_ - offset) return false;
  char* out = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t got = ::pread(descriptor_, out, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    out += got;
    offset += static_cast<uint64_t>(got);
    size -= static_cast<uint64_t>(got);
  }
  return true;
}

bool InputFile::read_at(uint64_t offset, uint64_t size, std::string& to) const {
  if (offset > size_ || size > size_ - offset) return false;  // checked before memory is allocated
  to.resize(size);
  return read_at(offset, to.data(), size);
}

core::Diagnostic InputFile::fault_at(uint64_t byte, std::string message) const {
  core::Place place{path_};
  place.byte = static_cast<long long>(byte);
  return core::error_at(place, std::move(message));
}

}  // namespace tumble::record::detail
