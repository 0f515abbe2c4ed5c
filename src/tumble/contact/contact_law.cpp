#include "tumble/contact/contact_law.h"

#include <algorithm>

#include "tumble/contact/parameters.h"
#include "tumble/math/elementary.h"

namespace tumble::contact {

using core::MaterialId;
using model::Body;

namespace {

double layer_of(const model::MaterialPair& pair, const Body& a, const Body& b, double acceleration) {
  if (pair.layer) return *pair.layer;
  const double mass = !a.is_dynamic() ? b.mass : !b.is_dynamic() ? a.mass : std::min(a.mass, b.mass);
  const double size = !a.is_dynamic() ? b.radius : !b.is_dynamic() ? a.radius : std::min(a.radius, b.radius);
  return std::min(kLayer.load_factor * mass * acceleration / pair.stiffness, kLayer.max_size_ratio * size);
}

}  // namespace

PairLaw compute_pair_law(const model::Model& model, const PairTracker::Item& a, const PairTracker::Item& b,
                         double acceleration) {
  const Body &body_a = model.body(a.body), &body_b = model.body(b.body);
  const MaterialId x = body_a.shapes[a.shape].material, y = body_b.shapes[b.shape].material;
  const model::Material &m = model.material(x), &n = model.material(y);
  PairLaw law{.friction = math::sqrt(m.friction * n.friction),
              .restitution = std::max(m.restitution, n.restitution)};
  for (const model::MaterialPair& pair : model.material_pairs()) {
    if (!((pair.a == x && pair.b == y) || (pair.a == y && pair.b == x))) continue;
    law.friction = pair.friction.value_or(law.friction);
    law.restitution = pair.restitution.value_or(law.restitution);
    if (!(pair.stiffness > 0)) return law;
    law.stiffness = pair.stiffness, law.damping = pair.damping;
    law.layer = layer_of(pair, body_a, body_b, acceleration);
    return law;
  }
  return law;
}

double compute_widest_layer(const model::Model& model, double acceleration) {
  double widest = 0;
  for (const model::MaterialPair& pair : model.material_pairs()) {
    if (!(pair.stiffness > 0)) continue;
    for (const Body& body : model.bodies())
      for (const auto& shape : body.shapes)
        if (body.is_dynamic() && (shape.material == pair.a || shape.material == pair.b))
          widest = std::max(widest, layer_of(pair, body, body, acceleration));
  }
  return widest;
}

}  // namespace tumble::contact
