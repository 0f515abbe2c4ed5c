// Output of a run in addition to its states: rows of the log, rows of contacts, and the error estimate.
// `simulate` fills these structs, and `record` writes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tumble/math/types.h"

namespace tumble::model {

/// The whole scene at the end of a step.
struct LogRow {
  double t = 0;                                      // s
  double h = 0;                                      // s, length of the step that ends here
  double kinetic = 0, potential = 0, energy = 0;     // J
  math::Vec3 momentum = math::Vec3::Zero();          // kg m/s, of the whole scene
  math::Vec3 angular_momentum = math::Vec3::Zero();  // kg m^2/s, about the world's origin
  size_t contacts = 0;                               // contact points with a nonzero impulse
  double max_penetration = 0;                        // m, from the independent checker, since the last row
  double max_joint_error = 0;                        // m, the largest error of all joints
  size_t impacts = 0;                                // so far
  double work = 0;                                   // J, so far, of scripts and laws without a potential
  std::vector<double> work_by_force;                 // J, so far, indexed like Model::work_names()
  std::vector<double> by_body = {};                  // kBodyLogSize for each body that was asked for
};

/// Of a body in a log row: momentum (3, kg m/s), angular momentum about the world's origin (3, kg m^2/s),
/// kinetic energy, potential energy of gravity (J). Sums over all bodies are those of the row; the potential
/// energy of force laws, as springs, belongs to no body.
inline constexpr size_t kBodyLogSize = 8;
inline constexpr std::string_view kBodyLogColumns[kBodyLogSize] = {"px", "py", "pz",      "lx",
                                                                   "ly", "lz", "kinetic", "potential"};

/// One contact point in one frame. Impulses are sums since the previous frame.
struct ContactRow {
  double t = 0;                                                        // s, of the frame
  std::string a, b;                                                    // names of the bodies
  math::Vec3 point = math::Vec3::Zero(), normal = math::Vec3::Zero();  // m; unit, from b to a; world
  double gap = 0;                                                      // m
  double normal_impulse = 0;                                           // N s
  math::Vec3 impulse = math::Vec3::Zero();                             // N s, on a, world axes
  double slip = 0;                                                     // m/s
  std::string_view state;                                              // stick | slip | impact
  size_t patch = 0;                                                    // from 1 on, numbered in each frame
  math::Vec3 patch_impulse = math::Vec3::Zero();                       // N s, on a
  math::Vec3 patch_center = math::Vec3::Zero();                        // m
  double patch_moment = 0;                                             // N m s, about the normal there
};

/// The difference between a run and a reference run with ten times the accuracy.
struct ErrorEstimate {
  struct Frame {
    double t = 0;               // s
    double position_error = 0;  // m, the largest of all bodies
    double angle_error = 0;     // rad, the largest of all bodies
  };
  std::vector<Frame> frames;
  double max_position_error = 0;  // m
  double max_angle_error = 0;     // rad
};

}  // namespace tumble::model
