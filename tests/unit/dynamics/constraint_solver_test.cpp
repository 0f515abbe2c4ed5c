// Joints, loops and redundant rows in one solve, compared with dense algebra on the same rows.
#include "tumble/dynamics/linear/constraint_solver.h"

#include <doctest/doctest.h>

#include <Eigen/SVD>
#include <Eigen/SparseLU>
#include <random>

#include "tumble/model/joint_spec.h"
#include "tumble/model/model_builder.h"
#include "tumble/model/state.h"

using namespace tumble;
using math::Vec3;
using model::BodyId;
using model::JointType;

namespace {

constexpr JointType kTypes[] = {JointType::ball, JointType::hinge, JointType::universal, JointType::slider,
                                JointType::fixed};

class Mechanism {
 public:
  explicit Mechanism(unsigned seed) : random_(seed) {}
  Vec3 vector() { return Vec3(normal_(random_), normal_(random_), normal_(random_)); }
  BodyId add_body() {
    model::BodySpec body;
    body.name = "b" + std::to_string(count_++);
    body.X_WB.translation = vector();
    body.X_WB.rotation = math::Quat::from_rotation_vector(vector());
    body.velocity = vector();
    body.angular_velocity = vector();
    body.inertia = model::GivenInertia{.mass = 1 + std::abs(normal_(random_)), .moments = Vec3(1, 1.5, 2)};
    return builder_.add_body(body);
  }
  void join(JointType type, BodyId a, BodyId b, const Vec3& at) {
    const Vec3 axis = vector(), axis2 = axis.cross(vector());
    const bool has_axis =
        type == JointType::hinge || type == JointType::universal || type == JointType::slider;
    builder_.add_joint({.name = "j" + std::to_string(joints_++),
                        .type = type,
                        .a = a,
                        .b = b,
                        .at = at,
                        .axis = has_axis ? axis : Vec3::Zero(),
                        .axis2 = type == JointType::universal ? axis2 : Vec3::Zero()});
  }
  unsigned draw(unsigned n) { return static_cast<unsigned>(random_() % n); }
  model::Model finish() { return builder_.finish().value(); }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  model::ModelBuilder builder_;
  int count_ = 0, joints_ = 0;
};

std::vector<model::BodyMotion> motions_of(const model::Model& model) {
  const model::State state = start_state(model);
  std::vector<model::BodyMotion> motions;
  for (size_t i = 0; i < model.bodies().size(); ++i) motions.push_back(body_motion(model, state, BodyId(i)));
  return motions;
}

// The same by singular value decomposition: x is unique even if rows are redundant.
Eigen::VectorXd dense_solution(const model::Model& model, const dynamics::JointGraph& graph,
                               const std::vector<model::BodyMotion>& motions, const Eigen::VectorXd& b,
                               const std::vector<Eigen::VectorXd>& c) {
  const auto n = static_cast<Eigen::Index>(graph.nodes.size());
  Eigen::Index rows = 0;
  for (const auto& joint : model.constraints()) rows += joint->rows();
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(6 * n + rows, 6 * n + rows);
  Eigen::VectorXd right(6 * n + rows);
  right.head(6 * n) = b;
  for (Eigen::Index i = 0; i < n; ++i) {
    const BodyId id = graph.nodes[static_cast<size_t>(i)].body;
    const math::Mat3& R = motions[id.index()].rotation;
    K.block(6 * i, 6 * i, 3, 3) = model.body(id).mass * math::Mat3::Identity();
    K.block(6 * i + 3, 6 * i + 3, 3, 3) = R * model.body(id).inertia_B * R.transpose();
  }
  Eigen::Index row = 6 * n;
  for (size_t k = 0; k < model.constraints().size(); ++k) {
    const model::Constraint& joint = *model.constraints()[k];
    model::ConstraintRows values;
    const auto at = [&](BodyId id) { return id.valid() ? motions[id.index()] : model::BodyMotion{}; };
    joint.evaluate(0, at(joint.a()), at(joint.b()), values);
    for (int i = 0; i < joint.rows(); ++i, ++row) {
      right[row] = c[k][i];
      for (const auto& [id, J] : {std::pair(joint.a(), values.J_a[i]), std::pair(joint.b(), values.J_b[i])}) {
        if (!id.valid() || graph.node_of_body[id.index()] == dynamics::kNone) continue;
        const Eigen::Index node = graph.node_of_body[id.index()];
        for (int q = 0; q < 6; ++q) K(row, 6 * node + q) = K(6 * node + q, row) = J[q];
      }
    }
  }
  Eigen::JacobiSVD<Eigen::MatrixXd> svd(K, Eigen::ComputeThinU | Eigen::ComputeThinV);
  svd.setThreshold(1e-10);
  return svd.solve(right).head(6 * n);
}

// The largest relative difference of x, for consistent right-hand sides: c = J u for some u.
double compare(const model::Model& model, Mechanism& source) {
  const std::vector<model::BodyMotion> motions = motions_of(model);
  const dynamics::ConstraintSolver solver(model);
  const auto n = static_cast<Eigen::Index>(solver.graph().nodes.size());
  std::vector<Vec3> u(2 * model.bodies().size());
  for (Vec3& v : u) v = source.vector();
  std::vector<Eigen::VectorXd> c;
  Eigen::VectorXd b(6 * n), y(static_cast<Eigen::Index>(solver.rows()));
  for (Eigen::Index i = 0; i < 2 * n; ++i) b.segment(3 * i, 3) = source.vector();
  for (size_t k = 0; k < model.constraints().size(); ++k) {
    const model::Constraint& joint = *model.constraints()[k];
    model::ConstraintRows values;
    const auto at = [&](BodyId id) { return id.valid() ? motions[id.index()] : model::BodyMotion{}; };
    joint.evaluate(0, at(joint.a()), at(joint.b()), values);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(joint.rows());
    for (const auto& [id, rows] : {std::pair(joint.a(), values.J_a), std::pair(joint.b(), values.J_b)}) {
      if (!id.valid()) continue;
      for (int i = 0; i < joint.rows(); ++i)
        for (int q = 0; q < 6; ++q)
          right[i] += rows[i][q] * u[2 * id.index() + static_cast<size_t>(q / 3)][q % 3];
    }
    for (int i = 0; i < joint.rows(); ++i) y[static_cast<Eigen::Index>(solver.first_row(k)) + i] = right[i];
    c.push_back(right);
  }
  const Eigen::VectorXd dense = dense_solution(model, solver.graph(), motions, b, c);
  double difference = 0;
  for (const bool sparse : {false, true}) {  // sparse: elimination of the whole island, if it has loops
    const size_t sparse_from = sparse ? 1 : std::numeric_limits<size_t>::max();
    dynamics::ConstraintSolver way(model, {.proximal = {}, .sparse_from = sparse_from});
    way.factor(0, motions);
    Eigen::VectorXd x = b, l = y;
    way.solve(x.data(), l.data());
    difference = std::max(difference, (x - dense).cwiseAbs().maxCoeff());
  }
  return difference / (1 + dense.cwiseAbs().maxCoeff());
}

// Rounding times the condition number of a random mechanism.
constexpr double kTolerance = 1e-9;

}  // namespace

