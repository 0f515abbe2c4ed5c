#include "tumble/model/force_law.h"

namespace tumble::model {

std::optional<double> ForceLaw::potential(double, const BodyMotion&, const BodyMotion&) const {
  return std::nullopt;
}

}  // namespace tumble::model
