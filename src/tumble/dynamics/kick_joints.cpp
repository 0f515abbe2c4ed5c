#include "tumble/dynamics/kick_joints.h"

#include "tumble/core/require.h"
#include "tumble/dynamics/joint_gap.h"
#include "tumble/dynamics/linear/ball_kernel.h"
#include "tumble/model/joint_rows.h"

namespace tumble::dynamics {

using core::BodyId;
using math::Vec3;
using model::BodyMotion;
using model::rows::turned_by;

namespace {

void copy_rows(const double (*J)[6], int count, double* out) {
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 6; ++k) out[6 * i + k] = J[i][k];
}

// A row between two bodies acts with opposite forces. If its joint is open, it may act on either body at a
// point of its own; then the two forces are a couple, which would change the angular momentum. This moves
// both to the middle of the gap. `span`: from the centre of a to that of b. A moment larger than the gap is
// no error of the joint and stays.
void balance_moments(const Vec3& span, int count, model::ConstraintRows& rows) {
  double gap = 0;
  for (int i = 0; i < count; ++i) gap += std::abs(rows.value[i]);
  for (int i = 0; i < count; ++i) {
    const Vec3 force(rows.J_b[i]);
    const Vec3 moment = span.cross(force) + Vec3(rows.J_a[i] + 3) + Vec3(rows.J_b[i] + 3);
    if (!(moment.norm() <= 2 * gap * force.norm())) continue;
    for (int k = 0; k < 3; ++k) rows.J_a[i][3 + k] -= 0.5 * moment[k], rows.J_b[i][3 + k] -= 0.5 * moment[k];
  }
}

}  // namespace

KickJoints::KickJoints(const KickBodies& bodies) {
  const model::Model& model = *bodies.model;
  for (const auto& constraint : model.constraints()) {
    const int a = bodies.moving.node_of(constraint->a()), b = bodies.moving.node_of(constraint->b());
    // The first body of a row block moves.
    TUMBLE_REQUIRE(a != kNone || b != kNone, "a constraint between two fixed bodies says nothing");
    const model::JointFrames* held = constraint->held_point();
    const int sign = b != kNone ? 1 : -1;  // points are those of b less those of a
    if (held)
      points_.push_back({.a = a,
                         .b = b,
                         .body_a = constraint->a(),
                         .body_b = constraint->b(),
                         .joint = static_cast<uint32_t>(rows_.size()),
                         .scale = 1 / model.size_of(*constraint),
                         .arm_A = held->arm_A,
                         .arm_B = held->arm_B});
    else
      others_.push_back(rows_.size());
    rows_.push_back({b != kNone ? b : a, b != kNone ? a : kNone, constraint->rows(), held ? sign : 0});
    for (int i = 0; i < constraint->rows(); ++i)
      row_scales_.push_back(1 / unit_of_row(model, *constraint, i));
  }
  std::vector<char> jointed(bodies.size(), 0);
  for (const KktSolver::Rows& joint : rows_)
    for (const int n : {joint.a, joint.b})
      if (n != kNone) jointed[static_cast<size_t>(n)] = 1;
  for (size_t n = 0; n < bodies.size(); ++n)
    if (jointed[n]) jointed_.push_back(static_cast<int>(n));
  for (const size_t k : others_)
    for (const int node : {rows_[k].a, rows_[k].b})
      if (node != kNone) nodes_of_others_.push_back(node);
  std::sort(nodes_of_others_.begin(), nodes_of_others_.end());
  nodes_of_others_.erase(std::unique(nodes_of_others_.begin(), nodes_of_others_.end()),
                         nodes_of_others_.end());
}

void KickJoints::schedule(const KktSolver& matrix, const PartOfNodes& part_of) {
  const auto part_of_joint = [&](size_t k) { return part_of(rows_[k].a, rows_[k].b); };
  PartOfNodes::sort(points_, [&](const Point& point) { return part_of_joint(point.joint); });
  PartOfNodes::sort(others_, part_of_joint);
  for (Point& point : points_) {
    point.first_row = static_cast<uint32_t>(matrix.first_row(point.joint));
    const int side_of_b = rows_[point.joint].point > 0 ? 0 : 1;
    point.J_b = static_cast<uint32_t>(matrix.J_offset(point.joint, side_of_b));
    point.J_a = static_cast<uint32_t>(matrix.J_offset(point.joint, 1 - side_of_b));
  }
}

