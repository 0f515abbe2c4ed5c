// A spline through keys (t_i, y_i). A smooth piece is a cubic Hermite polynomial with the slopes m_i at the
// keys, where h_i = t_{i+1} - t_i and D = y_{i+1} - y_i:
//   y(t_i + x h_i) = y_i + x (h_i m_i + x (3 D - h_i (2 m_i + m_{i+1}) + x (h_i (m_i + m_{i+1}) - 2 D)))  (1)
// A slope that is not given follows from a continuous second derivative (2). At an end without a given slope
// the second derivative is zero (3):
//   m_{i-1}/h_{i-1} + 2 m_i (1/h_{i-1} + 1/h_i) + m_{i+1}/h_i
//     = 3 (y_i - y_{i-1})/h_{i-1}^2 + 3 (y_{i+1} - y_i)/h_i^2                                             (2)
//   2 m_0 + m_1 = 3 (y_1 - y_0)/h_0                                                                       (3)
// A piece between equal keys is constant, so that the curve does not overshoot there. At a straight or
// constant neighbour, a smooth piece takes the neighbour's slope. Its second derivative c at that end is
// removed by a correction:
//   y(t_i + x h_i) - c h_i^2/2 x^2 (1 - x)^3   at its start
//   y(t_i + x h_i) - c h_i^2/2 x^3 (1 - x)^2   at its end                                                 (4)
// The correction changes neither the values and slopes at both ends nor the second derivative at the other
// end. The curve is therefore C^2 at such a key, too.
// The curve is constant before the first key and after the last key.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tumble/math/taylor.h"

namespace tumble::model {

/// The interpolation between a key and the next one.
enum class Interpolation {
  smooth,  // (1); constant between equal keys
  linear,  // a straight line
  hold,    // constant, with a jump at the next key
};

struct CurveKey {
  double t = 0;  // s
  double value = 0;
  std::optional<double> slope = {};                     // per second
  Interpolation interpolation = Interpolation::smooth;  // of the piece that begins here
};

/// Returns "" if the keys are valid, else an error message.
std::string find_key_fault(const std::vector<CurveKey>& keys);

class Curve {
 public:
  /// The keys must be valid (find_key_fault).
  explicit Curve(const std::vector<CurveKey>& keys);
  /// One coordinate of a curve with several coordinates. `rests[i]`: all coordinates are constant between key
  /// i and the next one.
  Curve(std::vector<CurveKey> keys, const std::vector<bool>& rests);
  /// The value and the first two derivatives. At a key the derivatives are one-sided, from the right.
  math::Taylor at(double t) const;
  /// Times at which a derivative is discontinuous: the times of the keys.
  std::vector<double> switch_times() const;

 private:
  struct Piece {
    enum class Form { smooth, straight, constant } form = Form::smooth;
    double slope = 0, next_slope = 0;           // per second, at the start and the end of the piece
    double start_removed = 0, end_removed = 0;  // c of (4), per s^2
  };

  void choose_forms(const std::vector<bool>& rests);
  void solve_slopes(size_t first, size_t last);

  std::vector<CurveKey> keys_;
  std::vector<Piece> pieces_;  // one less than keys
};

/// For each key, whether the smooth piece after it is constant. It is if all coordinates are equal at both
/// ends and no nonzero slope is given there.
std::vector<bool> find_rests(const std::vector<std::vector<CurveKey>>& coordinates);
/// The curves of several coordinates with keys at the same times.
std::vector<Curve> make_curves(const std::vector<std::vector<CurveKey>>& coordinates);
/// The time of the first jump: a key with Interpolation::hold is followed by a key with another value.
std::optional<double> find_jump(const std::vector<CurveKey>& keys);

}  // namespace tumble::model
