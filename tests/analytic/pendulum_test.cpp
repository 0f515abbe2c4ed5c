// Pendulums of rods: frequencies of the double one, and chains of up to 50 against their equations in angles,
//   sum_j a_ij (cos(t_i - t_j) t_j'' + sin(t_i - t_j) t_j'^2) + g b_i sin t_i = 0,   a_ij = sum_k m c_ki c_kj,  b_i = sum_k m c_ki
// with c_ki the part of rod i in the way to the centre of rod k, and each rod's own inertia on the diagonal: minimal
// coordinates, a dense matrix, another integrator.
#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <boost/numeric/odeint.hpp>

#include "tumble/dynamics/equations_of_motion.h"
#include "tumble/model/joint_spec.h"
#include "tumble/model/model_builder.h"
#include "tumble/simulate/precise.h"
#include "tumble/simulate/start.h"

using namespace tumble;
using math::Vec3;
using model::BodyId;

namespace {

constexpr double kFall = 9.81;

// Rods of equal length, total length 1 m and mass 1 kg, at the given angles from straight down, in the plane that is
// turned about the vertical by `turn`.
model::Model pendulum(const std::vector<double>& angles, double turn, model::JointType type) {
  model::ModelBuilder builder;
  const double l = 1.0 / static_cast<double>(angles.size());
  const math::Quat plane = math::Quat::from_axis_angle(Vec3::UnitY(), turn);
  Vec3 tip = Vec3::Zero();
  BodyId last;
  for (size_t i = 0; i < angles.size(); ++i) {
    const math::Quat q = plane * math::Quat::from_axis_angle(Vec3::UnitZ(), angles[i]);
    const Vec3 along = q * Vec3(0, -l, 0);
    model::BodySpec rod;
    rod.name = "rod" + std::to_string(i);
    rod.X_WB = {q, tip + 0.5 * along};
    rod.inertia = model::GivenInertia{.mass = l, .moments = l * l * l * Vec3(1.0 / 12, 1.0 / 24, 1.0 / 12)};
    const BodyId id = builder.add_body(rod);
    const bool hinge = type == model::JointType::hinge;
    builder.add_joint({.name = "j" + std::to_string(i),
                       .type = type,
                       .a = last,
                       .b = id,
                       .at = tip,
                       .axis = hinge ? plane * Vec3::UnitZ() : Vec3(Vec3::Zero())});
    tip += along;
    last = id;
  }
  return builder.finish().value();
}

// Positions of the tip in the plane: across, up.
std::pair<double, double> reference_tip(std::vector<double> y, double end) {
  const size_t n = y.size();
  const double l = 1.0 / static_cast<double>(n), m = l;
  Eigen::MatrixXd c = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  for (Eigen::Index k = 0; k < c.rows(); ++k) {
    c.row(k).head(k).setConstant(l);
    c(k, k) = 0.5 * l;
  }
  Eigen::MatrixXd a = m * c.transpose() * c;
  a.diagonal().array() += m * l * l / 12;
  const Eigen::VectorXd b = m * c.colwise().sum().transpose();
  const auto slope = [&](const std::vector<double>& s, std::vector<double>& ds, double) {
    Eigen::MatrixXd A = a;
    Eigen::VectorXd right(a.rows());
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
      const auto ti = s[static_cast<size_t>(i)];
      right[i] = -kFall * b[i] * std::sin(ti);
      for (Eigen::Index j = 0; j < a.rows(); ++j) {
        const double tj = s[static_cast<size_t>(j)], wj = s[n + static_cast<size_t>(j)];
        A(i, j) *= std::cos(ti - tj);
        right[i] -= a(i, j) * std::sin(ti - tj) * wj * wj;
      }
    }
    const Eigen::VectorXd acceleration = A.ldlt().solve(right);
    for (size_t i = 0; i < n; ++i) ds[i] = s[n + i], ds[n + i] = acceleration[static_cast<Eigen::Index>(i)];
  };
  y.resize(2 * n, 0.0);
  namespace odeint = boost::numeric::odeint;
  odeint::integrate_adaptive(
      odeint::make_controlled<odeint::runge_kutta_fehlberg78<std::vector<double>>>(1e-12, 1e-12), slope, y,
      0.0, end, 1e-3);
  double across = 0, up = 0;
  for (size_t i = 0; i < n; ++i) across += l * std::sin(y[i]), up -= l * std::cos(y[i]);
  return {across, up};
}

