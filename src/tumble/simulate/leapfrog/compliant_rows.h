// A compliant contact as a row of the contact solver: (1) of contact/contact_law.h, integrated by the theta
// method over a large step,
//   r = C - B u,   B = theta h c + theta^2 h^2 k,
//   C = (theta h + (1 - theta) h-) F(d, s, u-) + (theta h c + (1 - theta)^2 h-^2 k) u-
// with r in the friction cone. theta is 1/2 + s/64, where s is the larger of h w and h c m, and m is the
// mobility. theta is 1 where s exceeds 0.3, and where a point enters or leaves the layer in the step: with
// theta below 1 a step that crosses the edge of the layer could gain energy. A point that is not yet in the
// layer is not damped.
#pragma once

#include "tumble/simulate/leapfrog/types.h"

namespace tumble::simulate {

/// A contact point in a compliant layer, for one step.
struct LayerPoint {
  double depth = 0;                       // d, m; negative: outside the layer
  math::Vec3 shear = math::Vec3::Zero();  // s of a on b, m, contact frame; the normal component is not used
  math::Vec3 velocity_before = math::Vec3::Zero();  // u-, m/s, contact frame
  double mobility = 0;                              // G M^-1 G^T along the normal, 1/kg
  double duration = 0;                              // s: how long the force acts; 0: theta h + (1 - theta) h-
};

/// Sets bias and compliance of a row by the equations above.
void set_compliance(const contact::PairLaw& law, const LayerPoint& point, double h_before, double h,
                    dynamics::ConeConstraint& row, const dynamics::LawParameters& par = {});

/// Sets bias and compliance of the cone of a compliant contact. `problem` is assembled for the kick.
void make_compliant(const StepContext& c, const contact::ContactPoint& point,
                    const dynamics::KickProblem& problem, dynamics::ConeConstraint& cone);
/// m, world axes: the shear of the layer at the end of the drift. u is the relative velocity in the drift. In
/// a sliding layer friction limits the shear. A layer that is pressed through keeps its shear.
math::Vec3 compute_shear(const StepContext& c, const contact::ContactPoint& point,
                         const dynamics::ConeConstraint& cone, const math::Vec3& u, double h_prev, double h);
/// J, elastic energy of all layers at t_n.
double compute_compliant_energy(const contact::ContactSet& contacts);

}  // namespace tumble::simulate
