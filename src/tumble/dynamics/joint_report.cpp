#include "tumble/dynamics/joint_report.h"

#include <Eigen/QR>

namespace tumble::dynamics {

namespace {

// J of the island, transposed. Angular columns are divided by the body's size, and every row of J is scaled
// to length 1: rows of joints differ in kind, and only their directions decide about rank.
Eigen::MatrixXd collect_rows(const model::Model& model, const model::State& state, const JointGraph& graph,
                             int first_node, const IslandReport& island) {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(6 * static_cast<Eigen::Index>(island.bodies.size()), island.rows);
  Eigen::Index column = 0;
  for (const int c : island.constraints) {
    const model::Constraint& joint = *model.constraints()[static_cast<size_t>(c)];
    model::ConstraintRows rows;
    joint.evaluate(state.time, motion_in(model, state, joint.a()), motion_in(model, state, joint.b()), rows);
    for (int r = 0; r < joint.rows(); ++r, ++column) {
      const auto put = [&](core::BodyId id, const double* part) {
        if (!id.valid() || graph.node_of_body[id.index()] == kNone) return;
        const Eigen::Index at = Eigen::Index{6} * (graph.node_of_body[id.index()] - first_node);
        const double size = model.body(id).radius > 0 ? model.body(id).radius : 1;
        for (int k = 0; k < 6; ++k) J(at + k, column) = k < 3 ? part[k] : part[k] / size;
      };
      put(joint.a(), rows.J_a[r]);
      put(joint.b(), rows.J_b[r]);
      if (const double length = J.col(column).norm(); length > 0) J.col(column) /= length;
    }
  }
  return J;
}

}  // namespace

std::vector<IslandReport> report_on_joints(const model::Model& model, const model::State& state,
                                           const LinearParameters& parameters) {
  const JointGraph graph = build_joint_graph(model);
  std::vector<IslandReport> reports;
  for (const JointGraph::Island& island : graph.islands) {
    IslandReport& report = reports.emplace_back();
    for (int n = island.first; n < island.end; ++n) {
      const JointGraph::Node& node = graph.nodes[static_cast<size_t>(n)];
      report.bodies.push_back(node.body);
      report.trees += node.parent == kNone;
      if (node.constraint != kNone) report.constraints.push_back(node.constraint);
    }
    report.constraints.insert(report.constraints.end(), island.closures.begin(), island.closures.end());
    report.loops = static_cast<int>(island.closures.size());
    for (const int c : report.constraints) report.rows += model.constraints()[static_cast<size_t>(c)]->rows();
    report.rank = report.rows;  // rows of a tree are independent
    if (report.loops == 0) continue;
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(collect_rows(model, state, graph, island.first, report));
    qr.setThreshold(parameters.dependent_row);
    report.rank = static_cast<int>(qr.rank());
  }
  return reports;
}

}  // namespace tumble::dynamics
