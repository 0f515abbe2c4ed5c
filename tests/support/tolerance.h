// The four kinds of tolerance of a test; `exact` is written ==. Each comes from theory, never from the output
// of a run. TUMBLE_TOL_SCALE=0 in the environment makes every test with a tolerance fail and print its true
// residual. A value above 1 shows how far a test is from failing.
#pragma once

namespace support {

/// n roundings of double precision numbers of magnitude `scale`.
double round_off(double n, double scale = 1);
/// The same for numbers stored in single precision.
double single_round_off(double n, double scale = 1);
/// The error of a method of that order at a step or spacing h: constant * h^order.
double truncation(double h, int order, double constant = 1);
/// An error that the model or the specification allows.
double model(double slop);

}  // namespace support
