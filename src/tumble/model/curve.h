// A smooth curve through keys (t_i, y_i): cubic pieces with the slopes m_i at the keys,
//   y(t_i + x h_i) = y_i + x (h_i m_i + x (3 D - h_i (2 m_i + m_{i+1}) + x (h_i (m_i + m_{i+1}) - 2 D))),  D = y_{i+1} - y_i  (1)
// The slopes make second derivatives continuous, or are given; the second derivative is zero at an end without slope:
//   m_{i-1}/h_{i-1} + 2 m_i (1/h_{i-1} + 1/h_i) + m_{i+1}/h_i = 3 (y_i - y_{i-1})/h_{i-1}^2 + 3 (y_{i+1} - y_i)/h_i^2         (2)
//   2 m_0 + m_1 = 3 (y_1 - y_0)/h_0                                                                                        (3)
// Before the first and after the last key it stands still.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tumble/math/taylor.h"

namespace tumble::model {

struct CurveKey {
  double t = 0;  // s
  double value = 0;
  std::optional<double> slope = {};  // per second
};

/// "" if a curve can be drawn through the keys, else what is wrong with them.
std::string find_key_fault(const std::vector<CurveKey>& keys);

class Curve {
 public:
  /// The keys must be without fault.
  explicit Curve(std::vector<CurveKey> keys);
  /// Value and first two derivatives; those from the right at a key.
  math::Taylor at(double t) const;
  /// Times at which some derivative jumps: the keys.
  std::vector<double> switch_times() const;

 private:
  std::vector<CurveKey> keys_;  // all with slopes
};

}  // namespace tumble::model
