#include "tumble/view/raster.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "support/tolerance.h"

using tumble::view::kNothing;
using tumble::view::kSubsample;
using tumble::view::SampleGrid;
using tumble::view::ScreenVertex;

TEST_CASE("a fan of triangles covers each sample of its polygon exactly once") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    // Four corners of the grid and one point anywhere inside, also on sample points and edges.
    const int n = 12;
    const int64_t end = n * kSubsample;
    auto coordinate = [&] { return static_cast<int64_t>(random() % 24 + 0) * (kSubsample / 2); };
    const ScreenVertex middle{coordinate(), coordinate(), 1};
    const ScreenVertex corner[] = {{0, 0, 1}, {end, 0, 1}, {end, end, 1}, {0, end, 1}};
    int covered = 0;
    for (int k = 0; k < 4; ++k) {
      SampleGrid grid(n, n);
      grid.fill({corner[k], corner[(k + 1) % 4], middle}, 7);
      for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) covered += grid.id(x, y) != kNothing ? 1 : 0;
    }
    CHECK(covered == n * n);
  }
}

TEST_CASE("filling gives the same samples as a test of each sample against three lines") {
  std::mt19937_64 random(2);
  for (int round = 0; round < 500; ++round) {
    const int n = 16;
    ScreenVertex v[3];
    for (ScreenVertex& p : v) {
      p.x = static_cast<int64_t>(random() % 8192) - 2048;
      p.y = static_cast<int64_t>(random() % 8192) - 2048;
      p.key = 1;
    }
    SampleGrid grid(n, n);
    grid.fill({v[0], v[1], v[2]}, 3);
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        const int64_t px = x * kSubsample + kSubsample / 2, py = y * kSubsample + kSubsample / 2;
        int positive = 0, negative = 0;
        for (int k = 0; k < 3; ++k) {
          const ScreenVertex &a = v[k], &b = v[(k + 1) % 3];
          const int64_t e = (b.x - a.x) * (py - a.y) - (b.y - a.y) * (px - a.x);
          positive += e > 0, negative += e < 0;
        }
        const bool drawn = grid.id(x, y) == 3;
        if (positive == 3 || negative == 3) CHECK(drawn);
        if (positive > 0 && negative > 0) CHECK_FALSE(drawn);
      }
  }
}

TEST_CASE("the larger key wins and is linear over the triangle") {
  SampleGrid grid(8, 8);
  const int64_t end = 8 * kSubsample;
  grid.fill({ScreenVertex{0, 0, 0}, {2 * end, 0, 16}, {0, 2 * end, 0}}, 1);  // key = x in samples
  CHECK(grid.key(3, 2) == doctest::Approx(3.5).epsilon(support::single_round_off(8)));
  grid.fill({ScreenVertex{0, 0, 4}, {2 * end, 0, 4}, {0, 2 * end, 4}}, 2);
  CHECK(grid.id(2, 5) == 2);
  CHECK(grid.id(6, 1) == 1);
}

TEST_CASE("partly opaque triangles fill their fraction of each pixel, opaque ones all of it") {
  for (const int samples : {1, 2, 3, 4})
    for (const double opacity : {0.0, 0.25, 0.5, 1.0}) {
      SampleGrid grid(2 * samples, 2 * samples, samples);
      const int64_t end = 4 * samples * kSubsample;
      grid.fill({ScreenVertex{0, 0, 1}, {end, 0, 1}, {0, end, 1}}, 1, opacity);
      int covered = 0;  // in the pixel at (1, 1)
      for (int y = samples; y < 2 * samples; ++y)
        for (int x = samples; x < 2 * samples; ++x) covered += grid.id(x, y) != kNothing ? 1 : 0;
      CHECK(std::abs(covered - opacity * samples * samples) <= 0.5);
    }
}
