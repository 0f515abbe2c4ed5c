// Tests of ForceLaw::linearise: compares rows, stiffness and damping with finite differences of the wrenches.
#include <doctest/doctest.h>

#include <random>

#include "tumble/math/quat.h"
#include "tumble/model/force_laws.h"
#include "tumble/model/joint_forces.h"
#include "tumble/model/limits.h"

using namespace tumble;
using namespace tumble::model;
using math::Mat3;
using math::Quat;
using math::Vec3;

namespace {

using Vec12 = Eigen::Matrix<double, 12, 1>;
using Mat12 = Eigen::Matrix<double, 12, 12>;

const core::BodyId kFirst(0), kSecond(1);

struct Two {
  BodyMotion a, b;
  // Moves coordinate k of 12 by `by`. Each body has 3 translations and 3 rotations.
  Two moved(int k, double by) const {
    Two two = *this;
    BodyMotion& body = k < 6 ? two.a : two.b;
    if (k % 6 < 3)
      body.center[k % 6] += by;
    else
      body.rotation = Quat::from_rotation_vector(by * Vec3::Unit(k % 6 - 3)).to_matrix() * body.rotation;
    return two;
  }
  Two hastened(int k, double by) const {
    Two two = *this;
    BodyMotion& body = k < 6 ? two.a : two.b;
    (k % 6 < 3 ? body.velocity[k % 6] : body.angular_velocity[k % 6 - 3]) += by;
    return two;
  }
};

Two random_two(unsigned seed, double turn) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto vector = [&] {
    const double x = uniform(engine), y = uniform(engine), z = uniform(engine);
    return Vec3(x, y, z);
  };
  Two two;
  two.a.center = vector(), two.a.velocity = vector(), two.a.angular_velocity = vector();
  two.a.rotation = Quat::from_rotation_vector(2 * vector()).to_matrix();
  two.b.center = two.a.center + 2 * vector(), two.b.velocity = vector(), two.b.angular_velocity = vector();
  two.b.rotation = two.a.rotation * Quat::from_rotation_vector(turn * vector().normalized()).to_matrix();
  return two;
}

JointFrames resisting_frames() {
  const Mat3 J = Quat::from_rotation_vector(Vec3(-0.7, 0.2, 0.5)).to_matrix();
  return {Vec3(0.1, -0.3, 0.2), Vec3(-0.4, 0.1, 0.3), J, J};
}

Vec12 wrenches(const ForceLaw& law, const Two& two) {
  Wrench on_a, on_b;
  law.apply(0, two.a, two.b, on_a, on_b);
  Vec12 all;
  all << on_a.force, on_a.torque, on_b.force, on_b.torque;
  return all;
}

// The matrices J^T k J and J^T d J of a law.
struct Blocks {
  Mat12 K = Mat12::Zero(), D = Mat12::Zero();
};

Mat3 turning_stiffness(const Resistance& resistance) {
  Mat3 K;
  for (int r = 0, at = 0; r < 3; ++r)
    for (int c = 0; c <= r; ++c, ++at) K(r, c) = K(c, r) = resistance.turning_stiffness[at];
  return K;
}

// The blocks of a law. Also checks that linearise() and apply() give the same wrenches.
Blocks blocks_of(const ForceLaw& law, const Two& two) {
  Wrench on_a, on_b;
  Resistance rows;
  law.linearise(0, two.a, two.b, on_a, on_b, rows);
  Vec12 all;
  all << on_a.force, on_a.torque, on_b.force, on_b.torque;
  CHECK(all == wrenches(law, two));
  CHECK(law.resists());
  Blocks blocks;
  for (int i = 0; i < rows.rows; ++i) {
    Vec12 J = Vec12::Zero();
    for (int k = 0; k < 6; ++k) {
      J[k] = rows.J_a[i][k];
      if (law.b().valid()) J[k + 6] = rows.J_b[i][k];
    }
    CHECK(rows.stiffness[i] >= 0);
    CHECK(rows.damping[i] >= 0);
    blocks.K += rows.stiffness[i] * J * J.transpose();
    blocks.D += rows.damping[i] * J * J.transpose();
  }
  if (!rows.turns) return blocks;
  CHECK(rows.rows == 0);
  CHECK(rows.turning_damping >= 0);
  const auto unit = [](int k) -> Vec12 { return Vec12::Unit(k + 9) - Vec12::Unit(k + 3); };
  const Mat3 K = turning_stiffness(rows);
  for (int i = 0; i < 3; ++i) {
    blocks.D += rows.turning_damping * unit(i) * unit(i).transpose();
    for (int j = 0; j < 3; ++j) blocks.K += K(i, j) * unit(i) * unit(j).transpose();
  }
  return blocks;
}

