// Random impacts, for tests of the impact law.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "tumble/dynamics/solvers/impact_solver.h"
#include "tumble/math/quat.h"

namespace tumble::test {

using dynamics::ConeConstraint;
using dynamics::KktSolver;
using dynamics::kNone;
using math::Mat3;
using math::Vec3;

// Bodies with masses and inertias, and contacts between them.
struct Crash {
  static constexpr double kSlowest = 1e-9, kTolerance = 1e-9;  // m/s; of the largest impulse
  std::vector<Vec3> centers;
  std::vector<double> masses;
  std::vector<Mat3> inertias;
  std::vector<double> v;
  std::vector<dynamics::ImpactLaw> laws;
  std::vector<ConeConstraint> rows;
  std::vector<std::tuple<int, int, Vec3>> balls;  // joints
  KktSolver matrix;
  dynamics::ContactSolver solver;

  void add_body(const Vec3& at, double mass, const Mat3& inertia, const Vec3& velocity,
                const Vec3& spin = Vec3::Zero()) {
    centers.push_back(at), masses.push_back(mass), inertias.push_back(inertia);
    for (const Vec3& u : {velocity, spin})
      for (int k = 0; k < 3; ++k) v.push_back(u[k]);
  }
  void add_contact(int a, int b, const Vec3& point, const Vec3& normal, double friction, double e) {
    ConeConstraint row;
    row.a = a, row.b = b, row.friction = friction;
    Vec3 axes[3] = {normal.normalized(), {}, {}};
    axes[1] = axes[0].cross(std::abs(axes[0].x()) < 0.6 ? Vec3::UnitX() : Vec3::UnitY()).normalized();
    axes[2] = axes[0].cross(axes[1]);
    for (int k = 0; k < 3; ++k) {
      if (a != kNone)
        row.G_a.row(k) << axes[k].transpose(),
            (point - centers[static_cast<size_t>(a)]).cross(axes[k]).transpose();
      if (b != kNone)
        row.G_b.row(k) << -axes[k].transpose(),
            -(point - centers[static_cast<size_t>(b)]).cross(axes[k]).transpose();
    }
    rows.push_back(row), laws.push_back({e, kSlowest});
  }
  void add_ball_joint(int a, int b, const Vec3& at) { balls.emplace_back(a, b, at); }
  // Sets up masses and joints, and projects velocities on the joints.
  void begin() {
    std::vector<std::pair<int, int>> pairs;
    for (const ConeConstraint& row : rows)
      if (row.a != kNone && row.b != kNone) pairs.emplace_back(row.a, row.b);
    std::vector<KktSolver::Rows> joints;
    for (const auto& ball : balls) joints.push_back({std::get<0>(ball), std::get<1>(ball), 3});
    matrix.set_pattern(centers.size(), pairs, joints);
    for (size_t i = 0; i < centers.size(); ++i) {
      KktSolver::Block A = KktSolver::Block::Zero();
      A.topLeftCorner<3, 3>() = masses[i] * Mat3::Identity();
      A.bottomRightCorner<3, 3>() = inertias[i];
      matrix.set_diagonal(static_cast<int>(i), A);
    }
    for (size_t j = 0; j < balls.size(); ++j) {
      const auto [a, b, at] = balls[j];
      for (int k = 0; k < 3; ++k) {
        Eigen::Map<KktSolver::Vec6> on_a(matrix.J_a(j) + 6 * k), on_b(matrix.J_b(j) + 6 * k);
        const Vec3 axis = Vec3::Unit(k);
        on_a << axis, (at - centers[static_cast<size_t>(a)]).cross(axis);
        on_b << -axis, -(at - centers[static_cast<size_t>(b)]).cross(axis);
      }
    }
    std::vector<double> momenta(v.size(), 0.0), l(matrix.rows(), 0.0);
    matrix.subtract_product(v.data(), momenta.data());
    for (double& p : momenta) p = -p;
    matrix.clear_addition();
    matrix.factor();
    matrix.solve(momenta.data(), l.data());
    v = momenta;
  }
  dynamics::ImpactReport resolve() {
    begin();
    return dynamics::solve_impacts(matrix, rows, laws, kTolerance, solver, v);
  }
  double energy() const {
    double sum = 0;
    for (size_t i = 0; i < centers.size(); ++i) {
      const Vec3 u(v[6 * i], v[6 * i + 1], v[6 * i + 2]), w(v[6 * i + 3], v[6 * i + 4], v[6 * i + 5]);
      sum += 0.5 * masses[i] * u.squaredNorm() + 0.5 * w.dot(inertias[i] * w);
    }
    return sum;
  }
  // Linear momentum, and angular momentum about the origin.
  std::pair<Vec3, Vec3> momenta() const {
    Vec3 P = Vec3::Zero(), L = Vec3::Zero();
    for (size_t i = 0; i < centers.size(); ++i) {
      const Vec3 u(v[6 * i], v[6 * i + 1], v[6 * i + 2]), w(v[6 * i + 3], v[6 * i + 4], v[6 * i + 5]);
      P += masses[i] * u, L += inertias[i] * w + centers[i].cross(masses[i] * u);
    }
    return {P, L};
  }
  // The fastest approach speed that is left, divided by its bound: the speed tolerance, plus the largest
  // effect on velocities of the tolerance of a contact problem, a part of its largest impulse.
  double approach_left() const {
    double most = 0, impulse = 0, inverse_mass = 0;
    for (const ConeConstraint& row : rows) {
      double u = 0, w = 0;
      for (const auto& [node, G] : {std::pair(row.a, &row.G_a), std::pair(row.b, &row.G_b)}) {
        if (node == kNone) continue;
        const auto n = static_cast<size_t>(node);
        u += G->row(0).dot(Eigen::Map<const KktSolver::Vec6>(&v[6 * n]));
        w += 1 / masses[n] + G->row(0).tail<3>().dot(inertias[n].inverse() * G->row(0).tail<3>().transpose());
      }
      most = std::max(most, -u);
      impulse = std::max(impulse, row.impulse.norm()), inverse_mass = std::max(inverse_mass, w);
    }
    return most / (kSlowest + kTolerance * impulse * inverse_mass);
  }
};

// Up to four bodies, six contacts, joints, any friction and restitution.
inline Crash make_random_crash(std::mt19937& random, bool& closed) {
  std::uniform_real_distribution<double> unit(-1, 1), positive(0, 1);
  const auto point = [&] {
    const double x = unit(random), y = unit(random), z = unit(random);
    return Vec3(x, y, z);
  };
  Crash crash;
  const int bodies = 1 + static_cast<int>(random() % 4), contacts = 1 + static_cast<int>(random() % 6);
  for (int i = 0; i < bodies; ++i) {
    const double m = std::exp(2 * unit(random));
    const Mat3 R = math::Quat::from_rotation_vector(3 * point()).to_matrix();
    const Vec3 half = Vec3::Constant(0.3) + 0.2 * point(), squares = half.cwiseProduct(half);
    const Vec3 moments = m / 3 * (Vec3::Constant(squares.sum()) - squares);
    const Vec3 at = 2 * point(), velocity = point();
    crash.add_body(at, m, R * moments.asDiagonal() * R.transpose(), velocity, 3 * point());
  }
  closed = true;
  for (int i = 0; i < contacts; ++i) {
    const int a = static_cast<int>(random() % static_cast<unsigned>(bodies));
    int b = static_cast<int>(random() % static_cast<unsigned>(bodies + 1));
    if (b == a || b == bodies) b = kNone, closed = false;
    const Vec3 at = crash.centers[static_cast<size_t>(a)] + 0.5 * point(), normal = point();
    const double friction = 1.2 * positive(random), e = positive(random);
    crash.add_contact(a, b, at, normal, friction, e);
  }
  for (int i = 1; i < bodies; ++i)
    if (random() % 4 == 0) crash.add_ball_joint(i, i - 1, crash.centers[static_cast<size_t>(i)] + point());
  return crash;
}

inline void check_random_impacts(int count, unsigned seed) {
  std::mt19937 random(seed);
  int unsolved = 0, reduced = 0;
  double gained = 0, lost = 0, approach = 0;
  for (int k = 0; k < count; ++k) {
    bool closed = true;
    Crash crash = make_random_crash(random, closed);
    crash.begin();
    const double before = crash.energy();
    const std::pair<Vec3, Vec3> start = crash.momenta();
    const dynamics::ImpactReport report = crash.resolve();
    unsolved += report.unsolved > 0 ? 1 : 0, reduced += report.reduced > 0 ? 1 : 0;
    gained = std::max(gained, (crash.energy() - before) / before);
    approach = std::max(approach, crash.approach_left());
    if (!closed) continue;
    const std::pair<Vec3, Vec3> end = crash.momenta();
    lost = std::max({lost, (end.first - start.first).norm() / (1 + start.first.norm()),
                     (end.second - start.second).norm() / (1 + start.second.norm())});
  }
  CHECK(gained <= 1e-12);
  CHECK(lost < 1e-13);
  CHECK(approach <= 1);
  MESSAGE("of ", count, " impacts ", unsolved, " had a contact problem left above its tolerance, ", reduced,
          " had impulses reduced to prevent an energy gain");
  CHECK(unsolved <= count / 200);
  CHECK(reduced <= count / 200);
}

}  // namespace tumble::test
