// One Newton step of an implicit stage, compared with a dense matrix.
#include "tumble/dynamics/integrators/stage_solver.h"

#include <doctest/doctest.h>

#include <Eigen/SVD>
#include <random>

#include "tumble/model/joint_spec.h"
#include "tumble/model/model_builder.h"
#include "tumble/model/state.h"

using namespace tumble;
using math::Vec3;
using model::BodyId;
using model::JointType;

namespace {

constexpr double kSpringStiffness = 40, kSpringDamping = 3;  // N/m, N s/m

// A linear spring and damper between two centres, or one centre and the origin. With a = b it acts twice.
class LinearSpring final : public model::ForceLaw {
 public:
  using ForceLaw::ForceLaw;
  double sign() const { return a() == b() ? 1 : -1; }
  void apply(double, const model::BodyMotion& a, const model::BodyMotion& b, model::Wrench& on_a,
             model::Wrench& on_b) const override {
    const Vec3 f = kSpringStiffness * (a.center + sign() * b.center) +
                   kSpringDamping * (a.velocity + sign() * b.velocity);
    on_a.force -= f;
    on_b.force -= sign() * f;
  }
};

struct SpringMechanism {
  std::mt19937 random{5};
  std::normal_distribution<double> normal;
  model::ModelBuilder builder;
  std::vector<std::pair<int, int>> springs;  // -1: the world
  int joints = 0;

  Vec3 vector() { return Vec3(normal(random), normal(random), normal(random)); }
  void add_bodies(int count) {
    for (int i = 0; i < count; ++i) {
      model::BodySpec body;
      body.name = "b" + std::to_string(i);
      body.X_WB = {math::Quat::from_rotation_vector(vector()), vector()};
      body.inertia = model::GivenInertia{.mass = 1 + 0.5 * i, .moments = Vec3(1, 1.5, 2)};
      builder.add_body(body);
    }
  }
  static BodyId id(int body) { return body < 0 ? BodyId() : BodyId(static_cast<size_t>(body)); }
  void join(JointType type, int a, int b) {
    builder.add_joint({.name = "j" + std::to_string(joints++),
                       .type = type,
                       .a = id(a),
                       .b = id(b),
                       .at = vector(),
                       .axis = type == JointType::hinge ? vector() : Vec3(Vec3::Zero())});
  }
  void tie(int a, int b) {
    builder.add_force(std::make_shared<LinearSpring>("s" + std::to_string(springs.size()), id(a), id(b)));
    springs.emplace_back(a, b);
  }
};

// The same by singular value decomposition: w of (1) in stage_solver.h.
Eigen::VectorXd dense_speeds(const model::Model& model, const SpringMechanism& scene, double g,
                             const std::vector<model::BodyMotion>& motions, const Eigen::VectorXd& places,
                             const Eigen::VectorXd& momenta, Eigen::MatrixXd& M) {
  const auto n = 6 * static_cast<Eigen::Index>(model.bodies().size());
  Eigen::Index rows = 0;
  for (const auto& joint : model.constraints()) rows += joint->rows();
  M.setZero(n, n);
  for (size_t i = 0; i < model.bodies().size(); ++i) {
    const auto at = static_cast<Eigen::Index>(6 * i);
    const math::Mat3& R = motions[i].rotation;
    M.block(at, at, 3, 3) = model.bodies()[i].mass * math::Mat3::Identity();
    M.block(at + 3, at + 3, 3, 3) = R * model.bodies()[i].inertia_B * R.transpose();
  }
  Eigen::MatrixXd N = Eigen::MatrixXd::Zero(n, n);  // K = kSpringStiffness N, D = kSpringDamping N
  for (const auto& [a, b] : scene.springs) {
    Eigen::MatrixXd row = Eigen::MatrixXd::Zero(3, n);
    row.middleCols(6 * a, 3) += math::Mat3::Identity();
    if (b >= 0) row.middleCols(6 * b, 3) += (a == b ? 1 : -1) * math::Mat3::Identity();
    N += row.transpose() * row;
  }
  Eigen::MatrixXd KKT = Eigen::MatrixXd::Zero(n + rows, n + rows);
  KKT.topLeftCorner(n, n) = M + (g * kSpringDamping + g * g * kSpringStiffness) * N;
  Eigen::Index row = n;
  for (const auto& joint : model.constraints()) {
    model::ConstraintRows values;
    joint->evaluate(0, motion_of(joint->a(), motions), motion_of(joint->b(), motions), values);
    for (int i = 0; i < joint->rows(); ++i, ++row)
      for (const auto& [id, J] : {std::pair(joint->a(), values.J_a[i]), std::pair(joint->b(), values.J_b[i])})
        for (int q = 0; id.valid() && q < 6; ++q) {
          const auto column = static_cast<Eigen::Index>(6 * id.index()) + q;
          KKT(row, column) = KKT(column, row) = J[q];
        }
  }
  Eigen::VectorXd right(n + rows);
  right.head(n) = momenta - g * kSpringStiffness * (N * places);
  right.tail(rows) = KKT.bottomLeftCorner(rows, n) * M.ldlt().solve(momenta);
  Eigen::JacobiSVD<Eigen::MatrixXd> svd(KKT, Eigen::ComputeThinU | Eigen::ComputeThinV);
  svd.setThreshold(1e-10);
  return svd.solve(right).head(n);
}

// The largest relative difference of the Newton step.
double newton_step_error(SpringMechanism& scene) {
  constexpr double g = 0.1;
  const model::Model model = scene.builder.finish().value();
  const model::State state = start_state(model);
  const size_t bodies = model.bodies().size();
  std::vector<model::BodyMotion> motions;
  for (size_t i = 0; i < bodies; ++i) motions.push_back(body_motion(model, state, BodyId(i)));
  Eigen::VectorXd places(6 * bodies), momenta(6 * bodies);
  std::vector<double> residual(state.y.size());
  for (size_t i = 0; i < bodies; ++i) {
    const auto at = static_cast<Eigen::Index>(6 * i);
    for (Eigen::Index k = 0; k < 6; k += 3)
      places.segment(at + k, 3) = scene.vector(), momenta.segment(at + k, 3) = scene.vector();
    double* R = &residual[i * model::kBodySize];
    const math::Quat q = state.orientation(BodyId(i));
    const Vec3 half = 0.5 * places.segment(at + 3, 3), v(q.x(), q.y(), q.z());
    const Vec3 turned = q.w() * half + half.cross(v);  // [0, theta] q / 2
    R[3] = -half.dot(v);
    for (int k = 0; k < 3; ++k) R[k] = places[at + k], R[4 + k] = turned[k];
    for (int k = 0; k < 6; ++k) R[7 + k] = momenta[at + k];
  }
  Eigen::MatrixXd M;
  const Eigen::VectorXd w = dense_speeds(model, scene, g, motions, places, momenta, M);
  dynamics::StageSolver solver(model);
  solver.factor(0, g, motions, {});
  solver.solve(state.y.data(), residual.data());
  double off = 0;
  for (size_t i = 0; i < bodies; ++i) {
    const auto at = static_cast<Eigen::Index>(6 * i);
    const Eigen::VectorXd p = (M * w).segment(at, 6);
    for (int k = 0; k < 6; ++k)
      off = std::max(off, std::abs(residual[i * model::kBodySize + model::kMomentumAt + size_t(k)] - p[k]));
    for (int k = 0; k < 3; ++k)
      off = std::max(off,
                     std::abs(residual[i * model::kBodySize + size_t(k)] - places[at + k] - g * w[at + k]));
  }
  return off / w.cwiseAbs().maxCoeff();
}

// Finite differences with a step of 1e-7 lose half the digits.
constexpr double kNewtonStepTolerance = 1e-6;

}  // namespace

