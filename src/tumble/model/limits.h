// Limits of joints: unilateral constraints C >= 0. model/joint_rows.h has the equations of the coordinates x.
//   lower, upper     C = x - lo,  C = hi - x                                                              (1)
//   cone             C = (p^2 - theta^2) / 2p, p the largest swing                                        (2)
//   swing            C = m/2 (1 - (theta_1/a_1)^2 - (theta_2/a_2)^2)                                      (3)
//                    theta_i: the swing about the joint axes 1 and 2; a_i = hi_i if theta_i > 0, else
//                    -lo_i; m: the smallest of the four bounds
//   rotation         C = +-(r_k - bound), r the rotation vector                                           (4)
// In (1) an angle is taken on the branch centred at (lo + hi)/2, so that a range below 2 pi needs no history.
// A hinge with a wider range unwraps its angle. (2) and (3) are quadratic so that they are smooth at theta =
// 0. Near its bound, (2) is the remaining angle to first order. (3) is the remaining angle in the direction
// of the smallest bound, and a fraction of it in other directions.
#pragma once

#include <algorithm>

#include "tumble/model/auto_constraint.h"
#include "tumble/model/joint_rows.h"
#include "tumble/model/swing.h"

namespace tumble::model {

enum class Side { lower, upper };

/// Equation (1).
class CoordinateLimit final : public Limit {
 public:
  /// `middle` is the centre of the range. Only angles use it.
  CoordinateLimit(std::string name, std::string type, core::BodyId a, core::BodyId b, double restitution,
                  const JointFrames& frames, Coordinate coordinate, Side side, double bound, double middle,
                  int counted = rows::kNotCounted)
      : Limit(std::move(name), std::move(type), a, b, restitution),
        frames_(frames),
        coordinate_(coordinate),
        side_(side),
        bound_(bound),
        middle_(middle),
        counted_(counted) {}
  bool is_angle(int) const override { return coordinate_ == Coordinate::angle; }
  void evaluate(double t, const BodyMotion& a, const BodyMotion& b, ConstraintRows& out) const override;
  /// `middle` as above.
  void set_bound(double bound, double middle) { bound_ = bound, middle_ = middle; }
  std::shared_ptr<Limit> clone(const LawRoom& room) const override {
    return make_in<CoordinateLimit>(room, *this);
  }

 private:
  JointFrames frames_;
  Coordinate coordinate_;
  Side side_;
  double bound_, middle_;  // rad or m
  int counted_;
};

/// Equation (2).
class ConeLimit final : public Limit {
 public:
  ConeLimit(std::string name, std::string type, core::BodyId a, core::BodyId b, double restitution,
            const JointFrames& frames, double largest)
      : Limit(std::move(name), std::move(type), a, b, restitution), frames_(frames), largest_(largest) {}
  bool is_angle(int) const override { return true; }
  void evaluate(double t, const BodyMotion& a, const BodyMotion& b, ConstraintRows& out) const override;
  void set_largest(double largest) { largest_ = largest; }
  std::shared_ptr<Limit> clone(const LawRoom& room) const override { return make_in<ConeLimit>(room, *this); }

 private:
  JointFrames frames_;
  double largest_;  // rad
};

/// Equation (3).
class SwingLimit final : public AutoConstraint<SwingLimit, Limit> {
 public:
  struct Bounds {
    double lo_1, hi_1, lo_2, hi_2;  // rad, lo < 0 < hi
    double least() const { return std::min({-lo_1, hi_1, -lo_2, hi_2}); }
  };
  SwingLimit(std::string name, std::string type, core::BodyId a, core::BodyId b, double restitution,
             const JointFrames& frames, const Bounds& bounds)
      : AutoConstraint<SwingLimit, Limit>(std::move(name), std::move(type), a, b, restitution),
        frames_(frames),
        bounds_(bounds) {}
  bool is_angle(int) const override { return true; }

  template <typename S>
  void value(const S&, const BodyFrame<S>& a, const BodyFrame<S>& b, S* C) const {
    using Vector = Eigen::Matrix<S, 3, 1>;
    const Vector u_b = b.rotation * frames_.R_BJ.col(0).template cast<S>(),
                 back = a.rotation.transpose() * u_b;
    const Vector u = frames_.R_AJ.transpose().template cast<S>() * back;  // b's axis in the joint's axes of a
    const S f = angle_over_sine(u[0]), theta_1 = -f * u[2], theta_2 = f * u[1];
    const S part_1 = theta_1 / (theta_1 > S(0) ? bounds_.hi_1 : -bounds_.lo_1);
    const S part_2 = theta_2 / (theta_2 > S(0) ? bounds_.hi_2 : -bounds_.lo_2);
    C[0] = 0.5 * bounds_.least() * (1.0 - part_1 * part_1 - part_2 * part_2);
  }
  void set_bounds(const Bounds& bounds) { bounds_ = bounds; }
  std::shared_ptr<Limit> clone(const LawRoom& room) const override {
    return make_in<SwingLimit>(room, *this);
  }

 private:
  JointFrames frames_;
  Bounds bounds_;
};

/// Equation (4). It is regular for rotations by less than pi.
class RotationLimit final : public AutoConstraint<RotationLimit, Limit> {
 public:
  RotationLimit(std::string name, std::string type, core::BodyId a, core::BodyId b, double restitution,
                const JointFrames& frames, int axis, Side side, double bound)
      : AutoConstraint<RotationLimit, Limit>(std::move(name), std::move(type), a, b, restitution),
        frames_(frames),
        axis_(axis),
        side_(side),
        bound_(bound) {}
  bool is_angle(int) const override { return true; }

  template <typename S>
  void value(const S&, const BodyFrame<S>& a, const BodyFrame<S>& b, S* C) const {
    using Matrix = Eigen::Matrix<S, 3, 3>;
    const Matrix F_a = a.rotation * frames_.R_AJ.cast<S>(), F_b = b.rotation * frames_.R_BJ.cast<S>();
    const Matrix D = F_a.transpose() * F_b;
    // r = 2 f(d_w) d_v, where [d_w, d_v] is the quaternion of D and d_w = cos(|r|/2).
    const S root = sqrt(1.0 + D(0, 0) + D(1, 1) + D(2, 2));
    const int j = (axis_ + 1) % 3, k = (axis_ + 2) % 3;
    const S r = angle_over_sine(S(0.5 * root)) * (D(k, j) - D(j, k)) / root;
    C[0] = side_ == Side::lower ? S(r - bound_) : S(bound_ - r);
  }
  void set_bound(double bound) { bound_ = bound; }
  std::shared_ptr<Limit> clone(const LawRoom& room) const override {
    return make_in<RotationLimit>(room, *this);
  }

 private:
  JointFrames frames_;
  int axis_;
  Side side_;
  double bound_;  // rad
};

}  // namespace tumble::model
