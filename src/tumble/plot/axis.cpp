#include "tumble/plot/axis.h"

#include <algorithm>
#include <cmath>

#include "tumble/math/elementary.h"
#include "tumble/plot/parameters.h"

namespace tumble::plot {

namespace {

constexpr const char* kMinus = "−";

double power_of_ten(int exponent) { return math::pow(10, exponent); }
int decade_of(double value) { return static_cast<int>(std::floor(std::log10(value))); }

// n * 10^exponent as decimal text.
std::string decimal_text(long long n, int exponent) {
  std::string digits = std::to_string(n < 0 ? -n : n);
  if (n == 0) exponent = std::min(exponent, 0);
  if (exponent > 0) digits.append(static_cast<size_t>(exponent), '0');
  if (exponent < 0) {
    const auto decimals = static_cast<size_t>(-exponent);
    if (digits.size() <= decimals) digits.insert(0, decimals + 1 - digits.size(), '0');
    digits.insert(digits.size() - decimals, 1, '.');
  }
  return (n < 0 ? kMinus : "") + digits;
}

std::string power_text(long long n, int exponent) {
  return (n == 1 ? "10" : std::to_string(n) + "·10") + superscript(exponent);
}

// The power of ten that the texts leave out: none for numbers of everyday size, else a multiple of 3.
int common_exponent(double largest) {
  if (largest == 0 || (largest < kParameters.large_tick && largest >= kParameters.small_tick)) return 0;
  return 3 * static_cast<int>(std::floor(decade_of(largest) / 3.0));
}

// With too few ticks nothing can be read off: then the next smaller step is taken.
Ticks linear_ticks(const Range& range, int count) {
  const double raw = (range.hi - range.lo) / std::max(1, count);
  int exponent = decade_of(raw);
  long long step = 10;
  for (const long long n : {5, 2, 1})
    if (static_cast<double>(n) * power_of_ten(exponent) >= raw * (1 - kParameters.tick_round_off)) step = n;
  if (step == 10) step = 1, ++exponent;
  const double size = static_cast<double>(step) * power_of_ten(exponent);
  const auto first = static_cast<long long>(std::ceil(range.lo / size - kParameters.tick_round_off));
  const auto last = static_cast<long long>(std::floor(range.hi / size + kParameters.tick_round_off));
  Ticks ticks;
  std::vector<long long> multiples;  // in units of 10^exponent
  for (long long i = first; i <= last; ++i) multiples.push_back(step * i);
  constexpr size_t kFewest = 3;
  if (multiples.size() < kFewest && count < 4 * static_cast<int>(kFewest))
    return linear_ticks(range, count + 1);
  if (multiples.empty()) return ticks;

  // Differences from a value in the middle, where the numbers themselves would have too many digits.
  long long base = 0;
  const long long most = std::max(std::abs(multiples.front()), std::abs(multiples.back()));
  if (std::to_string(most).size() > static_cast<size_t>(kParameters.most_digits) &&
      multiples.back() - multiples.front() < most / 10) {
    base = multiples[multiples.size() / 2];
    const int decade = decade_of(static_cast<double>(std::abs(base))) + exponent;
    if (common_exponent(power_of_ten(decade)) == 0) {
      ticks.offset = decimal_text(base, exponent);
    } else {
      ticks.offset = decimal_text(base, exponent - decade) + "·10" + superscript(decade);
    }
  }
  const long long largest = std::max(std::abs(multiples.front() - base), std::abs(multiples.back() - base));
  ticks.exponent = common_exponent(static_cast<double>(largest) * power_of_ten(exponent));
  for (const long long n : multiples)
    ticks.ticks.push_back({static_cast<double>(n) * power_of_ten(exponent),
                           n == base ? "0" : decimal_text(n - base, exponent - ticks.exponent)});
  return ticks;
}

Ticks log_ticks(const Range& range, int count) {
  const double slack = kParameters.tick_round_off;
  const double decades = std::log10(range.hi) - std::log10(range.lo);
  const int first = static_cast<int>(std::ceil(std::log10(range.lo) - slack)),
            last = static_cast<int>(std::floor(std::log10(range.hi) + slack));
  const bool narrow = decades < kParameters.least_log_decades;
  const bool plain = range.lo >= kParameters.small_tick / 10 && range.hi <= kParameters.large_tick * 10;
  const int every = std::max(1, (last - first + count) / std::max(1, count));
  Ticks ticks;
  size_t texts = 0;
  for (int e = first - 1; e <= last; ++e) {
    for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9}) {
      const double value = n * power_of_ten(e);
      if (value < range.lo * (1 - slack) || value > range.hi * (1 + slack)) continue;
      const bool major = n == 1 ? (e - first) % every == 0 : narrow && (n == 2 || n == 5);
      if (!major && (every > 1 || decades > kParameters.most_minor_decades)) continue;
      ticks.ticks.push_back({value, !major ? "" : plain ? decimal_text(n, e) : power_text(n, e)});
      texts += major ? 1 : 0;
    }
  }
  return texts >= 2 ? ticks : linear_ticks(range, count);
}

}  // namespace

Range with_room(Range range, Scale scale, double room_above) {
  if (scale == Scale::log) {
    const double decades = math::log(range.hi / range.lo);
    const double least = math::log(kParameters.log_room);
    return {range.lo / math::exp(std::max(least, kParameters.y_room * decades)),
            range.hi * math::exp(std::max(least, room_above * decades))};
  }
  const double largest = std::max(std::abs(range.lo), std::abs(range.hi));
  const double width = range.hi - range.lo;
  if (width <= kParameters.constant * largest || width < kParameters.smallest_range) {
    const double half =
        largest < kParameters.smallest_range ? 1 : std::abs(range.lo) * kParameters.constant_range;
    return {range.lo - half, range.hi + half};
  }
  return {range.lo - width * kParameters.y_room, range.hi + width * room_above};
}

Ticks find_ticks(Range range, Scale scale, int count) {
  return scale == Scale::log ? log_ticks(range, count) : linear_ticks(range, count);
}

std::string axis_title(const std::string& quantity, const std::string& unit, const Ticks& ticks) {
  std::string title = quantity;
  const std::string space = unit.empty() ? "" : " ";
  if (!ticks.offset.empty()) {
    const bool negative = ticks.offset.starts_with(kMinus);
    title += negative ? " + " + ticks.offset.substr(std::string_view(kMinus).size()) : " − " + ticks.offset;
    title += space + unit;
  }
  const std::string power = ticks.exponent == 0 ? "" : "10" + superscript(ticks.exponent);
  if (power.empty() && unit.empty()) return title;
  if (title.empty()) return power + (power.empty() ? "" : space) + unit;
  return title + " (" + power + (power.empty() ? "" : space) + unit + ")";
}

std::string superscript(int exponent) {
  constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : std::to_string(exponent)) text += c == '-' ? "⁻" : kDigits[c - '0'];
  return text;
}

double Axis::pixel(double value) const {
  const double part = scale == Scale::log ? (math::log(value) - math::log(range.lo)) /
                                                (math::log(range.hi) - math::log(range.lo))
                                          : (value - range.lo) / (range.hi - range.lo);
  return from + part * (to - from);
}

}  // namespace tumble::plot
