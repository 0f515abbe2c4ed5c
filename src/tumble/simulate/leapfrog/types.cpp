#include "tumble/simulate/leapfrog/types.h"

namespace tumble::simulate {

const CachedLimit* LeapfrogMemory::find_limit(size_t limit) const {
  const auto found = std::lower_bound(limits.begin(), limits.end(), limit,
                                      [](const CachedLimit& x, size_t i) { return x.limit < i; });
  return found == limits.end() || found->limit != limit ? nullptr : &*found;
}

const dynamics::ConeConstraint* ConstraintSet::actuator_of(size_t law) const {
  const auto found = std::lower_bound(actuator_laws.begin(), actuator_laws.end(), law);
  if (found == actuator_laws.end() || *found != law) return nullptr;
  return &actuators()[static_cast<size_t>(found - actuator_laws.begin())];
}

}  // namespace tumble::simulate
