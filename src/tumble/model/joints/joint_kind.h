// The properties of a joint type. Each type has a file in this folder that defines its JointKind. All other
// code uses the JointKind and does not compare types.
#pragma once

#include <functional>

#include "tumble/model/joint_rows.h"
#include "tumble/model/joints/joint_frames.h"
#include "tumble/model/joints/registry.h"

namespace tumble::model {

/// Called with a message for each error of a spec.
using Refuse = std::function<void(const std::string&)>;

/// The joint coordinate: limits, springs, drives and scripts act on it. It describes b relative to a,
/// right-handed.
enum class JointCoordinate {
  none,
  angle,            // rad, about the joint's axis; unwrapped if a law or limit needs this (CountedHinge)
  travel,           // m, along the joint's axis
  rotation_vector,  // rad, along the three axes of the joint
};

/// The swing limits that a joint accepts.
enum class SwingForm {
  none,
  cone,  // one angle
  any,   // a cone, an ellipse, or lo hi lo hi
};

/// The points of a joint if the scene does not give them.
enum class DefaultPoint {
  none,          // the scene must give them
  center_of_b,   // both points at b's centre of mass
  both_centers,  // the point of each body is its centre of mass
};

struct JointKind {
  const char* name = "";     // as a scene file spells it
  const char* noun = name;   // its name in messages: "a hinge", "a ball joint"
  const char* freedom = "";  // its degrees of freedom, for the table in docs/scene.md

  int rows = 0;
  int lengths = 0;  // the first `lengths` rows measure lengths (m), the other rows measure angles (rad)
  /// Its rows are exactly joint_rows.h (1). The solver has a faster path for them: Constraint::held_point().
  bool holds_point = false;
  JointCoordinate coordinate = JointCoordinate::none;
  const char* coordinate_name = name;  // its entry in the documentation of `limits`

  // The attributes that it accepts. Limits-x, -y, -z, springs, drives and scripts follow from `coordinate`.
  const char* why_no_a = nullptr;  // the reason why it accepts no body a; null: it accepts one
  bool needs_axis = false;
  bool needs_axis2 = false;
  const char* axis2 = nullptr;  // the meaning of axis2; null: it accepts none
  DefaultPoint default_point = DefaultPoint::none;
  bool takes_length = false;  // length, or range
  bool takes_twist = false;
  SwingForm swing = SwingForm::none;
  const char* instead_of_limits = nullptr;  // a hint for users who give it limits

  bool has_coordinate() const { return coordinate != JointCoordinate::none; }
  /// The coordinate is one angle or travel. Such a joint accepts limits.
  bool has_scalar() const {
    return coordinate == JointCoordinate::angle || coordinate == JointCoordinate::travel;
  }
  bool takes_swing() const { return swing != SwingForm::none; }
  bool has_rotation_vector() const { return coordinate == JointCoordinate::rotation_vector; }
  /// The coordinate of a joint with has_scalar().
  Coordinate scalar() const {
    return coordinate == JointCoordinate::angle ? Coordinate::angle : Coordinate::travel;
  }
  /// Whether the comfort range lies inside `twist` instead of `limits`.
  bool comfort_in_twist() const { return takes_twist && !has_scalar(); }

  /// Computes the frames in the start pose.
  WorldFrames (*compute_frames)(const JointSpec& spec) = compute_coinciding_frames;
  /// Computes the constant in the rows from the spec; null: the constant is 0.
  double (*compute_target)(const JointSpec& spec) = nullptr;
  /// Computes the rows. `target` is the result of compute_target().
  void (*set_rows)(const JointFrames& frames, double target, const BodyMotion& a, const BodyMotion& b,
                   ConstraintRows& out) = nullptr;
  /// Additional checks of this type, after the checks that follow from its accepted attributes; may be null.
  void (*check)(const JointSpec& spec, const Refuse& refuse) = nullptr;
};

}  // namespace tumble::model
