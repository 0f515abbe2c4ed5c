// Checks that J, dC/dt and the bias of a constraint are the derivatives of its C. Works for any class, also
// for a user's own:
//   CHECK(support::check_constraint(MyConstraint(...)) == "");
// Central differences of order 8 along motions of constant velocity, with step d = 0.02 s,
//   C' = sum p_k (C(kd) - C(-kd)) / d,   C'' = (q_0 C(0) + sum q_k (C(kd) + C(-kd))) / d^2,   k = 1 .. 4  (1)
// at velocities near 1 m/s and 1 rad/s. If C varies on the scale of 0.2 s (K = 5/s), the errors of (1) are
// K^9 d^8/630 = 8e-11 and K^10 d^8/3150 = 8e-11. Rounding of ten parts in 2^52 adds 5e-13 and 3e-11. The
// tolerances follow from that.
#pragma once

#include <string>

#include "tumble/model/constraint.h"

namespace support {

// Sanitizers are ten to a hundred times slower here. They need to see every line, but not every state.
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
  int states = kStates;  // number of random states
  unsigned seed = 1;
  double max_turn = 2;   // rad, largest rotation of b relative to a; avoids singular poses of a constraint
  double max_time = 3;   // s
  double first = 1e-9;   // tolerance of J and dC/dt, relative to 1 or the largest entry
  double second = 1e-8;  // tolerance of the bias
};

/// "" if every row is right, else the first wrong entry: name, row, quantity, both numbers.
std::string check_constraint(const tumble::model::Constraint& constraint, const ConstraintCheck& how = {});

/// "" if two constraints have the same rows in random states to `tolerance` (rounding, relative to 1 or the
/// entry).
std::string compare_constraints(const tumble::model::Constraint& x, const tumble::model::Constraint& y,
                                double tolerance, const ConstraintCheck& how = {});

}  // namespace support
