#include "tumble/model/model.h"

#include <algorithm>

namespace tumble::model {

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
    if (id.valid() && !body(id).fixed) size = size == 0 ? body(id).radius : std::min(size, body(id).radius);
  return size;
}

}  // namespace tumble::model
