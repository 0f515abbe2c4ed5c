// Bodies that touch at the start are brought apart by the contact offset: by the displacement u that is
// least in the metric of the masses and leaves every gap at the contact offset, joints closed:
//   minimise 1/2 u.M u   over   gap + N u >= kept,   J u = 0                                                       (1)
// Its multipliers l >= 0 minimise 1/2 l.A l - l.(kept - gap) with A = N W N^T, W the inverse mass under the joints; they are found
// by the projected gradient method with Nesterov's momentum [Mazhar, Heyn, Negrut, Tasora 2015], which needs products with A only. Gaps
// are not linear, so (1) is repeated where the bodies have come to. Overlaps that are deeper than touching are an error
// of the scene, or, if it wishes so, are treated alike.
#pragma once

#include <string>
#include <vector>

#include "tumble/core/expected.h"
#include "tumble/model/state.h"
#include "tumble/simulate/parameters.h"

namespace tumble::simulate {

/// Two bodies that touch at the start, or nearly.
struct StartContact {
  core::BodyId a, b;  // a < b
  double gap = 0;     // m, as the scene has it; negative: they overlap by this
};

struct Separated {
  model::State state;
  std::vector<StartContact> touching;  // in the order of bodies
};

/// Gaps from -StartParameters::touching_depth of the pair's size to the contact offset at this accuracy count as
/// touching. Deeper ones are errors, each pair with its depth; with `settle` they are brought apart too, and warnings say so. Joints must be closed, and stay so.
core::Expected<Separated> separate(const model::Model& model, const model::State& start, double accuracy,
                                   bool settle, const Parameters& parameters = {});

}  // namespace tumble::simulate
