// A film, written by the program ffmpeg. It gets the pictures through a pipe.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <memory>
#include <string>

#include "tumble/record/failure.h"
#include "tumble/view/image.h"

namespace tumble::app {

/// .mp4, .webm and .gif.
bool is_film(const std::string& extension);

/// Throws UsageError if ffmpeg is not installed.
void require_ffmpeg();

class FilmWriter {
 public:
  /// Starts ffmpeg, which writes to PATH.part. Throws UsageError if that fails.
  FilmWriter(std::string path, int width, int height, double fps);
  /// Unless finished: ends ffmpeg and removes PATH.part.
  ~FilmWriter();
  FilmWriter(const FilmWriter&) = delete;
  FilmWriter& operator=(const FilmWriter&) = delete;

  /// False: ffmpeg takes no more pictures; finish() says why.
  bool write(const view::Image& image);
  /// Waits for ffmpeg and gives the film its name.
  record::Failure finish();

 private:
  record::Failure failure(const std::string& what) const;
  int wait();

  std::string path_, part_;
  pid_t process_ = -1;
  int pipe_ = -1;
  std::FILE* messages_ = nullptr;  // of ffmpeg; a file without a name
};

}  // namespace tumble::app
