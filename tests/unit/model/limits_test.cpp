#include <doctest/doctest.h>

#include <cmath>

#include "support/constraint_check.h"
#include "support/tolerance.h"
#include "tumble/math/quat.h"
#include "tumble/model/limits.h"

using namespace tumble;
using namespace tumble::model;
using math::kPi;
using math::Mat3;
using math::Quat;
using math::Vec3;

namespace {

const core::BodyId kFixedSide(0), kMovingSide(1);

// An implementation with C only, to compare with the derivatives written by hand.
class PlainCoordinateLimit final : public AutoConstraint<PlainCoordinateLimit, Limit> {
 public:
  PlainCoordinateLimit(core::BodyId a, const JointFrames& frames, Coordinate coordinate, double sign,
                       double bound)
      : AutoConstraint<PlainCoordinateLimit, Limit>("plain", "limit", a, kMovingSide, 0.0),
        frames_(frames),
        coordinate_(coordinate),
        sign_(sign),
        bound_(bound) {}
  bool is_angle(int) const override { return coordinate_ == Coordinate::angle; }
  template <typename S>
  void value(const S&, const BodyFrame<S>& a, const BodyFrame<S>& b, S* C) const {
    using Vector = Eigen::Matrix<S, 3, 1>;
    using Matrix = Eigen::Matrix<S, 3, 3>;
    const Matrix F_a = a.rotation * frames_.R_AJ.cast<S>(), F_b = b.rotation * frames_.R_BJ.cast<S>();
    const Matrix D = F_a.transpose() * F_b;
    const Vector gap =
        b.center + b.rotation * frames_.arm_B.cast<S>() - a.center - a.rotation * frames_.arm_A.cast<S>();
    S x;
    if (coordinate_ == Coordinate::angle) {
      // The twist of the quaternion of D.
      const S w = sqrt(1.0 + D(0, 0) + D(1, 1) + D(2, 2)) * 0.5, v = (D(2, 1) - D(1, 2)) / (4.0 * w);
      x = 2.0 * atan2(v, w);
    } else if (coordinate_ == Coordinate::travel) {
      x = F_a.col(0).dot(gap);
    } else {
      x = sqrt(gap.dot(gap));
    }
    C[0] = sign_ * (x - bound_);
  }

 private:
  JointFrames frames_;
  Coordinate coordinate_;
  double sign_, bound_;
};

class PlainCone final : public AutoConstraint<PlainCone, Limit> {
 public:
  PlainCone(core::BodyId a, const JointFrames& frames, double largest)
      : AutoConstraint<PlainCone, Limit>("plain", "cone", a, kMovingSide, 0.0),
        frames_(frames),
        largest_(largest) {}
  bool is_angle(int) const override { return true; }
  template <typename S>
  void value(const S&, const BodyFrame<S>& a, const BodyFrame<S>& b, S* C) const {
    using Vector = Eigen::Matrix<S, 3, 1>;
    const Vector u = a.rotation * frames_.R_AJ.col(0).template cast<S>(),
                 v = b.rotation * frames_.R_BJ.col(0).template cast<S>(), cross = u.cross(v);
    const S theta = atan2(sqrt(cross.dot(cross)), u.dot(v));
    C[0] = 0.5 * (largest_ - theta * theta / largest_);
  }

 private:
  JointFrames frames_;
  double largest_;
};

JointFrames oblique_frames() {
  const Mat3 J = Quat::from_rotation_vector(Vec3(-0.7, 0.2, 0.9)).to_matrix();
  return {Vec3(0.2, -0.5, 0.3), Vec3(-3, 4, 2), J, J};
}

// C of the limit if the joint axes of b are rotated relative to those of a by the rotation vector `turn`, in
// joint axes.
double value_at(const Limit& limit, const JointFrames& frames, const Vec3& turn) {
  BodyMotion a, b;
  a.rotation = frames.R_AJ.transpose();
  b.rotation = Quat::from_rotation_vector(turn).to_matrix() * frames.R_BJ.transpose();
  ConstraintRows rows;
  limit.evaluate(0, a, b, rows);
  return rows.value[0];
}

const double kRounding12 = support::model(1e-12);  // some tens of operations on numbers up to about 10

}  // namespace

