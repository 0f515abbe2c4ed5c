#include "tumble/math/quat.h"

#include <doctest/doctest.h>

#include <limits>
#include <random>

using namespace tumble::math;

namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

class Random {
 public:
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_()) / 4294967296.0;
  }
  Vec3 direction() {
    while (true) {
      const Vec3 v(between(-1, 1), between(-1, 1), between(-1, 1));
      if (v.norm() > 0.1 && v.norm() <= 1) return v.normalized();
    }
  }
  Quat rotation() { return Quat::from_rotation_vector(between(0, kPi) * direction()); }

 private:
  std::mt19937 engine_{42};
};

// Rotation about an axis by Rodrigues' formula: R = E + sin a [n]x + (1 - cos a) [n]x^2, 1 - cos a = 2
// sin^2(a/2).
Mat3 rodrigues(const Vec3& axis, double angle) {
  const Mat3 n = skew(axis);
  return Mat3::Identity() + std::sin(angle) * n + 2 * square(std::sin(angle / 2)) * n * n;
}

// q and -q are the same rotation.
double distance(const Quat& a, const Quat& b) {
  const auto apart = [](const Quat& p, const Quat& q) {
    return std::sqrt(square(p.w() - q.w()) + (p.vec() - q.vec()).squaredNorm());
  };
  return std::min(apart(a, b), apart(a, -b));
}

}  // namespace

TEST_CASE("components have the names under which they were given") {
  const Quat q = Quat::from_wxyz(1, 2, 3, 4);
  CHECK(q.w() == 1);
  CHECK(q.vec() == Vec3(2, 3, 4));
  CHECK(q.norm() == std::sqrt(30.0));
  CHECK(Quat::identity().w() == 1);
  CHECK(Quat().to_matrix() == Mat3::Identity());
}

TEST_CASE("quaternion units multiply by Hamilton's rules") {
  const Quat i = Quat::from_wxyz(0, 1, 0, 0), j = Quat::from_wxyz(0, 0, 1, 0),
             k = Quat::from_wxyz(0, 0, 0, 1);
  const auto same = [](const Quat& a, const Quat& b) { return a.w() == b.w() && a.vec() == b.vec(); };
  CHECK(same(i * j, k));
  CHECK(same(j * k, i));
  CHECK(same(k * i, j));
  CHECK(same(j * i, -k));
  CHECK(same(i * j * k, -Quat::identity()));
}

TEST_CASE(
    "rotation vectors and axis-angle pairs agree with Rodrigues' formula for all magnitudes of angles") {
  Random random;
  for (const double angle : {0.0, 1e-300, 1e-12, 0.9e-4, 1.1e-4, 0.01, 1.0, 3.0, kPi, 4.0, 100.0}) {
    for (int round = 0; round < 20; ++round) {
      const Vec3 axis = random.direction();
      const Mat3 expected = rodrigues(axis, angle);
      const double bound = 8 * kEps * (1 + angle);  // round_off; the angle itself carries angle * eps
      CHECK((Quat::from_rotation_vector(angle * axis).to_matrix() - expected).norm() < bound);
      CHECK((Quat::from_axis_angle(3.7 * axis, angle).to_matrix() - expected).norm() < bound);
      CHECK(std::abs(Quat::from_rotation_vector(angle * axis).norm() - 1) < 4 * kEps);
    }
  }
}

TEST_CASE("log inverts exp, for angles from zero to pi") {
  Random random;
  for (const double angle :
       {0.0, 1e-200, 1e-15, 1e-9, 1e-8, 3e-8, 1e-5, 0.3, 2.0, kPi - 1e-9, kPi * (1 - kEps)}) {
    for (int round = 0; round < 20; ++round) {
      const Vec3 r = angle * random.direction();
      CHECK((Quat::from_rotation_vector(r).to_rotation_vector() - r).norm() <= 8 * kEps * angle);
    }
  }
}

