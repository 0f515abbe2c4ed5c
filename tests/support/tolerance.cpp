#include "support/tolerance.h"

#include <cmath>
#include <cstdlib>
#include <limits>

namespace support {

namespace {

double scaled(double tolerance) {
  static const char* const text = std::getenv("TUMBLE_TOL_SCALE");
  return text ? std::strtod(text, nullptr) * tolerance : tolerance;
}

}  // namespace

double round_off(double n, double scale) {
  return scaled(n * std::numeric_limits<double>::epsilon() * scale);
}

double single_round_off(double n, double scale) {
  return scaled(n * static_cast<double>(std::numeric_limits<float>::epsilon()) * scale);
}

double truncation(double h, int order, double constant) { return scaled(constant * std::pow(h, order)); }

double model(double slop) { return scaled(slop); }

}  // namespace support
