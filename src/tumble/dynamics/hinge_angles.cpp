#include "tumble/dynamics/hinge_angles.h"

#include "tumble/model/joint_rows.h"

namespace tumble::dynamics {

using model::BodyMotion;

double compute_hinge_angle(const model::CountedHinge& hinge, const math::Mat3& R_WA, const math::Mat3& R_WB,
                           double before) {
  BodyMotion a, b;
  a.rotation = R_WA;
  b.rotation = R_WB;
  model::ConstraintRows row;
  model::rows::set_coordinate_row(row, 0, model::Coordinate::angle, hinge.frames, a, b, before);
  return row.value[0];
}

void update_hinge_angles(const model::Model& model, model::State& state) {
  update_hinge_angles(
      model, [&](core::BodyId body) { return state.orientation(body).to_matrix(); },
      state.hinge_angles.data());
}

void compute_hinge_rates(const model::Model& model, std::span<const BodyMotion> motions, double* rates) {
  for (const model::CountedHinge& hinge : model.counted_hinges()) {
    const BodyMotion &a = motion_of(hinge.a, motions), &b = motion_of(hinge.b, motions);
    const math::Vec3 axis = a.rotation * hinge.frames.R_AJ.col(0);
    *rates++ = axis.dot(b.angular_velocity - a.angular_velocity);
  }
}

}  // namespace tumble::dynamics
