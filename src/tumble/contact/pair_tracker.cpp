#include "tumble/contact/pair_tracker.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace tumble::contact {

using collision::Collider;
using core::BodyId;
using model::Body;

namespace {

// Equal shapes share one collider. The map is only used for lookup: its order, which depends on addresses of
// meshes, never affects a result.
class ColliderPool {
 public:
  std::shared_ptr<const Collider> get(const collision::Shape& shape) {
    const Key key{shape.index(), numbers_of(shape), collision::triangles_of(shape).get()};
    std::shared_ptr<const Collider>& collider = colliders_[key];
    if (!collider) collider = std::make_shared<const Collider>(shape), shapes_.push_back(shape);
    return collider;
  }

 private:
  using Key = std::tuple<size_t, std::array<double, 3>, const geometry::TriangleMesh*>;
  struct Numbers {
    std::array<double, 3> operator()(const collision::Sphere& s) const { return {s.radius}; }
    std::array<double, 3> operator()(const collision::Box& s) const {
      return {s.size.x(), s.size.y(), s.size.z()};
    }
    std::array<double, 3> operator()(const collision::Plane& s) const {
      return {s.normal.x(), s.normal.y(), s.normal.z()};
    }
    std::array<double, 3> operator()(const collision::Capsule& s) const { return {s.radius, s.length}; }
    std::array<double, 3> operator()(const collision::Cylinder& s) const { return {s.radius, s.length}; }
    std::array<double, 3> operator()(const collision::Cone& s) const { return {s.radius, s.length}; }
    std::array<double, 3> operator()(const collision::Mesh&) const { return {}; }
    std::array<double, 3> operator()(const collision::Hull&) const { return {}; }
    std::array<double, 3> operator()(const collision::HeightField&) const { return {}; }
  };
  static std::array<double, 3> numbers_of(const collision::Shape& shape) {
    return std::visit(Numbers{}, shape);
  }
  std::map<Key, std::shared_ptr<const Collider>> colliders_;
  std::vector<collision::Shape> shapes_;  // keeps the meshes whose addresses are keys
};

}  // namespace

PairTracker::PairTracker(const model::Model& model, const TightPairs& tight)
    : model_(&model), needed_(model.has_colliding_bodies()) {
  if (!needed_) return;
  ColliderPool pool;
  for (size_t i = 0; i < model.bodies().size(); ++i) {
    const Body& body = model.bodies()[i];
    for (size_t k = 0; k < body.shapes.size(); ++k) {
      if (!body.shapes[k].collide) continue;
      const collision::Shape shape = collision::shrink(body.shapes[k].shape, tight.shrinkage_of(BodyId(i)));
      items_.push_back({BodyId(i), static_cast<uint32_t>(k), pool.get(shape)});
      mobility_.push_back(body.is_fixed() ? collision::Mobility::fixed : collision::Mobility::moving);
      placed_.emplace_back(*items_.back().collider, math::Pose());
    }
  }
  boxes_.resize(items_.size());
}

// True if the bounding box of an item lies above a half-space by more than the margin.
bool PairTracker::is_beyond(uint32_t plane, uint32_t item, double margin) const {
  const math::Vec3 n = placed_[plane].R * placed_[plane].collider->normal();
  const math::Vec3 low = (n.array() > 0).select(boxes_[item].lower, boxes_[item].upper);
  return n.dot(low - placed_[plane].p) > margin;
}

std::vector<PairTracker::Pair>& PairTracker::update(const model::State& state,
                                                    std::span<const double> margins) {
  extent_ = 0;
  for (size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    const math::Pose X_WB = body_pose(*model_, state, item.body);
    placed_[i] = collision::Placed(*item.collider, X_WB * model_->body(item.body).shapes[item.shape].X_BS);
    geometry::Bounds box = collision::compute_bounds(placed_[i]);
    const double margin = margins[item.body.index()];
    box.lower.array() -= margin, box.upper.array() += margin;
    const bool is_finite =
        (box.lower.array() <= box.upper.array()).all() && std::isfinite(margin) && placed_[i].p.allFinite();
    boxes_[i] = is_finite ? box : collision::absent_box();
    if (is_finite) extent_ = std::max(extent_, state.position(item.body).cwiseAbs().maxCoeff());
  }
  // Both lists are sorted, so one merge pass finds the cached data of each pair.
  std::swap(pairs_, previous_);
  pairs_.clear();
  auto known = previous_.begin();
  for (const collision::ItemPair& pair : broad_phase_.update(boxes_, mobility_)) {
    const BodyId a = items_[pair.first].body, b = items_[pair.second].body;
    if (!model_->may_collide(a, b)) continue;
    // The box of a half-space is the whole world. Reject items that lie above it.
    const auto is_plane = [&](uint32_t i) { return items_[i].collider->kind() == Collider::Kind::plane; };
    if (is_plane(pair.first) && is_beyond(pair.first, pair.second, margins[a.index()])) continue;
    if (is_plane(pair.second) && is_beyond(pair.second, pair.first, margins[b.index()])) continue;
    const auto before = [&](const Pair& p) {
      return std::pair(p.a, p.b) < std::pair(pair.first, pair.second);
    };
    while (known != previous_.end() && before(*known)) ++known;
    const bool found = known != previous_.end() && known->a == pair.first && known->b == pair.second;
    pairs_.push_back(found ? std::move(*known) : Pair{pair.first, pair.second});
  }
  return pairs_;
}

void PairTracker::save(std::vector<SavedPair>& saved) const {
  saved.clear();
  for (const Pair& pair : pairs_) {
    const collision::PairMemory& m = pair.memory;
    saved.push_back({pair.a, pair.b, m.normal, {m.primitives[0], m.primitives[1]}, m.features});
  }
}

void PairTracker::restore(const std::vector<SavedPair>& saved) {
  std::swap(pairs_, previous_);
  pairs_.clear();
  auto known = previous_.begin();
  for (const SavedPair& entry : saved) {
    while (known != previous_.end() && std::pair(known->a, known->b) < std::pair(entry.a, entry.b)) ++known;
    const bool found = known != previous_.end() && known->a == entry.a && known->b == entry.b;
    pairs_.push_back(found ? std::move(*known) : Pair{entry.a, entry.b});
    collision::PairMemory& m = pairs_.back().memory;
    m.normal = entry.normal, m.features = entry.features;
    m.front = {};  // not saved: the traversal order may decide between equal distances
    std::copy_n(entry.primitives, 2, m.primitives);
  }
}

size_t PairTracker::memory_bytes() const {
  return items_.capacity() * sizeof(Item) + placed_.capacity() * sizeof(collision::Placed) +
         boxes_.capacity() * sizeof(geometry::Bounds) + mobility_.capacity() +
         (pairs_.capacity() + previous_.capacity()) * sizeof(Pair) + broad_phase_.memory_bytes();
}

}  // namespace tumble::contact
