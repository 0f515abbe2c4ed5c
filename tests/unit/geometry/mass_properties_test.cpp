// Closed forms are integrated by hand or by Gauss quadrature of the defining integrals. None shares code with
// the library. The bound 1e-12 is the promised accuracy.
#include "tumble/geometry/mass_properties.h"

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>
#include <functional>

#include "support/tolerance.h"
#include "tumble/core/require.h"
#include "unit/geometry/meshes.h"

using namespace tumble;
using namespace tumble::test;
using geometry::MassProperties;
using geometry::mesh_mass;
using math::kPi;
using math::Mat3;

namespace {

const double kPromised = support::model(1e-12);  // relative

// The largest difference, relative to mass, size and mass * size^2.
double difference(const MassProperties& a, const MassProperties& b, double size) {
  return std::max({std::abs(a.mass - b.mass) / b.mass, (a.center - b.center).norm() / size,
                   (a.inertia - b.inertia).norm() / (b.mass * size * size)});
}

bool bit_equal(const MassProperties& a, const MassProperties& b) {
  return a.mass == b.mass && a.center == b.center && a.inertia == b.inertia;
}

MassProperties at(const Vec3& position, MassProperties p) {
  p.center += position;
  return p;
}

// Subtracts a part from a whole, the inverse of combined(), by the parallel axis theorem.
MassProperties without(const MassProperties& whole, const MassProperties& part) {
  const double mass = whole.mass - part.mass;
  const Vec3 center = (whole.mass * whole.center - part.mass * part.center) / mass;
  const auto about = [](const MassProperties& p, const Vec3& q) {
    const Vec3 r = p.center - q;
    return Mat3(p.inertia + p.mass * (r.dot(r) * Mat3::Identity() - r * r.transpose()));
  };
  return {mass, center, about(whole, center) - about(part, center)};
}

// Integral of f over [a, b] by Gauss-Legendre, 5 points: exact for polynomials of degree 9.
double gauss(double a, double b, const std::function<double(double)>& f) {
  const double x[3] = {0, 0.5384693101056831, 0.9061798459386640};
  const double w[3] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
  const double c = 0.5 * (a + b), h = 0.5 * (b - a);
  return h * (w[0] * f(c) + w[1] * (f(c - h * x[1]) + f(c + h * x[1])) +
              w[2] * (f(c - h * x[2]) + f(c + h * x[2])));
}

// A solid of revolution about Y as a stack of discs with r^2 = profile(y), a polynomial between the breaks.
// Disc: dm = rho pi r^2 dy, dIyy = dm r^2 / 2, dIxx = dm (r^2 / 4 + y^2).
MassProperties revolved(double density, const std::vector<double>& breaks,
                        const std::function<double(double)>& profile) {
  double mass = 0, moment = 0, along = 0, across = 0;
  for (size_t i = 1; i < breaks.size(); ++i) {
    const auto sum = [&](const std::function<double(double, double)>& f) {
      return density * kPi * gauss(breaks[i - 1], breaks[i], [&](double y) { return f(y, profile(y)); });
    };
    mass += sum([](double, double s) { return s; });
    moment += sum([](double y, double s) { return s * y; });
    along += sum([](double, double s) { return s * s / 2; });
    across += sum([](double y, double s) { return s * (s / 4 + y * y); });
  }
  const double y = moment / mass;
  MassProperties p{mass, Vec3(0, y, 0), Mat3::Zero()};
  p.inertia.diagonal() = Vec3(across - mass * y * y, along, across - mass * y * y);
  return p;
}

MassProperties rotated(const MassProperties& p, const Mat3& Q) {
  return {p.mass, Q * p.center, Q * p.inertia * Q.transpose()};
}

}  // namespace

TEST_CASE("spheres, cylinders, cones and capsules agree with integrals over their discs") {
  const double r = 0.7, l = 1.9;
  const auto ball = [&](double y) { return r * r - y * y; };
  CHECK(difference(geometry::sphere_mass(3, r), revolved(3, {-r, r}, ball), r) < kPromised);
  CHECK(difference(geometry::cylinder_mass(3, r, l),
                   revolved(3, {-l / 2, l / 2}, [&](double) { return r * r; }), l) < kPromised);
  const auto cone = [&](double y) { return math::square(r * (0.5 - y / l)); };
  CHECK(difference(geometry::cone_mass(3, r, l), revolved(3, {-l / 2, l / 2}, cone), l) < kPromised);
  const auto capsule = [&](double y) {
    const double beyond = std::max(0.0, std::abs(y) - l / 2);
    return r * r - beyond * beyond;
  };
  CHECK(difference(geometry::capsule_mass(3, r, l),
                   revolved(3, {-l / 2 - r, -l / 2, l / 2, l / 2 + r}, capsule), l) < kPromised);
}