TEST_CASE("springs in a tree of joints, beside it and to the world have the solution of a dense matrix") {
  SpringMechanism scene;
  scene.add_bodies(4);
  scene.join(JointType::hinge, -1, 0);
  scene.join(JointType::ball, 0, 1);
  scene.join(JointType::ball, 1, 2);
  scene.tie(0, 1);
  scene.tie(0, 2);
  scene.tie(3, 1);
  scene.tie(2, -1);
  CHECK(newton_step_error(scene) < kNewtonStepTolerance);
}

TEST_CASE("springs in a loop with a redundant joint have the solution of a dense matrix") {
  SpringMechanism scene;
  scene.add_bodies(3);
  scene.join(JointType::hinge, -1, 0);
  scene.join(JointType::ball, 0, 1);
  scene.join(JointType::ball, 1, 2);
  scene.builder.add_joint(
      {.name = "once", .type = JointType::ball, .a = SpringMechanism::id(2), .b = SpringMechanism::id(0)});
  scene.builder.add_joint(
      {.name = "twice", .type = JointType::ball, .a = SpringMechanism::id(2), .b = SpringMechanism::id(0)});
  scene.tie(1, 2);
  CHECK(newton_step_error(scene) < kNewtonStepTolerance);
}

TEST_CASE("a law may act on the same body twice") {
  SpringMechanism scene;
  scene.add_bodies(2);
  scene.join(JointType::ball, 0, 1);
  scene.tie(1, 1);
  CHECK(newton_step_error(scene) < kNewtonStepTolerance);
}
