#include "tumble/plot/contact_sums.h"

#include <algorithm>
#include <cmath>

namespace tumble::plot {

void ContactSums::add(double time, double normal_impulse) {
  if (t.empty() || t.back() != time) {
    t.push_back(time);
    count.push_back(0);
    impulse.push_back(0);
  }
  ++count.back();
  impulse.back() += normal_impulse;
}

Series contact_series(const ContactSums& sums, const char* name) {
  double frame = INFINITY;
  for (size_t i = 1; i < sums.t.size(); ++i)
    if (const double dt = sums.t[i] - sums.t[i - 1]; dt > 0) frame = std::min(frame, dt);
  if (std::isinf(frame)) frame = 0;  // a single frame: its force is not known
  const bool counts = std::string_view(name) == kContactCount;
  Series series{.name = name, .quantity = quantity_of(name)};
  std::vector<double> t;
  const auto add = [&](double time, double value) {
    t.push_back(time);
    series.y.push_back(value);
  };
  for (size_t i = 0; i < sums.t.size(); ++i) {
    // Zero in the frames after the last contact and before this one: a line then shows the gap.
    if (i > 0 && frame > 0 && std::round((sums.t[i] - sums.t[i - 1]) / frame) > 1) {
      add(sums.t[i - 1] + frame, 0);
      if (std::round((sums.t[i] - sums.t[i - 1]) / frame) > 2) add(sums.t[i] - frame, 0);
    }
    add(sums.t[i], counts ? sums.count[i] : frame > 0 ? sums.impulse[i] / frame : NAN);
  }
  series.x = std::make_shared<const std::vector<double>>(std::move(t));
  return series;
}

}  // namespace tumble::plot
