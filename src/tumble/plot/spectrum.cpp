#include "tumble/plot/spectrum.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "tumble/math/elementary.h"
#include "tumble/plot/parameters.h"

namespace tumble::plot {

namespace {

// Fast Fourier transform in place. The length is a power of two.
void transform(std::vector<std::complex<double>>& values) {
  const size_t n = values.size();
  for (size_t i = 1, j = 0; i < n; ++i) {
    size_t bit = n >> 1u;
    for (; (j & bit) != 0; bit >>= 1u) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(values[i], values[j]);
  }
  std::vector<std::complex<double>> turn(n / 2);
  for (size_t i = 0; i < n / 2; ++i) {
    const double angle = -2 * math::kPi * static_cast<double>(i) / static_cast<double>(n);
    turn[i] = {math::cos(angle), math::sin(angle)};
  }
  for (size_t half = 1; half < n; half *= 2)
    for (size_t begin = 0; begin < n; begin += 2 * half)
      for (size_t k = 0; k < half; ++k) {
        const std::complex<double> odd = turn[k * (n / (2 * half))] * values[begin + half + k];
        values[begin + half + k] = values[begin + k] - odd;
        values[begin + k] += odd;
      }
}

// The window of Blackman and Harris, for n values.
std::vector<double> find_window(size_t n) {
  constexpr double kTerms[] = {0.35875, -0.48829, 0.14128, -0.01168};  // its published coefficients
  std::vector<double> window(n, 0.0);
  for (size_t k = 0; k < n; ++k)
    for (int term = 0; term < 4; ++term)
      window[k] += kTerms[term] *
                   math::cos(2 * math::kPi * term * (static_cast<double>(k) + 0.5) / static_cast<double>(n));
  return window;
}

// Local maxima that are the highest within the width of a line.
std::vector<Peak> find_peaks(const std::vector<double>& amplitude, double spacing, size_t lobe) {
  std::vector<Peak> peaks;
  for (size_t i = lobe; i + 1 < amplitude.size(); ++i) {
    const auto around = amplitude.begin() + static_cast<std::ptrdiff_t>(i);
    if (!(*around > around[-1] && *around >= around[1])) continue;
    const size_t end = std::min(amplitude.size(), i + lobe);
    const double highest = *std::max_element(around - static_cast<std::ptrdiff_t>(lobe),
                                             amplitude.begin() + static_cast<std::ptrdiff_t>(end));
    if (highest > *around || around[-1] <= 0 || around[1] <= 0) continue;
    const double a = math::log(around[-1]), b = math::log(*around), c = math::log(around[1]);
    const double curvature = a - 2 * b + c;
    const double shift = curvature < 0 ? 0.5 * (a - c) / curvature : 0;
    peaks.push_back({(static_cast<double>(i) + shift) * spacing, math::exp(b - 0.25 * (a - c) * shift)});
  }
  std::stable_sort(peaks.begin(), peaks.end(),
                   [](const Peak& a, const Peak& b) { return a.amplitude > b.amplitude; });
  return peaks;
}

}  // namespace

core::Expected<Spectrum> find_spectrum(const Series& series, Range range, Scale frequency) {
  std::vector<double> x, y;
  for (size_t i = 0; i < series.y.size(); ++i) {
    if ((*series.x)[i] < range.lo || (*series.x)[i] > range.hi) continue;
    x.push_back((*series.x)[i]);
    y.push_back(series.y[i]);
    if (std::isnan(x.back()) || std::isnan(y.back()))
      return core::error_at(
          {}, series.name + ": a spectrum needs every value, and row " + std::to_string(i + 1) + " has none");
  }
  const size_t n = x.size();
  if (n < kParameters.fewest_values)
    return core::error_at({}, series.name + ": a spectrum needs at least " +
                                  std::to_string(kParameters.fewest_values) + " values, and there are " +
                                  std::to_string(n));
  const double spacing = (x.back() - x.front()) / static_cast<double>(n - 1);
  for (size_t i = 0; i < n; ++i)
    if (!(std::abs(x[i] - x[0] - static_cast<double>(i) * spacing) <= kParameters.uneven_times * spacing))
      return core::error_at({},
                            series.name +
                                ": a spectrum needs even times, and those of steps are not; take a column "
                                "of the frames, as BODY.x");

  const std::vector<double> window = find_window(n);
  double total = 0, mean = 0;
  for (size_t i = 0; i < n; ++i) total += window[i], mean += window[i] * y[i];
  mean /= total;
  size_t length = 1;
  const size_t padding = n > kParameters.long_column ? kParameters.long_padding : kParameters.padding;
  while (length < padding * n) length *= 2;
  std::vector<std::complex<double>> values(length);
  for (size_t i = 0; i < n; ++i) values[i] = window[i] * (y[i] - mean);
  transform(values);

  Spectrum spectrum;
  spectrum.series.name = series.name;
  spectrum.series.quantity = series.quantity;
  const double line = 1 / (spacing * static_cast<double>(length));
  std::vector<double> frequencies(length / 2 + 1);
  spectrum.series.y.resize(length / 2 + 1);
  for (size_t i = 0; i < frequencies.size(); ++i) {
    frequencies[i] = static_cast<double>(i) * line;
    spectrum.series.y[i] = 2 * std::abs(values[i]) / total;
  }
  const auto lobe = static_cast<size_t>(
      std::ceil(kParameters.main_lobe * static_cast<double>(length) / static_cast<double>(n)));
  spectrum.peaks = find_peaks(spectrum.series.y, line, lobe);
  if (frequency == Scale::log) {
    frequencies.erase(frequencies.begin());
    spectrum.series.y.erase(spectrum.series.y.begin());
  }
  spectrum.series.x = std::make_shared<const std::vector<double>>(std::move(frequencies));
  return spectrum;
}

std::vector<Peak> choose_peaks(const std::vector<Spectrum>& spectra, Scale scale) {
  std::vector<Peak> all, chosen;
  for (size_t i = 0; i < spectra.size(); ++i)
    for (Peak peak : spectra[i].peaks) {
      peak.line = i;
      all.push_back(peak);
    }
  std::stable_sort(all.begin(), all.end(),
                   [](const Peak& a, const Peak& b) { return a.amplitude > b.amplitude; });
  const double least = scale == Scale::log ? kParameters.least_log_peak : kParameters.least_peak;
  for (const Peak& peak : all) {
    if (chosen.size() == kParameters.most_peaks || peak.amplitude < least * all[0].amplitude) break;
    if (std::none_of(chosen.begin(), chosen.end(), [&](const Peak& other) {
          return std::abs(other.frequency - peak.frequency) < kParameters.same_peak * peak.frequency;
        }))
      chosen.push_back(peak);
  }
  return chosen;
}

double find_reach(const std::vector<Spectrum>& spectra, const std::vector<Peak>& peaks) {
  double highest = 0, last = 0;
  for (const Peak& peak : peaks) last = std::max(last, peak.frequency);
  for (const Spectrum& spectrum : spectra) highest = std::max(highest, spectrum.series.x->back());
  return last > 0 ? std::min(highest, kParameters.spectrum_reach * last) : highest;
}

}  // namespace tumble::plot
