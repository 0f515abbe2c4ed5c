// A curve through keys (t_i, y_i). A smooth piece is a cubic with the slopes m_i at the keys,
//   y(t_i + x h_i) = y_i + x (h_i m_i + x (3 D - h_i (2 m_i + m_{i+1}) + x (h_i (m_i + m_{i+1}) - 2 D)))     (1)
// with D = y_{i+1} - y_i. The slopes make second derivatives continuous, or are given; the second derivative
// is zero at an end without slope:
//   m_{i-1}/h_{i-1} + 2 m_i (1/h_{i-1} + 1/h_i) + m_{i+1}/h_i
//     = 3 (y_i - y_{i-1})/h_{i-1}^2 + 3 (y_{i+1} - y_i)/h_i^2                                              (2)
//   2 m_0 + m_1 = 3 (y_1 - y_0)/h_0                                                                        (3)
// A piece between equal keys stands still, so a curve never swings out where it should rest. Where a smooth
// piece meets a straight one, it takes over its slope. Its own second derivative c there is removed by
//   y(t_i + x h_i) - c h_i^2/2 x^2 (1 - x)^3   at its start,   ... - c h_i^2/2 x^3 (1 - x)^2   at its end   (4)
// which leaves values, slopes and the other end as they are: the whole curve stays C^2.
// Before the first and after the last key it stands still.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tumble/math/taylor.h"

namespace tumble::model {

/// How a curve goes from one key to the next.
enum class Interpolation {
  smooth,  // (1); between equal keys: still
  linear,  // straight
  hold,    // stays at the key, jumps at the next one
};

struct CurveKey {
  double t = 0;  // s
  double value = 0;
  std::optional<double> slope = {};                     // per second
  Interpolation interpolation = Interpolation::smooth;  // of the piece that begins here
};

/// "" if a curve can be drawn through the keys, else what is wrong with them.
std::string find_key_fault(const std::vector<CurveKey>& keys);

class Curve {
 public:
  /// The keys must be without fault.
  explicit Curve(std::vector<CurveKey> keys);
  /// Of a curve that is one coordinate of several: `rests[i]` says whether all of them stand still between
  /// key i and the next.
  Curve(std::vector<CurveKey> keys, const std::vector<bool>& rests);
  /// Value and first two derivatives; those from the right at a key.
  math::Taylor at(double t) const;
  /// Times at which some derivative jumps: the keys.
  std::vector<double> switch_times() const;

 private:
  struct Piece {
    enum class Form { smooth, straight, constant } form = Form::smooth;
    double slope = 0, next_slope = 0;           // per second, at its two ends
    double start_removed = 0, end_removed = 0;  // c of (4), per s^2
  };

  void choose_forms(const std::vector<bool>& rests);
  void solve_slopes(size_t first, size_t last);

  std::vector<CurveKey> keys_;
  std::vector<Piece> pieces_;  // one less than keys
};

/// Whether the smooth piece after each key stands still: all coordinates are equal at both ends, and no slope
/// other than zero is given there.
std::vector<bool> find_rests(const std::vector<std::vector<CurveKey>>& coordinates);
/// The curves of several coordinates with keys at the same times.
std::vector<Curve> make_curves(const std::vector<std::vector<CurveKey>>& coordinates);
/// The time at which a held key jumps to the next one, if one does.
std::optional<double> find_jump(const std::vector<CurveKey>& keys);

}  // namespace tumble::model
