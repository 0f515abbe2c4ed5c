#include "tumble/model/curve.h"

#include <algorithm>

#include "tumble/core/require.h"

namespace tumble::model {

std::string find_key_fault(const std::vector<CurveKey>& keys) {
  if (keys.empty()) return "a script needs at least one key";
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!std::isfinite(keys[i].t) || !std::isfinite(keys[i].value) ||
        !std::isfinite(keys[i].slope.value_or(0)))
      return "the numbers of its keys must be finite";
    if (i > 0 && !(keys[i].t > keys[i - 1].t)) return "the times of its keys must increase";
  }
  return "";
}

std::vector<bool> find_rests(const std::vector<std::vector<CurveKey>>& coordinates) {
  std::vector<bool> rests;
  for (size_t i = 0; i + 1 < coordinates.front().size(); ++i)
    rests.push_back(std::all_of(coordinates.begin(), coordinates.end(), [i](const auto& keys) {
      return keys[i].value == keys[i + 1].value && keys[i].slope.value_or(0) == 0 &&
             keys[i + 1].slope.value_or(0) == 0;
    }));
  return rests;
}

std::vector<Curve> make_curves(const std::vector<std::vector<CurveKey>>& coordinates) {
  const std::vector<bool> rests = find_rests(coordinates);
  std::vector<Curve> curves;
  curves.reserve(coordinates.size());
  for (const std::vector<CurveKey>& keys : coordinates) curves.emplace_back(keys, rests);
  return curves;
}

std::optional<double> find_jump(const std::vector<CurveKey>& keys) {
  for (size_t i = 0; i + 1 < keys.size(); ++i)
    if (keys[i].interpolation == Interpolation::hold && keys[i].value != keys[i + 1].value)
      return keys[i + 1].t;
  return std::nullopt;
}

Curve::Curve(const std::vector<CurveKey>& keys) : Curve(keys, find_rests({keys})) {}

Curve::Curve(std::vector<CurveKey> keys, const std::vector<bool>& rests) : keys_(std::move(keys)) {
  TUMBLE_REQUIRE(find_key_fault(keys_).empty(), "a curve through faulty keys");
  TUMBLE_REQUIRE(rests.size() + 1 == keys_.size(), "one entry of `rests` for each piece");
  choose_forms(rests);
  for (size_t first = 0; first < pieces_.size();) {
    size_t last = first;
    while (last < pieces_.size() && pieces_[last].form == Piece::Form::smooth) ++last;
    if (last > first) solve_slopes(first, last);
    first = last + 1;
  }
}

void Curve::choose_forms(const std::vector<bool>& rests) {
  for (size_t i = 0; i < rests.size(); ++i) {
    Piece& piece = pieces_.emplace_back();
    const Interpolation how = keys_[i].interpolation;
    if (how == Interpolation::hold || (how == Interpolation::smooth && rests[i])) {
      piece.form = Piece::Form::constant;
    } else if (how == Interpolation::linear) {
      piece.form = Piece::Form::straight;
      piece.slope = piece.next_slope = (keys_[i + 1].value - keys_[i].value) / (keys_[i + 1].t - keys_[i].t);
    }
  }
}

// Computes the slopes of the smooth pieces `first` to `last` - 1. They lie between the keys `first` and
// `last`.
void Curve::solve_slopes(size_t first, size_t last) {
  // Equations (2) and (3) are a tridiagonal system, lower m_{i-1} + middle m_i + upper m_{i+1} = right.
  // Forward elimination and back substitution solve it.
  const size_t n = last - first + 1;
  std::vector<double> upper(n), right(n), slopes(n);
  for (size_t i = 0; i < n; ++i) {
    const size_t k = first + i;
    std::optional<double> slope = keys_[k].slope;
    if (!slope && i == 0 && k > 0) slope = pieces_[k - 1].next_slope;
    if (!slope && i + 1 == n && k < pieces_.size()) slope = pieces_[k].slope;
    double lower = 0, middle = 1;
    upper[i] = 0;
    right[i] = 0;
    if (slope) {
      right[i] = *slope;
    } else {
      middle = 0;
      if (i > 0) {
        const double h = keys_[k].t - keys_[k - 1].t;
        lower = 1 / h, middle += 2 / h, right[i] += 3 * (keys_[k].value - keys_[k - 1].value) / (h * h);
      }
      if (i + 1 < n) {
        const double h = keys_[k + 1].t - keys_[k].t;
        upper[i] = 1 / h, middle += 2 / h, right[i] += 3 * (keys_[k + 1].value - keys_[k].value) / (h * h);
      }
    }
    if (i > 0) middle -= lower * upper[i - 1], right[i] -= lower * right[i - 1];
    upper[i] /= middle, right[i] /= middle;
  }
  for (size_t i = n; i-- > 0;) slopes[i] = right[i] - (i + 1 < n ? upper[i] * slopes[i + 1] : 0);
  for (size_t i = 0; i + 1 < n; ++i)
    pieces_[first + i].slope = slopes[i], pieces_[first + i].next_slope = slopes[i + 1];

  const auto curvature_at_start = [&](size_t k) {
    const double h = keys_[k + 1].t - keys_[k].t, D = keys_[k + 1].value - keys_[k].value;
    return (6 * D / h - 4 * pieces_[k].slope - 2 * pieces_[k].next_slope) / h;
  };
  const auto curvature_at_end = [&](size_t k) {
    const double h = keys_[k + 1].t - keys_[k].t, D = keys_[k + 1].value - keys_[k].value;
    return (-6 * D / h + 2 * pieces_[k].slope + 4 * pieces_[k].next_slope) / h;
  };
  if (first > 0 && !keys_[first].slope) pieces_[first].start_removed = curvature_at_start(first);
  if (last < pieces_.size() && !keys_[last].slope) pieces_[last - 1].end_removed = curvature_at_end(last - 1);
}

math::Taylor Curve::at(double t) const {
  if (t < keys_.front().t) return keys_.front().value;
  if (t >= keys_.back().t) return keys_.back().value;
  const auto next = std::upper_bound(keys_.begin(), keys_.end(), t,
                                     [](double time, const CurveKey& key) { return time < key.t; });
  const CurveKey &p = *(next - 1), &q = *next;
  const Piece& piece = pieces_[static_cast<size_t>(next - keys_.begin()) - 1];
  if (piece.form == Piece::Form::constant) return p.value;
  const double h = q.t - p.t, D = q.value - p.value, m = h * piece.slope, k = h * piece.next_slope;
  if (piece.form == Piece::Form::straight) return math::Taylor(p.value + D * ((t - p.t) / h), piece.slope, 0);
  const math::Taylor x((t - p.t) / h, 1 / h, 0);
  math::Taylor y = p.value + x * (m + x * ((3 * D - 2 * m - k) + x * (m + k - 2 * D)));
  if (piece.start_removed != 0 || piece.end_removed != 0) {
    const math::Taylor rest = 1.0 - x, both = 0.5 * h * h * (x * x) * (rest * rest);
    y -= both * (piece.start_removed * rest + piece.end_removed * x);
  }
  return y;
}

std::vector<double> Curve::switch_times() const {
  std::vector<double> times;
  for (const CurveKey& key : keys_) times.push_back(key.t);
  return times;
}

}  // namespace tumble::model
