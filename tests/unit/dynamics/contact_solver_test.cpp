// Contact with friction, solved exactly: problems with known solutions, stacks with large mass ratios, joints
// and contacts together.
#include "tumble/dynamics/solvers/contact_solver.h"

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <random>

#include "tumble/math/elementary.h"

using namespace tumble;
using dynamics::ConeConstraint;
using dynamics::ContactReport;
using dynamics::ContactSolver;
using dynamics::KktSolver;
using dynamics::kNone;
using math::Vec3;

namespace {

constexpr double kStep = 1.0 / 60, kGravity = 9.81;

// Boxes of 1 m with given positions and masses; contacts with normals along z.
struct Boxes {
  std::vector<Vec3> centers;
  std::vector<double> masses, momenta, v, l;
  std::vector<ConeConstraint> rows;
  KktSolver matrix;

  void add_box(const Vec3& at, double mass, const Vec3& velocity = Vec3::Zero()) {
    centers.push_back(at), masses.push_back(mass);
    for (int k = 0; k < 3; ++k) momenta.push_back(mass * (velocity[k] - (k == 2 ? kGravity * kStep : 0)));
    for (int k = 0; k < 3; ++k) momenta.push_back(0);
    for (int k = 0; k < 6; ++k) v.push_back(k < 3 ? velocity[k] : 0);
  }
  // Adds a contact of box a on b (or on the world) at a point; normal up.
  void add_contact(int a, int b, const Vec3& point, double friction) {
    ConeConstraint row;
    row.a = a, row.b = b, row.friction = friction;
    const Vec3 directions[3] = {Vec3::UnitZ(), Vec3::UnitX(), Vec3::UnitY()};
    for (int k = 0; k < 3; ++k) {
      row.G_a.row(k) << directions[k].transpose(),
          (point - centers[static_cast<size_t>(a)]).cross(directions[k]).transpose();
      if (b != kNone)
        row.G_b.row(k) << -directions[k].transpose(),
            -(point - centers[static_cast<size_t>(b)]).cross(directions[k]).transpose();
    }
    rows.push_back(row);
  }
  ContactReport solve(double tolerance, const std::vector<KktSolver::Rows>& joints = {},
                      const std::function<void(KktSolver&)>& fill = {}) {
    std::vector<std::pair<int, int>> pairs;
    for (const ConeConstraint& row : rows)
      if (row.a != kNone && row.b != kNone) pairs.emplace_back(row.a, row.b);
    matrix.set_pattern(centers.size(), pairs, joints);
    for (size_t i = 0; i < centers.size(); ++i) {
      const double m = masses[i];
      KktSolver::Vec6 diagonal;
      diagonal << m, m, m, m / 6, m / 6, m / 6;
      matrix.set_diagonal(static_cast<int>(i), diagonal.asDiagonal());
    }
    if (fill) fill(matrix);
    return ContactSolver().solve(matrix, momenta, std::vector<double>(matrix.rows(), 0.0), rows, tolerance, v,
                                 l);
  }
  Vec3 velocity(size_t i) const { return Vec3(v[6 * i], v[6 * i + 1], v[6 * i + 2]); }
  Vec3 contact_velocity(const ConeConstraint& row) const {
    Vec3 u = Vec3::Zero();
    for (const auto& [node, G] : {std::pair(row.a, row.G_a), std::pair(row.b, row.G_b)})
      if (node != kNone) u += G * Eigen::Map<const KktSolver::Vec6>(&v[6 * static_cast<size_t>(node)]);
    return u;
  }
  double fastest_contact() const {
    double fastest = 0;
    for (const ConeConstraint& row : rows) fastest = std::max(fastest, contact_velocity(row).norm());
    return fastest;
  }
  double largest_impulse() const {
    double most = 0;
    for (const ConeConstraint& row : rows) most = std::max(most, row.impulse.norm());
    return most;
  }
  // Residual of the momentum balance, relative to the largest momentum.
  double imbalance() const {
    std::vector<double> left = momenta;
    matrix.subtract_product(v.data(), left.data());
    std::vector<double> rates(matrix.rows());
    matrix.subtract_rows(v.data(), l.data(), left.data(), rates.data());
    for (const ConeConstraint& row : rows)
      for (const auto& [node, G] : {std::pair(row.a, row.G_a), std::pair(row.b, row.G_b)})
        if (node != kNone)
          Eigen::Map<KktSolver::Vec6>(&left[6 * static_cast<size_t>(node)]) += G.transpose() * row.impulse;
    double worst = 0;
    for (const double x : left) worst = std::max(worst, std::abs(x));
    return worst / std::max(largest_impulse(), 1e-300);
  }
};

Boxes make_stack(int count, double ratio, double friction, double sideways) {
  Boxes boxes;
  for (int i = 0; i < count; ++i)
    boxes.add_box(Vec3(0.02 * std::sin(3.0 * i), 0, 0.5 + i), i == count - 1 ? ratio : 1,
                  Vec3(sideways * (i + 1), 0, 0));
  for (int i = 0; i < count; ++i)
    for (const double x : {-0.49, 0.49})
      for (const double y : {-0.5, 0.5})
        boxes.add_contact(i, i - 1, Vec3(boxes.centers[static_cast<size_t>(i)].x() + x, y, i), friction);
  return boxes;
}

Boxes make_pyramid(int width, double friction, double top) {
  Boxes boxes;
  std::vector<std::vector<int>> numbers(static_cast<size_t>(width));
  for (int r = 0; r < width; ++r)
    for (int j = 0; j < width - r; ++j) {
      numbers[static_cast<size_t>(r)].push_back(static_cast<int>(boxes.centers.size()));
      boxes.add_box(Vec3(j + 0.5 * r, 0, 0.5 + r), r == width - 1 ? top : 1);
    }
  for (int r = 0; r < width; ++r)
    for (int j = 0; j < width - r; ++j) {
      const int a = numbers[static_cast<size_t>(r)][static_cast<size_t>(j)];
      const double x = boxes.centers[static_cast<size_t>(a)].x();
      const auto patch = [&](int b, double from, double to) {
        for (const double at : {from, to})
          for (const double y : {-0.5, 0.5}) boxes.add_contact(a, b, Vec3(at, y, r), friction);
      };
      if (r == 0) {
        patch(kNone, x - 0.5, x + 0.5);
      } else {
        const auto& below = numbers[static_cast<size_t>(r) - 1];
        patch(below[static_cast<size_t>(j)], x - 0.5, x);
        patch(below[static_cast<size_t>(j) + 1], x, x + 0.5);
      }
    }
  return boxes;
}

}  // namespace

