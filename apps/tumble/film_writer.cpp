#include "film_writer.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "arguments.h"
#include "motion_source.h"
#include "tumble/record/number_format.h"

extern char** environ;

namespace tumble::app {

namespace {

constexpr size_t kMostMessage = 600;  // bytes of the messages of ffmpeg that are repeated

struct FilmFormat {
  const char* extension;
  std::vector<std::string> words;  // for ffmpeg
};

// The number of threads is fixed: it affects the bytes of a film.
const std::vector<FilmFormat>& film_formats() {
  static const std::vector<FilmFormat> all = {
      {".mp4",
       {"-c:v", "libx264", "-preset", "medium", "-crf", "18", "-pix_fmt", "yuv420p", "-threads", "2",
        "-movflags", "+faststart", "-f", "mp4"}},
      {".webm",
       {"-c:v", "libvpx-vp9", "-crf", "28", "-b:v", "0", "-pix_fmt", "yuv420p", "-row-mt", "1", "-threads",
        "2", "-deadline", "good", "-cpu-used", "4", "-f", "webm"}},
      // One palette for all pictures, so that colours do not flicker.
      {".gif",
       {"-filter_complex", "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=sierra2_4a",
        "-loop", "0", "-f", "gif"}}};
  return all;
}

std::vector<std::string> command_line(const std::string& extension, const std::string& path, int width,
                                      int height, double fps) {
  std::vector<std::string> words = {"ffmpeg",       "-nostdin",
                                    "-hide_banner", "-loglevel",
                                    "error",        "-y",
                                    "-f",           "rawvideo",
                                    "-pix_fmt",     "rgb24",
                                    "-video_size",  std::to_string(width) + "x" + std::to_string(height),
                                    "-framerate",   record::format_number(fps),
                                    "-i",           "pipe:0",
                                    "-an",          "-fflags",
                                    "+bitexact",    "-flags:v",
                                    "+bitexact"};
  for (const FilmFormat& format : film_formats())
    if (extension == format.extension) words.insert(words.end(), format.words.begin(), format.words.end());
  words.push_back("file:" + path);
  return words;
}

}  // namespace

bool is_film(const std::string& extension) {
  for (const FilmFormat& format : film_formats())
    if (extension == format.extension) return true;
  return false;
}

void require_ffmpeg() {
  const char* path = std::getenv("PATH");
  std::string folders = path ? path : "";
  for (size_t at = 0; at <= folders.size();) {
    const size_t end = std::min(folders.find(':', at), folders.size());
    const std::string folder = folders.substr(at, end - at);
    if (::access(((folder.empty() ? "." : folder) + "/ffmpeg").c_str(), X_OK) == 0) return;
    at = end + 1;
  }
  throw UsageError(
      "films need the program ffmpeg, which is not installed: apt-get install ffmpeg; "
      "pictures (.png) do not need it");
}

FilmWriter::FilmWriter(std::string path, int width, int height, double fps)
    : path_(std::move(path)), part_(path_ + ".part") {
  std::vector<std::string> words = command_line(lower_extension(path_), part_, width, height, fps);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  int ends[2];
  messages_ = std::tmpfile();
  if (!messages_ || ::pipe2(ends, O_CLOEXEC) != 0)
    throw UsageError(std::string("cannot start ffmpeg: ") + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(messages_), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(messages_), STDERR_FILENO);
  // Ctrl-C ends this program only, which then ends the film properly. Signals that we ignore are restored.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  sigaddset(&defaults, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  const int fault = ::posix_spawnp(&process_, "ffmpeg", &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[0]);
  pipe_ = ends[1];
  if (fault == 0) return;
  process_ = -1;
  ::close(pipe_);
  std::fclose(messages_);
  throw UsageError(std::string("cannot start ffmpeg: ") + std::strerror(fault));
}

FilmWriter::~FilmWriter() {
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    wait();
    ::unlink(part_.c_str());
  }
  if (messages_) std::fclose(messages_);
}

bool FilmWriter::write(const view::Image& image) {
  const uint8_t* at = image.rgb.data();
  size_t left = image.rgb.size();
  while (left > 0) {
    const ssize_t written = ::write(pipe_, at, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written, left -= static_cast<size_t>(written);
  }
  return true;
}

int FilmWriter::wait() {
  if (pipe_ >= 0) ::close(pipe_);
  pipe_ = -1;
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return status;
}

record::Failure FilmWriter::finish() {
  const int status = wait();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    if (::rename(part_.c_str(), path_.c_str()) == 0) return {};
    return failure(std::string("the film cannot be renamed: ") + std::strerror(errno));
  }
  if (WIFSIGNALED(status))
    return failure("ffmpeg was ended by signal " + std::to_string(WTERMSIG(status)) + "; there is no film");
  return failure("ffmpeg ended with status " + std::to_string(WEXITSTATUS(status)) + "; there is no film");
}

record::Failure FilmWriter::failure(const std::string& what) const {
  ::unlink(part_.c_str());
  std::string words(kMostMessage, '\0');
  std::rewind(messages_);
  words.resize(std::fread(words.data(), 1, words.size(), messages_));
  while (!words.empty() && words.back() == '\n') words.pop_back();
  return core::error_at({.file = path_}, what + (words.empty() ? "" : ". ffmpeg says: " + words));
}

}  // namespace tumble::app
