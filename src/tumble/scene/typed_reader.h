// Reads attributes whose dimension and number of values depend on the type of a joint.
#pragma once

#include <sstream>

#include "tumble/model/joint_spec.h"
#include "tumble/model/joints/joint_kind.h"
#include "tumble/scene/check.h"

namespace tumble::scene::detail {

using math::Vec3;
using model::JointCoordinate;
using model::JointKind;

/// Reads the attributes of a joint, or of its drive or script, according to the type of the joint.
class TypedReader {
 public:
  TypedReader(const Element& element, const JointKind& kind, bool is_vector, core::Diagnostics& diagnostics)
      : element_(element), kind_(kind), is_vector_(is_vector), diagnostics_(diagnostics) {
    for (const Field& field : element.fields)
      if (field.given) check_units(field);
  }

  bool good() const { return good_; }

  /// Reads one number, or a rotation vector if the constructor's `is_vector` is true.
  void read(const char* attribute, double& number, Vec3& vector) {
    const Field* field = element_.find(attribute);
    if (field == nullptr) return;
    if (field->numbers.size() != (is_vector_ ? 3 : 1))
      return fail(*field, is_vector_
                              ? std::string("expected a rotation vector (3 numbers) for a ") + kind_.noun
                              : "expected one number; a rotation vector (3 numbers) is only for a " +
                                    model::list_joint_types(&JointKind::has_rotation_vector) +
                                    " joint, or for its drive without axis");
    if (is_vector_)
      vector = element_.vec3(attribute);
    else
      number = field->numbers[0];
  }

  std::optional<model::Range> range(const char* attribute) const {
    const Field* field = element_.find(attribute);
    return field ? std::optional(model::Range{field->numbers[0], field->numbers[1]}) : std::nullopt;
  }

  std::optional<Vec3> vector(const char* attribute) const {
    return element_.find(attribute) ? std::optional(element_.vec3(attribute)) : std::nullopt;
  }

  void fail(const Field& field, const std::string& message) {
    good_ = false;
    diagnostics_.push_back(core::error_at(
        field.place, std::string(field.rule->name) + "=" + quote(field.text) + ": " + message));
  }

 private:
  // The table allows units of angles and of lengths. Only one of the two fits the type of the joint.
  void check_units(const Field& field) {
    const DimensionPair parts = parts_of(field.rule->dimension);
    if (parts.turning == parts.travelling || !kind_.has_coordinate()) return;
    const Dimension wanted = kind_.coordinate == JointCoordinate::travel ? parts.travelling : parts.turning;
    std::istringstream words(field.text);
    for (std::string word; words >> word;) {
      const ParsedNumber number = parse_number(word, wanted);
      if (number.fault != NumberFault::wrong_unit) continue;
      return fail(field, quote(number.unit) + " is not a unit of " + std::string(dimension_name(wanted)) +
                             "; for a " + kind_.noun + " expected one of " + unit_list(wanted));
    }
  }

  const Element& element_;
  const JointKind& kind_;
  bool is_vector_;
  core::Diagnostics& diagnostics_;
  bool good_ = true;
};

}  // namespace tumble::scene::detail