TEST_CASE("the Jacobians of the projections on the three sets equal finite differences") {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int i = 0; i < 2000; ++i) {
    ConeConstraint row;
    row.set = static_cast<ConeConstraint::Set>(i % 3);
    row.friction = 1 + unit(random), row.radius = 0.5 + 0.5 * unit(random);
    const double x = unit(random), y = unit(random), w = unit(random);
    const Vec3 z(x, y, w);
    math::Mat3 D, difference;
    const Vec3 p = project_on_cone(row, z, D);
    CHECK((project_on_cone(row, p) - p).norm() < 1e-15);
    const double h = 1e-6;
    for (int k = 0; k < 3; ++k)
      difference.col(k) =
          (project_on_cone(row, z + h * Vec3::Unit(k)) - project_on_cone(row, z - h * Vec3::Unit(k))) /
          (2 * h);
    // A difference that does not straddle a kink has an error of h^2 times curvature over the squared
    // distance from the axis.
    const bool smooth = (project_on_cone(row, z + 2 * h * Vec3::Ones()) - p).norm() > 0 || p.norm() == 0;
    const double near = std::min({std::abs(std::hypot(y, w) - row.friction * x),
                                  std::abs(row.friction * std::hypot(y, w) + x),
                                  std::abs(z.norm() - row.radius), std::abs(x)});
    if (smooth && near > 1e-3 && std::hypot(y, w) > 0.05) CHECK((difference - D).norm() < 1e-6);
  }
}

TEST_CASE("a box rests, slides or tips by Coulomb's law") {
  for (const double slope : {0.0, 0.2, 0.45, 0.55, 1.0}) {
    // Gravity is rotated instead of the floor.
    Boxes box;
    box.add_box(Vec3(0, 0, 0.5), 2);
    const double angle = std::atan(slope);
    box.momenta[0] = 2 * kGravity * kStep * std::sin(angle),
    box.momenta[2] = -2 * kGravity * kStep * std::cos(angle);
    for (const double x : {-0.5, 0.5})
      for (const double y : {-0.5, 0.5}) box.add_contact(0, kNone, Vec3(x, y, 0), 0.5);
    const ContactReport report = box.solve(1e-10);
    CAPTURE(slope);
    CHECK(report.residual <= 1e-10);
    CHECK(box.imbalance() < 1e-9);
    const double along = slope <= 0.5 ? 0 : kGravity * kStep * (std::sin(angle) - 0.5 * std::cos(angle));
    CHECK(std::abs(box.velocity(0).x() - along) < 1e-9);
    CHECK(std::abs(box.velocity(0).z()) < 1e-9);
  }
}

