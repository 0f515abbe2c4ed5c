// The scene's own scales, from which every tolerance is derived: see docs/computation.md, "Scales".
//   L = median bounding radius of the dynamic bodies (of the kinematic ones if there are no others)
//   T = sqrt(L/g),  V = L/T
//   g = |gravity|, unless it is negligible; else the larger of (fastest point)^2/L and the largest
//   acceleration of any point, both at the start or on a path; else L/(1 s)^2
#pragma once

#include <string>
#include <vector>

#include "tumble/model/model.h"

namespace tumble::simulate {

struct Scales {
  double length = 1;        // L, m
  double time = 1;          // T, s
  double speed = 1;         // V, m/s
  double acceleration = 1;  // g, m/s^2
  std::string time_reason;  // where g comes from
};

Scales compute_scales(const model::Model& model);

}  // namespace tumble::simulate
