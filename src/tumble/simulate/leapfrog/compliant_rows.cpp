#include "tumble/simulate/leapfrog/compliant_rows.h"

#include <algorithm>
#include <tuple>

#include "tumble/math/elementary.h"

namespace tumble::simulate {

using contact::ContactPoint;
using dynamics::ConeConstraint;
using math::Vec3;

namespace {

// The shear of the layer at the end of the last drift, m, world axes.
Vec3 last_shear(const ContactPoint& point) { return point.last ? point.last->slip : Vec3(Vec3::Zero()); }

}  // namespace

void set_compliance(const contact::PairLaw& law, const LayerPoint& point, double h_before, double h,
                    dynamics::ConeConstraint& row, const dynamics::LawParameters& par) {
  const double k = law.stiffness, c = point.depth > 0 ? law.damping : 0;
  const double rate = h * c * point.mobility;
  const double s = std::max(h * math::sqrt(k * point.mobility), rate);
  const double depth_after = point.depth - h * point.velocity_before.x();
  const bool stiff = s > par.soft_step || !(point.depth > 0) || !(depth_after > 0);
  const double theta = stiff ? 1 : 0.5 + par.layer_rise * s;
  const double later = theta * h, earlier = (1 - theta) * h_before;
  const double B = later * (c + later * k), past = later * c + earlier * earlier * k;
  const Vec3 strain(point.depth, -point.shear.y(), -point.shear.z());
  const Vec3 C = (later + earlier) * (k * strain - c * point.velocity_before) + past * point.velocity_before;
  row.compliance = 1 / (point.duration > 0 ? point.duration / (later + earlier) * B : B);
  row.bias = -C / B;
}

void make_compliant(const StepContext& c, const ContactPoint& point, const dynamics::KickProblem& problem,
                    ConeConstraint& cone) {
  LayerPoint layer;
  layer.depth = point.offset + point.law.layer - point.contact.gap;
  const Vec3 shear = last_shear(point);
  for (int k = 0; k < 3; ++k) layer.shear[k] = shear.dot(point.axes[k]);
  for (const auto& [node, G, item] :
       {std::tuple(cone.a, &cone.G_a, point.a), std::tuple(cone.b, &cone.G_b, point.b)}) {
    if (node == model::kNone) continue;
    const core::BodyId id = c.shapes.body_of(item);
    const model::BodyMotion& motion = problem.motions()[id.index()];
    layer.velocity_before += G->leftCols<3>() * motion.velocity + G->rightCols<3>() * motion.angular_velocity;
    const Vec3 arm = motion.rotation.transpose() * G->block<1, 3>(0, 3).transpose();
    layer.mobility += c.model.body(id).inverse_mass + arm.dot(c.model.body(id).inverse_inertia_B * arm);
  }
  if (c.second_half && point.last) layer.duration = 0.5 * problem.step();
  set_compliance(point.law, layer, problem.step_before(), problem.step(), cone, problem.parameters().laws);
}

Vec3 compute_shear(const StepContext& c, const ContactPoint& point, const ConeConstraint& cone, const Vec3& u,
                   double h_prev, double h) {
  if (!(cone.impulse.x() > 0)) return Vec3::Zero();
  const Vec3 before = last_shear(point);
  if (!point.is_compliant()) return before;
  if (dynamics::tangential(cone.impulse) < c.par.sticking * cone.friction * cone.impulse.x())
    return before + h * (u.y() * point.axes[1] + u.z() * point.axes[2]);
  const double stretch = -2 / ((h_prev + h) * point.law.stiffness);
  return stretch * (cone.impulse.y() * point.axes[1] + cone.impulse.z() * point.axes[2]);
}

double compute_compliant_energy(const contact::ContactSet& contacts) {
  double sum = 0;
  for (const ContactPoint& point : contacts.points()) {
    if (!(point.law.stiffness > 0)) continue;
    const double depth = point.offset + point.law.layer - point.contact.gap;
    if (depth > 0) sum += 0.5 * point.law.stiffness * (depth * depth + last_shear(point).squaredNorm());
  }
  return sum;
}

}  // namespace tumble::simulate