TEST_CASE("stacks and pyramids rest for any mass ratio, to the tolerance") {
  const std::pair<const char*, Boxes> problems[] = {{"stack", make_stack(10, 1, 0.5, 0)},
                                                    {"heavy top", make_stack(10, 1000, 0.5, 0)},
                                                    {"tall", make_stack(30, 1000, 0.5, 0)},
                                                    {"pyramid", make_pyramid(10, 0.5, 1)},
                                                    {"laden pyramid", make_pyramid(10, 0.5, 1000)}};
  for (const auto& [name, problem] : problems) {
    Boxes boxes = problem;
    const ContactReport report = boxes.solve(1e-8);
    const std::string which = name;
    CAPTURE(which);
    CHECK(report.residual <= 1e-8);
    CHECK(report.solved);
    CHECK(boxes.imbalance() < 1e-13);
    // Nothing slips or opens by more than the residual. That is the residual of u + mu |u_t| n, and |u| is at
    // most 1 + mu times that. For a contact between bodies of 1 kg, w is at most 16/3.
    CHECK(boxes.fastest_contact() <= 1.5 * 16.0 / 3 * 1e-8 * boxes.largest_impulse());
  }
}

TEST_CASE("without a guess, the number of factorisations of a stack at rest does not grow with its height") {
  for (const int count : {1, 5, 20, 80})
    for (const double friction : {0.5, 0.0}) {
      Boxes boxes = make_stack(count, 1, friction, 0);
      const ContactReport report = boxes.solve(1e-8);
      CAPTURE(count);
      CAPTURE(friction);
      CHECK(report.solved);
      CHECK(report.factorisations <= 3);  // all contacts hold: one per penalty, 1e4, 1e6 and 1e8
    }
}

TEST_CASE("boxes thrown sideways slide, with impulses on their cones and against the slip") {
  Boxes boxes = make_stack(10, 1, 0.3, 0.4);
  const ContactReport report = boxes.solve(1e-8);
  CHECK(report.residual <= 1e-8);
  for (const ConeConstraint& row : boxes.rows) {
    const Vec3 u = boxes.contact_velocity(row);
    const double pushing = row.impulse.x(), rubbing = std::hypot(row.impulse.y(), row.impulse.z());
    CHECK(pushing >= 0);
    CHECK(rubbing <= 0.3 * pushing * (1 + 1e-9) + 1e-12);
    if (std::hypot(u.y(), u.z()) > 1e-4 && pushing > 1e-6)
      CHECK(row.impulse.y() * u.y() + row.impulse.z() * u.z() ==
            doctest::Approx(-rubbing * std::hypot(u.y(), u.z())).epsilon(1e-5));
  }
}

TEST_CASE("contacts and joints act together: boxes hinged in a row lie on the floor") {
  Boxes boxes;
  for (int i = 0; i < 12; ++i) boxes.add_box(Vec3(i, 0, 0.5), i % 3 == 0 ? 50 : 1, Vec3(0.3, 0, 0));
  for (int i = 0; i < 12; ++i)
    for (const double x : {-0.5, 0.5})
      for (const double y : {-0.5, 0.5}) boxes.add_contact(i, kNone, Vec3(i + x, y, 0), 0.4);
  // Ball joints between neighbours.
  std::vector<KktSolver::Rows> joints;
  for (int i = 1; i < 12; ++i) joints.push_back({i, i - 1, 3});
  const auto fill = [&](KktSolver& matrix) {
    for (size_t k = 0; k < joints.size(); ++k)
      for (int r = 0; r < 3; ++r) {
        const Vec3 e = Vec3::Unit(r), arm(-0.5, 0, 0);
        const Vec3 turn_a = arm.cross(e), turn_b = Vec3(-arm).cross(e);
        for (int c = 0; c < 3; ++c) {
          matrix.J_a(k)[6 * r + c] = e[c], matrix.J_a(k)[6 * r + 3 + c] = turn_a[c];
          matrix.J_b(k)[6 * r + c] = -e[c], matrix.J_b(k)[6 * r + 3 + c] = -turn_b[c];
        }
      }
  };
  const ContactReport report = boxes.solve(1e-8, joints, fill);
  CHECK(report.residual <= 1e-8);
  CHECK(boxes.imbalance() < 1e-7);
  // All slide at the same speed: 0.3 less mu g h.
  for (size_t i = 0; i < 12; ++i)
    CHECK(boxes.velocity(i).x() == doctest::Approx(0.3 - 0.4 * kGravity * kStep).epsilon(1e-6));
}
