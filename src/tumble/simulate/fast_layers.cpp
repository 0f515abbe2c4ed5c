// Soft contact in fast steps: simulate/soft_contact.h with what the driver remembers.
#include <algorithm>

#include "tumble/math/elementary.h"
#include "tumble/simulate/fast.h"

namespace tumble::simulate {

using core::BodyId;
using dynamics::kNone;
using math::Vec3;

// How far a layer was sheared when the last step ended, world axes.
Vec3 FastDriver::shear_of(const Row& row, const std::vector<ContactMemory>& memory) const {
  const ContactMemory* known = recall(row, memory);
  return known ? known->slip : Vec3(Vec3::Zero());
}

// Of the problem assembled last.
void FastDriver::soften_cone(const Row& row, const std::vector<ContactMemory>& memory,
                             dynamics::ConeRow& cone) const {
  LayerPoint point;
  point.depth = row.kept + row.law.layer - row.contact.gap;
  const Vec3 shear = shear_of(row, memory);
  for (int k = 0; k < 3; ++k) point.shear[k] = shear.dot(row.axes[k]);
  for (const auto& [node, G, item] :
       {std::tuple(cone.a, &cone.G_a, row.a), std::tuple(cone.b, &cone.G_b, row.b)}) {
    if (node == kNone) continue;
    const BodyId id = proximity_.items()[item].body;
    const model::BodyMotion& motion = problem_.motions()[id.index()];
    point.before += G->leftCols<3>() * motion.velocity + G->rightCols<3>() * motion.angular_velocity;
    const Vec3 turn = motion.rotation.transpose() * G->block<1, 3>(0, 3).transpose();
    point.mobility += model_->body(id).inverse_mass + turn.dot(model_->body(id).inverse_inertia_B * turn);
  }
  soften(row.law, point, problem_.step_before(), problem_.step(), cone);
}

// How far the layer is sheared when the step ends. One that slides is as far as friction holds it; one that is pressed through stays.
Vec3 FastDriver::sheared(const Row& row, const dynamics::ConeRow& cone, const Vec3& u, double h,
                         const std::vector<ContactMemory>& earlier) const {
  if (!(cone.impulse.x() > 0)) return Vec3::Zero();
  const Vec3 before = shear_of(row, earlier);
  if (row.law.layer == 0) return before;
  const double rubbing =
      math::sqrt(cone.impulse.y() * cone.impulse.y() + cone.impulse.z() * cone.impulse.z());
  if (rubbing < kStickingPart * cone.friction * cone.impulse.x())
    return before + h * (u.y() * row.axes[1] + u.z() * row.axes[2]);
  const double stretch = -2 / ((problem_.step_before() + h) * row.law.stiffness);
  return stretch * (cone.impulse.y() * row.axes[1] + cone.impulse.z() * row.axes[2]);
}

double FastDriver::energy_of_layers(const std::vector<ContactMemory>& memory) const {
  double sum = 0;
  for (const Row& row : rows_) {
    if (!(row.law.stiffness > 0)) continue;
    const double depth = row.kept + law_of(row.a, row.b).layer - row.contact.gap;
    if (depth > 0) sum += 0.5 * row.law.stiffness * (depth * depth + shear_of(row, memory).squaredNorm());
  }
  return sum;
}

}  // namespace tumble::simulate
