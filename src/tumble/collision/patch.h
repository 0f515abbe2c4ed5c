// From candidates to corners: what lies in one patch is replaced by the vertices of its lower convex hull.
#pragma once

#include "tumble/collision/manifold.h"

namespace tumble::collision {

struct Candidate {
  Contact contact;
  int rank;  // 0: vertex over face, crossing edges; 1: vertex over edge; 2: vertex over vertex; 3: nearest points of smooth shapes
};

/// Appends the corners of all patches of the candidates, which it orders.
void reduce_to_corners(std::vector<Candidate>& candidates, const Shell& shell, std::vector<Contact>& corners);

}  // namespace tumble::collision
