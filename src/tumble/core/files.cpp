#include "tumble/core/files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace tumble::core {

Expected<std::string> read_file(const std::filesystem::path& path) {
  const Place place{path.string()};
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return error_at(place, "is a directory; a file was expected");
  errno = 0;
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) return error_at(place, std::string("cannot be read: ") + std::strerror(errno));
  std::string bytes;
  char block[1 << 16];
  size_t got = 0;
  while ((got = std::fread(block, 1, sizeof block, file.get())) > 0) bytes.append(block, got);
  if (std::ferror(file.get())) return error_at(place, std::string("cannot be read: ") + std::strerror(errno));
  return bytes;
}

}  // namespace tumble::core
