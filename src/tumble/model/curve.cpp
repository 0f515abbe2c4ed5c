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

Curve::Curve(std::vector<CurveKey> keys) : keys_(std::move(keys)) {
  TUMBLE_REQUIRE(find_key_fault(keys_).empty(), "a curve through faulty keys");
  const size_t n = keys_.size();
  if (n == 1) {
    keys_[0].slope = 0;
    return;
  }
  // Equations (2) and (3) are lower m_{i-1} + middle m_i + upper m_{i+1} = right; eliminated downwards, solved upwards.
  std::vector<double> upper(n), right(n);
  for (size_t i = 0; i < n; ++i) {
    double lower = 0, middle = 1;
    upper[i] = 0;
    right[i] = 0;
    if (keys_[i].slope) {
      right[i] = *keys_[i].slope;
    } else {
      middle = 0;
      if (i > 0) {
        const double h = keys_[i].t - keys_[i - 1].t;
        lower = 1 / h, middle += 2 / h, right[i] += 3 * (keys_[i].value - keys_[i - 1].value) / (h * h);
      }
      if (i + 1 < n) {
        const double h = keys_[i + 1].t - keys_[i].t;
        upper[i] = 1 / h, middle += 2 / h, right[i] += 3 * (keys_[i + 1].value - keys_[i].value) / (h * h);
      }
    }
    if (i > 0) middle -= lower * upper[i - 1], right[i] -= lower * right[i - 1];
    upper[i] /= middle, right[i] /= middle;
  }
  for (size_t i = n; i-- > 0;) keys_[i].slope = right[i] - (i + 1 < n ? upper[i] * *keys_[i + 1].slope : 0);
}

math::Taylor Curve::at(double t) const {
  if (t < keys_.front().t) return keys_.front().value;
  if (t >= keys_.back().t) return keys_.back().value;
  const auto next = std::upper_bound(keys_.begin(), keys_.end(), t,
                                     [](double time, const CurveKey& key) { return time < key.t; });
  const CurveKey &p = *(next - 1), &q = *next;
  const double h = q.t - p.t, D = q.value - p.value, m = h * *p.slope, k = h * *q.slope;
  const math::Taylor x((t - p.t) / h, 1 / h, 0);
  return p.value + x * (m + x * ((3 * D - 2 * m - k) + x * (m + k - 2 * D)));
}

std::vector<double> Curve::switch_times() const {
  std::vector<double> times;
  for (const CurveKey& key : keys_) times.push_back(key.t);
  return times;
}

}  // namespace tumble::model
