// Elementary functions of the simulation. All code calls them through this header, so that their
// implementation is chosen in one file: results must not depend on a faster variant that a compiler chooses.
#pragma once

#include <cmath>

namespace tumble::math {

inline constexpr double kPi = 3.14159265358979323846;

inline double square(double x) { return x * x; }
/// The larger number, and NaN if either is NaN: std::max may hide it.
inline double max_or_nan(double a, double b) { return std::isnan(a) || b <= a ? a : b; }
inline double sqrt(double x) { return std::sqrt(x); }
inline double sin(double x) { return std::sin(x); }
inline double cos(double x) { return std::cos(x); }
inline double tan(double x) { return std::tan(x); }
inline double atan2(double y, double x) { return std::atan2(y, x); }
inline double pow(double x, double y) { return std::pow(x, y); }
inline double log(double x) { return std::log(x); }
inline double exp(double x) { return std::exp(x); }

}  // namespace tumble::math
