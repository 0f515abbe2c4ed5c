// The progress bar of a long run. It appears only on a terminal, and is redrawn at most ten times a second.
#pragma once

#include <chrono>

namespace tumble::app {

class ProgressBar {
 public:
  /// Shown when `wanted` and stderr is a terminal. `from`, `to`: simulated time.
  ProgressBar(bool wanted, double from, double to);
  ~ProgressBar() { clear(); }
  void show(double t, size_t contacts);
  /// Erases the bar, so that a message can be printed on the line.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool on_ = false, drawn_ = false;
  double from_, to_;
  Clock::time_point begin_, next_;
};

}  // namespace tumble::app
