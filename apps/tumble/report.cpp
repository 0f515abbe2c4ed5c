#include "report.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "exit_codes.h"
#include "outputs.h"
#include "tumble/record/whole_file.h"

namespace tumble::app {

namespace {
// Data for a file or pipe are written at the end, where the reason of a failure is known.
constexpr size_t kStdoutBuffer = size_t{1} << 20;  // bytes
}  // namespace

void print_diagnostics(const core::Diagnostics& diagnostics) {
  for (const core::Diagnostic& diagnostic : diagnostics)
    std::fprintf(stderr, "%s\n", to_string(diagnostic).c_str());
}

int exit_code_of(const core::Diagnostics& diagnostics) {
  const bool wrong_use =
      std::all_of(diagnostics.begin(), diagnostics.end(), [](const core::Diagnostic& diagnostic) {
        return diagnostic.severity == core::Severity::warning || scene::is_setting(diagnostic.place);
      });
  return wrong_use ? kExitWrongUse : kExitBadInput;
}

void say(const std::string& message) { std::fprintf(stderr, "tumble: %s\n", message.c_str()); }

std::string describe_shapeless(const model::Model& model) {
  size_t count = 0;
  std::string first;
  for (const model::Body& body : model.bodies())
    if (body.shapes.empty() && count++ == 0) first = "\"" + body.name + "\"";
  if (count == 0) return "";
  return count == 1 ? "body " + first + " has no shapes"
                    : std::to_string(count) + " bodies have no shapes (first " + first + ")";
}

int write_whole(const std::string& path, std::string_view bytes) {
  require_writable(path);
  const record::Failure failure = record::write_whole_file(path, bytes);
  if (failure) say(to_string(*failure));
  return failure ? kExitNotHeld : kExitDone;
}

void occupy_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number, which is this one. It is opened the wrong way round.
    [[maybe_unused]] const int same = ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
  static char buffer[kStdoutBuffer];
  if (::isatty(STDOUT_FILENO) == 0) std::setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
}

int close_stdout(int exit_code) {
  const bool failed_before = std::ferror(stdout) != 0;
  errno = 0;
  if (std::fflush(stdout) == 0 && std::fclose(stdout) == 0 && !failed_before) return exit_code;
  say(std::string("stdout cannot be written") + (errno != 0 ? std::string(": ") + std::strerror(errno) : "") +
      "; the output is not complete");
  return exit_code == kExitDone ? kExitNotHeld : exit_code;
}

std::string brief(double value) { return core::brief_number(value, 3); }

}  // namespace tumble::app