TEST_CASE("J and bias of every limit are the derivatives of its C, between bodies and to the world") {
  const JointFrames f = oblique_frames();
  support::ConstraintCheck how;
  how.max_turn = 1.8;  // a swing of 180 degrees is singular
  for (const core::BodyId a : {kFixedSide, core::BodyId()}) {
    for (const Side side : {Side::lower, Side::upper}) {
      for (const Coordinate x : {Coordinate::angle, Coordinate::travel, Coordinate::distance})
        CHECK(support::check_constraint(CoordinateLimit("l", "limit", a, kMovingSide, 0, f, x, side, 0.4, 0),
                                        how) == "");
      for (int k = 0; k < 3; ++k)
        CHECK(support::check_constraint(RotationLimit("l", "limit", a, kMovingSide, 0, f, k, side, 0.4),
                                        how) == "");
    }
    CHECK(support::check_constraint(ConeLimit("l", "cone", a, kMovingSide, 0, f, 0.6), how) == "");
    CHECK(support::check_constraint(SwingLimit("l", "swing", a, kMovingSide, 0, f, {-0.6, 0.6, -1.1, 1.1}),
                                    how) == "");
  }
}

TEST_CASE("the rows of limits written by hand are equal to those from automatic differentiation of C") {
  const JointFrames f = oblique_frames();
  support::ConstraintCheck how;
  how.max_turn = 1.8;
  for (const core::BodyId a : {kFixedSide, core::BodyId()}) {
    for (const Coordinate x : {Coordinate::angle, Coordinate::travel, Coordinate::distance}) {
      const CoordinateLimit lower("l", "limit", a, kMovingSide, 0, f, x, Side::lower, 0.4, 0);
      const CoordinateLimit upper("l", "limit", a, kMovingSide, 0, f, x, Side::upper, 0.4, 0);
      CHECK(support::compare_constraints(lower, PlainCoordinateLimit(a, f, x, 1, 0.4), kRounding12, how) ==
            "");
      CHECK(support::compare_constraints(upper, PlainCoordinateLimit(a, f, x, -1, 0.4), kRounding12, how) ==
            "");
    }
    // PlainCone divides by the sine of the swing. It loses a few digits at small angles.
    CHECK(support::compare_constraints(ConeLimit("l", "cone", a, kMovingSide, 0, f, 0.6),
                                       PlainCone(a, f, 0.6), 1e3 * kRounding12, how) == "");
    CHECK(support::compare_constraints(SwingLimit("l", "swing", a, kMovingSide, 0, f, {-0.6, 0.6, -0.6, 0.6}),
                                       ConeLimit("l", "cone", a, kMovingSide, 0, f, 0.6), 1e2 * kRounding12,
                                       how) == "");
  }
}

