// The swing angle theta of an axis, as a function of its cosine, for any scalar type.
//   f(c) = theta / sin(theta),  c = cos(theta)
//   f = sum a_n x^n,  x = (1 - c)/2,  a_0 = 1,  a_{n+1} = a_n (2n + 2)/(2n + 3)                           (1)
// The series is used for small angles. There f is smooth, but the quotient approaches 0/0.
#pragma once

#include "tumble/math/taylor.h"

namespace tumble::model {

/// theta / sin(theta) for c = cos(theta), 0 <= theta < pi.
template <typename S>
S angle_over_sine(const S& c) {
  using math::atan2;
  using math::sqrt;
  const S x = 0.5 * (1.0 - c);
  // 26 degrees. At larger angles the quotient and its derivatives do not lose digits.
  constexpr double kSmallSwing = 0.05;
  if (x < S(kSmallSwing)) {
    constexpr int kTerms = 16;  // second derivative of the next term: below 17^2 kSmallSwing^15 < 1e-16
    S sum = 0.0;
    for (int n = kTerms; n >= 0; --n) sum = 1.0 + (2.0 * n + 2) / (2.0 * n + 3) * x * sum;
    return sum;
  }
  const S sine = sqrt(1.0 - c * c);
  return atan2(sine, c) / sine;
}

}  // namespace tumble::model