TEST_CASE("random trees of joints have the solution of a dense matrix") {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Mechanism source(seed);
    std::vector<BodyId> bodies;
    for (unsigned i = 0; i < 8; ++i) {
      bodies.push_back(source.add_body());
      const unsigned parent = source.draw(i + 1);  // i: the world
      source.join(kTypes[source.draw(5)], parent == i ? BodyId() : bodies[parent], bodies[i],
                  source.vector());
    }
    const model::Model model = source.finish();
    CHECK(compare(model, source) < kTolerance);
  }
}

TEST_CASE("loops have the solution of a dense matrix") {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Mechanism source(100 + seed);
    std::vector<BodyId> bodies;
    for (unsigned i = 0; i < 8; ++i) {
      bodies.push_back(source.add_body());
      source.join(JointType::ball, i == 0 ? BodyId() : bodies[i - 1], bodies[i], source.vector());
    }
    source.join(JointType::ball, bodies[7], bodies[source.draw(6)], source.vector());
    if (seed % 2 == 0) source.join(JointType::hinge, BodyId(), bodies[4], source.vector());
    const model::Model model = source.finish();
    CHECK(compare(model, source) < kTolerance);
  }
}

TEST_CASE("redundant rows lead to the same motion as the independent ones") {
  Mechanism nails(1);
  const BodyId table = nails.add_body();
  for (int i = 0; i < 3; ++i) nails.join(JointType::nail, {}, table, nails.vector());
  const model::Model held = nails.finish();
  CHECK(compare(held, nails) < kTolerance);

  // a joint given three times
  Mechanism twice(2);
  const BodyId a = twice.add_body(), b = twice.add_body();
  const Vec3 at = twice.vector();
  for (int i = 0; i < 3; ++i) twice.join(JointType::ball, a, b, at);
  const model::Model model = twice.finish();
  CHECK(compare(model, twice) < kTolerance);
}

