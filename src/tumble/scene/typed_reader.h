// Attributes whose dimension and number of numbers depend on the type of a joint.
#pragma once

#include <sstream>

#include "tumble/model/joint_spec.h"
#include "tumble/model/joints/joint_kind.h"
#include "tumble/scene/check.h"

namespace tumble::scene::detail {

using math::Vec3;
using model::JointCoordinate;
using model::JointKind;

/// Reads the attributes of a joint, or of a drive in it, as its type reads them.
class TypedReader {
 public:
  TypedReader(const Element& element, const JointKind& kind, bool is_vector, core::Diagnostics& diagnostics)
      : element_(element), kind_(kind), is_vector_(is_vector), diagnostics_(diagnostics) {
    for (const Field& field : element.fields)
      if (field.given) check_units(field);
  }

  bool good() const { return good_; }

  /// The single number of a coordinate, or a rotation vector.
  void read(const char* attribute, double& number, Vec3& vector) {
    const Field* field = element_.find(attribute);
    if (field == nullptr) return;
    if (field->numbers.size() != (is_vector_ ? 3 : 1))
      return fail(*field, is_vector_
                              ? std::string("a ") + kind_.noun + " takes a rotation vector here, 3 numbers"
                              : "expected a single number: only a " +
                                    model::list_joint_types(&JointKind::has_rotation_vector) +
                                    " joint as a whole has a rotation vector");
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
  // Units were read as those of an angle or of a length; the type says which of the two it is.
  void check_units(const Field& field) {
    const DimensionPair parts = parts_of(field.rule->dimension);
    if (parts.turning == parts.travelling || !kind_.has_coordinate()) return;
    const Dimension wanted = kind_.coordinate == JointCoordinate::travel ? parts.travelling : parts.turning;
    std::istringstream words(field.text);
    for (std::string word; words >> word;) {
      const ParsedNumber number = parse_number(word, wanted);
      if (number.fault != NumberFault::wrong_unit) continue;
      return fail(field, quote(number.unit) + " is no unit of " + std::string(dimension_name(wanted)) +
                             ", which a " + kind_.noun + " has here; expected one of " + unit_list(wanted));
    }
  }

  const Element& element_;
  const JointKind& kind_;
  bool is_vector_;
  core::Diagnostics& diagnostics_;
  bool good_ = true;
};

}  // namespace tumble::scene::detail
