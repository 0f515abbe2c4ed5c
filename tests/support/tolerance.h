// The four kinds of tolerance a test may have; `exact` is written ==. Each comes from theory, never from what a
// run printed. TUMBLE_TOL_SCALE=0 in the environment makes every test with a tolerance fail and so print its
// true residual; a value above 1 tells how far a test is from failing.
#pragma once

namespace support {

/// n roundings of double precision numbers of size `scale`.
double round_off(double n, double scale = 1);
/// The same for numbers kept in single precision.
double single_round_off(double n, double scale = 1);
/// What a method of that order leaves at a step or spacing h: constant * h^order.
double truncation(double h, int order, double constant = 1);
/// What the model or the promise itself leaves open.
double model(double slop);

}  // namespace support
