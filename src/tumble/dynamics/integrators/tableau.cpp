#include "tumble/dynamics/integrators/tableau.h"

namespace tumble::dynamics {

namespace {

// clang-format off
namespace dopri5 {
constexpr double kC[] = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1};
constexpr double kA[] = {
    0, 0, 0, 0, 0, 0,
    1. / 5, 0, 0, 0, 0, 0,
    3. / 40, 9. / 40, 0, 0, 0, 0,
    44. / 45, -56. / 15, 32. / 9, 0, 0, 0,
    19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729, 0, 0,
    9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656, 0};
constexpr double kB[] = {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84};
// fifth minus fourth order weights
constexpr double kError[] = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};
constexpr double kDense[] = {-12715105075. / 11282082432., 0, 87487479700. / 32700410799.,
                             -10690763975. / 1880347072., 701980252875. / 199316789632.,
                             -1453857185. / 822651844., 69997945. / 29380423.};
}  // namespace dopri5

namespace cash_karp_5 {
constexpr double kC[] = {0, 1. / 5, 3. / 10, 3. / 5, 1, 7. / 8};
constexpr double kA[] = {
    0, 0, 0, 0, 0, 0,
    1. / 5, 0, 0, 0, 0, 0,
    3. / 40, 9. / 40, 0, 0, 0, 0,
    3. / 10, -9. / 10, 6. / 5, 0, 0, 0,
    -11. / 54, 5. / 2, -70. / 27, 35. / 27, 0, 0,
    1631. / 55296, 175. / 512, 575. / 13824, 44275. / 110592, 253. / 4096, 0};
constexpr double kB[] = {37. / 378, 0, 250. / 621, 125. / 594, 0, 512. / 1771};
constexpr double kError[] = {37. / 378 - 2825. / 27648, 0, 250. / 621 - 18575. / 48384,
                             125. / 594 - 13525. / 55296, -277. / 14336, 512. / 1771 - 1. / 4};
}  // namespace cash_karp_5

namespace rk4 {
constexpr double kC[] = {0, 0.5, 0.5, 1};
constexpr double kA[] = {0, 0, 0, 0,  0.5, 0, 0, 0,  0, 0.5, 0, 0,  0, 0, 1, 0};
constexpr double kB[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
}  // namespace rk4

namespace euler_1 {
constexpr double kC[] = {0};
constexpr double kA[] = {0};
constexpr double kB[] = {1};
}  // namespace euler_1
// clang-format on

}  // namespace

const Tableau& dormand_prince_5() {
  static constexpr Tableau tableau{.name = "dopri5",
                                   .order = 5,
                                   .stages = 6,
                                   .error_exponent = 5,
                                   .c = dopri5::kC,
                                   .a = dopri5::kA,
                                   .b = dopri5::kB,
                                   .error = dopri5::kError,
                                   .dense = dopri5::kDense,
                                   .dense_order = 4};
  return tableau;
}

const Tableau& cash_karp() {
  static constexpr Tableau tableau{.name = "cash-karp",
                                   .order = 5,
                                   .stages = 6,
                                   .error_exponent = 5,
                                   .c = cash_karp_5::kC,
                                   .a = cash_karp_5::kA,
                                   .b = cash_karp_5::kB,
                                   .error = cash_karp_5::kError};
  return tableau;
}

const Tableau& classical_rk4() {
  static constexpr Tableau tableau{
      .name = "rk4", .order = 4, .stages = 4, .c = rk4::kC, .a = rk4::kA, .b = rk4::kB};
  return tableau;
}

const Tableau& euler() {
  static constexpr Tableau tableau{
      .name = "euler", .order = 1, .stages = 1, .c = euler_1::kC, .a = euler_1::kA, .b = euler_1::kB};
  return tableau;
}

const Tableau* find_tableau(std::string_view name) {
  for (const Tableau* tableau :
       {&dormand_prince_8(), &dormand_prince_5(), &cash_karp(), &classical_rk4(), &euler()})
    if (tableau->name == name) return tableau;
  return nullptr;
}

}  // namespace tumble::dynamics
