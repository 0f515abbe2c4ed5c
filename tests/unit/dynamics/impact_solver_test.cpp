// Impacts: Newton's cradle, a break shot, one body on a floor, and random impacts.
#include "tumble/dynamics/solvers/impact_solver.h"

#include <doctest/doctest.h>

#include "crash.h"

using namespace tumble;
using dynamics::ConeConstraint;
using dynamics::kNone;
using math::Mat3;
using math::Vec3;
using test::Crash;

TEST_CASE("as many balls leave a cradle as came in") {
  for (const int in : {1, 2, 3}) {
    Crash cradle;
    for (int i = 0; i < 5; ++i)
      cradle.add_body(Vec3(i, 0, 0), 1, 0.1 * Mat3::Identity(), Vec3(i < in ? 1 : 0, 0, 0));
    for (int i = 1; i < 5; ++i) cradle.add_contact(i, i - 1, Vec3(i - 0.5, 0, 0), Vec3(1, 0, 0), 0, 1);
    cradle.resolve();
    for (int i = 0; i < 5; ++i)
      CHECK(cradle.v[6 * static_cast<size_t>(i)] == doctest::Approx(i >= 5 - in ? 1 : 0).epsilon(1e-9));
  }
}

TEST_CASE("a symmetric break shot stays symmetric") {
  Crash table;
  table.add_body(Vec3(-1, 0, 0), 1, 0.1 * Mat3::Identity(), Vec3(3, 0, 0));
  std::vector<std::pair<int, int>> places = {{-1, 0}};
  const double h = std::sqrt(3) / 2;
  for (int row = 0; row < 5; ++row)
    for (int j = 0; j <= row; ++j) {
      places.emplace_back(row, 2 * j - row);
      table.add_body(Vec3(h * row, 0.5 * (2 * j - row), 0), 1, 0.1 * Mat3::Identity(), Vec3::Zero());
    }
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < i; ++j) {
      const Vec3 d = table.centers[static_cast<size_t>(i)] - table.centers[static_cast<size_t>(j)];
      if (std::abs(d.norm() - 1) < 1e-9)
        table.add_contact(i, j, table.centers[static_cast<size_t>(j)] + 0.5 * d, d, 0.05, 0.95);
    }
  const double before = table.energy();
  table.resolve();
  CHECK(table.energy() <= before);
  for (size_t i = 0; i < places.size(); ++i)
    for (size_t j = 0; j < places.size(); ++j)
      if (places[i].first == places[j].first && places[i].second == -places[j].second) {
        CHECK(std::abs(table.v[6 * i] - table.v[6 * j]) < 1e-9);
        CHECK(std::abs(table.v[6 * i + 1] + table.v[6 * j + 1]) < 1e-9);
      }
}

TEST_CASE(
    "a ball that hits a floor rebounds with its restitution, and friction slows it down as far as the "
    "friction cone allows") {
  for (const double e : {0.0, 0.5, 1.0})
    for (const double mu : {0.0, 0.1, 1.0}) {
      Crash ball;
      const double r = 0.5, m = 2;
      ball.add_body(Vec3(0, r, 0), m, 0.4 * m * r * r * Mat3::Identity(), Vec3(3, -2, 0));
      ball.add_contact(0, kNone, Vec3::Zero(), Vec3(0, 1, 0), mu, e);
      const double before = ball.energy();
      ball.resolve();
      CAPTURE(e);
      CAPTURE(mu);
      // Contact problems are solved to 1e-9 of the impulses, which are a few times the momenta.
      CHECK(ball.v[1] == doctest::Approx(2 * e).epsilon(1e-8));
      // Slip ends when the tangential impulse has reached 2/7 m u.
      const double slip = 3, rub = std::min(mu * (1 + e) * 2, 2.0 / 7 * slip);
      CHECK(ball.v[0] == doctest::Approx(3 - rub).epsilon(1e-7));
      CHECK(ball.v[5] == doctest::Approx(-rub * r / (0.4 * r * r)).epsilon(1e-7));
      CHECK(ball.energy() <= before * (1 + 1e-12));
    }
}

TEST_CASE("random impacts gain no energy, conserve momentum, and leave no approach") {
  test::check_random_impacts(5'000, 11);
}