TEST_CASE("C of a limit is zero at the bound, positive inside, and the remaining angle near the bound") {
  const JointFrames f = oblique_frames();
  const auto make = [&](Side side, double bound, double middle) {
    return CoordinateLimit("l", "limit", kFixedSide, kMovingSide, 0, f, Coordinate::angle, side, bound,
                           middle);
  };
  for (const double x : {-0.1, 0.0, 0.5, 1.2}) {
    CHECK(value_at(make(Side::lower, -0.2, 0.5), f, Vec3(x, 0, 0)) ==
          doctest::Approx(x + 0.2).epsilon(kRounding12));
    CHECK(value_at(make(Side::upper, 1.2, 0.5), f, Vec3(x, 0, 0)) ==
          doctest::Approx(1.2 - x).epsilon(kRounding12));
  }
  // A range of 0 to 350 degrees: 340 degrees is inside, although it is nearer to 0 on the other branch.
  const double top = 350 * kPi / 180, there = 340 * kPi / 180;
  CHECK(value_at(make(Side::upper, top, top / 2), f, Vec3(there, 0, 0)) == doctest::Approx(top - there));
  CHECK(value_at(make(Side::lower, 0, top / 2), f, Vec3(there, 0, 0)) == doctest::Approx(there));

  const ConeLimit cone("l", "cone", kFixedSide, kMovingSide, 0, f, 0.6);
  const SwingLimit quarters("l", "swing", kFixedSide, kMovingSide, 0, f, {-0.3, 0.5, -0.8, 1.1});
  CHECK(std::abs(value_at(cone, f, Vec3(0, 0.6, 0))) < kRounding12);
  CHECK(value_at(cone, f, Vec3(0.9, 0, 0)) ==
        doctest::Approx(0.3).epsilon(kRounding12));  // a twist does not change the swing
  CHECK(value_at(cone, f, Vec3(0, 0, 0.59)) == doctest::Approx(0.01).epsilon(0.01));
  for (const Vec3& bound : {Vec3(0, -0.3, 0), Vec3(0, 0.5, 0), Vec3(0, 0, -0.8), Vec3(0, 0, 1.1)}) {
    CHECK(std::abs(value_at(quarters, f, bound)) < kRounding12);
    CHECK(value_at(quarters, f, 0.9 * bound) > 0.01);
    CHECK(value_at(quarters, f, 1.1 * bound) < -0.01);
  }
  // Between the axes the bound is a quarter of an ellipse.
  CHECK(std::abs(value_at(quarters, f, Vec3(0, 0.5 * 0.6, 1.1 * 0.8))) < kRounding12);

  const Vec3 turn(0.3, -0.5, 0.8);
  for (int k = 0; k < 3; ++k) {
    const RotationLimit upper("l", "limit", kFixedSide, kMovingSide, 0, f, k, Side::upper, 1);
    CHECK(value_at(upper, f, turn) == doctest::Approx(1 - turn[k]).epsilon(kRounding12));
  }
}

TEST_CASE("swing limits are smooth at zero swing") {
  const JointFrames f = oblique_frames();
  BodyMotion a, b;
  a.rotation = f.R_AJ.transpose();
  b.rotation = f.R_BJ.transpose();
  b.angular_velocity = Vec3(0.3, -2, 1);
  a.angular_velocity = Vec3(1, 0.5, 0.2);
  ConstraintRows cone, swing;
  ConeLimit("l", "cone", kFixedSide, kMovingSide, 0, f, 0.6).evaluate(0, a, b, cone);
  SwingLimit("l", "swing", kFixedSide, kMovingSide, 0, f, {-0.6, 0.6, -0.6, 0.6}).evaluate(0, a, b, swing);
  // theta^2 grows as the square of the angular velocity across the axis.
  const Vec3 across(0, -2.5, 0.8);
  CHECK(cone.bias[0] == doctest::Approx(-across.squaredNorm() / 0.6).epsilon(kRounding12));
  CHECK(swing.bias[0] == doctest::Approx(cone.bias[0]).epsilon(kRounding12));
  for (int k = 0; k < 6; ++k) CHECK(std::abs(cone.J_b[0][k]) < kRounding12);
}

TEST_CASE("the series and the quotient of angle_over_sine have the same derivatives") {
  // Cosines on both sides of the switch from series to quotient at x = 0.05. The second derivative of the
  // quotient loses three digits there.
  for (const double c : {0.9 - 1e-9, 0.9 + 1e-9}) {
    const math::Taylor f = angle_over_sine(math::Taylor(c, 1, 0));
    const double theta = std::acos(c), sine = std::sin(theta);
    CHECK(f.value == doctest::Approx(theta / sine).epsilon(1e-14));
    CHECK(f.first == doctest::Approx((c * f.value - 1) / (sine * sine)).epsilon(1e-12));
    CHECK(f.second == doctest::Approx((f.value + 3 * c * f.first) / (sine * sine)).epsilon(1e-11));
  }
  CHECK(angle_over_sine(1.0) == 1.0);
}
