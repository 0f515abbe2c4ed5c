// A plane that moves with a body, or between two bodies, and the time for which the other body stays above
// it. See certificate.h for the mathematics.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tumble/collision/gjk.h"
#include "tumble/collision/parameters.h"
#include "tumble/collision/polyhedron.h"
#include "tumble/math/elementary.h"
#include "tumble/math/quat.h"

namespace tumble::collision::detail {

// One of the two convex sets at a time of the step, and the motion of its body.
struct MovingSet {
  ConvexSet set;               // at its present pose
  double radius;               // of a rounding around the set
  math::Vec3 center, v, spin;  // of the body at present
  double deviation;
  bool is_plane = false;
  // Rotation of a solid of revolution about its own axis does not change the solid, if the axis passes
  // through the centre of mass. So w may be the spin minus a part p along the axis. The true pose then
  // differs from that of w by at most wobble t^2: the difference d of the axes obeys
  // d' = spin x d + p axis x axis', so |d| <= |p| |spin x axis| t^2/2.
  bool is_round = false;
  math::Vec3 w = math::Vec3::Zero();
  double wobble = 0;
  const CertificateParameters* par = nullptr;

  void update_angular_velocity() {
    w = spin, wobble = 0;
    if (!is_round) return;
    const math::Vec3 axis = set.R.col(1);
    const double along = axis.dot(spin);
    const math::Vec3 across = spin - along * axis;
    // For two points the rotation about the axis costs less than the wobble.
    if (set.kind == ConvexSet::Kind::points && across.norm() > par->rolling * std::abs(along)) return;
    set_rolling(0);
  }
  // Sets w to the spin with `rolling` (rad/s) in place of its component along the axis.
  void set_rolling(double rolling) {
    const math::Vec3 axis = set.R.col(1);
    const double along = axis.dot(spin);
    const math::Vec3 across = spin - along * axis;
    w = across + rolling * axis;
    const double reach = set.kind == ConvexSet::Kind::points
                             ? set.points[1].norm()
                             : math::sqrt(math::square(set.radius) + math::square(set.half_length));
    wobble = 0.5 * std::abs(along - rolling) * across.norm() * ((set.p - center).norm() + reach);
  }

  MovingSet at(double t) const {
    MovingSet later = *this;
    later.center = center + t * v;
    if (!spin.isZero(0)) {
      const math::Mat3 rotation = math::Quat::from_rotation_vector(t * spin).to_matrix();
      later.set.R = rotation * set.R;
      later.set.p = later.center + rotation * (set.p - center);
      later.update_angular_velocity();
    } else {
      later.set.p = set.p + t * v;
    }
    return later;
  }
};

// Time derivatives 1 to 3 of a point fixed in a rotating body, without the velocity of the body's centre.
struct PointDerivatives {
  math::Vec3 d1, d2, d3;
  double arm;
  PointDerivatives(const math::Vec3& w, const math::Vec3& r)
      : d1(w.cross(r)), d2(w.cross(d1)), d3(w.cross(d2)), arm(r.norm()) {}
};

// A normal that rotates with time: n(t) and three derivatives at present, with bounds |n^(k)| <= scale rate^k
// and |n(t)| <= 1 + s1 t + s2 t^2/2 + s3 t^3/6 + s4 t^4/24.
struct RotatingNormal {
  math::Vec3 n0, n1, n2, n3;
  double rate, scale = 1, s1 = 0, s2 = 0, s3 = 0, s4 = 0;

