#include <doctest/doctest.h>

#include <cmath>

#include "tumble/dynamics/integrators/tableau.h"

using namespace tumble::dynamics;

TEST_CASE("every tableau is consistent: rows of a sum to c, weights to 1, error weights to 0") {
  for (const char* name : {"dopri8", "dopri5", "cash-karp", "rk4", "euler"}) {
    CAPTURE(name);
    const Tableau* tableau = find_tableau(name);
    REQUIRE(tableau);
    const size_t s = static_cast<size_t>(tableau->stages);
    REQUIRE(tableau->a.size() == s * s);
    REQUIRE(tableau->c.size() == s);
    double weights = 0;
    for (size_t i = 0; i < s; ++i) {
      double row = 0;
      for (size_t j = 0; j < s; ++j) {
        row += tableau->a[i * s + j];
        if (j >= i) CHECK(tableau->a[i * s + j] == 0);  // explicit
      }
      CHECK(std::abs(row - tableau->c[i]) < 1e-14);
      weights += tableau->b[i];
    }
    CHECK(std::abs(weights - 1) < 1e-15);
    for (const auto& error : {tableau->error, tableau->second_error}) {
      double sum = 0;
      for (const double e : error) sum += e;
      CHECK(std::abs(sum) < 1e-15);
    }
    const size_t slopes = static_cast<size_t>(tableau->slopes());
    for (size_t i = 0; i < tableau->extra_c.size(); ++i) {
      double row = 0;
      for (size_t j = 0; j < slopes; ++j) row += tableau->extra_a[i * slopes + j];
      CHECK(std::abs(row - tableau->extra_c[i]) < 1e-14);
    }
    CHECK(tableau->dense.size() % slopes == 0);
  }
  CHECK(find_tableau("heun") == nullptr);
}

TEST_CASE("weights integrate powers of time exactly up to the order of the method") {
  for (const char* name : {"dopri8", "dopri5", "cash-karp", "rk4", "euler"}) {
    const Tableau& tableau = *find_tableau(name);
    for (int power = 0; power < tableau.order; ++power) {
      double sum = 0;
      for (size_t i = 0; i < tableau.b.size(); ++i) sum += tableau.b[i] * std::pow(tableau.c[i], power);
      CHECK(std::abs(sum - 1.0 / (power + 1)) < 1e-14);
    }
  }
}
