#include "tumble/record/whole_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "tumble/record/output_file.h"

namespace tumble::record {

namespace {

Failure fill(detail::OutputFile& file, std::string_view bytes, bool sync) {
  Failure failure = file.append(bytes);
  if (!failure && sync) failure = file.sync();
  const Failure closing = file.close();
  return failure ? failure : closing;
}

}  // namespace

Failure write_whole_file(const std::string& path, std::string_view bytes, Durable durable) {
  struct stat old {};
  const bool exists = ::stat(path.c_str(), &old) == 0, is_file = !exists || S_ISREG(old.st_mode);
  std::error_code error;
  // A link stays a link: the file that it leads to is replaced.
  const std::string real = exists ? std::filesystem::canonical(path, error).string() : path;
  const std::string fresh = real + ".new";
  auto file = is_file && !error ? detail::OutputFile::create(fresh) : core::error_at({}, "");
  if (!file) {
    file = detail::OutputFile::create(path);
    if (!file) return file.diagnostics().front();
    return fill(**file, bytes, durable == Durable::yes && is_file);
  }
  (*file)->set_path(path);
  Failure failure = fill(**file, bytes, durable == Durable::yes);
  if (!failure && exists) ::chmod(fresh.c_str(), old.st_mode & 07777);
  if (!failure && std::rename(fresh.c_str(), real.c_str()) != 0)
    failure = core::error_at({path}, std::string("cannot be replaced: ") + std::strerror(errno));
  if (failure) std::remove(fresh.c_str());
  return failure;
}

}  // namespace tumble::record
