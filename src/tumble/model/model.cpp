#include "tumble/model/model.h"

#include <algorithm>

namespace tumble::model {

bool Body::collides() const {
  return std::any_of(shapes.begin(), shapes.end(), [](const BodyShape& shape) { return shape.collide; });
}

bool Model::may_collide(BodyId a, BodyId b) const {
  if (a == b || (!body(a).is_dynamic() && !body(b).is_dynamic())) return false;
  return !std::binary_search(ignored_pairs_.begin(), ignored_pairs_.end(),
                             std::pair(std::min(a, b), std::max(a, b)));
}

bool Model::has_colliding_bodies() const {
  size_t pushed = 0, others = 0;
  for (const Body& body : bodies_)
    if (body.collides()) ++(body.becomes_dynamic() ? pushed : others);
  size_t pairs = pushed * others + (pushed > 0 ? pushed * (pushed - 1) / 2 : 0);
  for (const auto& [a, b] : ignored_pairs_)
    if (body(a).collides() && body(b).collides() && (body(a).becomes_dynamic() || body(b).becomes_dynamic()))
      --pairs;
  return pairs > 0;
}

std::optional<BodyId> Model::find_body(const std::string& name) const {
  const auto found = body_by_name_.find(name);
  if (found == body_by_name_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::string> Model::work_names() const {
  std::vector<std::string> names;
  for (const auto& law : forces_) names.push_back(law->name());
  for (const size_t c : moving_constraints_) names.push_back(constraints_[c]->name() + ".script");
  return names;
}

double Model::size_of(const Constraint& constraint) const {
  double size = 0;
  for (const BodyId id : {constraint.a(), constraint.b()})
    if (id.valid() && !body(id).is_fixed())
      size = size == 0 ? body(id).radius : std::min(size, body(id).radius);
  return size;
}

}  // namespace tumble::model
