// The exact motion of a light body around a fixed centre that attracts it with constant/d^2, by Kepler's
// equation.
#pragma once

#include "tumble/model/model_builder.h"

namespace support {

class Kepler {
 public:
  /// Starts at the pericentre (a (1 - e), 0, 0) and moves towards +y. The mass is 1.
  Kepler(double constant, double semi_major_axis, double eccentricity);
  tumble::model::Vec3 position(double t) const;
  double period() const;
  /// Body 0 is the fixed centre, body 1 the satellite, both of the given radius.
  tumble::model::Model model(double radius) const;

 private:
  double constant_, a_, e_;
};

}  // namespace support
