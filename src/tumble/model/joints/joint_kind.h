// What distinguishes one joint type from another. Each has a file in this folder that defines a JointKind.
// All other code asks the JointKind and never compares types.
#pragma once

#include <functional>

#include "tumble/model/joint_rows.h"
#include "tumble/model/joints/joint_frames.h"
#include "tumble/model/joints/registry.h"

namespace tumble::model {

/// Called once for each fault of a spec, with the message.
using Refuse = std::function<void(const std::string&)>;

/// What limits, springs, drives and scripts of a joint act on: b relative to a, right-handed.
enum class JointCoordinate {
  none,
  angle,            // rad, about the joint's axis; counted beyond a turn where something asks for it
  travel,           // m, along the joint's axis
  rotation_vector,  // rad, along the three axes of the joint
};

/// Which swing limits a joint takes.
enum class SwingForm {
  none,
  cone,  // one angle
  any,   // a cone, an ellipse, or lo hi lo hi
};

/// Where a joint is if the scene does not say.
enum class DefaultPoint {
  none,          // the scene must say
  center_of_b,   // both points at b's centre of mass
  both_centers,  // the point of each body is its centre of mass
};

struct JointKind {
  const char* name = "";     // as a scene file spells it
  const char* noun = name;   // what a message calls it: "a hinge", "a ball joint"
  const char* freedom = "";  // what it leaves free; the row of docs/scene.md

  int rows = 0;
  int lengths = 0;  // this many rows come first and measure lengths (m), the rest angles (rad)
  /// Its rows are joint_rows.h (1) alone, which are solved faster: Constraint::held_point().
  bool holds_point = false;
  JointCoordinate coordinate = JointCoordinate::none;
  const char* coordinate_name = name;  // as the documentation of `limits` lists it, if not by the name alone

  // The attributes it takes. Limits-x, -y, -z, springs, drives and scripts follow from the coordinate.
  const char* why_no_a = nullptr;  // why it takes no body a; null: it takes one
  bool needs_axis = false;
  bool needs_axis2 = false;
  const char* axis2 = nullptr;  // what axis2 is; null: it takes none
  DefaultPoint default_point = DefaultPoint::none;
  bool takes_length = false;  // length, or range
  bool takes_twist = false;
  SwingForm swing = SwingForm::none;
  const char* instead_of_limits = nullptr;  // a hint for users who give it limits

  bool has_coordinate() const { return coordinate != JointCoordinate::none; }
  /// One angle or travel. It takes limits.
  bool has_scalar() const {
    return coordinate == JointCoordinate::angle || coordinate == JointCoordinate::travel;
  }
  bool takes_swing() const { return swing != SwingForm::none; }
  bool has_rotation_vector() const { return coordinate == JointCoordinate::rotation_vector; }
  /// The coordinate, of a joint that has a scalar one.
  Coordinate scalar() const {
    return coordinate == JointCoordinate::angle ? Coordinate::angle : Coordinate::travel;
  }
  /// Whether a comfort range is inside twist instead of limits.
  bool comfort_in_twist() const { return takes_twist && !has_scalar(); }

  /// Its frames in the start pose.
  WorldFrames (*compute_frames)(const JointSpec& spec) = compute_coinciding_frames;
  /// A constant in its rows, from the spec; null: 0.
  double (*compute_target)(const JointSpec& spec) = nullptr;
  /// Fills its rows; `target` is what compute_target() gave.
  void (*set_rows)(const JointFrames& frames, double target, const BodyMotion& a, const BodyMotion& b,
                   ConstraintRows& out) = nullptr;
  /// Checks of its own, after those that follow from the attributes it takes; may be null.
  void (*check)(const JointSpec& spec, const Refuse& refuse) = nullptr;
};

}  // namespace tumble::model