void KickJoints::set_points(size_t first, size_t end, KickSystem& system) {
  KktSolver& matrix = system.matrix;
  const double h = system.step.h, rate = system.step.rate;
  for (size_t at = first; at < end; ++at) {
    if (at + 2 * kBodiesPerPart < points_.size()) prefetch(&points_[at + 2 * kBodiesPerPart], sizeof(Point));
    if (at + kBodiesPerPart < points_.size()) {
      const Point& later = points_[at + kBodiesPerPart];
      prefetch(matrix.J_at(later.J_a), 3 * sizeof(double));
      prefetch(&system.c[later.first_row], 3 * sizeof(double));
      prefetch(&errors_[later.first_row], 3 * sizeof(double));
      prefetch(&quadratic_[later.first_row], 3 * sizeof(double));
    }
    const Point& point = points_[at];
    const BodyMotion &a = motion_of(point.body_a, system.motions),
                     &b = motion_of(point.body_b, system.motions);
    Vec3 arm_a = turned_by(a.rotation, point.arm_A), arm_b = turned_by(b.rotation, point.arm_B);
    const Vec3 gap = (b.center - a.center) + (arm_b - arm_a);
    // Opposite forces at two points are a couple. Both act in the middle of the gap, so that the joint does
    // not change the angular momentum.
    if (point.a != kNone && point.b != kNone) arm_a += 0.5 * gap, arm_b -= 0.5 * gap;
    double *on_a = matrix.J_at(point.J_a), *on_b = matrix.J_at(point.J_b);
    double *c = &system.c[point.first_row], *error = &errors_[point.first_row],
           *quadratic = &quadratic_[point.first_row];
    const Vec3 curvature = b.angular_velocity.cross(b.angular_velocity.cross(arm_b)) -
                           a.angular_velocity.cross(a.angular_velocity.cross(arm_a));
    for (int k = 0; k < 3; ++k) {
      on_a[k] = arm_a[k], on_b[k] = arm_b[k];
      error[k] = gap[k];
      quadratic[k] = 0.5 * h * h * curvature[k];
      c[k] = -rate * error[k] - 0.5 * h * curvature[k];
    }
  }
}

void KickJoints::set_others(size_t first, size_t end, const KickBodies& bodies, KickSystem& system) {
  KktSolver& matrix = system.matrix;
  const double h = system.step.h;
  model::ConstraintRows rows;
  for (size_t at = first; at < end; ++at) {
    const size_t k = others_[at];
    const model::Constraint& constraint = *bodies.model->constraints()[k];
    constraint.evaluate(system.step.time, motion_of(constraint.a(), system.motions),
                        motion_of(constraint.b(), system.motions), rows);
    if (rows_[k].b != kNone)
      balance_moments(
          motion_of(constraint.b(), system.motions).center - motion_of(constraint.a(), system.motions).center,
          rows_[k].count, rows);
    const bool b_first = bodies.moving.node_of(constraint.b()) != kNone;
    copy_rows(b_first ? rows.J_b : rows.J_a, rows_[k].count, matrix.J_a(k));
    if (rows_[k].b != kNone) copy_rows(rows.J_a, rows_[k].count, matrix.J_b(k));
    const size_t row = matrix.first_row(k);
    for (size_t i = 0; i < static_cast<size_t>(rows_[k].count); ++i) {
      errors_[row + i] = rows.value[i], quadratic_[row + i] = 0.5 * h * h * rows.bias[i];
      system.c[row + i] = -rows.rate[i] - system.step.rate * rows.value[i] - 0.5 * h * rows.bias[i];
    }
  }
}

KickJoints::Gaps KickJoints::begin_gaps(double tolerance, double h, const KickStep& step, bool with_linear,
                                        std::vector<double>& y) const {
  return {tolerance, step.share, h, errors_.data(), with_linear ? quadratic_.data() : nullptr, y.data()};
}

// A point moves by h v of its body and by the rotation of its lever arm.
void KickJoints::compute_point_gaps(std::span<const double> v, std::span<const double> rotations, double h,
                                    const KktSolver& matrix, Gaps& gaps) const {
  const auto add_displacement = [&](int node, const double* arm, double sign, double* gap) {
    if (node == kNone) return;
    const double *u = &v[6 * static_cast<size_t>(node)], *w = &rotations[4 * static_cast<size_t>(node)],
                 *q = w + 1;
    const double t[] = {2 * cross(q, arm, 0), 2 * cross(q, arm, 1), 2 * cross(q, arm, 2)};
    for (int k = 0; k < 3; ++k) gap[k] += sign * (h * u[k] + (*w * t[k] + cross(q, t, k)));
  };
  for (const Point& point : points_) {
    const double* error = &errors_[point.first_row];
    double gap[] = {error[0], error[1], error[2]};
    add_displacement(point.a, matrix.J_at(point.J_a), -1, gap);
    add_displacement(point.b, matrix.J_at(point.J_b), 1, gap);
    for (size_t k = 0; k < 3; ++k) gaps.add(point.first_row + k, gap[k], point.scale);
  }
}

void KickJoints::compute_other_gaps(const model::State& where, std::span<const double> v, double h,
                                    const KickBodies& bodies, const KickSystem& system,
                                    std::span<BodyMotion> end, Gaps& gaps) const {
  for (const int node : nodes_of_others_) {
    const BodyId id = bodies.moving[static_cast<size_t>(node)];
    const Eigen::Map<const model::Vec6> u(&v[6 * static_cast<size_t>(node)]);
    end[id.index()].center = system.motions[id.index()].center + h * u.head<3>();
    end[id.index()].rotation = (rotation_from_vector(h * u.tail<3>()) * where.orientation(id)).to_matrix();
  }
  model::ConstraintRows rows;
  for (const size_t k : others_) {
    const model::Constraint& joint = *bodies.model->constraints()[k];
    joint.evaluate(where.time + h, motion_of(joint.a(), end), motion_of(joint.b(), end), rows);
    const size_t first = system.matrix.first_row(k);
    for (size_t i = 0; i < static_cast<size_t>(rows_[k].count); ++i)
      gaps.add(first + i, rows.value[i], row_scales_[first + i]);
  }
}

}  // namespace tumble::dynamics
