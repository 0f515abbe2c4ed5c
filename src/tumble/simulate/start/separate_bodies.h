// Separates bodies that touch at the start, by the displacement u that is smallest in the metric of the
// masses, leaves every gap at the contact offset and keeps joints closed:
//   minimise 1/2 u.M u   over   gap + N u >= offset,   J u = 0                                            (1)
// Its multipliers l >= 0 minimise 1/2 l.A l - l.(offset - gap) with A = N W N^T, where W is the inverse mass
// under the joints. They are found by the projected gradient method with Nesterov's momentum [Mazhar, Heyn,
// Negrut, Tasora 2015], which needs only products with A. Gaps are not linear, so (1) is repeated at the new
// poses. Deeper overlaps are an error of the scene, or are separated likewise if the scene asks for it.
//
// The normal of two corners, or of a corner on an edge, is the direction between two points one offset
// apart. A displacement along a tangent would turn it. So (1) also has 1/2 |T u|^2 / c, where T are these
// tangents and c is a small compliance. Tangents give way where there is no other room. In the dual they are
// rows of A with multipliers of either sign and c on the diagonal.
#pragma once

#include <string>
#include <vector>

#include "tumble/contact/tight_pairs.h"
#include "tumble/core/expected.h"
#include "tumble/model/state.h"
#include "tumble/simulate/parameters.h"

namespace tumble::simulate {

/// Two bodies that touch at the start, or nearly.
struct StartContact {
  core::BodyId a, b;  // a < b
  double gap = 0;     // m, in the scene; negative: penetration depth
};

struct Separated {
  model::State state;
  std::vector<StartContact> touching;  // in the order of bodies
  contact::TightPairs tight;           // pairs without room for the contact offset
};

/// Gaps from -StartParameters::touching_depth of the pair's size to the contact offset at this accuracy count
/// as touching. Deeper overlaps are errors, each pair with its depth. With `settle` they are separated too,
/// with warnings. Joints must be closed, and stay so.
core::Expected<Separated> separate(const model::Model& model, const model::State& start, double accuracy,
                                   bool settle, const Parameters& parameters = {});

}  // namespace tumble::simulate
