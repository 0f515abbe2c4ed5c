// Are J, dC/dt and the bias of a constraint the derivatives of its C? Asked of any class, one of a user's own too:
//   CHECK(support::check_constraint(MyConstraint(...)) == "");
// Central differences of order 8 along motions of constant velocity, d = 0.02 s apart,
//   C' = sum p_k (C(kd) - C(-kd)) / d,   C'' = (q_0 C(0) + sum q_k (C(kd) + C(-kd))) / d^2,   k = 1 .. 4            (1)
// at velocities near 1 m/s and 1 rad/s. Where C changes on the scale of 0.2 s (K = 5/s) (1) is wrong by K^9 d^8/630 =
// 8e-11 and K^10 d^8/3150 = 8e-11, and rounding of ten parts in 2^52 adds 5e-13 and 3e-11: hence the tolerances.
#pragma once

#include <string>

#include "tumble/model/constraint.h"

namespace support {

// A sanitizer, ten to a hundred times slower here, wants to see every line, not every state.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr int kStates = 6;
#else
inline constexpr int kStates = 40;
#endif
#else
inline constexpr int kStates = 40;
#endif

struct ConstraintCheck {
  int states = kStates;  // random ones
  unsigned seed = 1;
  double max_turn = 2;   // rad, how far b is turned against a: keep out of a constraint's singular poses
  double max_time = 3;   // s
  double first = 1e-9;   // of J and dC/dt, relative to 1 or the largest entry
  double second = 1e-8;  // of the bias
};

/// "" if every row is right, else the first that is not: name, row, what, both numbers.
std::string check_constraint(const tumble::model::Constraint& constraint, const ConstraintCheck& how = {});

/// "" if two constraints have the same rows in random states to `tolerance` (rounding, relative to 1 or the entry).
std::string compare_constraints(const tumble::model::Constraint& x, const tumble::model::Constraint& y,
                                double tolerance, const ConstraintCheck& how = {});

}  // namespace support
