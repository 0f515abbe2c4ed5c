// Let c_ki be the length of rod i that lies on the path from the origin to the centre of rod k (its length,
// the distance of its centre, or zero):
//   a_ij = sum_k m_k c_ki c_kj + across_i [i = j],   b_i = sum_k m_k c_ki                                 (1)
// In a plane, with angles t_i:
//   sum_j a_ij (cos(t_i - t_j) t_j'' + sin(t_i - t_j) t_j'^2) + g b_i sin t_i = 0                         (2)
// In space, with unit vectors u_i: the spin s_i is constant, since forces act on the axis of the rod.
// Perpendicular to u_i,
//   sum_j a_ij u_j'' + along_i s_i u_i' x u_i = -g b_i e_y,   u_j'' = B_j x_j - |u_j'|^2 u_j              (3)
// where B_j are two directions perpendicular to u_j. There are as many unknowns x as degrees of freedom.
#include "support/pendulum.h"

#include <Eigen/Cholesky>
#include <boost/numeric/odeint.hpp>
#include <cmath>

namespace support {

namespace {

using Numbers = std::vector<double>;
using Eigen::Index;
using Eigen::Vector3d;

constexpr double kEarth = 9.81;  // m/s^2
constexpr double kReference =
    1e-12;  // error per step: at most a hundredth of the finest accuracy that is compared with it

struct Chain {
  Eigen::MatrixXd a;
  Eigen::VectorXd b;
  explicit Chain(const std::vector<Rod>& rods) {
    const auto n = static_cast<Index>(rods.size());
    Eigen::MatrixXd c = Eigen::MatrixXd::Zero(n, n);
    Eigen::VectorXd m(n), across(n);
    for (Index i = 0; i < n; ++i) {
      const Rod& rod = rods[static_cast<size_t>(i)];
      c.col(i).tail(n - i).setConstant(rod.length);
      c(i, i) = rod.centre;
      m[i] = rod.mass, across[i] = rod.across;
    }
    a = c.transpose() * m.asDiagonal() * c;
    a.diagonal() += across;
    b = c.transpose() * m;
  }
};

template <typename Slope>
void integrate(const Slope& slope, Numbers& y, double t_end) {
  namespace odeint = boost::numeric::odeint;
  using Method = odeint::runge_kutta_fehlberg78<Numbers>;
  odeint::integrate_adaptive(odeint::make_controlled<Method>(kReference, kReference), slope, y, 0.0, t_end,
                             1e-3);
}

}  // namespace

Numbers swing_in_plane(const std::vector<Rod>& rods, Numbers angles, double t_end) {
  const Chain chain(rods);
  const size_t n = rods.size();
  const auto slope = [&](const Numbers& s, Numbers& ds, double) {
    Eigen::MatrixXd A = chain.a;
    Eigen::VectorXd right(A.rows());
    for (Index i = 0; i < A.rows(); ++i) {
      const double ti = s[static_cast<size_t>(i)];
      right[i] = -kEarth * chain.b[i] * std::sin(ti);
      for (Index j = 0; j < A.rows(); ++j) {
        const double tj = s[static_cast<size_t>(j)], wj = s[n + static_cast<size_t>(j)];
        A(i, j) *= std::cos(ti - tj);
        right[i] -= chain.a(i, j) * std::sin(ti - tj) * wj * wj;
      }
    }
    const Eigen::VectorXd acceleration = A.llt().solve(right);
    for (size_t i = 0; i < n; ++i) ds[i] = s[n + i], ds[n + i] = acceleration[static_cast<Index>(i)];
  };
  angles.resize(2 * n, 0.0);
  integrate(slope, angles, t_end);
  angles.resize(n);
  return angles;
}

std::pair<double, double> tip_in_plane(const std::vector<Rod>& rods, const Numbers& angles) {
  double across = 0, up = 0;
  for (size_t i = 0; i < rods.size(); ++i)
    across += rods[i].length * std::sin(angles[i]), up -= rods[i].length * std::cos(angles[i]);
  return {across, up};
}

Vector3d swing_in_space(const std::vector<Rod>& rods, const std::vector<RodStart>& start, double t_end) {
  const Chain chain(rods);
  const auto n = static_cast<Index>(rods.size());
  using Columns = Eigen::Map<const Eigen::Matrix3Xd>;
  const auto slope = [&](const Numbers& s, Numbers& ds, double) {
    const Columns u(s.data(), 3, n), rate(s.data() + 3 * n, 3, n);
    Eigen::Matrix3Xd B(3, 2 * n), right(3, n), inward(3, n);
    for (Index i = 0; i < n; ++i) {
      const Vector3d axis = u.col(i).normalized();
      B.col(2 * i) = axis.unitOrthogonal();
      B.col(2 * i + 1) = axis.cross(B.col(2 * i));
      inward.col(i) = rate.col(i).squaredNorm() * axis;
    }
    right = inward * chain.a;
    Eigen::MatrixXd A(2 * n, 2 * n);
    Eigen::VectorXd x(2 * n);
    for (Index i = 0; i < n; ++i) {
      const double along = rods[static_cast<size_t>(i)].along * start[static_cast<size_t>(i)].spin;
      right.col(i) -= kEarth * chain.b[i] * Vector3d::UnitY() + along * rate.col(i).cross(u.col(i));
      x.segment<2>(2 * i) = B.middleCols<2>(2 * i).transpose() * right.col(i);
      for (Index j = 0; j <= i; ++j)
        A.block<2, 2>(2 * i, 2 * j) =
            chain.a(i, j) * B.middleCols<2>(2 * i).transpose() * B.middleCols<2>(2 * j);
    }
    A.selfadjointView<Eigen::Lower>().llt().solveInPlace(x);
    Eigen::Map<Eigen::Matrix3Xd> du(ds.data(), 3, n), ddu(ds.data() + 3 * n, 3, n);
    du = rate;
    for (Index i = 0; i < n; ++i) ddu.col(i) = B.middleCols<2>(2 * i) * x.segment<2>(2 * i) - inward.col(i);
  };
  Numbers y(static_cast<size_t>(6 * n));
  for (size_t i = 0; i < rods.size(); ++i)
    for (Index k = 0; k < 3; ++k) {
      y[3 * i + static_cast<size_t>(k)] = start[i].u[k];
      y[3 * (rods.size() + i) + static_cast<size_t>(k)] = start[i].rate[k];
    }
  integrate(slope, y, t_end);
  Vector3d tip = Vector3d::Zero();
  for (Index i = 0; i < n; ++i)
    tip += rods[static_cast<size_t>(i)].length * Columns(y.data(), 3, n).col(i).normalized();
  return tip;
}

}  // namespace support
