// What two materials do to each other where they touch. Contact is rigid unless the pair has a stiffness: then a soft layer of
// thickness l lies between the two, so that shapes that touch it still do not overlap. With d = offset + l - gap the depth to which
// it is pressed, at each contact point
//   f_n = max(0, k d + c d'),   |f_t| <= mu f_n,   f_t = -k s - c s'   while that holds                               (1)
// s being the shear of the layer. Where d would exceed l, contact is rigid as without a layer.
#pragma once

#include "tumble/contact/pair_tracker.h"

namespace tumble::contact {

struct PairLaw {
  double friction = 0, restitution = 0;
  double stiffness = 0, damping = 0;  // k and c of each point, N/m and N s/m; 0: rigid
  double layer = 0;                   // l, m
};

/// `acceleration`: that of Scales. LayerParameters gives the thickness of a layer without one of its own.
PairLaw compute_pair_law(const model::Model& model, const PairTracker::Item& a, const PairTracker::Item& b,
                         double acceleration);
/// The thickest layer of any two bodies.
double compute_widest_layer(const model::Model& model, double acceleration);

}  // namespace tumble::contact
