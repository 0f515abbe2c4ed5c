// From what is said about a joint to its rows, limits and forces.
#include <algorithm>
#include <cmath>

#include "tumble/model/model_builder.h"
#include "tumble/model/tolerances.h"

namespace tumble::model {

namespace {

// Right-handed axes: the first along `axis`, the second as near to `across` as can be (or to the world axis least
// along the first).
Mat3 axes_along(const Vec3& axis, const Vec3& across) {
  Mat3 R;
  R.col(0) = axis.normalized();
  Eigen::Index least = 0;
  R.col(0).cwiseAbs().minCoeff(&least);
  const Vec3 hint = across.isZero(0) ? Vec3(Vec3::Unit(least)) : across;
  R.col(1) = (hint - R.col(0).dot(hint) * R.col(0)).normalized();
  R.col(2) = R.col(0).cross(R.col(1));
  return R;
}

// The rotation that takes the direction of u to that of v on the shortest way; they must not be opposite.
Quat shortest_turn(const Vec3& u, const Vec3& v) {
  const Vec3 m = u.normalized(), n = v.normalized(), axis = m.cross(n);
  return Quat::from_wxyz(1 + m.dot(n), axis.x(), axis.y(), axis.z()).normalized();
}

bool wants_axis(JointType type) {
  switch (type) {
    case JointType::universal:
    case JointType::constant_velocity:
    case JointType::hinge:
    case JointType::slider:
    case JointType::cylindrical:
    case JointType::point_on_plane:
    case JointType::point_on_line:
      return true;
    default:
      return false;
  }
}

bool takes_axis2(JointType type) {
  return type == JointType::ball || type == JointType::universal || type == JointType::constant_velocity;
}

bool parallel(const Vec3& u, const Vec3& v) {
  return u.cross(v).norm() <= kParallelAxes * u.norm() * v.norm();
}

}  // namespace

bool ModelBuilder::check_joint(const JointSpec& spec) {
  const size_t faults = diagnostics_.size();
  const auto refuse = [&](const std::string& what) {
    fail(spec.place, "joint \"" + spec.name + "\": " + what);
  };
  const std::string type = to_string(spec.type);
  const size_t n = model_.bodies_.size();
  if (!joint_names_.insert(spec.name).second)
    refuse("another joint has this name already; names must be unique");
  if (!spec.b.valid() || spec.b.index() >= n || (spec.a.valid() && spec.a.index() >= n)) {
    refuse("it needs a body b, and its bodies must have been added before");
    return false;
  }
  if (spec.a == spec.b) refuse("a and b are the same body");
  if (spec.type == JointType::nail && spec.a.valid())
    refuse("a nail holds b to the world and takes no a; type=\"ball\" joins two bodies");
  if (model_.body(spec.b).fixed && (!spec.a.valid() || model_.body(spec.a).fixed))
    refuse("both sides are fixed; at least one must be able to move");

  const bool sound = spec.at.allFinite() && spec.at_a.value_or(spec.at).allFinite() &&
                     spec.at_b.value_or(spec.at).allFinite() && spec.axis.allFinite() &&
                     spec.axis2.allFinite();
  if (!sound) refuse("its points and axes must be finite numbers");
  if (wants_axis(spec.type) && spec.axis.isZero(0))
    refuse("type=\"" + type + "\" needs an axis other than 0 0 0");
  if (!spec.axis2.isZero(0)) {
    if (!takes_axis2(spec.type))
      refuse("axis2 has no meaning for type=\"" + type + "\"");
    else if (spec.type == JointType::constant_velocity) {
      if (parallel(spec.axis, spec.axis2) && spec.axis.dot(spec.axis2) < 0)
        refuse("axis2, the shaft of b, points straight back along axis");
    } else if (spec.axis.isZero(0))
      refuse("axis2 needs an axis beside it");
    else if (parallel(spec.axis, spec.axis2))
      refuse("axis2 is parallel to axis");
  } else if (spec.type == JointType::universal) {
    refuse("a universal joint needs axis2, the axis of the cross that b carries");
  }

  if (spec.type == JointType::distance) {
    const double apart = (spec.at_b.value_or(spec.at) - spec.at_a.value_or(spec.at)).norm();
    if (!(apart > 0)) refuse("its two points at-a and at-b coincide; a distance joint needs a direction");
    if (spec.length && !(*spec.length > 0 && std::isfinite(*spec.length)))
      refuse("length must be a positive number; type=\"ball\" joins two points");
  } else if (spec.length) {
    refuse("length is of a distance joint only");
  }
  return diagnostics_.size() == faults;
}

void ModelBuilder::add_joint(const JointSpec& spec) {
  if (!check_joint(spec)) return;

  // The joint's axes as both bodies carry them: the same directions at the start, b's turned back or shifted by `zero`.
  const bool swings = spec.type == JointType::constant_velocity && !spec.axis2.isZero(0);
  const Mat3 J = spec.axis.isZero(0) ? Mat3(Mat3::Identity())
                                     : axes_along(spec.axis, swings ? Vec3(Vec3::Zero()) : spec.axis2);
  Mat3 J_b = J;
  double target = 0;
  if (swings) J_b = shortest_turn(spec.axis, spec.axis2).to_matrix() * J;
  if (spec.type == JointType::universal) {
    J_b = axes_along(spec.axis2, spec.axis);
    target = spec.axis.normalized().dot(spec.axis2.normalized());
  }
  const auto to_body = [&](BodyId id, const Mat3& axes_W) {
    return id.valid() ? Mat3(model_.body(id).X_WB.rotation.to_matrix().transpose() * axes_W) : axes_W;
  };
  const Vec3 at_a = spec.at_a.value_or(spec.at), at_b = spec.at_b.value_or(spec.at);
  JointFrames frames{arm_of(spec.a, at_a), arm_of(spec.b, at_b), to_body(spec.a, J), to_body(spec.b, J_b)};
  if (spec.type == JointType::distance) target = spec.length.value_or((at_b - at_a).norm());

  add_constraint(std::make_shared<Joint>(spec.name, spec.type, spec.a, spec.b, frames, target));
  if (!spec.collide && spec.a.valid()) ignore_pair(spec.a, spec.b);
}

}  // namespace tumble::model
