#include "tumble/simulate/meeting.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace tumble::simulate {

using core::BodyId;
using model::Body;
using model::BodyShape;
using model::Vec3;

namespace {

bool is_plane(const BodyShape& shape) { return std::holds_alternative<collision::Plane>(shape.shape); }

bool collides(const Body& body) {
  return std::any_of(body.shapes.begin(), body.shapes.end(), [](const BodyShape& s) { return s.collide; });
}

// Does a sphere reach below any plane of the body?
bool reaches_plane(const Body& owner, const Vec3& center, double radius) {
  return std::any_of(owner.shapes.begin(), owner.shapes.end(), [&](const BodyShape& shape) {
    if (!shape.collide || !is_plane(shape)) return false;
    const model::Pose X_WS = owner.X_WB * shape.X_BS;
    const Vec3 normal = X_WS.rotation * std::get<collision::Plane>(shape.shape).normal;
    return normal.dot(center - X_WS.translation) < radius;
  });
}

bool may_meet(const model::Model& model, BodyId a, BodyId b) {
  if (model.body(a).fixed && model.body(b).fixed) return false;
  const auto& ignored = model.ignored_pairs();
  return !std::binary_search(ignored.begin(), ignored.end(), std::pair(std::min(a, b), std::max(a, b)));
}

}  // namespace

std::optional<Meeting> find_meeting(const model::Model& model, const model::State& state) {
  // Sweep along x over the bounding spheres.
  struct Entry {
    double begin, end;
    BodyId body;
  };
  std::vector<Entry> entries;
  for (size_t i = 0; i < model.bodies().size(); ++i) {
    const Body& body = model.bodies()[i];
    if (!collides(body)) continue;
    const double x = state.position(BodyId(i)).x();
    entries.push_back({x - body.radius, x + body.radius, BodyId(i)});
    if (!body.fixed) continue;
    for (size_t j = 0; j < model.bodies().size(); ++j)
      if (const Body& other = model.bodies()[j]; !other.fixed && collides(other) &&
                                                 may_meet(model, BodyId(i), BodyId(j)) &&
                                                 reaches_plane(body, state.position(BodyId(j)), other.radius))
        return Meeting{BodyId(j), BodyId(i)};
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.body) < std::pair(b.begin, b.body);
  });
  std::vector<Entry> open;
  for (const Entry& entry : entries) {
    std::erase_if(open, [&](const Entry& o) { return o.end < entry.begin; });
    for (const Entry& other : open) {
      const double reach = model.body(entry.body).radius + model.body(other.body).radius;
      if ((state.position(entry.body) - state.position(other.body)).squaredNorm() < reach * reach &&
          may_meet(model, entry.body, other.body))
        return Meeting{std::min(entry.body, other.body), std::max(entry.body, other.body)};
    }
    open.push_back(entry);
  }
  return std::nullopt;
}

}  // namespace tumble::simulate
