// How two shapes that overlap, or touch so closely that no distance is left, can be brought apart: as contacts with gaps
// below zero. The narrow phase measures distances; where there is none, a is lifted out of b by some vector s, its contacts
// are found there, and along a contact's normal n the gap was
//   gap = gap when lifted - n.s                                                                                 (1)
// which is also what a small displacement u of a in place of s leaves of it, gap + n.u. Convex shapes can always be lifted
// out; the vector is the shortest that faces, and then the nearest points found by lifting, suggest. Surfaces that hold each other (a nut on a bolt) cannot, but
// then features that have passed each other by no more than the depth are known from the side they came from.
#pragma once

#include "tumble/collision/manifold.h"

namespace tumble::collision {

/// Appends contacts of two shapes that overlap by `depth` (m; 0: they touch). At least one has a gap of about -depth or less;
/// only where one lies wholly inside the other, or they cross beyond recognition, one contact alone leads out along an axis. Shapes
/// that cannot be measured have none.
void find_escape(const Placed& a, const Placed& b, double depth, const Shell& shell, ManifoldBuilder& builder,
                 std::vector<Contact>& contacts);

}  // namespace tumble::collision
