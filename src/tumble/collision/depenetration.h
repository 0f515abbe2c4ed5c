// Depenetration: how to separate two shapes that overlap, or that touch so closely that their distance is
// zero. The result is contacts with negative gaps. The narrow phase measures distances, so a is first moved
// out of b by a vector s and its contacts are found there. Along a contact's normal n the original gap is
//   gap = gap when moved - n.s                                                                            (1)
// A small displacement u of a changes it to gap + n.u. Convex shapes can always be moved out. The vector is
// the shortest that face normals, and then nearest points after moving, suggest. Surfaces that enclose each
// other (a nut on a bolt) cannot be moved out. Then features that have passed each other by at most the depth
// are recognised by their side.
//
// Where edges or corners touch, many directions are equally short: all that lie between the normals m_i of
// the faces of the Minkowski difference that meet there. The direction is then
//   n = argmax min n.m_i,  |n| = 1                                                                        (2)
// the point of the convex hull of the m_i nearest to the origin. It has the same angle to the outermost. So
// it is mirrored with the shapes, reversed when they are swapped, and it does not change when they are moved
// apart along it. Where a face touches there is one m_i.
#pragma once

#include "tumble/collision/manifold.h"

namespace tumble::collision {

/// Appends contacts of two shapes that overlap by `depth` (m; 0: they touch). At least one has a gap of about
/// -depth or less. Only if one shape is entirely inside the other, or they overlap too much, the result is a
/// single contact along an axis. Shapes that are not measurable have no contacts.
void find_separating_contacts(const Placed& a, const Placed& b, double depth, const ContactRange& range,
                              ManifoldBuilder& builder, std::vector<Contact>& contacts);

/// Directions along which a displacement turns the normal of a contact at once: two between sharp corners,
/// one between a corner and an edge, else none. Unit vectors.
std::vector<math::Vec3> find_turning_tangents(const Placed& a, const Placed& b, const Contact& contact);

}  // namespace tumble::collision
