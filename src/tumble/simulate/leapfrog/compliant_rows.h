// A compliant contact as a row of the contact solver: (1) of contact/contact_law.h taken by the theta method in a large step,
//   r = C - B u,   B = theta h c + theta^2 h^2 k,   C = (theta h + (1 - theta) h-) F(d, s, u-) + (theta h c + (1 - theta)^2 h-^2 k) u-
// with r in the friction cone. theta is 1/2 + s/64, s the larger of h w and h c m, m the mobility. Where s exceeds 0.3, or a point
// enters or leaves the layer in the step, theta is 1: then nothing is gained by steps that fall on either side of its edge. A point
// that is not in the layer yet is not damped.
#pragma once

#include "tumble/simulate/leapfrog/types.h"

namespace tumble::simulate {

/// A point of a layer in a step.
struct LayerPoint {
  double depth = 0;  // d, m; below 0: not in it
  math::Vec3 shear =
      math::Vec3::Zero();  // s, of a on b, frame of the contact: its first number means nothing
  math::Vec3 before = math::Vec3::Zero();  // u-, m/s, frame of the contact
  double mobility = 0;                     // G M^-1 G^T along the normal, 1/kg
  double kick = 0;  // s: how long the force acts, where that is not theta h + (1 - theta) h-; 0: it is
};

/// Makes a row of (1): bias and compliance.
void soften(const contact::PairLaw& law, const LayerPoint& point, double h_before, double h,
            dynamics::ConeConstraint& row, const dynamics::ThetaParameters& par = {});

/// Makes the cone of a compliant contact that of the layer. `problem` is assembled for the kick.
void make_compliant(const StepContext& c, const contact::ContactPoint& point,
                    const dynamics::KickProblem& problem, dynamics::ConeConstraint& cone);
/// m, world axes: how far the layer is sheared when the drift ends, with u the relative velocity over it. A sliding layer is sheared as
/// far as friction holds it; one that is pressed through keeps its shear.
math::Vec3 compute_shear(const StepContext& c, const contact::ContactPoint& point,
                         const dynamics::ConeConstraint& cone, const math::Vec3& u, double h_prev, double h);
/// J, stored in all layers at t_n.
double compute_compliant_energy(const contact::ContactSet& contacts);

}  // namespace tumble::simulate
