// A constraint for which the user writes C only. Automatic differentiation along motions gives the Jacobian J
// and the bias:
//   column k of J = dC/ds when the body moves with unit velocity k
//   bias = d2C/ds2 along the current motion                                                               (1)
// One evaluation costs 14 evaluations of C. A user's class looks like this:
//   struct Rod : AutoConstraint<Rod> {
//     template <typename S>
//     void value(const S& t, const BodyFrame<S>& a, const BodyFrame<S>& b, S* C) const { ... }
//     bool is_angle(int) const override { return false; }
//   };
#pragma once

#include <Eigen/Core>

#include "tumble/math/taylor.h"
#include "tumble/model/constraint.h"

// Lets Eigen use Taylor as the scalar type of vectors and matrices.
template <>
struct Eigen::NumTraits<tumble::math::Taylor> : Eigen::NumTraits<double> {
  using Real = tumble::math::Taylor;
  using NonInteger = tumble::math::Taylor;
  using Nested = tumble::math::Taylor;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 3,
    AddCost = 3,
    MulCost = 6
  };
};

namespace tumble::model {

/// The pose of a body with scalar type S: its centre of mass and R_WB.
template <typename S>
struct BodyFrame {
  Eigen::Matrix<S, 3, 1> center;
  Eigen::Matrix<S, 3, 3> rotation;
};

/// The pose of the body after a time s of constant velocities, to second order in s:
/// center + v s, (1 + [omega] s + 1/2 [omega]^2 s^2) R.
BodyFrame<math::Taylor> follow(const BodyMotion& motion, const math::Vec3& velocity,
                               const math::Vec3& angular_velocity);

/// `Base` is Constraint for an equality C = 0, or Limit for an inequality C >= 0.
template <typename Derived, typename Base = Constraint>
class AutoConstraint : public Base {
 public:
  using Base::Base;
  using Base::rows;
  void evaluate(double t, const BodyMotion& a, const BodyMotion& b, ConstraintRows& out) const override {
    using math::Taylor;
    using math::Vec3;
    const auto& self = static_cast<const Derived&>(*this);
    const Vec3 still = Vec3::Zero();
    Taylor C[kMaxRows];
    const BodyFrame<Taylor> at_a = follow(a, still, still), at_b = follow(b, still, still);
    for (int k = 0; k < 6; ++k) {
      const Vec3 unit = Vec3::Unit(k % 3);
      const Vec3 &v = k < 3 ? unit : still, &w = k < 3 ? still : unit;
      self.value(Taylor(t), follow(a, v, w), at_b, C);
      for (int i = 0; i < rows(); ++i) out.J_a[i][k] = C[i].first;
      self.value(Taylor(t), at_a, follow(b, v, w), C);
      for (int i = 0; i < rows(); ++i) out.J_b[i][k] = C[i].first;
    }
    self.value(Taylor(t, 1, 0), at_a, at_b, C);
    for (int i = 0; i < rows(); ++i) out.value[i] = C[i].value, out.rate[i] = C[i].first;
    self.value(Taylor(t, 1, 0), follow(a, a.velocity, a.angular_velocity),
               follow(b, b.velocity, b.angular_velocity), C);
    for (int i = 0; i < rows(); ++i) out.bias[i] = C[i].second;
  }
};

}  // namespace tumble::model
