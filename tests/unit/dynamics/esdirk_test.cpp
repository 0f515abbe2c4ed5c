// The implicit method: order, dense output, stability.
#include "tumble/dynamics/integrators/esdirk.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/simulate.h"
#include "support/tolerance.h"

using namespace tumble::dynamics;

namespace {

// y' = -k (y - cos t) - sin t: the solution is cos t for any stiffness k.
class Pulled final : public OdeSystem {
 public:
  explicit Pulled(double k) : k_(k) {}
  size_t size() const override { return 1; }
  void compute_slope(double t, const double* y, double* slope) override {
    slope[0] = -k_ * (y[0] - std::cos(t)) - std::sin(t);
  }
  void prepare_newton(double, const double*, double g) override { factor_ = 1 + g * k_; }
  void newton_step(const double*, double* residual) override { residual[0] /= factor_; }

 private:
  double k_, factor_ = 1;
};

// The mathematical pendulum, for which Newton's method is not trivial.
class Swing final : public OdeSystem {
 public:
  size_t size() const override { return 2; }
  void compute_slope(double, const double* y, double* slope) override {
    slope[0] = y[1];
    slope[1] = -std::sin(y[0]);
  }
};

double first_of(const double* change) { return std::abs(change[0]) * 1e12; }
double both_of(const double* change) { return std::hypot(change[0], change[1]) * 1e12; }

// The error at t = 2 of n steps, and the largest error of the dense output in the middle of steps.
std::pair<double, double> run_swing(int n, const std::vector<double>& reference, double middle_reference) {
  Swing system;
  Esdirk method(2);
  method.set_norm(both_of);
  std::vector<double> y = {1.2, 0.3}, inside(2);
  double middle = 0;
  const double h = 2.0 / n;
  for (int i = 0; i < n; ++i) {
    method.restart();
    REQUIRE(method.try_step(system, i * h, y.data(), h));
    const std::vector<double> end(method.result().begin(), method.result().end());
    method.accept_at(end.data());
    if (i == 0) {
      method.interpolate(system, 0.5, inside.data());
      middle = std::abs(inside[0] - middle_reference);
    }
    y = end;
  }
  return {std::hypot(y[0] - reference[0], y[1] - reference[1]), middle};
}

// The pendulum at t, by many small steps of the classical method.
std::vector<double> fine_swing(double t) {
  Swing system;
  const int n = 20000;
  const double h = t / n;
  std::vector<double> y = {1.2, 0.3};
  for (int i = 0; i < n; ++i) {
    double k[4][2], z[2];
    system.compute_slope(0, y.data(), k[0]);
    for (int s = 1; s < 4; ++s) {
      for (int j = 0; j < 2; ++j) z[j] = y[static_cast<size_t>(j)] + (s == 3 ? h : 0.5 * h) * k[s - 1][j];
      system.compute_slope(0, z, k[s]);
    }
    for (int j = 0; j < 2; ++j)
      y[static_cast<size_t>(j)] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
  }
  return y;
}

}  // namespace

TEST_CASE("the implicit method has order 4, and so has its dense output") {
  const std::vector<double> reference = fine_swing(2);
  std::vector<double> steps, errors, middles;
  for (const int n : {20, 40, 80, 160}) {
    const double h = 2.0 / n;
    const auto [error, middle] = run_swing(n, reference, fine_swing(0.5 * h)[0]);
    steps.push_back(h);
    errors.push_back(error);
    middles.push_back(middle);
  }
  CHECK(support::fitted_slope(steps, errors) == doctest::Approx(4).epsilon(0.05));
  CHECK(support::fitted_slope(steps, middles) > 4.6);  // local error of one step: one power more
}

TEST_CASE("dense weights end in those of the step and satisfy the conditions of order 4 inside it") {
  for (const double x : {0.0, 0.3, 0.77, 1.0}) {
    double b[Esdirk::kStages], sums[5] = {};
    Esdirk::dense_weights(x, b);
    for (int i = 0; i < Esdirk::kStages; ++i) {
      const double c = Esdirk::c()[i];
      double ac2 = 0;
      for (int j = 0; j < Esdirk::kStages; ++j) ac2 += Esdirk::a()[i][j] * Esdirk::c()[j] * Esdirk::c()[j];
      const double factors[] = {1, c, c * c, c * c * c, ac2};
      for (int k = 0; k < 5; ++k) sums[k] += b[i] * factors[k];
      if (x == 1) CHECK(std::abs(b[i] - Esdirk::a()[Esdirk::kStages - 1][i]) < support::round_off(20));
    }
    const double x4 = x * x * x * x, wanted[] = {x, x * x / 2, x * x * x / 3, x4 / 4, x4 / 12};
    for (int k = 0; k < 5; ++k) CHECK(std::abs(sums[k] - wanted[k]) < support::round_off(50));
  }
}

TEST_CASE("arbitrary stiffness neither shortens the step nor reduces its accuracy") {
  for (const double k : {1.0, 1e3, 1e6, 1e9}) {
    Pulled system(k);
    Esdirk method(1);
    method.set_norm(first_of);
    double y = 1;
    const double h = 0.05;
    for (int i = 0; i < 40; ++i) {
      method.restart();
      REQUIRE(method.try_step(system, i * h, &y, h));
      method.accept_at(method.result().data());
      y = method.result()[0];
    }
    CHECK(std::abs(y - std::cos(2.0)) < support::truncation(h, 3));  // stages of order 2: at least 3
  }
}

TEST_CASE("a fast transient is damped at once: the method is L-stable") {
  Pulled system(1e9);
  Esdirk method(1);
  method.set_norm(first_of);
  double y = 2;  // off the slow solution by 1
  REQUIRE(method.try_step(system, 0, &y, 0.05));
  CHECK(std::abs(method.result()[0] - std::cos(0.05)) < 1e-4);
}
