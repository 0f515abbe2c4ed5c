// Bodies that enclose each other: holes, threads, gears, rings, bowls, and floors of many triangles.
#pragma once

#include <functional>
#include <map>

#include "solids.h"

namespace tumble::test {

using math::Vec3;

/// A grid of nu x nv points, closed in u and, optionally, in v. The outside is in the direction of du x dv.
inline geometry::TriangleMesh make_grid(uint32_t nu, uint32_t nv, bool closed_u, bool closed_v,
                                        const std::function<Vec3(double, double)>& at) {
  geometry::TriangleMesh mesh;
  const uint32_t pu = closed_u ? nu : nu + 1, pv = closed_v ? nv : nv + 1;
  for (uint32_t i = 0; i < pu; ++i)
    for (uint32_t j = 0; j < pv; ++j) mesh.vertices.push_back(at(double(i) / nu, double(j) / nv));
  for (uint32_t i = 0; i < nu; ++i)
    for (uint32_t j = 0; j < nv; ++j) {
      const uint32_t a = i * pv + j, b = (i + 1) % pu * pv + j, c = (i + 1) % pu * pv + (j + 1) % pv,
                     d = i * pv + (j + 1) % pv;
      mesh.triangles.push_back({a, b, c});
      mesh.triangles.push_back({a, c, d});
    }
  return mesh;
}

/// A ring around Y of radius `major` and thickness `minor`.
inline geometry::TriangleMesh make_torus(double major, double minor, uint32_t around = 24,
                                         uint32_t section = 12) {
  return make_grid(around, section, true, true, [&](double u, double v) {
    const double a = 2 * math::kPi * u, b = 2 * math::kPi * v, r = major + minor * std::cos(b);
    return Vec3(r * std::cos(a), minor * std::sin(b), -r * std::sin(a));
  });
}

/// A surface of revolution or screw around Y, between y = 0 and `height`, from profiles (angle, y) -> radius:
/// a tube between an inner and an outer surface.
inline geometry::TriangleMesh make_tube(uint32_t around, uint32_t rows, double height,
                                        const std::function<double(double, double)>& inner,
                                        const std::function<double(double, double)>& outer) {
  // v runs up the outer wall and down the inner one.
  return make_grid(around, 2 * rows + 2, true, true, [&](double u, double v) {
    const double angle = 2 * math::kPi * u;
    const auto k = static_cast<uint32_t>(std::lround(v * (2 * rows + 2)));
    const bool out = k <= rows;
    const double y = height * (out ? k : 2 * rows + 1 - k) / rows;
    const double r = (out ? outer : inner)(angle, y);
    return Vec3(r * std::cos(angle), y, -r * std::sin(angle));
  });
}

/// A block around Y of height 1 with a hole of `corners` corners and apothem `hole`.
inline geometry::TriangleMesh make_holed_block(uint32_t corners, double hole, double outside) {
  const double r = 1 / std::cos(math::kPi / corners);
  return make_tube(
      corners, 1, 1, [=](double, double) { return hole * r; }, [=](double, double) { return outside * r; });
}

/// A gear along z with `teeth` trapezoidal teeth.
inline geometry::TriangleMesh make_gear(uint32_t teeth, double root, double tip, double height) {
  std::vector<std::array<double, 2>> polygon;
  std::vector<geometry::Triangle> cut;
  for (uint32_t i = 0; i < teeth; ++i)
    for (int k = 0; k < 4; ++k) {
      const double part[4] = {-0.27, -0.12, 0.12, 0.27};
      const double angle = 2 * math::kPi * (i + part[k]) / teeth, r = k == 1 || k == 2 ? tip : root;
      polygon.push_back({r * std::cos(angle), r * std::sin(angle)});
    }
  polygon.push_back({0, 0});  // the centre, used by the end faces only
  const auto n = static_cast<uint32_t>(polygon.size() - 1);
  geometry::TriangleMesh mesh;
  for (const double z : {0.0, height})
    for (const auto& p : polygon) mesh.vertices.push_back({p[0], p[1], z});
  for (uint32_t i = 0; i < n; ++i) {
    const uint32_t j = (i + 1) % n, up = n + 1;
    mesh.triangles.push_back({n, j, i});
    mesh.triangles.push_back({n + up, i + up, j + up});
    mesh.triangles.push_back({i, j, j + up});
    mesh.triangles.push_back({i, j + up, i + up});
  }
  return mesh;
}

/// A flat square of `cells` x `cells` at y = 0. Inner points are moved in the plane, diagonals are random.
inline geometry::TriangleMesh make_floor(double side, uint32_t cells, std::mt19937& random) {
  std::uniform_real_distribution<double> unit(-0.3, 0.3);
  geometry::TriangleMesh mesh;
  for (uint32_t i = 0; i <= cells; ++i)
    for (uint32_t j = 0; j <= cells; ++j) {
      const bool inner = i > 0 && i < cells && j > 0 && j < cells;
      const double x = i + (inner ? unit(random) : 0), z = j + (inner ? unit(random) : 0);
      mesh.vertices.push_back({side * (x / cells - 0.5), 0, side * (z / cells - 0.5)});
    }
  for (uint32_t i = 0; i < cells; ++i)
    for (uint32_t j = 0; j < cells; ++j) {
      const uint32_t a = i * (cells + 1) + j, b = a + cells + 1, c = b + 1, d = a + 1;
      if (random() % 2 == 0) {
        mesh.triangles.push_back({a, d, c});
        mesh.triangles.push_back({a, c, b});
      } else {
        mesh.triangles.push_back({a, d, b});
        mesh.triangles.push_back({d, c, b});
      }
    }
  return mesh;
}

/// The same surface with some of its edges split in two.
inline geometry::TriangleMesh split_edges(geometry::TriangleMesh mesh, std::mt19937& random, int points = 6) {
  std::uniform_real_distribution<double> part(0.25, 0.75);
  for (int k = 0; k < points; ++k) {
    const geometry::Triangle t = mesh.triangles[random() % mesh.triangles.size()];
    const size_t side = random() % 3;
    const uint32_t a = t[side], b = t[(side + 1) % 3], id = static_cast<uint32_t>(mesh.vertices.size());
    const double u = part(random);
    mesh.vertices.push_back(mesh.vertices[a] + u * (mesh.vertices[b] - mesh.vertices[a]));
    const size_t count = mesh.triangles.size();
    for (size_t f = 0; f < count; ++f)
      for (size_t c = 0; c < 3; ++c) {
        const geometry::Triangle old = mesh.triangles[f];
        const uint32_t p = old[c], q = old[(c + 1) % 3], r = old[(c + 2) % 3];
        if (!((p == a && q == b) || (p == b && q == a))) continue;
        mesh.triangles[f] = {p, id, r};
        mesh.triangles.push_back({id, q, r});
        break;
      }
  }
  return mesh;
}

inline geometry::TriangleMesh scaled(geometry::TriangleMesh mesh, double scale) {
  for (Vec3& v : mesh.vertices) v *= scale;
  return mesh;
}

}  // namespace tumble::test