TEST_CASE("a capsule without length is a sphere") {
  CHECK(difference(geometry::capsule_mass(2, 0.3, 0), geometry::sphere_mass(2, 0.3), 0.3) < kPromised);
}

TEST_CASE("a box has the mass properties of its mesh") {
  const Vec3 size(0.3, 1.7, 0.9), lower(-0.4, 2.1, 5.0);
  const MassProperties expected = at(lower + 0.5 * size, geometry::box_mass(7800, size));
  CHECK(difference(mesh_mass(7800, box_mesh(lower, lower + size)), expected, size.norm()) < kPromised);
  // and of the integral of x^2 over it: m a^2 / 12
  const double xx =
      7800 * size.y() * size.z() * gauss(-size.x() / 2, size.x() / 2, [](double x) { return x * x; });
  const Mat3& I = expected.inertia;
  CHECK(0.5 * (I(1, 1) + I(2, 2) - I(0, 0)) == doctest::Approx(xx).epsilon(kPromised));
}

TEST_CASE("a tetrahedron agrees with its closed form") {
  // Corner at the origin, legs a, b, c along the axes: V = abc/6, centre (a, b, c)/4,
  // int x^2 = V a^2/10, int xy = V ab/20.
  const double a = 1.5, b = 0.5, c = 2.25, rho = 3;
  const double m = rho * a * b * c / 6;
  MassProperties expected{m, Vec3(a, b, c) / 4, Mat3::Zero()};
  Mat3 second;  // about the centre
  second << a * a, a * b / 2, a * c / 2, a * b / 2, b * b, b * c / 2, a * c / 2, b * c / 2, c * c;
  second = m * (second / 10 - Vec3(a, b, c) * Vec3(a, b, c).transpose() / 16);
  expected.inertia = second.trace() * Mat3::Identity() - second;
  CHECK(difference(mesh_mass(rho, tetrahedron({0, 0, 0}, {a, 0, 0}, {0, b, 0}, {0, 0, c})), expected, c) <
        kPromised);
}

TEST_CASE("an L-prism has the mass properties of a square prism minus a corner") {
  const double h = 0.75;
  const MassProperties whole = at({1, 1, h / 2}, geometry::box_mass(5, {2, 2, h}));
  const MassProperties corner = at({1.5, 1.5, h / 2}, geometry::box_mass(5, {1, 1, h}));
  CHECK(difference(mesh_mass(5, l_prism(h)), without(whole, corner), 2) < kPromised);
}

TEST_CASE("a cube with an off-centre cavity has the mass properties of the cube minus the cavity") {
  TriangleMesh mesh = unit_cube();
  append(mesh, flipped(box_mesh({0.1, 0.55, 0.2}, {0.5, 0.9, 0.3})));
  const MassProperties whole = at({0.5, 0.5, 0.5}, geometry::box_mass(11, {1, 1, 1}));
  const MassProperties cavity = at({0.3, 0.725, 0.25}, geometry::box_mass(11, {0.4, 0.35, 0.1}));
  CHECK(difference(mesh_mass(11, mesh), without(whole, cavity), 1) < kPromised);
}

TEST_CASE("meshes of a sphere converge to it with order 2") {
  const MassProperties sphere = geometry::sphere_mass(1, 1);
  double before = difference(mesh_mass(1, sphere_mesh(3)), sphere, 1);
  for (int levels = 4; levels <= 6; ++levels) {
    const double now = difference(mesh_mass(1, sphere_mesh(levels)), sphere, 1);
    CHECK(std::log2(before / now) == doctest::Approx(2.0).epsilon(0.03));  // truncation, h^2
    before = now;
  }
}

