// Small parts of the fast driver: its books, the turns of hinges, clocks.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "tumble/model/state.h"

namespace tumble::simulate {

/// Adds the time from here to its end, or to stop(), to a sum (s).
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(&sum) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() { stop(); }
  void stop() {
    if (sum_) *sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    sum_ = nullptr;
  }

 private:
  double* sum_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Numbers a law in LeapfrogMemory::forces.
inline constexpr size_t kForcesOfLaw = 12;

/// sum + times x.
void add_to(std::vector<double>& sum, std::span<const double> x, double times);

/// The angles of counted hinges where a drift from `start` has led: none turns by half a turn in a step.
void turn_hinges(const model::Model& model, const model::State& start, model::State& end);

}  // namespace tumble::simulate
