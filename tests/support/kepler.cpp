#include "support/kepler.h"

#include <cmath>

#include "support/simulate.h"

namespace support {

using namespace tumble;
using model::Vec3;

Kepler::Kepler(double constant, double semi_major_axis, double eccentricity)
    : constant_(constant), a_(semi_major_axis), e_(eccentricity) {}

double Kepler::period() const { return 2 * math::kPi * std::sqrt(a_ * a_ * a_ / constant_); }

Vec3 Kepler::position(double t) const {
  const long double mean = 2 * std::acos(-1.0L) * static_cast<long double>(t) / period();
  long double E = mean;
  for (int i = 0; i < 60; ++i) E -= (E - e_ * std::sin(E) - mean) / (1 - e_ * std::cos(E));
  return Vec3(static_cast<double>(a_ * (std::cos(E) - e_)),
              static_cast<double>(a_ * std::sqrt(1.0L - static_cast<long double>(e_) * e_) * std::sin(E)), 0);
}

model::Model Kepler::model(double radius) const {
  model::ModelBuilder builder;
  builder.set_gravity(Vec3::Zero());
  model::BodySpec body;
  body.inertia = model::GivenInertia{};
  body.inertia->mass = 1;
  body.inertia->moments = Vec3::Constant(radius * radius);
  body.name = "centre";
  body.fixed = true;
  const model::BodyId centre = builder.add_body(body);
  body.name = "satellite";
  body.fixed = false;
  body.X_WB.translation = Vec3(a_ * (1 - e_), 0, 0);
  body.velocity = Vec3(0, std::sqrt(constant_ / a_ * (1 + e_) / (1 - e_)), 0);
  const model::BodyId satellite = builder.add_body(body);
  builder.add_force(std::make_shared<model::InverseSquare>("pull", centre, satellite, constant_));
  return finished(builder);
}

}  // namespace support
