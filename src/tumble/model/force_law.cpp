#include "tumble/model/force_law.h"

namespace tumble::model {

void ForceLaw::linearise(double t, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                         Resistance& resistance) const {
  resistance.clear();
  apply(t, a, b, on_a, on_b);
}

std::optional<double> ForceLaw::coordinate(const BodyMotion&, const BodyMotion&) const {
  return std::nullopt;
}

std::optional<double> ForceLaw::potential(double, const BodyMotion&, const BodyMotion&) const {
  return std::nullopt;
}

}  // namespace tumble::model