double tip_error(const std::vector<double>& angles, std::pair<double, double> wanted_tip, double end,
                 double accuracy, model::JointType type) {
  constexpr double turn = 0.7;
  const model::Model model = pendulum(angles, turn, type);
  simulate::PreciseDriver driver(model, {.accuracy = accuracy});
  simulate::Control control;
  model::State state = simulate::prepare_start(model).value();
  while (state.time < end) REQUIRE(driver.step(state, control).good());
  driver.state_at(end, state);
  const BodyId last(angles.size() - 1);
  const double l = 1.0 / static_cast<double>(angles.size());
  const Vec3 tip = state.position(last) + state.orientation(last) * Vec3(0, -0.5 * l, 0);
  const auto [across, up] = wanted_tip;
  const Vec3 wanted = math::Quat::from_axis_angle(Vec3::UnitY(), turn) * Vec3(across, up, 0);
  return (tip - wanted).norm();
}

}  // namespace

TEST_CASE("both frequencies of a double pendulum at small angles") {
  // two rods of length and mass 1/2: (4/3 1/2; 1/2 1/3) m l^2 t'' + (3/2 0; 0 1/2) m g l t = 0
  const double l = 0.5;
  for (const int mode : {0, 1}) {
    // det(K - w2 M) = 0 with w2 in units of g/l: 7/36 w2^2 - 7/6 w2 + 3/4 = 0
    const double root = std::sqrt(49.0 / 36 - 7.0 / 12),
                 w2 = (7.0 / 6 + (mode == 0 ? -root : root)) / (7.0 / 18);
    const double ratio = (1.5 - 4.0 / 3 * w2) / (0.5 * w2);  // second angle over first
    const double w = std::sqrt(w2 * kFall / l);
    const double small = 1e-4;  // nonlinear change of the frequency: small^2
    const model::Model model = pendulum({small, small * ratio}, 0, model::JointType::hinge);
    simulate::PreciseDriver driver(model, {.accuracy = 1e-9});
    simulate::Control control;
    model::State state = simulate::prepare_start(model).value(), at = state;
    // after ten and a quarter periods the first angle passes zero; its slope there tells by how much it is early or late
    const double end = 10.25 * 2 * math::kPi / w;
    while (state.time < end) REQUIRE(driver.step(state, control).good());
    driver.state_at(end, at);
    const double angle = at.orientation(BodyId(0)).to_rotation_vector().z();
    const double rate = angular_velocity(model, at, BodyId(0)).z();
    CHECK(std::abs(rate) > 0.9 * small * w);
    CHECK(std::abs(angle / rate) / end < 1e-6);
  }
}

TEST_CASE("pendulums of 2 to 50 rods move as their equations in angles say") {
  for (const size_t n : {2, 3, 8, 25, 50}) {
    std::vector<double> angles(n, 1.2);
    for (size_t i = 0; i < n; ++i) angles[i] -= 0.5 * static_cast<double>(i) / static_cast<double>(n);
    const double end = n > 3 ? 1 : 3;
    const std::pair<double, double> wanted = reference_tip(angles, end);
    for (const double accuracy : {1e-6, 1e-9})
      for (const model::JointType type : {model::JointType::hinge, model::JointType::ball}) {
        const double error = tip_error(angles, wanted, end, accuracy, type);
        CHECK_MESSAGE(error < 10 * accuracy, n << " rods, accuracy " << accuracy << ": " << error);
      }
  }
}
