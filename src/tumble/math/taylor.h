// A number with its first two derivatives along a path: f(s) = value + first s + 1/2 second s^2 + ...
// Arithmetic follows the chain rule, so that a formula written once for any scalar also gives its
// derivatives:
//   (f g)'' = f'' g + 2 f' g' + f g'',     (u(f))'' = u''(f) f'^2 + u'(f) f''                      (1)
#pragma once

#include "tumble/math/elementary.h"

namespace tumble::math {

struct Taylor {
  double value = 0, first = 0, second = 0;

  constexpr Taylor() = default;
  // A plain number is a constant.
  constexpr Taylor(double v) : value(v) {}  // NOLINT(google-explicit-constructor)
  constexpr Taylor(double v, double d1, double d2) : value(v), first(d1), second(d2) {}

  constexpr Taylor& operator+=(const Taylor& o) { return *this = *this + o; }
  constexpr Taylor& operator-=(const Taylor& o) { return *this = *this - o; }
  constexpr Taylor& operator*=(const Taylor& o) { return *this = *this * o; }
  constexpr Taylor& operator/=(const Taylor& o) { return *this = *this / o; }
  constexpr Taylor operator-() const { return {-value, -first, -second}; }
  friend constexpr Taylor operator+(const Taylor& f, const Taylor& g) {
    return {f.value + g.value, f.first + g.first, f.second + g.second};
  }
  friend constexpr Taylor operator-(const Taylor& f, const Taylor& g) {
    return {f.value - g.value, f.first - g.first, f.second - g.second};
  }
  friend constexpr Taylor operator*(const Taylor& f, const Taylor& g) {
    return {f.value * g.value, f.first * g.value + f.value * g.first,
            f.second * g.value + 2 * f.first * g.first + f.value * g.second};
  }
  friend constexpr Taylor operator/(const Taylor& f, const Taylor& g) {
    const double r = 1 / g.value, q = f.value * r, q1 = (f.first - q * g.first) * r;
    return {q, q1, (f.second - 2 * q1 * g.first - q * g.second) * r};
  }
  friend constexpr bool operator<(const Taylor& f, const Taylor& g) { return f.value < g.value; }
  friend constexpr bool operator>(const Taylor& f, const Taylor& g) { return f.value > g.value; }
  friend constexpr bool operator==(const Taylor& f, const Taylor& g) { return f.value == g.value; }
};

/// u(f), by (1) from the value of u and its two derivatives.
constexpr Taylor chain(const Taylor& f, double u, double u1, double u2) {
  return {u, u1 * f.first, u2 * f.first * f.first + u1 * f.second};
}
inline Taylor sqrt(const Taylor& f) {
  const double u = sqrt(f.value), u1 = 0.5 / u;
  return chain(f, u, u1, -0.5 * u1 / f.value);
}
inline Taylor sin(const Taylor& f) {
  const double s = sin(f.value), c = cos(f.value);
  return chain(f, s, c, -s);
}
inline Taylor cos(const Taylor& f) {
  const double s = sin(f.value), c = cos(f.value);
  return chain(f, c, -s, -c);
}
/// The angle of the point (x, y); its derivative is (x y' - y x')/(x^2 + y^2).
inline Taylor atan2(const Taylor& y, const Taylor& x) {
  const double n = x.value * x.value + y.value * y.value;
  const double cross = x.value * y.first - y.value * x.first;
  const double cross1 = x.value * y.second - y.value * x.second,
               n1 = 2 * (x.value * x.first + y.value * y.first);
  return {atan2(y.value, x.value), cross / n, (cross1 - cross / n * n1) / n};
}
inline Taylor abs(const Taylor& f) { return f.value < 0 ? -f : f; }

}  // namespace tumble::math
