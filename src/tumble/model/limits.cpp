#include "tumble/model/limits.h"

namespace tumble::model {

void CoordinateLimit::evaluate(double, const BodyMotion& a, const BodyMotion& b, ConstraintRows& out) const {
  rows::set_coordinate_row(out, 0, coordinate_, frames_, a, b, rows::branch_center(counted_, b, middle_));
  out.value[0] -= bound_;
  if (side_ == Side::lower) return;
  out.value[0] = -out.value[0];
  out.bias[0] = -out.bias[0];
  for (int k = 0; k < 6; ++k) {
    out.J_a[0][k] = -out.J_a[0][k];
    out.J_b[0][k] = -out.J_b[0][k];
  }
}

void ConeLimit::evaluate(double, const BodyMotion& a, const BodyMotion& b, ConstraintRows& out) const {
  rows::set_swing_row(out, 0, a, a.rotation * frames_.R_AJ.col(0), b, b.rotation * frames_.R_BJ.col(0),
                      largest_);
}

}  // namespace tumble::model
