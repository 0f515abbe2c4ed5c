#include "support/free_body.h"

#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/math/special_functions/jacobi_elliptic.hpp>
#include <cmath>
#include <utility>

namespace support {

namespace {

// Gauss-Legendre nodes and weights on [-1, 1], ten points. The integrand is analytic and panels are short.
constexpr Real kNode[] = {0.1488743389816312108848260011297200L, 0.4333953941292471907992659431657842L,
                          0.6794095682990244062343273651148736L, 0.8650633666889845107320966884234930L,
                          0.9739065285171717200779640120844521L};
constexpr Real kWeight[] = {0.2955242247147528701738929946513383L, 0.2692667193099963550912269215694694L,
                            0.2190863625159820439955349342281632L, 0.1494513491505805931457763396576973L,
                            0.0666713443086881375935688098933318L};

Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace

FreeBody::FreeBody(const Vector& moments, const Vector& omega) {
  // Axes in ascending order of moments, or in descending order if the motion circles the smallest one.
  axis_ = {0, 1, 2};
  for (int i : {0, 1, 0})
    if (moments[axis_[i]] > moments[axis_[i + 1]]) std::swap(axis_[i], axis_[i + 1]);
  const auto I = [&](int i) { return moments[axis_[i]]; };
  const auto w = [&](int i) { return omega[axis_[i]]; };
  const Real side = I(0) * (I(0) - I(1)) * w(0) * w(0) + I(2) * (I(2) - I(1)) * w(2) * w(2);  // M^2 - 2 E I2
  if (side < 0) std::swap(axis_[0], axis_[2]);
  // Signs that keep the axes right-handed and make the third component of omega positive.
  const bool even = (axis_[0] + 1) % 3 == axis_[1];
  const Real third = omega[axis_[2]] < 0 ? -1 : 1;
  sign_ = {1, (even ? 1 : -1) * third, third};
  Vector o;
  for (int i = 0; i < 3; ++i) moments_[i] = moments[axis_[i]], o[i] = sign_[i] * omega[axis_[i]];

  const auto [a, b, c] = moments_;
  energy_ = (a * o[0] * o[0] + b * o[1] * o[1] + c * o[2] * o[2]) / 2;
  momentum_ = std::hypot(a * o[0], b * o[1], c * o[2]);
  const Real p = a * (c - a) * o[0] * o[0] + b * (c - b) * o[1] * o[1];  // 2 E I3 - M^2
  const Real r = b * (b - a) * o[1] * o[1] + c * (c - a) * o[2] * o[2];  // M^2 - 2 E I1
  amplitude_ = {std::sqrt(p / (a * (c - a))), std::sqrt(p / (b * (c - b))), std::sqrt(r / (c * (c - a)))};
  rate_ = std::sqrt((c - b) * r / (a * b * c));
  // L&L write the equations for ascending moments. For descending ones the direction of time changes sign
  // with (c - b).
  if (c < b) rate_ = -rate_;
  modulus_ = std::sqrt((b - a) * p / ((c - b) * r));
  const Real amplitude = std::atan2(o[1] / amplitude_[1], o[0] / amplitude_[0]);
  phase_ = boost::math::ellint_1(modulus_, amplitude);
  // The permuted axes at the start, in the frame of the angular momentum.
  start_ = body_to_momentum(0, 0);
}

Vector FreeBody::omega_permuted(Real t) const {
  Real cn = 0, dn = 0;
  const Real sn = boost::math::jacobi_elliptic(modulus_, rate_ * t + phase_, &cn, &dn);
  return {amplitude_[0] * cn, amplitude_[1] * sn, amplitude_[2] * dn};
}

Vector FreeBody::omega_body(Real t) const {
  const Vector o = omega_permuted(t);
  Vector omega;
  for (int i = 0; i < 3; ++i) omega[axis_[i]] = sign_[i] * o[i];
  return omega;
}

Real FreeBody::precession_rate(Real t) const {
  const Vector o = omega_permuted(t);
  const Real x = moments_[0] * o[0], y = moments_[1] * o[1];
  return momentum_ * (x * o[0] + y * o[1]) / (x * x + y * y);
}

Matrix FreeBody::body_to_momentum(Real t, Real precession) const {
  // Columns of the inverse: the direction of M in the body, and a reference direction rotated by the
  // precession angle.
  const Vector o = omega_permuted(t);
  Vector m;
  for (int i = 0; i < 3; ++i) m[i] = moments_[i] * o[i] / momentum_;
  // Node line: perpendicular to M and to the third axis. It rotates about M at the precession rate.
  const Real s = std::hypot(m[0], m[1]);
  const Vector node = {m[1] / s, -m[0] / s, 0};  // in body axes: m x e3, normalised
  const Vector other = cross(m, node);
  const Real cosine = std::cos(precession), sine = std::sin(precession);
  Matrix R;  // rows: the frame of M expressed in body axes
  for (int i = 0; i < 3; ++i) {
    R[0][i] = cosine * node[i] - sine * other[i];
    R[1][i] = sine * node[i] + cosine * other[i];
    R[2][i] = m[i];
  }
  return R;
}

Matrix FreeBody::orientation(Real t) {
  // Integrate the precession angle in short panels.
  const Real panel = 0.05L / std::abs(rate_);
  while (time_ < t) {
    const Real h = std::min(panel, t - time_), middle = time_ + h / 2;
    Real sum = 0;
    for (int i = 0; i < 5; ++i)
      sum += kWeight[i] *
             (precession_rate(middle + h / 2 * kNode[i]) + precession_rate(middle - h / 2 * kNode[i]));
    precession_ += h / 2 * sum;
    time_ = h < panel ? t : time_ + h;
  }
  // World = start axes: R(t) = start^T * now, then back from permuted to body axes.
  const Matrix now = body_to_momentum(t, precession_);
  Matrix R{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      Real sum = 0;
      for (int k = 0; k < 3; ++k) sum += start_[k][i] * now[k][j];
      R[axis_[i]][axis_[j]] = sign_[i] * sign_[j] * sum;
    }
  return R;
}

}  // namespace support
