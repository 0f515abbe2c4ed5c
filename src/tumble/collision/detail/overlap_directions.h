// The least translation that separates two convex sets, by search over all directions.
#pragma once

#include "tumble/collision/detail/overlap_shapes.h"

namespace tumble::collision::checker {

struct LeastTranslation {
  double depth = 0;        // m, 0 when they are apart or touch
  double uncertainty = 0;  // m: the true depth is at most so much smaller, and never larger, up to rounding
};
LeastTranslation find_least_translation(const Convex& a, const Convex& b, const Frame& X_AB);

}  // namespace tumble::collision::checker
