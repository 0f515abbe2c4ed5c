// What two materials do to each other where they touch. Rigid, unless the pair has a stiffness: then a soft layer of thickness l lies between the
// two, so that shapes that touch it still do not overlap. With d = kept + l - gap the depth to which it is pressed, at each point of contact
//   f_n = max(0, k d + c d'),   |f_t| <= mu f_n,   f_t = -k s - c s'   while that holds                               (1)
// s being how far it is sheared; where d would exceed l, contact is rigid as without a layer. In a large step (1) is taken by the theta
// method as the compliant row
//   r = C - B u,   B = theta h c + theta^2 h^2 k,   C = (theta h + (1 - theta) h-) F(d, s, u-) + (theta h c + (1 - theta)^2 h-^2 k) u-
// of the contact solver, r in the cone of friction. theta is 1/2 + s/64, s the larger of h w and h c m, m the
// mobility. Where s exceeds 0.3, or a point enters or leaves the layer in the step, it is 1, because then nothing is gained by steps that fall on either side of its edge; and what is not in it yet is not damped.
#pragma once

#include "tumble/dynamics/contact_solver.h"
#include "tumble/simulate/proximity.h"

namespace tumble::simulate {

struct PairLaw {
  double friction = 0, restitution = 0;
  double stiffness = 0, damping = 0;  // k and c of each point, N/m and N s/m; 0: rigid
  double layer = 0;                   // l, m
};

/// `acceleration`: that of Scales. A layer without a thickness of its own carries kLayerLoads times what the lighter moving body weighs at that
/// acceleration, but is no thicker than kThickestLayer of the smaller one's size.
PairLaw compute_pair_law(const model::Model& model, const Proximity::Item& a, const Proximity::Item& b,
                         double acceleration);
/// The thickest layer of any two bodies.
double compute_widest_layer(const model::Model& model, double acceleration);

/// A point of a layer in a step.
struct LayerPoint {
  double depth = 0;  // d, m; below 0: not in it
  math::Vec3 shear =
      math::Vec3::Zero();  // s, of a on b, frame of the contact: its first number means nothing
  math::Vec3 before = math::Vec3::Zero();  // u-, m/s, frame of the contact
  double mobility = 0;                     // G M^-1 G^T along the normal, 1/kg
};

/// Makes a row of (1): bias and compliance.
void soften(const PairLaw& law, const LayerPoint& point, double h_before, double h, dynamics::ConeRow& row);

}  // namespace tumble::simulate