TEST_CASE("log gives the shorter rotation: q and -q have the same log, with an angle of at most pi") {
  Random random;
  for (int round = 0; round < 100; ++round) {
    const Quat q = random.rotation();
    CHECK(q.to_rotation_vector() == (-q).to_rotation_vector());
    CHECK(q.to_rotation_vector().norm() <= kPi * (1 + kEps));
  }
  const Vec3 axis = random.direction();
  CHECK((Quat::from_rotation_vector(1.5 * kPi * axis).to_rotation_vector() + 0.5 * kPi * axis).norm() <
        16 * kEps);
}

TEST_CASE("a quaternion survives conversion to a matrix and back, also near an angle of pi about any axis") {
  Random random;
  for (const double off : {0.0, 1e-16, 1e-9, 1e-3, 0.5, 1.5, 3.0}) {
    for (int round = 0; round < 30; ++round) {
      Vec3 axis = random.direction();
      if (round < 3) axis = Vec3::Unit(round);
      if (round == 3) axis = Vec3(1, 1, 1).normalized();
      const Quat q = Quat::from_axis_angle(axis, kPi - off);
      CHECK(distance(Quat::from_matrix(q.to_matrix()), q) < 8 * kEps);
      CHECK(std::abs(Quat::from_matrix(q.to_matrix()).norm() - 1) < 4 * kEps);
    }
  }
}

TEST_CASE("products of quaternions agree with products of rotation matrices") {
  Random random;
  for (int round = 0; round < 200; ++round) {
    const Quat a = random.rotation(), b = random.rotation();
    const Vec3 v = random.direction();
    CHECK(((a * b).to_matrix() - a.to_matrix() * b.to_matrix()).norm() < 20 * kEps);
    CHECK((a * v - a.to_matrix() * v).norm() < 8 * kEps);
    const Quat turned = a * Quat::from_wxyz(0, v.x(), v.y(), v.z()) * a.conjugate();  // q [0, v] q^-1
    CHECK((turned.vec() - a * v).norm() < 8 * kEps);
    CHECK(distance(a * a.conjugate(), Quat::identity()) < 8 * kEps);
  }
}

TEST_CASE("the angle between two rotations is that of the relative rotation") {
  Random random;
  for (const double angle : {0.0, 1e-12, 1e-3, 1.0, 3.0, kPi}) {
    const Quat a = random.rotation();
    const Quat b = a * Quat::from_axis_angle(random.direction(), angle);
    CHECK(std::abs(angle_between(a, b) - angle) < 8 * kEps);
    CHECK(std::abs(angle_between(a, -b) - angle) < 8 * kEps);
  }
}

TEST_CASE("normalized keeps the direction and makes the length one") {
  const Quat q = Quat::from_wxyz(2, -4, 6, 8).normalized();
  CHECK(std::abs(q.norm() - 1) < 2 * kEps);
  CHECK(q.x() == -2 * q.w());
}

TEST_CASE("poses compose, and an inverse undoes its pose") {
  Random random;
  for (int round = 0; round < 100; ++round) {
    const Pose X_AB{random.rotation(), 3 * random.direction()},
        X_BC{random.rotation(), 2 * random.direction()};
    const Vec3 p = random.direction();
    CHECK(((X_AB * X_BC) * p - X_AB * (X_BC * p)).norm() < 60 * kEps);
    CHECK((X_AB.inverse() * (X_AB * p) - p).norm() < 60 * kEps);
    const Pose there_and_back = X_AB * X_AB.inverse();
    CHECK(there_and_back.translation.norm() < 60 * kEps);
    CHECK(distance(there_and_back.rotation, Quat::identity()) < 8 * kEps);
  }
}

TEST_CASE("skew is the matrix of the cross product") {
  const Vec3 a(1, 2, 3), b(-4, 5, 0.5);
  CHECK(skew(a) * b == a.cross(b));
}
