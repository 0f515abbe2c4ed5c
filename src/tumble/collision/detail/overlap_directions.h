// The minimum translation that separates two convex sets, by a search over all directions.
#pragma once

#include "tumble/collision/detail/overlap_shapes.h"

namespace tumble::collision::checker {

struct LeastTranslation {
  double depth = 0;        // m, 0 if they are apart or touch
  double uncertainty = 0;  // m: the true depth may be smaller by this, and is never larger, up to rounding
};
LeastTranslation find_least_translation(const Convex& a, const Convex& b, const Frame& X_AB);

}  // namespace tumble::collision::checker
