#pragma once

#include <array>
#include <optional>
#include <string>

#include "tumble/core/ids.h"

namespace tumble::model {

/// The material of a shape. The default values are those of a shape without a material.
struct Material {
  std::string name;
  double density = 1000;                             // kg/m^3
  double friction = 0.5;                             // Coulomb
  double restitution = 0;                            // 0..1
  std::array<double, 3> color = {0.72, 0.74, 0.78};  // sRGB, 0..1
};

/// Overrides the combined values of two materials. A nonzero stiffness makes their contact compliant: a soft
/// layer lies between them (contact/contact_law.h).
struct MaterialPair {
  core::MaterialId a, b;
  std::optional<double> friction = {};     // Coulomb; none: the geometric mean of the two
  std::optional<double> restitution = {};  // 0..1; none: the larger of the two
  double stiffness = 0;                    // N/m, of each contact point; 0: rigid
  double damping = 0;                      // N s/m, of each contact point
  std::optional<double> layer = {};        // m, thickness of the layer
};

}  // namespace tumble::model
