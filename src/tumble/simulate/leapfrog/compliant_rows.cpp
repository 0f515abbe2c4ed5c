#include "tumble/simulate/leapfrog/compliant_rows.h"

#include <algorithm>

#include "tumble/dynamics/tolerances.h"
#include "tumble/math/elementary.h"
#include "tumble/simulate/leapfrog/stepper.h"

namespace tumble::simulate {

using core::BodyId;
using dynamics::kNone;
using math::Vec3;

// How far a layer was sheared when the last step ended, world axes.
Vec3 LeapfrogStepper::shear_of(const Row& row, const std::vector<ContactMemory>& memory) const {
  const ContactMemory* known = recall(row, memory);
  return known ? known->slip : Vec3(Vec3::Zero());
}

// Of the problem assembled last.
void LeapfrogStepper::soften_cone(const Row& row, const std::vector<ContactMemory>& memory,
                                  dynamics::ConeConstraint& cone) const {
  LayerPoint point;
  point.depth = row.kept + row.law.layer - row.contact.gap;
  const Vec3 shear = shear_of(row, memory);
  for (int k = 0; k < 3; ++k) point.shear[k] = shear.dot(row.axes[k]);
  for (const auto& [node, G, item] :
       {std::tuple(cone.a, &cone.G_a, row.a), std::tuple(cone.b, &cone.G_b, row.b)}) {
    if (node == kNone) continue;
    const BodyId id = pair_tracker_.items()[item].body;
    const model::BodyMotion& motion = problem_.motions()[id.index()];
    point.before += G->leftCols<3>() * motion.velocity + G->rightCols<3>() * motion.angular_velocity;
    const Vec3 turn = motion.rotation.transpose() * G->block<1, 3>(0, 3).transpose();
    point.mobility += model_->body(id).inverse_mass + turn.dot(model_->body(id).inverse_inertia_B * turn);
  }
  soften(row.law, point, problem_.step_before(), problem_.step(), cone);
}

// How far the layer is sheared when the step ends. One that slides is as far as friction holds it; one that is pressed through stays.
Vec3 LeapfrogStepper::sheared(const Row& row, const dynamics::ConeConstraint& cone, const Vec3& u, double h,
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

double LeapfrogStepper::energy_of_layers(const std::vector<ContactMemory>& memory) const {
  double sum = 0;
  for (const Row& row : rows_) {
    if (!(row.law.stiffness > 0)) continue;
    const double depth = row.kept + law_of(row.a, row.b).layer - row.contact.gap;
    if (depth > 0) sum += 0.5 * row.law.stiffness * (depth * depth + shear_of(row, memory).squaredNorm());
  }
  return sum;
}

void soften(const contact::PairLaw& law, const LayerPoint& point, double h_before, double h,
            dynamics::ConeConstraint& row) {
  const double k = law.stiffness, c = point.depth > 0 ? law.damping : 0;
  const double rate = h * c * point.mobility;
  const double s = std::max(h * math::sqrt(k * point.mobility), rate);
  const double leaves = point.depth - h * point.before.x();
  const bool stiff = s > dynamics::kSoftStep || !(point.depth > 0) || !(leaves > 0);
  const double theta = stiff ? 1 : 0.5 + dynamics::kThetaRise * s;
  const double later = theta * h, earlier = (1 - theta) * h_before;
  const double B = later * (c + later * k), past = later * c + earlier * earlier * k;
  const Vec3 strain(point.depth, -point.shear.y(), -point.shear.z());
  const Vec3 C = (later + earlier) * (k * strain - c * point.before) + past * point.before;
  row.compliance = 1 / B;
  row.bias = -C / B;
}

}  // namespace tumble::simulate
