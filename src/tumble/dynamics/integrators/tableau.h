// Explicit Runge-Kutta methods as data.
//   k_i = f(t + c_i h, y + h sum_j a_ij k_j),   y1 = y + h sum_i b_i k_i                                  (1)
//   the slope at the end, f(t + h, y1), is one more stage: it is the first slope of the next step         (2)
//   error estimate h sum_i e_i k_i                                                                        (3)
//   dense output, x = (t - t0)/h:
//     y(x) = y0 + x (F0 + (1-x)(F1 + x (F2 + (1-x)(F3 + x (F4 + ...)))))                                  (4)
//     F0 = y1 - y0,  F1 = h k_1 - F0,  F2 = F0 - h f(y1) - F1,  F3.. = h sum_i d_i k_i
#pragma once

#include <span>
#include <string_view>

namespace tumble::dynamics {

struct Tableau {
  std::string_view name;
  int order = 0;
  int stages = 0;
  /// The estimated error of a step falls as h to this power; 0: no estimate, the step is fixed.
  int error_exponent = 0;
  std::span<const double> c = {};             // stages
  std::span<const double> a = {};             // stages x stages, row by row
  std::span<const double> b = {};             // stages
  std::span<const double> error = {};         // stages, or stages + 1 when the slope at the end takes part
  std::span<const double> second_error = {};  // second estimate, of lower order; the stepper combines both
  std::span<const double> extra_c = {};       // stages that only dense output needs
  std::span<const double> extra_a = {};       // extra x (stages + 1 + extra)
  std::span<const double> dense = {};         // rows d of F3, F4, ...: each stages + 1 + extra
  int dense_order = 0;  // 0: no dense output; a shorter step from the start is taken instead

  int extra_stages() const { return static_cast<int>(extra_c.size()); }
  int slopes() const { return stages + 1 + extra_stages(); }
  bool error_needs_end_slope() const { return error.size() > static_cast<size_t>(stages); }
};

const Tableau& dormand_prince_8();  // 8(5,3), Dormand and Prince; dense output of order 7
const Tableau& dormand_prince_5();  // 5(4), Dormand and Prince 1980; dense output of order 4
const Tableau& cash_karp();         // 5(4), Cash and Karp 1990: the method of the 2007 thesis
const Tableau& classical_rk4();     // fixed step
const Tableau& euler();             // fixed step

/// Finds a method by its name in scene files: dopri8, dopri5, cash-karp, rk4, euler; null if there is none.
const Tableau* find_tableau(std::string_view name);

}  // namespace tumble::dynamics
