#include "progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace tumble::app {

namespace {
constexpr int kWidth = 30;  // characters
}

ProgressBar::ProgressBar(bool wanted, double from, double to)
    : on_(wanted && isatty(STDERR_FILENO)),
      from_(from),
      to_(to),
      begin_(Clock::now()),
      next_(begin_ + std::chrono::milliseconds(500)) {}

void ProgressBar::show(double t, size_t contacts) {
  if (!on_ || Clock::now() < next_) return;
  next_ = Clock::now() + std::chrono::milliseconds(100);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  const double done = to_ > from_ ? std::clamp((t - from_) / (to_ - from_), 0.0, 1.0) : 1.0;
  const int filled = static_cast<int>(done * kWidth);
  const std::string bar =
      std::string(static_cast<size_t>(filled), '=') + std::string(static_cast<size_t>(kWidth - filled), ' ');
  std::fprintf(stderr, "\r[%s] %.2f of %g s  %.3gx real time  %zu contacts  ETA %.0f s \033[K", bar.c_str(),
               t, to_, (t - from_) / seconds, contacts, done > 0 ? seconds * (1 - done) / done : 0.0);
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressBar::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

}  // namespace tumble::app