  // Fixed in a body with angular velocity w.
  static RotatingNormal carried(const math::Vec3& n, const math::Vec3& w) {
    const math::Vec3 n1 = w.cross(n), n2 = w.cross(n1);
    return {n, n1, n2, w.cross(n2), w.norm()};
  }
  // Perpendicular to two directions, each fixed in a body and unit at present: the normal of two edges that
  // rotate against each other.
  static RotatingNormal across(const math::Vec3& a, const math::Vec3& wa, const math::Vec3& b,
                               const math::Vec3& wb) {
    const PointDerivatives x(wa, a), y(wb, b);
    const math::Vec3 n0 = a.cross(b), n1 = x.d1.cross(b) + a.cross(y.d1),
                     n2 = x.d2.cross(b) + 2 * x.d1.cross(y.d1) + a.cross(y.d2),
                     n3 = x.d3.cross(b) + 3 * x.d2.cross(y.d1) + 3 * x.d1.cross(y.d2) + a.cross(y.d3);
    const double scale = 1 / n0.norm(), va = wa.norm(), vb = wb.norm(), size = scale * x.arm * y.arm;
    // With q = n0 + n1 t + n2 t^2/2, |q| <= (1 + |q|^2)/2. The remainder of n(t) is bounded by its third
    // derivative. Those of a direction are at most |w x a| |w|^(k - 1): spin about its own axis hardly
    // rotates it.
    const double ta = x.d1.norm(), tb = y.d1.norm(),
                 third = scale *
                         (ta * va * va * y.arm + 3 * ta * va * tb + 3 * ta * tb * vb + x.arm * tb * vb * vb),
                 scale2 = scale * scale;
    return {scale * n0,
            scale * n1,
            scale * n2,
            scale * n3,
            va + vb,
            size,
            scale2 * n0.dot(n1),
            scale2 * (n1.squaredNorm() + n0.dot(n2)),
            3 * scale2 * n1.dot(n2) + third,
            3 * scale2 * n2.squaredNorm()};
  }
  RotatingNormal operator-() const { return {-n0, -n1, -n2, -n3, rate, scale, s1, s2, s3, s4}; }
};

// How long one set stays above a plane through a point of the other.
class CarriedPlane {
 public:
  CarriedPlane(const MovingSet& carrier, const MovingSet& other, const math::Vec3& n,
               const math::Vec3& through)
      : CarriedPlane(carrier, other, RotatingNormal::carried(n, carrier.w), through) {}
  CarriedPlane(const MovingSet& carrier, const MovingSet& other, const RotatingNormal& n,
               const math::Vec3& through)
      : other_(other),
        through_(through),
        through_derivatives_(carrier.w, through - carrier.center),
        v_(other.v - carrier.v),
        wc_(carrier.w.norm()),
        wo_(other.w.norm()),
        wobble_(carrier.wobble + other.wobble),
        n_(n) {}

  // The largest time up to T for which every point stays above `level`. All points are above it at present.
  double time_above(double level, double T) const {
    return other_.set.kind == ConvexSet::Kind::points ? time_above_except(-1, -1, level, T)
                                                      : time_of_solid(level, T);
  }
  // The same without two points that are known to stay above.
  double time_above_except(int first, int second, double level, double T) const {
    if (other_.set.searched) {
      std::vector<uint32_t> near;
      other_.set.searched->visit_vertices(
          [&](const Polyhedron::OrientedBox& box) { return stays_above(box, level, T); },
          [&](uint32_t v) { near.push_back(v); });
      std::sort(near.begin(), near.end());
      for (const uint32_t v : near)
        if (const int i = static_cast<int>(v); i != first && i != second && T > 0)
          T = time_of_point(other_.set.R * other_.set.points[i] + other_.set.p, level, T);
      return T;
    }
    for (int i = 0; i < other_.set.count && T > 0; ++i)
      if (i != first && i != second)
        T = time_of_point(other_.set.R * other_.set.points[i] + other_.set.p, level, T);
    return T;
  }
  // Does a box of the other body stay above `level` up to T? Seen from that body the normal is m(t), with
  // |m''| <= scale (rate + w_o)^2. The lowest corner d of the box adds m.d to the height of its middle.
  bool stays_above(const Polyhedron::OrientedBox& box, double level, double T) const {
    const math::Mat3 axes = other_.set.R * box.to_box.topRows<3>().transpose();
    const math::Vec3 half = box.half.head<3>(), m1 = n_.n1 - other_.w.cross(n_.n0);
    Series f = expand(other_.set.R * box.center.head<3>() + other_.set.p, T);
    f.f0 -= (axes.transpose() * n_.n0).cwiseAbs().dot(half);
    if (!(f.f0 > level)) return false;
    f.f1 -= (axes.transpose() * m1).cwiseAbs().dot(half);
    f.f2 -= n_.scale * math::square(n_.rate + wo_) * half.norm();
    return above(f, level, T);
  }
  // Does a point of the other body stay above `level` up to T?
  bool stays_above(const math::Vec3& point, double level, double T) const {
    return above(expand(point, T), level, T);
  }

