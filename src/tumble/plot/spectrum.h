// The spectrum of a column: amplitude over frequency.
//
// For values y_k at t_k = k T / n:   Y(f) = 2 |sum_k w_k (y_k - m) exp(-2 pi i f t_k)| / sum_k w_k
// with the window w of Blackman and Harris, whose side lobes are 92 dB below, and m the mean under the
// window. A sine of amplitude A is a line of height A. Lines that are further apart than 4 / T do not disturb
// each other. A peak is the vertex of the parabola through log Y at the highest frequency and its neighbours.
#pragma once

#include <string>
#include <vector>

#include "tumble/core/expected.h"
#include "tumble/plot/axis.h"
#include "tumble/plot/series.h"

namespace tumble::plot {

struct Peak {
  double frequency = 0;  // in 1 / unit of x
  double amplitude = 0;
  size_t line = 0;  // index of its line in the panel
};

struct Spectrum {
  Series series;            // amplitude over frequency
  std::vector<Peak> peaks;  // the highest first
};

/// The series must have even spacing and no missing values in the range. For a logarithmic axis the spectrum
/// begins above frequency 0.
core::Expected<Spectrum> find_spectrum(const Series& series, Range range, Scale frequency = Scale::linear);

/// The peaks of a panel that get a label: the highest, and only one of those that coincide.
std::vector<Peak> choose_peaks(const std::vector<Spectrum>& spectra, Scale scale);

/// Where the frequency axis of a panel ends: behind the last labelled peak.
double find_reach(const std::vector<Spectrum>& spectra, const std::vector<Peak>& peaks);

}  // namespace tumble::plot