TEST_CASE("mass properties move, rotate and mirror with the mesh") {
  Random random(3);
  for (int round = 0; round < 20; ++round) {
    const TriangleMesh mesh = random_star(random, 3);
    const MassProperties p = mesh_mass(2, mesh);
    const math::Pose X{math::Quat::from_rotation_vector(random.point(2)), random.point(3)};
    CHECK(difference(mesh_mass(2, mapped(mesh, [&](const Vec3& v) { return X * v; })),
                     geometry::transformed(p, X), 1) < kPromised);
    const Mat3 mirror = Vec3(1, -1, 1).asDiagonal();
    const TriangleMesh mirrored = flipped(mapped(mesh, [&](const Vec3& v) { return Vec3(mirror * v); }));
    CHECK(difference(mesh_mass(2, mirrored), rotated(p, mirror), 1) < kPromised);
  }
}

TEST_CASE("mass properties do not depend on the triangulation") {
  Random random(5);
  TriangleMesh other_diagonals = unit_cube();
  other_diagonals.triangles = {{1, 3, 2}, {1, 2, 0}, {6, 7, 5}, {6, 5, 4}, {4, 5, 1}, {4, 1, 0},
                               {3, 7, 6}, {3, 6, 2}, {2, 6, 4}, {2, 4, 0}, {5, 7, 3}, {5, 3, 1}};
  CHECK(difference(mesh_mass(1, other_diagonals), mesh_mass(1, unit_cube()), 1) < kPromised);
  for (int round = 0; round < 10; ++round) {
    const TriangleMesh mesh = random_star(random, 2);
    CHECK(difference(mesh_mass(1, subdivided(subdivided(mesh))), mesh_mass(1, mesh), 1) < kPromised);
    CHECK(difference(mesh_mass(1, permuted(mesh, random)), mesh_mass(1, mesh), 1) < kPromised);
  }
}

TEST_CASE("a mesh 10,000 sizes from the origin loses only the rounding of its coordinates") {
  Random random(9);
  const TriangleMesh mesh = random_star(random, 4);
  const double distance = 1e4;
  const Vec3 far = distance * Vec3(0.6, -0.48, 0.64);
  const TriangleMesh moved = mapped(mesh, [&](const Vec3& v) { return Vec3(v + far); });
  // Each coordinate is rounded by at most eps/2 * 1e4. Mass and inertia depend on it with a factor of order
  // one: V has the relative derivative surface * dx / V ~ 3, C ~ 5. Ten covers both.
  const double bound = support::round_off(10, distance);
  CHECK(difference(mesh_mass(1, moved), at(far, mesh_mass(1, mesh)), 1) < bound);
  // Where rounding moves no vertex, nothing is lost.
  const TriangleMesh cube = box_mesh({0, 0, 0}, {1, 1, 1}),
                     moved_cube = box_mesh({8192, 0, 8192}, {8193, 1, 8193});
  CHECK(mesh_mass(1, moved_cube).mass == mesh_mass(1, cube).mass);
  CHECK(mesh_mass(1, moved_cube).inertia == mesh_mass(1, cube).inertia);
}

TEST_CASE("an unused vertex changes nothing") {
  TriangleMesh mesh = l_prism(0.3);
  const MassProperties p = mesh_mass(1, mesh);
  mesh.vertices.emplace_back(1e9, 1e9, std::numeric_limits<double>::quiet_NaN());
  CHECK(bit_equal(mesh_mass(1, mesh), p));
}

TEST_CASE("scaling lengths or density by powers of two scales every result bit for bit") {
  Random random(13);
  const TriangleMesh mesh = random_star(random, 3);
  const math::Pose X{math::Quat::from_rotation_vector({1, 2, 3}), Vec3(0.3, 0.2, 0.1)};
  const auto all = [&](double density, double s) {
    const MassProperties m = mesh_mass(density, mapped(mesh, [s](const Vec3& v) { return Vec3(s * v); }));
    const math::Pose X_s{X.rotation, s * X.translation};
    return std::vector<MassProperties>{m,
                                       geometry::sphere_mass(density, 0.3 * s),
                                       geometry::box_mass(density, s * Vec3(0.1, 0.2, 0.7)),
                                       geometry::capsule_mass(density, 0.3 * s, 0.9 * s),
                                       geometry::cylinder_mass(density, 0.3 * s, 0.9 * s),
                                       geometry::cone_mass(density, 0.3 * s, 0.9 * s),
                                       geometry::transformed(m, X_s),
                                       geometry::combined(m, geometry::transformed(m, X_s))};
  };
  const auto base = all(1.7, 1);
  for (const double s : {0x1p-60, 0x1p-7, 0x1p9, 0x1p60}) {
    for (const double d : {0x1p-20, 1.0, 0x1p30}) {
      const auto scaled = all(1.7 * d, s);
      for (size_t i = 0; i < base.size(); ++i) {
        const double mass = d * s * s * s;
        const MassProperties expected{mass * base[i].mass, s * base[i].center,
                                      mass * s * s * base[i].inertia};
        CHECK(bit_equal(scaled[i], expected));
        CHECK(geometry::principal_inertia(scaled[i].inertia).moments ==
              mass * s * s * geometry::principal_inertia(base[i].inertia).moments);
      }
    }
  }
}

