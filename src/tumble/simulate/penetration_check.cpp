#include "tumble/simulate/penetration_check.h"

#include <algorithm>
#include <tuple>

#include "tumble/geometry/bvh.h"

namespace tumble::simulate {

using core::BodyId;
using model::BodyShape;

PenetrationCheck::PenetrationCheck(const model::Model& model, const contact::TightPairs& tight)
    : model_(&model), tight_(tight), needed_(model.has_colliding_bodies()) {
  for (size_t i = 0; i < model.bodies().size(); ++i)
    for (const BodyShape& shape : model.bodies()[i].shapes) {
      if (!shape.collide) continue;
      const bool plane = std::holds_alternative<collision::Plane>(shape.shape);
      (plane ? planes_ : items_).push_back({BodyId(i), &shape, collision::compute_shape_box(shape.shape)});
    }
}

void PenetrationCheck::measure(const Item& a, const Item& b, std::vector<BodyOverlap>& found) {
  if (!model_->may_collide(a.body, b.body)) return;
  const double depth = checker_.measure(a.shape->shape, a.X_WS, b.shape->shape, b.X_WS).depth;
  if (depth > tight_.shrinkage_of(a.body) + tight_.shrinkage_of(b.body))
    found.push_back({std::min(a.body, b.body), std::max(a.body, b.body), depth});
}

std::vector<BodyOverlap> PenetrationCheck::find(const model::State& state) {
  std::vector<BodyOverlap> found;
  if (!needed_) return found;
  const auto place = [&](Item& item) {
    item.X_WS = model::body_pose(*model_, state, item.body) * item.shape->X_BS;
    item.box_W = collision::compute_world_box(item.box_S, item.X_WS);
  };
  order_.clear();
  for (Item& item : items_) {
    place(item);
    if (item.box_W.lower.allFinite() && item.box_W.upper.allFinite()) order_.push_back(&item);
  }
  for (Item& plane : planes_) {
    place(plane);
    if (!plane.X_WS.translation.allFinite()) continue;
    const math::Vec3 n = plane.X_WS.rotation * std::get<collision::Plane>(plane.shape->shape).normal;
    for (const Item* item : order_) {
      // The corner of the box that is lowest above the plane.
      const math::Vec3 low = (n.array() > 0).select(item->box_W.lower, item->box_W.upper);
      if (n.dot(low - plane.X_WS.translation) < 0) measure(plane, *item, found);
    }
  }
  // Sweep along x. Shapes with the same lower bound keep the order of the scene.
  std::stable_sort(order_.begin(), order_.end(),
                   [](const Item* a, const Item* b) { return a->box_W.lower.x() < b->box_W.lower.x(); });
  active_.clear();
  for (const Item* item : order_) {
    std::erase_if(active_, [&](const Item* other) { return other->box_W.upper.x() < item->box_W.lower.x(); });
    for (const Item* other : active_)
      if (geometry::overlap(item->box_W, other->box_W)) measure(*other, *item, found);
    active_.push_back(item);
  }
  // One entry per pair, the deepest.
  std::sort(found.begin(), found.end(), [](const BodyOverlap& x, const BodyOverlap& y) {
    return std::tuple(x.a, x.b, -x.depth) < std::tuple(y.a, y.b, -y.depth);
  });
  found.erase(
      std::unique(found.begin(), found.end(),
                  [](const BodyOverlap& x, const BodyOverlap& y) { return x.a == y.a && x.b == y.b; }),
      found.end());
  return found;
}

BodyOverlap PenetrationCheck::find_deepest(const model::State& state) {
  BodyOverlap deepest;
  for (const BodyOverlap& overlap : find(state))
    if (overlap.depth > deepest.depth) deepest = overlap;
  return deepest;
}

std::vector<BodyOverlap> find_overlaps(const model::Model& model, const model::State& state) {
  return PenetrationCheck(model).find(state);
}

}  // namespace tumble::simulate