// The error of differences of order 4 is h^4/30 times the fifth derivative, which is below 1e3 for laws with
// constants near 1, and rounding 1e-15/h.
constexpr double kStepOfDifference = 1e-3, kErrorOfDifference = 1e-9;

template <typename F>
auto slope_of(const F& f) {
  constexpr double h = kStepOfDifference;
  return ((8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)).eval();
}

void check_damping(const ForceLaw& law, const Two& two) {
  const Blocks blocks = blocks_of(law, two);
  for (int k = 0; k < 12; ++k) {
    const Vec12 slope = slope_of([&](double by) { return wrenches(law, two.hastened(k, by)); });
    CHECK((slope + blocks.D.col(k)).norm() < kErrorOfDifference * (1 + slope.norm()));
  }
}

void check_stiffness(const ForceLaw& law, const Two& two) {
  const Blocks blocks = blocks_of(law, two);
  for (int k = 0; k < 12; ++k) {
    const Vec12 slope = slope_of([&](double by) { return wrenches(law, two.moved(k, by)); });
    CHECK((slope + blocks.K.col(k)).norm() < kErrorOfDifference * (1 + slope.norm()));
  }
}

}  // namespace

TEST_CASE(
    "the stiffness of a ball spring is the square of the derivative of its torque, for both bodies, up to "
    "179 degrees") {
  const JointFrames frames = resisting_frames();
  const double stiffness = 3;
  const BallSpring law("s", kFirst, kSecond, frames, stiffness);
  for (const double degrees : {0.0, 1e-7, 0.01, 1.0, 11.0, 12.0, 45.0, 90.0, 150.0, 179.0})
    for (unsigned seed = 1; seed < 6; ++seed) {
      const Two two = random_two(seed, degrees * math::kPi / 180);
      Wrench on_a, on_b;
      Resistance rows;
      law.linearise(0, two.a, two.b, on_a, on_b, rows);
      REQUIRE(rows.rows == 0);
      REQUIRE(rows.turns);
      CHECK(rows.stiffness[0] == stiffness);
      for (const int first : {3, 9}) {
        // The derivative k Jl^-1 is in the axes of a, because the rotation vector is in these axes.
        Mat3 slope;
        for (int k = 0; k < 3; ++k)
          slope.col(k) = slope_of([&](double by) -> Vec3 {
            const Two other = two.moved(first + k, by);
            return two.a.rotation * (other.a.rotation.transpose() * wrenches(law, other).tail<3>());
          });
        const Mat3 wanted = slope.transpose() * slope / stiffness;
        CAPTURE(degrees);
        // The product of two derivatives has twice their relative error.
        CHECK((turning_stiffness(rows) - wanted).norm() <
              2 * kErrorOfDifference * (1 + slope.norm()) * (1 + slope.norm()));
      }
    }
}

TEST_CASE("the damping of linearised laws is minus the derivative of the wrench by velocity") {
  const JointFrames frames = resisting_frames();
  const auto limit = std::make_shared<CoordinateLimit>("l", "upper limit", kFirst, kSecond, 0, frames,
                                                       Coordinate::angle, Side::upper, 0.3, 0);
  for (unsigned seed = 1; seed < 9; ++seed) {
    const Two two = random_two(seed, 0.5);
    check_damping(Damper("d", kFirst, Vec3(0.1, 0.2, 0.3), kSecond, Vec3(-0.2, 0.1, 0), 1.5), two);
    check_damping(Drag("d", kFirst, 0.7, 0, Vec3(0.3, 0, 0)), two);
    check_damping(Drag("d", kFirst, 0.7, 1.3, Vec3(3, 0, 0)),
                  two);  // u is not near zero, where |u| has a kink
    check_damping(JointDamper("d", kFirst, kSecond, frames, Coordinate::angle, 1.5), two);
    check_damping(JointDrive("d", kFirst, kSecond, frames, Coordinate::travel, 0.1, 0.2, 2, 1.5, kForever),
                  two);
    check_damping(BallDrive("d", kFirst, kSecond, frames, Vec3(1, 2, 3), 2, 1.5, kForever), two);
    check_damping(ComfortDamper("d", limit, {1.5, 2, 1.2}), two);
  }
}