TEST_CASE("a transform and its inverse cancel") {
  const MassProperties p = geometry::cone_mass(700, 0.2, 0.5);
  const math::Pose X{math::Quat::from_rotation_vector({0.4, -1.2, 2.0}), Vec3(1, 2, 3)};
  CHECK(difference(geometry::transformed(geometry::transformed(p, X), X.inverse()), p, 1) < kPromised);
  CHECK(bit_equal(geometry::transformed(p, {}), p));
}

TEST_CASE("two combined halves equal the whole") {
  const Vec3 size(2, 0.5, 0.8);
  const MassProperties left = at({-0.6, 0, 0}, geometry::box_mass(3, {0.8, 0.5, 0.8}));
  const MassProperties right = at({0.4, 0, 0}, geometry::box_mass(3, {1.2, 0.5, 0.8}));
  CHECK(difference(geometry::combined(left, right), geometry::box_mass(3, size), 2) < kPromised);
  CHECK(difference(geometry::combined(right, left), geometry::box_mass(3, size), 2) < kPromised);
}

TEST_CASE("parts of different density are weighted by their mass") {
  const MassProperties iron = at({0, 1, 0}, geometry::sphere_mass(8000, 0.1));
  const MassProperties cork = at({0, -1, 0}, geometry::sphere_mass(2000, 0.1));
  const MassProperties both = geometry::combined(iron, cork);
  CHECK(both.center.y() == doctest::Approx(0.6).epsilon(kPromised));
  const double expected = iron.mass * (0.4 * 0.01 + 0.16) + cork.mass * (0.4 * 0.01 + 2.56);
  CHECK(both.inertia(0, 0) == doctest::Approx(expected).epsilon(kPromised));
}

TEST_CASE("combining with zero mass changes no bit") {
  const MassProperties p = geometry::transformed(
      geometry::cone_mass(0.3, 0.1, 0.7), {math::Quat::from_rotation_vector({1, 1, 1}), Vec3(0.1, 0.2, 0.3)});
  CHECK(bit_equal(geometry::combined({}, p), p));
  CHECK(bit_equal(geometry::combined(p, {}), p));
}

TEST_CASE("an empty or exactly flat mesh has no mass") {
  CHECK(bit_equal(mesh_mass(1, {}), MassProperties{}));
  const TriangleMesh flat = tetrahedron({1, 1, 3}, {2, 1, 3}, {1, 2, 3}, {2, 2, 3});
  CHECK(mesh_mass(1, flat).mass == 0);
  CHECK(mesh_mass(1, flat).center.allFinite());
}

TEST_CASE("a corner out of range is a precondition error") {
  CHECK_THROWS_AS(mesh_mass(1, TriangleMesh{{Vec3(0, 0, 0)}, {{0, 0, 1}}}), core::LogicError);
}

TEST_CASE("principal axes are right-handed, in ascending order, and diagonalise the tensor") {
  Random random(17);
  for (int round = 0; round < 100; ++round) {
    const Mat3 R = math::Quat::from_rotation_vector(random.point(3)).to_matrix();
    Vec3 moments(random.between(1, 2), random.between(1, 2), random.between(1, 2));
    if (round % 3 == 0) moments.y() = moments.x();  // a symmetric top
    const Mat3 I = R * moments.asDiagonal() * R.transpose();
    const geometry::PrincipalInertia p = geometry::principal_inertia(I);
    std::sort(moments.data(), moments.data() + 3);
    CHECK((p.moments - moments).norm() < support::round_off(40));  // round_off: a few eps times the norm of I
    CHECK((p.axes * p.moments.asDiagonal() * p.axes.transpose() - I).norm() < support::round_off(40));
    CHECK((p.axes.transpose() * p.axes - Mat3::Identity()).norm() < support::round_off(40));
    CHECK(p.axes.determinant() == doctest::Approx(1).epsilon(support::round_off(40)));
    CHECK(std::is_sorted(p.moments.data(), p.moments.data() + 3));
  }
}
