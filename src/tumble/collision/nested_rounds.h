// A patch of a round surface inside a hollow one, as of a ball in its bowl. Boxes around patches of the two
// overlap far from the point where they touch; spheres fitted to them do not.
#pragma once

#include <algorithm>
#include <limits>

#include "tumble/collision/polyhedron.h"
#include "tumble/math/elementary.h"

namespace tumble::collision {

// The motion of one body as seen in the frame of another, for a time h.
struct RelativeMotion {
  math::Mat3 R;
  math::Vec3 p;
  math::Vec3 velocity = math::Vec3::Zero(), turn = math::Vec3::Zero();  // of p (m/s); angular (rad/s)
  math::Vec3 speed_at(const math::Vec3& x) const { return velocity + turn.cross(x - p); }
};

// A cone of directions that may rotate by up to some angle.
struct DirectionCone {
  math::Vec3 axis;
  double cosine, sine;  // of the angle to the axis
  void widen(double angle_cosine, double angle_sine) {
    const double wider = cosine * angle_cosine - sine * angle_sine;
    sine = sine * angle_cosine + cosine * angle_sine, cosine = wider;
  }
  // The largest x.y over unit vectors y of the cone.
  double reach(const math::Vec3& x) const {
    const double square = x.squaredNorm(), length = math::sqrt(square), along = axis.dot(x);
    if (along >= length * cosine) return length;
    return along * cosine + sine * math::sqrt(std::max(0.0, square - along * along));
  }
};

// Does a bulging patch stay inside a hollow one by more than `level`, while its centre, seen from that of the
// hollow one, moves on a straight line from `from` to `to`? A point of the bulging patch is at most
// from + outer y from the hollow one's centre, with y in the cone of the patch; for each y the distance is
// largest at an end of the line. A point of the hollow patch is at least inner z from its centre.
inline bool stays_inside(double outer, const DirectionCone& bulging, double inner,
                         const DirectionCone& hollow, const math::Vec3& from, const math::Vec3& to,
                         double level) {
  if (!(inner > level)) return false;
  const double within = math::square(inner - level), beyond = math::square(outer + level);
  double most = 0, least = std::numeric_limits<double>::infinity();
  for (const math::Vec3* d : {&from, &to}) {
    const double far = d->squaredNorm(), z = hollow.reach(*d);
    most = std::max(most, outer * outer + 2 * outer * std::max(0.0, bulging.reach(*d)) + far);
    least = z < inner ? std::min(least, inner * inner - 2 * inner * z + far) : 0;
  }
  return most < within || least - 0.25 * (to - from).squaredNorm() > beyond;
}

// Do spheres fitted to the patches of two nodes show that these stay apart by more than `level` for a time h?
// Rotations in that time are below the angle given by its cosine and sine.
inline bool are_nested(const Polyhedron::Round& one, const Polyhedron::Round& other,
                       const RelativeMotion& motion, double h, double angle_cosine, double angle_sine,
                       double level) {
  const bool inside = one.hollow && other.bulging, around = one.bulging && other.hollow;
  if (!inside && !around) return false;
  const math::Vec3 there = motion.R * other.center + motion.p;
  const math::Vec3 from = there - one.center, to = from + h * motion.speed_at(there);
  DirectionCone own = {one.axis, one.cosine, one.sine},
                others = {motion.R * other.axis, other.cosine, other.sine};
  own.widen(angle_cosine, angle_sine), others.widen(angle_cosine, angle_sine);
  if (!(own.cosine > 0 && others.cosine > 0)) return false;
  return (inside && stays_inside(other.outer, others, one.inner, own, from, to, level)) ||
         (around && stays_inside(one.outer, own, other.inner, others, -from, -to, level));
}

}  // namespace tumble::collision
