// How far four oriented boxes of one body are from a box of another, along the normals of all faces: the
// separating axis test without the crossed edges, one SIMD lane a box.
#pragma once

#include <limits>

#include "tumble/collision/detail/lanes.h"
#include "tumble/collision/nested_rounds.h"
#include "tumble/collision/polyhedron.h"

namespace tumble::collision::detail {

// Vectors are in the axes of the one box. Gaps are distances of the middles minus half the widths of both
// boxes; negative where the boxes overlap.
class QuadGaps {
 public:
  /// `motion`: of the body of the four boxes, in the frame of the body of the one box.
  QuadGaps(const Polyhedron::OrientedBox& one, const Polyhedron::BoxQuad& four, const RelativeMotion& motion)
      : one_(one), four_(four), motion_(motion) {
    Eigen::Matrix<double, 4, 3> turned;
    for (int k = 0; k < 3; ++k) turned.col(k) = to_box(motion.R.col(k));
    const Eigen::Vector4d origin = to_box(motion.p - one.center.head<3>());
    for (int i = 0; i < 3; ++i) {
      const double x = turned(i, 0), y = turned(i, 1), z = turned(i, 2);
      for (int k = 0; k < 3; ++k)
        axes_[k][i] = x * four.axes[k][0] + y * four.axes[k][1] + z * four.axes[k][2];
      middle_[i] = origin[i] + x * four.center[0] + y * four.center[1] + z * four.center[2];
    }
    for (int i = 0; i < 3; ++i) {
      along_one_[i] = abs(middle_[i]) - one.half[i] - abs(axes_[0][i]) * four.half[0] -
                      abs(axes_[1][i]) * four.half[1] - abs(axes_[2][i]) * four.half[2];
      across_[i] = axes_[i][0] * middle_[0] + axes_[i][1] * middle_[1] + axes_[i][2] * middle_[2];
      along_four_[i] = abs(across_[i]) - four.half[i] - abs(axes_[i][0]) * one.half[0] -
                       abs(axes_[i][1]) * one.half[1] - abs(axes_[i][2]) * one.half[2];
    }
  }

  /// The largest gap of each box.
  Lanes largest() const {
    return max(max(max(along_one_[0], along_one_[1]), along_one_[2]),
               max(max(along_four_[0], along_four_[1]), along_four_[2]));
  }

  /// A face of the one box and one of each of the four, with the largest gaps, carried by their bodies for a
  /// time h: by how much the other box stays above `level`, now and then, for the better of the two. Points
  /// of the other body move on straight lines, seen from the carrier, up to a deviation.
  Lanes clearance(double level, double h, double deviation_of_one, double deviation_of_four) const {
    const Eigen::Vector4d w = to_box(motion_.turn), v = to_box(motion_.speed_at(one_.center.head<3>()));
    // Of the one box: the axis e, and e x w. Relative to it, b moves at v + w x middle.
    Lanes gap = along_one_[0], place = middle_[0], speed = same(v[0]),
          across[] = {same(0), same(-w[2]), same(w[1])};
    for (int i = 1; i < 3; ++i) {
      const LaneBits wider = along_one_[i] > gap;
      gap = wider ? along_one_[i] : gap, place = wider ? middle_[i] : place;
      speed = wider ? same(v[i]) : speed;
      const double e_w[2][3] = {{w[2], 0, -w[0]}, {-w[1], w[0], 0}};
      for (int k = 0; k < 3; ++k) across[k] = wider ? same(e_w[i - 1][k]) : across[k];
    }
    const auto along = [](const Lanes* x, const Lanes* y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; };
    const Lanes rate = speed + along(across, middle_);
    Lanes spread = abs(along(across, axes_[0])) * four_.half[0] +
                   abs(along(across, axes_[1])) * four_.half[1] +
                   abs(along(across, axes_[2])) * four_.half[2];
    const Lanes of_one =
        min(gap - level, gap + h * (signed_by(rate, place) - spread) - (level + deviation_of_one));

    Lanes n[] = {axes_[0][0], axes_[0][1], axes_[0][2]};
    gap = along_four_[0], place = across_[0];
    for (int i = 1; i < 3; ++i) {
      const LaneBits wider = along_four_[i] > gap;
      gap = wider ? along_four_[i] : gap, place = wider ? across_[i] : place;
      for (int k = 0; k < 3; ++k) n[k] = wider ? axes_[i][k] : n[k];
    }
    spread = abs(w[1] * n[2] - w[2] * n[1]) * one_.half[0] + abs(w[2] * n[0] - w[0] * n[2]) * one_.half[1] +
             abs(w[0] * n[1] - w[1] * n[0]) * one_.half[2];
    speed = n[0] * v[0] + n[1] * v[1] + n[2] * v[2];
    return max(of_one,
               min(gap - level, gap + h * (signed_by(speed, place) - spread) - (level + deviation_of_four)));
  }

  /// A face, and its normal in the frame of the one box's body, away from the other box.
  struct Face {
    double gap = -std::numeric_limits<double>::infinity();
    int axis = 0;
    math::Vec3 normal;
  };
  /// The face of the one box with the largest gap to a box, and the other way round.
  Face face_of_one(int lane) const {
    Face face;
    for (int i = 0; i < 3; ++i)
      if (along_one_[i][lane] > face.gap) face.gap = along_one_[i][lane], face.axis = i;
    face.normal = one_.to_box.row(face.axis).transpose() * (middle_[face.axis][lane] < 0 ? -1.0 : 1.0);
    return face;
  }
  Face face_of_four(int lane) const {
    Face face;
    for (int i = 0; i < 3; ++i)
      if (along_four_[i][lane] > face.gap) face.gap = along_four_[i][lane], face.axis = i;
    const Lanes* n = axes_[face.axis];
    face.normal = one_.to_box.topRows<3>().transpose() * math::Vec3(n[0][lane], n[1][lane], n[2][lane]) *
                  (across_[face.axis][lane] < 0 ? 1.0 : -1.0);
    return face;
  }

 private:
  Eigen::Vector4d to_box(const math::Vec3& x) const {
    return one_.to_box.col(0) * x[0] + one_.to_box.col(1) * x[1] + one_.to_box.col(2) * x[2];
  }

  const Polyhedron::OrientedBox& one_;
  const Polyhedron::BoxQuad& four_;
  const RelativeMotion& motion_;
  Lanes axes_[3][3];                    // of the four boxes
  Lanes middle_[3];                     // of the four boxes, from that of the one
  Lanes across_[3];                     // the same along the axes of the four boxes
  Lanes along_one_[3], along_four_[3];  // gaps along the axes of the one box, and of the four
};

}  // namespace tumble::collision::detail