 private:
  struct Series {
    double f0, f1, f2, f3, M;
  };
  using Bernstein = std::array<double, 5>;
  Series expand(const math::Vec3& point, double T) const {
    const PointDerivatives s(other_.w, point - other_.center);
    const math::Vec3 D0 = point - through_, D1 = v_ + s.d1 - through_derivatives_.d1,
                     D2 = s.d2 - through_derivatives_.d2, D3 = s.d3 - through_derivatives_.d3;
    Series f;
    f.f0 = n_.n0.dot(D0);
    f.f1 = n_.n1.dot(D0) + n_.n0.dot(D1);
    f.f2 = n_.n2.dot(D0) + 2 * n_.n1.dot(D1) + n_.n0.dot(D2) - 2 * wobble_;
    f.f3 = n_.n3.dot(D0) + 3 * n_.n2.dot(D1) + 3 * n_.n1.dot(D2) + n_.n0.dot(D3);
    const double wc2 = wc_ * wc_, wo2 = wo_ * wo_, r = n_.rate, r2 = r * r;
    const double m1 = v_.norm() + wo_ * s.arm + wc_ * through_derivatives_.arm, m0 = D0.norm() + T * m1,
                 m2 = wo2 * s.arm + wc2 * through_derivatives_.arm,
                 m3 = wo2 * wo_ * s.arm + wc2 * wc_ * through_derivatives_.arm,
                 m4 = wo2 * wo2 * s.arm + wc2 * wc2 * through_derivatives_.arm;
    f.M = n_.scale * (r2 * r2 * m0 + 4 * r2 * r * m1 + 6 * r2 * m2 + 4 * r * m3 + m4);
    return f;
  }
  // Are all Bernstein coefficients of (1) over [0, T] above the level?
  bool above(const Series& f, double level, double T) const {
    const Bernstein c = coefficients(f, level, T);
    return c[0] >= 0 && c[1] >= 0 && c[2] >= 0 && c[3] >= 0 && c[4] >= 0;
  }
  Bernstein coefficients(const Series& f, double level, double T) const {
    const double a0 = f.f0 - level, a1 = (f.f1 - n_.s1 * level) * T,
                 a2 = 0.5 * (f.f2 - n_.s2 * level) * T * T, a3 = (f.f3 - n_.s3 * level) * T * T * T / 6,
                 a4 = -(f.M + n_.s4 * level) * T * T * T * T / 24;
    return {a0, a0 + a1 / 4, a0 + a1 / 2 + a2 / 6, a0 + 3 * a1 / 4 + a2 / 2 + a3 / 4, a0 + a1 + a2 + a3 + a4};
  }
  template <typename Above>
  static double find_longest(double T, Above&& holds) {
    if (holds(T)) return T;
    double good = 0, bad = T;
    for (int k = 0; k < kTimeBisections; ++k) {
      const double middle = 0.5 * (good + bad);
      (holds(middle) ? good : bad) = middle;
    }
    return good;
  }
  double time_of_point(const math::Vec3& point, double level, double T) const {
    const Series f = expand(point, T);
    return find_longest(T, [&](double t) { return above(f, level, t); });
  }
  // The height of a cylinder or cone above a plane with normal m is g(m), a concave function of the direction
  // m in the frame of the solid. If m(t) is a cubic curve with control points m_i, then g(m(t)) >= sum B_i(t)
  // g(m_i). This polynomial is added to that of the solid's centre. The deviation of the direction from the
  // cubic is bounded by its fourth derivative.
  double time_of_solid(double level, double T) const {
    const math::Vec3& w = other_.w;
    const math::Vec3 &n0 = n_.n0, &n1 = n_.n1, &n2 = n_.n2, w0 = w.cross(n0), w1 = w.cross(n1),
                     ww0 = w.cross(w0);
    const math::Vec3 m1 = n1 - w0, m2 = n2 - 2 * w1 + ww0,
                     m3 = n_.n3 - 3 * w.cross(n2) + 3 * w.cross(w1) - w.cross(ww0);
    const double rate = n_.rate + wo_, fastest = n_.scale * rate * rate * rate * rate;
    ConvexSet solid = other_.set;
    const math::Vec3 middle = solid.p;
    solid.p = math::Vec3::Zero();
    const double size = math::sqrt(math::square(solid.radius) + math::square(solid.half_length));
    const Series f = expand(middle, T);
    return find_longest(T, [&](double t) {
      const auto height = [&](const math::Vec3& m) { return -solid.reach(-m); };
      const double g0 = height(n_.n0), g1 = height(n_.n0 + t / 3 * m1),
                   g2 = height(n_.n0 + 2 * t / 3 * m1 + t * t / 6 * m2),
                   g3 = height(n_.n0 + t * m1 + t * t / 2 * m2 + t * t * t / 6 * m3);
      const Bernstein c = coefficients(f, level, t);
      return c[0] + g0 >= 0 && c[1] + 0.25 * g0 + 0.75 * g1 >= 0 && c[2] + 0.5 * (g1 + g2) >= 0 &&
             c[3] + 0.75 * g2 + 0.25 * g3 >= 0 && c[4] + g3 - fastest * t * t * t * t / 24 * size >= 0;
    });
  }

  const MovingSet& other_;
  math::Vec3 through_;
  PointDerivatives through_derivatives_;
  math::Vec3 v_;
  double wc_, wo_, wobble_;
  RotatingNormal n_;
};

}  // namespace tumble::collision::detail
