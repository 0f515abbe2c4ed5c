// Reference solutions for chains of rods that hang from the origin, in minimal coordinates. Down is -y.
#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

namespace support {

struct Rod {
  double length = 0;  // m, from joint to joint
  double centre = 0;  // m, from the upper joint
  double mass = 0;    // kg
  double across = 0;  // kg m^2, about a transverse axis through its centre
  double along = 0;   // kg m^2, about its own axis
};

/// Rods in a plane, released at the given angles from straight down. Returns the angles at t_end.
std::vector<double> swing_in_plane(const std::vector<Rod>& rods, std::vector<double> angles, double t_end);

/// The position of the lower end: horizontal and up.
std::pair<double, double> tip_in_plane(const std::vector<Rod>& rods, const std::vector<double>& angles);

struct RodStart {
  Eigen::Vector3d u;     // unit vector along the rod, downwards
  Eigen::Vector3d rate;  // time derivative of u
  double spin = 0;       // rad/s about its own axis
};

/// Rods on ball joints in space. Returns the lower end at t_end.
Eigen::Vector3d swing_in_space(const std::vector<Rod>& rods, const std::vector<RodStart>& start,
                               double t_end);

}  // namespace support
