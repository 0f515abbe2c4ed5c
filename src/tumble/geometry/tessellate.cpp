// Round shapes are surfaces of revolution about Y. A profile of points (radius, height), from bottom to top,
// becomes one ring of vertices per point, or one vertex where the profile meets the axis.
#include "tumble/geometry/tessellate.h"

#include <algorithm>

#include "tumble/core/require.h"
#include "tumble/math/elementary.h"

namespace tumble::geometry {

namespace {

using math::Vec3;

struct ProfilePoint {
  double radius;  // m, zero on the axis
  double height;  // m
};

// The profile starts and ends on the axis and touches it nowhere else, so the surface is closed.
TriangleMesh revolve(const std::vector<ProfilePoint>& profile, int segments) {
  TUMBLE_REQUIRE(segments >= 3, "a circle needs at least three segments");
  TriangleMesh mesh;
  std::vector<uint32_t> first;  // index of the first vertex of each ring
  const auto n = static_cast<uint32_t>(segments);
  for (const ProfilePoint& point : profile) {
    first.push_back(static_cast<uint32_t>(mesh.vertices.size()));
    if (point.radius == 0) {
      mesh.vertices.emplace_back(0, point.height, 0);
      continue;
    }
    for (uint32_t j = 0; j < n; ++j) {
      const double angle = 2 * math::kPi * j / n;
      mesh.vertices.emplace_back(point.radius * math::sin(angle), point.height,
                                 point.radius * math::cos(angle));
    }
  }
  for (size_t i = 0; i + 1 < profile.size(); ++i)
    for (uint32_t j = 0; j < n; ++j) {
      const uint32_t next = (j + 1) % n;
      const bool opens = profile[i].radius == 0, closes = profile[i + 1].radius == 0;
      const uint32_t a = first[i] + (opens ? 0 : j), b = first[i] + (opens ? 0 : next);
      const uint32_t c = first[i + 1] + (closes ? 0 : next), d = first[i + 1] + (closes ? 0 : j);
      if (!opens) mesh.triangles.push_back({a, b, c});
      if (!closes) mesh.triangles.push_back({a, c, d});
    }
  return mesh;
}

// Half spheres of the capsule's radius about y = -length/2 and +length/2; length 0 is a sphere.
std::vector<ProfilePoint> capsule_profile(double radius, double length, int segments) {
  const int quarter = std::max(1, (segments + 3) / 4);
  std::vector<ProfilePoint> profile;
  for (int i = 0; i <= quarter; ++i) {
    const double angle = math::kPi / 2 * (1 - static_cast<double>(i) / quarter);  // below the equator
    profile.push_back({i == 0 ? 0 : radius * math::cos(angle), -length / 2 - radius * math::sin(angle)});
  }
  const size_t below = profile.size();
  for (size_t i = below; i-- > 0;) {
    if (length == 0 && i + 1 == below) continue;  // the two equators are one
    profile.push_back({profile[i].radius, -profile[i].height});
  }
  return profile;
}

}  // namespace

TriangleMesh tessellate_sphere(double radius, int segments) {
  return revolve(capsule_profile(radius, 0, segments), segments);
}

TriangleMesh tessellate_box(const Vec3& size) {
  TriangleMesh mesh;
  for (int corner = 0; corner < 8; ++corner)
    mesh.vertices.emplace_back((corner & 1 ? 0.5 : -0.5) * size.x(), (corner & 2 ? 0.5 : -0.5) * size.y(),
                               (corner & 4 ? 0.5 : -0.5) * size.z());
  // The bits of a corner are x, y, z. The sides are in the order -x +x -y +y -z +z.
  mesh.triangles = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
  return mesh;
}

TriangleMesh tessellate_capsule(double radius, double length, int segments) {
  return revolve(capsule_profile(radius, length, segments), segments);
}

TriangleMesh tessellate_cylinder(double radius, double length, int segments) {
  const double h = length / 2;
  return revolve({{0, -h}, {radius, -h}, {radius, h}, {0, h}}, segments);
}

TriangleMesh tessellate_cone(double radius, double length, int segments) {
  return revolve({{0, -length / 2}, {radius, -length / 2}, {0, length / 2}}, segments);
}

TriangleMesh tessellate_plane(const Vec3& normal, double size) {
  const Vec3 u = normal.unitOrthogonal() * (size / 2);
  const Vec3 v = normal.normalized().cross(u);
  return {{-u - v, u - v, u + v, -u + v}, {{0, 1, 2}, {0, 2, 3}}};
}

}  // namespace tumble::geometry