TEST_CASE(
    "a net of links has one solution by the Schur complement, sparse elimination and Eigen's sparse LU") {
  constexpr size_t side = 6;
  Mechanism source(7);
  std::vector<BodyId> bodies;
  for (size_t i = 0; i < side * side; ++i) {
    bodies.push_back(source.add_body());
    if (i % side > 0) source.join(JointType::ball, bodies[i - 1], bodies[i], source.vector());
    if (i >= side) source.join(JointType::ball, bodies[i - side], bodies[i], source.vector());
  }
  const model::Model model = source.finish();
  const std::vector<model::BodyMotion> motions = motions_of(model);
  const dynamics::ConstraintSolver solver(model);
  REQUIRE(solver.graph().islands.size() == 1);
  const auto n = static_cast<Eigen::Index>(6 * solver.graph().nodes.size()),
             m = static_cast<Eigen::Index>(solver.rows());
  Eigen::VectorXd b(n), c(m);
  for (Eigen::Index i = 0; i < n / 3; ++i) b.segment(3 * i, 3) = source.vector();
  for (Eigen::Index i = 0; i < m / 3; ++i) c.segment(3 * i, 3) = source.vector();
  std::vector<Eigen::VectorXd> solutions;
  for (const size_t from : {std::numeric_limits<size_t>::max(), size_t{1}}) {
    dynamics::ConstraintSolver way(model, {.proximal = {}, .sparse_from = from});
    way.factor(0, motions);
    Eigen::VectorXd x = b, l = c;
    way.solve(x.data(), l.data());
    solutions.push_back(x);
  }
  std::vector<Eigen::Triplet<double>> entries;
  const auto put = [&](Eigen::Index r, Eigen::Index k, double value) {
    entries.emplace_back(static_cast<int>(r), static_cast<int>(k), value);
  };
  for (size_t i = 0; i < solver.graph().nodes.size(); ++i) {
    const BodyId id = solver.graph().nodes[i].body;
    const math::Mat3& R = motions[id.index()].rotation;
    const math::Mat3 I = R * model.body(id).inertia_B * R.transpose();
    const auto at = static_cast<Eigen::Index>(6 * i);
    for (Eigen::Index r = 0; r < 3; ++r) {
      put(at + r, at + r, model.body(id).mass);
      for (Eigen::Index k = 0; k < 3; ++k) put(at + 3 + r, at + 3 + k, I(r, k));
    }
  }
  for (size_t k = 0; k < model.constraints().size(); ++k) {
    const model::Constraint& joint = *model.constraints()[k];
    model::ConstraintRows values;
    joint.evaluate(0, motions[joint.a().index()], motions[joint.b().index()], values);
    for (int i = 0; i < joint.rows(); ++i)
      for (const auto& [id, J] : {std::pair(joint.a(), values.J_a[i]), std::pair(joint.b(), values.J_b[i])})
        for (int q = 0; q < 6; ++q) {
          const Eigen::Index row = n + static_cast<Eigen::Index>(solver.first_row(k)) + i,
                             column = Eigen::Index{6} * solver.graph().node_of_body[id.index()] + q;
          put(row, column, J[q]);
          put(column, row, J[q]);
        }
  }
  Eigen::SparseMatrix<double> K(n + m, n + m);
  K.setFromTriplets(entries.begin(), entries.end());
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu(K);
  Eigen::VectorXd right(n + m);
  right << b, c;
  const Eigen::VectorXd oracle = lu.solve(right).head(n);
  for (const Eigen::VectorXd& x : solutions)
    CHECK((x - oracle).cwiseAbs().maxCoeff() < kTolerance * oracle.cwiseAbs().maxCoeff());
}

TEST_CASE("the joint graph counts trees and loops") {
  Mechanism source(3);
  const BodyId a = source.add_body(), b = source.add_body(), c = source.add_body(), alone = source.add_body();
  source.join(JointType::hinge, {}, a, source.vector());
  source.join(JointType::hinge, a, b, source.vector());
  source.join(JointType::ball, b, c, source.vector());
  source.join(JointType::hinge, {}, c, source.vector());
  const dynamics::JointGraph graph = dynamics::build_joint_graph(source.finish());
  REQUIRE(graph.nodes.size() == 3);
  CHECK(graph.node_of_body[alone.index()] == dynamics::kNone);
  REQUIRE(graph.islands.size() == 1);
  REQUIRE(graph.islands[0].closures.size() == 1);
  CHECK(graph.islands[0].closures[0] == 2);  // the joint with the fewest rows
}
