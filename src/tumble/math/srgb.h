// The transfer function of sRGB (IEC 61966-2-1), between encoded colours and linear light.
#pragma once

#include "tumble/math/elementary.h"

namespace tumble::math {

/// c between 0 and 1.
inline double linear_from_srgb(double c) { return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4); }
inline double srgb_from_linear(double c) {
  return c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
}

}  // namespace tumble::math
