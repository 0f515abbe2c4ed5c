#include "tumble/model/model.h"

namespace tumble::model {

std::optional<BodyId> Model::find_body(const std::string& name) const {
  const auto found = body_by_name_.find(name);
  if (found == body_by_name_.end()) return std::nullopt;
  return found->second;
}

}  // namespace tumble::model
