// Time of mass properties and of all checks of a mesh with a million triangles, on one core.
//   bench_mesh_benchmark [TRIANGLES]
// The mesh is a bumpy sphere, closed and clean. It is rotated so that nothing is aligned with an axis.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "tumble/geometry/mass_properties.h"
#include "tumble/geometry/mesh_check.h"
#include "tumble/math/quat.h"

namespace {

using namespace tumble;
using math::Vec3;

// Rings of latitude between two poles, with about 4 rings^2 triangles.
geometry::TriangleMesh bumpy_sphere(uint32_t rings) {
  const uint32_t around = 2 * rings;
  const math::Quat tilt = math::Quat::from_rotation_vector(Vec3(0.3, 0.7, -0.2));
  const auto point = [&](double latitude, double longitude) {
    const double bump =
        1 + 0.05 * math::sin(9 * longitude) * math::square(math::cos(latitude)) * math::sin(7 * latitude);
    return Vec3(tilt * Vec3(bump * math::cos(latitude) * math::cos(longitude), bump * math::sin(latitude),
                            bump * math::cos(latitude) * math::sin(longitude)));
  };
  geometry::TriangleMesh mesh;
  for (uint32_t i = 1; i < rings; ++i)
    for (uint32_t j = 0; j < around; ++j)
      mesh.vertices.push_back(point(math::kPi * (0.5 - double(i) / rings), 2 * math::kPi * j / around));
  const auto north = static_cast<uint32_t>(mesh.vertices.size()), south = north + 1;
  mesh.vertices.push_back(point(0.5 * math::kPi, 0));
  mesh.vertices.push_back(point(-0.5 * math::kPi, 0));

  for (uint32_t j = 0; j < around; ++j) {
    const uint32_t next = (j + 1) % around, last = (rings - 2) * around;
    mesh.triangles.push_back({north, next, j});
    mesh.triangles.push_back({south, last + j, last + next});
    for (uint32_t i = 0; i + 2 < rings; ++i) {
      const uint32_t upper = i * around, lower = upper + around;
      mesh.triangles.push_back({upper + j, upper + next, lower + next});
      mesh.triangles.push_back({upper + j, lower + next, lower + j});
    }
  }
  return mesh;
}

double median_seconds(const std::function<void()>& work) {
  std::array<double, 5> seconds;
  for (double& s : seconds) {
    const auto start = std::chrono::steady_clock::now();
    work();
    s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[2];
}

}  // namespace

int main(int argc, char** argv) {
  const double triangles = argc > 1 ? std::atof(argv[1]) : 1e6;
  const auto mesh = bumpy_sphere(static_cast<uint32_t>(std::max(3.0, math::sqrt(triangles / 4) + 1)));
  const auto report = geometry::check_mesh(mesh);
  for (const auto& fault : report.faults) std::printf("unexpected: %s\n", fault.description.c_str());

  double mass = 0;
  const double mass_seconds = median_seconds([&] { mass += geometry::mesh_mass(1000, mesh).mass; });
  size_t faults = 0;
  const double check_seconds = median_seconds([&] { faults += geometry::check_mesh(mesh).faults.size(); });
  const double topology_seconds = median_seconds(
      [&] { faults += geometry::check_mesh(mesh, {.self_intersection = false}).faults.size(); });

  std::printf("triangles   mass s  (asked)   checks s  (asked)   of which topology s\n");
  std::printf("%9zu   %6.3f  (0.5)     %8.3f  (6)       %8.3f\n", mesh.triangles.size(), mass_seconds,
              check_seconds, topology_seconds);
  std::printf("median of 5; mass %.15g kg\n", mass / 5);
  return faults == 0 ? 0 : 1;
}
