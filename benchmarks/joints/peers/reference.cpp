// Independent integration of a chain of links with ball joints. It shares no code with the measured engines.
// The coordinates are the orientations of the links. Let u_i be the vector through link i from joint to
// joint, and -a_k the vector from the joint of link k to its centre. The centre of link k is
//   x_k = sum_{i<k} u_i - a_k = sum_i s_ki,   s_ki' = w_i x s_ki,   s_ki'' = alpha_i x s_ki + w_i x (w_i x
//   s_ki)        (1)
// and d'Alembert's principle for a small rotation of link i gives three equations per link,
//   sum_k m_k s_ki x (x_k'' - g) + I_i alpha_i + w_i x I_i w_i = 0
//              (2)
// They are linear in alpha with a dense matrix, and solved in extended precision.
#include <Eigen/LU>
#include <boost/numeric/odeint.hpp>

#include "joints/peers/chain.h"

namespace peers {

namespace {

using Number = long double;
using Vec3 = Eigen::Matrix<Number, 3, 1>;
using Mat3 = Eigen::Matrix<Number, 3, 3>;
using Matrix = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Number, Eigen::Dynamic, 1>;
using Quat = Eigen::Quaternion<Number>;
using State = std::vector<Number>;  // of each link: quaternion w x y z, angular velocity in world axes

Mat3 cross_matrix(const Vec3& v) {
  Mat3 m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

class Equations {
 public:
  explicit Equations(const Chain& chain)
      : chain_(&chain),
        matrix_(3 * static_cast<Eigen::Index>(size()), 3 * static_cast<Eigen::Index>(size())),
        right_(matrix_.rows()) {}

  size_t size() const { return chain_->links.size(); }

  void operator()(const State& y, State& slope, Number) {
    const size_t n = size();
    std::vector<Vec3> through(n), to_center(n), w(n);
    matrix_.setZero();
    right_.setZero();
    for (size_t i = 0; i < n; ++i) {
      const Link& link = chain_->links[i];
      const Number* s = &y[7 * i];
      const Quat q = Quat(s[0], s[1], s[2], s[3]).normalized();
      const Mat3 R = q.toRotationMatrix();
      w[i] = Vec3(s[4], s[5], s[6]);
      to_center[i] = R * -link.above.cast<Number>();
      through[i] = R * (link.below - link.above).cast<Number>();
      const Mat3 I = R * link.moments.cast<Number>().asDiagonal() * R.transpose();
      block(i, i) += I;
      right_.segment<3>(at(i)) -= w[i].cross(I * w[i]);
      const Quat rate = Quat(0, w[i].x(), w[i].y(), w[i].z()) * Quat(s[0], s[1], s[2], s[3]);
      slope[7 * i] = rate.w() / 2;
      for (int k = 0; k < 3; ++k) slope[7 * i + 1 + static_cast<size_t>(k)] = rate.vec()[k] / 2;
    }
    const Vec3 fall(0, -Number(kGravity), 0);
    for (size_t k = 0; k < n; ++k) {
      const Number mass = Number(chain_->links[k].mass);
      const auto arm = [&](size_t i) -> const Vec3& { return i < k ? through[i] : to_center[k]; };
      Vec3 known = -fall;  // x_k'' - g without alpha
      for (size_t j = 0; j <= k; ++j) known += w[j].cross(w[j].cross(arm(j)));
      for (size_t i = 0; i <= k; ++i) {
        const Mat3 S = mass * cross_matrix(arm(i));
        right_.segment<3>(at(i)) -= S * known;
        for (size_t j = 0; j <= k; ++j) block(i, j) -= S * cross_matrix(arm(j));
      }
    }
    const Vector alpha = matrix_.partialPivLu().solve(right_);
    for (size_t i = 0; i < n; ++i)
      for (size_t k = 0; k < 3; ++k) slope[7 * i + 4 + k] = alpha[static_cast<Eigen::Index>(3 * i + k)];
  }

 private:
  static Eigen::Index at(size_t i) { return static_cast<Eigen::Index>(3 * i); }
  Eigen::Block<Matrix, 3, 3> block(size_t i, size_t j) { return matrix_.block<3, 3>(at(i), at(j)); }

  const Chain* chain_;
  Matrix matrix_;
  Vector right_;
};

}  // namespace

std::vector<Place> integrate_reference(const Chain& chain, int steps) {
  State y;
  for (const Link& link : chain.links) {
    const Quaterniond& q = link.rotation;
    const Vector3d& w = link.angular_velocity;
    for (const double number : {q.w(), q.x(), q.y(), q.z(), w.x(), w.y(), w.z()}) y.push_back(Number(number));
  }
  boost::numeric::odeint::runge_kutta_fehlberg78<State, Number> method;
  Equations equations(chain);
  const Number h = Number(chain.duration) / Number(steps);
  for (int i = 0; i < steps; ++i) method.do_step(std::ref(equations), y, h * Number(i), h);
  std::vector<Quaterniond> rotations;
  for (size_t i = 0; i < chain.links.size(); ++i)
    rotations.push_back(Quat(y[7 * i], y[7 * i + 1], y[7 * i + 2], y[7 * i + 3]).normalized().cast<double>());
  return place_links(chain, rotations);
}

}  // namespace peers
