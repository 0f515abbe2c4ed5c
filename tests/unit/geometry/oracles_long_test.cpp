// slow: a hundred thousand random cases of each claim
// Random meshes compared with independent results: self-intersections with brute force over all pairs by
// signs of determinants, mass with closed forms. No case is degenerate, so floating point decides.
// triangle_pair_vs_integers_test.cpp has the degenerate cases.
#include <doctest/doctest.h>

#include "support/tolerance.h"
#include "tumble/geometry/mass_properties.h"
#include "tumble/geometry/mesh_check.h"
#include "unit/geometry/meshes.h"

using namespace tumble;
using namespace tumble::test;

namespace {

constexpr int kCases = 100'000;
const double kOracleError = support::model(1e-12);  // relative, the promised accuracy

// Six times the signed volume of a tetrahedron.
double volume(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const double x[3][3] = {{b.x() - a.x(), b.y() - a.y(), b.z() - a.z()},
                          {c.x() - a.x(), c.y() - a.y(), c.z() - a.z()},
                          {d.x() - a.x(), d.y() - a.y(), d.z() - a.z()}};
  return x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) -
         x[0][1] * (x[1][0] * x[2][2] - x[1][2] * x[2][0]) +
         x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0]);
}

// The ends are on different sides of the plane, and the line passes all edges on the same side.
bool segment_meets(const Vec3& p, const Vec3& q, const Vec3* t) {
  if ((volume(p, t[0], t[1], t[2]) > 0) == (volume(q, t[0], t[1], t[2]) > 0)) return false;
  const bool side = volume(p, q, t[0], t[1]) > 0;
  return side == (volume(p, q, t[1], t[2]) > 0) && side == (volume(p, q, t[2], t[0]) > 0);
}

bool triangles_meet(const Vec3* a, const Vec3* b) {
  for (int i = 0; i < 3; ++i)
    if (segment_meets(a[i], a[(i + 1) % 3], b) || segment_meets(b[i], b[(i + 1) % 3], a)) return true;
  return false;
}

// The largest error, relative to mass, size and mass * size^2.
double error_of(const geometry::MassProperties& found, double mass, const Vec3& center,
                const math::Mat3& inertia, double size) {
  return std::max({std::abs(found.mass - mass) / mass, (found.center - center).norm() / size,
                   (found.inertia - inertia).norm() / (mass * size * size)});
}

}  // namespace

TEST_CASE("self-intersections of random meshes equal the brute force result") {
  constexpr int kTriangles = 10;
  Random random(1);
  int differences = 0, with_some = 0, with_none = 0;
  for (int i = 0; i < kCases; ++i) {
    TriangleMesh mesh;
    // Size of a triangle, in a box of half size 1: from few to many intersections.
    const double size = random.between(0.1, 1);
    for (uint32_t t = 0; t < kTriangles; ++t) {
      const Vec3 position = random.point(1);
      for (int corner = 0; corner < 3; ++corner) mesh.vertices.push_back(position + random.point(size));
      mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
    }
    size_t pairs = 0;
    for (size_t a = 0; a < kTriangles; ++a)
      for (size_t b = a + 1; b < kTriangles; ++b)
        pairs += triangles_meet(&mesh.vertices[3 * a], &mesh.vertices[3 * b]) ? 1 : 0;
    const geometry::MeshReport report = geometry::check_mesh(mesh);
    const geometry::FaultCount* found = report.find(geometry::MeshFault::self_intersection);
    if ((found ? found->count : 0) != pairs) ++differences;
    ++(pairs > 0 ? with_some : with_none);
  }
  CHECK(differences == 0);
  CHECK(with_some > kCases / 10);
  CHECK(with_none > kCases / 10);
}

TEST_CASE("mass properties of random boxes in random poses agree with the closed form") {
  Random random(2);
  double worst = 0;
  for (int i = 0; i < kCases; ++i) {
    const Vec3 half(random.between(0.1, 1), random.between(0.1, 1), random.between(0.1, 1));
    const double density = random.between(1, 1e4);
    const math::Mat3 R =
        math::Mat3(Eigen::AngleAxisd(random.between(0, math::kPi), random.point(1).normalized()));
    const Vec3 position = random.point(3);
    const TriangleMesh mesh =
        mapped(box_mesh(-half, half), [&](const Vec3& v) { return Vec3(R * v + position); });
    const double mass = 8 * density * half.prod();
    const Vec3 squares = half.cwiseAbs2();
    const Vec3 moments = mass / 3 * (Vec3::Constant(squares.sum()) - squares);
    const math::Mat3 inertia = R * moments.asDiagonal() * R.transpose();
    worst =
        std::max(worst, error_of(geometry::mesh_mass(density, mesh), mass, position, inertia, half.norm()));
  }
  CHECK(worst < kOracleError);
}

// About the centre c of the corners v: I = m/20 sum ((v - c)^2 E - (v - c)(v - c)^T). Cancellation in a flat
// tetrahedron loses digits in any arithmetic: the bound grows with the volume of the enclosing cube over its
// volume.
TEST_CASE("mass properties of random tetrahedra agree with the closed form") {
  Random random(3);
  double worst = 0;
  for (int i = 0; i < kCases; ++i) {
    std::array<Vec3, 4> v;
    for (Vec3& corner : v) corner = random.point(1);
    if (volume(v[0], v[1], v[2], v[3]) < 0) std::swap(v[0], v[1]);
    const double density = random.between(1, 1e4);
    const double six_volumes = volume(v[0], v[1], v[2], v[3]), mass = density * six_volumes / 6;
    const Vec3 center = (v[0] + v[1] + v[2] + v[3]) / 4;
    math::Mat3 inertia = math::Mat3::Zero();
    for (const Vec3& corner : v) {
      const Vec3 r = corner - center;
      inertia += mass / 20 * (r.squaredNorm() * math::Mat3::Identity() - r * r.transpose());
    }
    const double flatness = std::max(1.0, 1 / six_volumes);
    worst = std::max(worst, error_of(geometry::mesh_mass(density, tetrahedron(v[0], v[1], v[2], v[3])), mass,
                                     center, inertia, 1) /
                                flatness);
  }
  CHECK(worst < kOracleError);
}