TEST_CASE("the stiffness of linearised laws at rest is minus the derivative of the wrench by position") {
  const JointFrames frames = resisting_frames();
  for (unsigned seed = 1; seed < 9; ++seed) {
    const Two turned = random_two(seed, 0.5), straight = random_two(seed, 0);
    const Vec3 arm_a(0.1, 0.2, 0.3), arm_b(-0.2, 0.1, 0);
    const double length =
        ((turned.b.center + turned.b.rotation * arm_b) - (turned.a.center + turned.a.rotation * arm_a))
            .norm();
    check_stiffness(Spring("s", kFirst, arm_a, kSecond, arm_b, length, 2), turned);
    Two met = turned;
    met.b.center = met.a.center + met.a.rotation * arm_a - met.b.rotation * arm_b;
    check_stiffness(Spring("s", kFirst, arm_a, kSecond, arm_b, 0, 2), met);
    ConstraintRows row;
    rows::set_coordinate_row(row, 0, Coordinate::angle, frames, turned.a, turned.b, 0);
    check_stiffness(JointSpring("s", kFirst, kSecond, frames, Coordinate::angle, row.value[0], 2), turned);
    rows::set_coordinate_row(row, 0, Coordinate::travel, frames, turned.a, turned.b, 0);
    check_stiffness(JointSpring("s", kFirst, kSecond, frames, Coordinate::travel, row.value[0], 2), turned);
    check_stiffness(BallSpring("s", kFirst, kSecond, frames, 2), straight);
    check_stiffness(BallDrive("s", kFirst, kSecond, frames, Vec3::Zero(), 2, 0, kForever), straight);
  }
}

TEST_CASE(
    "the stiffness of a comfort zone grows along its coordinate, and a drive at its largest effort has "
    "none") {
  const JointFrames frames = resisting_frames();
  const auto limit = std::make_shared<CoordinateLimit>("l", "upper limit", kFirst, kSecond, 0, frames,
                                                       Coordinate::angle, Side::upper, 0.9, 0);
  const ComfortZone zone{0.8, 5, 0};
  const ComfortSpring law("c", limit, zone);
  Two two = random_two(3, 0);
  const Vec3 axis = two.a.rotation * frames.R_AJ.col(0);
  const auto turned_by = [&](double angle) {
    Two other = two;
    other.b.rotation = Quat::from_rotation_vector(angle * axis).to_matrix() * two.b.rotation;
    return other;
  };
  for (const double angle : {0.2, 0.5, 0.8}) {
    const double slope = slope_of([&](double by) {
      return Eigen::Matrix<double, 1, 1>(axis.dot(wrenches(law, turned_by(angle + by)).tail<3>()));
    })[0];
    const Blocks blocks = blocks_of(law, turned_by(angle));
    CHECK(std::abs(slope + axis.dot(blocks.K.bottomRightCorner<3, 3>() * axis)) < kErrorOfDifference * 100);
  }
  CHECK(blocks_of(law, turned_by(0.05)).K.isZero(0));
  Resistance rows;
  Wrench on_a, on_b;
  JointDrive("d", kFirst, kSecond, frames, Coordinate::angle, 1, 0, 100, 1, 0.1)
      .linearise(0, two.a, two.b, on_a, on_b, rows);
  CHECK((rows.rows == 0 || (rows.stiffness[0] == 0 && rows.damping[0] == 0)));
  BallDrive("d", kFirst, kSecond, frames, Vec3(9, 0, 0), 100, 1, 0.1)
      .linearise(0, two.a, two.b, on_a, on_b, rows);
  CHECK(rows.none());
}

TEST_CASE("the linearisation is the same if the first body is the world") {
  // The same law with the world as a. b is then the first body of the ForceLaw.
  const JointFrames frames = resisting_frames();
  Two two = random_two(5, 1.0);
  two.a = kWorldMotion;
  two.b.rotation = Quat::from_rotation_vector(Vec3(0.3, 0.8, -0.2)).to_matrix();
  const JointSpring law("s", core::BodyId(), kSecond, frames, Coordinate::travel, 0.1, 2);
  Wrench on_a, on_b;
  Resistance rows;
  law.linearise(0, two.b, two.a, on_a, on_b, rows);
  ConstraintRows row;
  rows::set_coordinate_row(row, 0, Coordinate::travel, frames, two.a, two.b, 0);
  REQUIRE(rows.rows == 1);
  for (int k = 0; k < 6; ++k) CHECK(rows.J_a[0][k] == row.J_b[0][k]);
}
