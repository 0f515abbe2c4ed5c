// Contact law of two materials. Contact is rigid unless the pair of materials has a stiffness. Then a
// compliant layer of thickness l lies between the two shapes, so that shapes in contact still do not overlap.
// The layer is compressed by d = offset + l - gap. At each contact point
//   f_n = max(0, k d + c d'),   |f_t| <= mu f_n,   f_t = -k s - c s'   while that holds                   (1)
// where s is the shear of the layer. Where d would exceed l, contact is rigid as without a layer.
#pragma once

#include "tumble/contact/pair_tracker.h"

namespace tumble::contact {

struct PairLaw {
  double friction = 0, restitution = 0;
  double stiffness = 0, damping = 0;  // k and c of each point, N/m and N s/m; 0: rigid
  double layer = 0;                   // l, m
};

/// `acceleration` is that of Scales (m/s^2). LayerParameters sets the thickness of a layer that has none
/// given.
PairLaw compute_pair_law(const model::Model& model, const PairTracker::Item& a, const PairTracker::Item& b,
                         double acceleration);
/// The thickest layer of any two bodies.
double compute_widest_layer(const model::Model& model, double acceleration);

}  // namespace tumble::contact
