#include "tumble/dynamics/step_problem.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>

#include "tumble/core/require.h"
#include "tumble/dynamics/tolerances.h"
#include "tumble/model/joint_rows.h"

namespace tumble::dynamics {

using core::BodyId;
using math::Mat3;
using math::Quat;
using math::Vec3;
using model::BodyMotion;
using model::Resistance;
using model::State;
using model::rows::turned_by;

namespace {

using Vec6 = BlockSolver::Vec6;

Eigen::Map<Vec6> part(std::vector<double>& x, size_t node) { return Eigen::Map<Vec6>(x.data() + 6 * node); }

// exp(r): up to half a radian, as far as a step turns, by series in the square of half the angle, whose next terms are below 1e-17.
Quat turn_by(const Vec3& r) {
  const double q = 0.25 * (r.x() * r.x() + r.y() * r.y() + r.z() * r.z());
  if (q > 0.0625) return Quat::from_rotation_vector(r);
  const double cosine =
      1 -
      q * (1.0 / 2 - q * (1.0 / 24 -
                          q * (1.0 / 720 - q * (1.0 / 40320 - q * (1.0 / 3628800 - q * (1.0 / 479001600))))));
  const double half =
      0.5 - q * (1.0 / 12 - q * (1.0 / 240 - q * (1.0 / 10080 - q * (1.0 / 725760 - q * (1.0 / 79833600)))));
  return Quat::from_wxyz(cosine, half * r.x(), half * r.y(), half * r.z());
}

double speed_along(const double* J, const BodyMotion& motion) {
  double speed = 0;
  for (int k = 0; k < 3; ++k) speed += J[k] * motion.velocity[k] + J[k + 3] * motion.angular_velocity[k];
  return speed;
}

void push(const double* J, double much, double* on) {
  for (int k = 0; k < 6; ++k) on[k] += much * J[k];
}

void push(const model::Wrench& wrench, double time, double* on) {
  for (int k = 0; k < 3; ++k) on[k] += time * wrench.force[k], on[k + 3] += time * wrench.torque[k];
}

// Rows times weights times rows: w_i J_i^T J_i', added up.
BlockSolver::Block product(const Resistance& rows, const double (*J)[6], const double (*other)[6],
                           const double* weights) {
  BlockSolver::Block sum = BlockSolver::Block::Zero();
  for (int i = 0; i < rows.rows; ++i)
    for (int c = 0; c < 6; ++c)
      for (int r = 0; r < 6; ++r) sum(r, c) += weights[i] * J[i][r] * other[i][c];
  return sum;
}

void copy_rows(const double (*J)[6], int count, double* out) {
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 6; ++k) out[6 * i + k] = J[i][k];
}

double square_of(const double* r) { return r[0] * r[0] + r[1] * r[1] + r[2] * r[2]; }

}  // namespace

StepProblem::StepProblem(const model::Model& model)
    : model_(&model), bodies_(model), middle_(model, bodies_) {
  for (const BodyId id : bodies_.bodies()) {
    const model::Body& body = model.body(id);
    const Eigen::SelfAdjointEigenSolver<Mat3> moments(body.inverse_inertia_B, Eigen::EigenvaluesOnly);
    weights_.push_back({body.mass, body.inverse_mass, moments.eigenvalues()[0], body.inverse_inertia_B});
  }
  for (const auto& constraint : model.constraints()) {
    const int a = node_of(constraint->a()), b = node_of(constraint->b());
    // The solver's first body moves.
    TUMBLE_REQUIRE(a != kNone || b != kNone, "a constraint between two fixed bodies says nothing");
    const model::JointFrames* held = constraint->held_point();
    const int sign = b != kNone ? 1 : -1;  // points are those of b less those of a
    if (held)
      points_.push_back({joints_.size(), constraint->a(), constraint->b(), held->arm_A, held->arm_B});
    else
      others_.push_back(joints_.size());
    joints_.push_back({b != kNone ? b : a, b != kNone ? a : kNone, constraint->rows(), held ? sign : 0});
    for (int i = 0; i < constraint->rows(); ++i)
      row_scales_.push_back(constraint->is_angle(i) ? 1 : 1 / model.size_of(*constraint));
  }
  for (const auto& law : model.forces()) {
    const Law nodes{law.get(), node_of(law->a()), node_of(law->b()), laws_.size() + limited_.size()};
    const bool limited = law->resists() && law->largest_effort() < std::numeric_limits<double>::infinity();
    (limited ? limited_ : laws_).push_back(nodes);
    if (law->resists() && nodes.a != kNone && nodes.b != kNone)
      tied_.emplace_back(std::min(nodes.a, nodes.b), std::max(nodes.a, nodes.b));
  }
  std::sort(tied_.begin(), tied_.end());
  tied_.erase(std::unique(tied_.begin(), tied_.end()), tied_.end());
  motions_.resize(model.bodies().size()), end_.resize(model.bodies().size());
}

std::vector<double> StepProblem::momenta_of(const State& state) const {
  std::vector<double> momenta(size());
  for (size_t n = 0; n < bodies_.size(); ++n)
    part(momenta, n) << state.momentum(bodies_[n]), state.angular_momentum(bodies_[n]);
  return momenta;
}

void StepProblem::assemble(const State& where, std::span<const double> momenta, double kick, double h,
                           const std::vector<std::pair<int, int>>& coupled, double closing) {
  if (coupled.empty()) {
    matrix_.begin(bodies_.size(), tied_, joints_);
  } else {
    all_ = tied_;
    all_.insert(all_.end(), coupled.begin(), coupled.end());
    matrix_.begin(bodies_.size(), all_, joints_);
  }
  b_.assign(momenta.begin(), momenta.end());
  smooth_.assign(size(), 0.0);
  place(where, momenta);
  before_ = 2 * kick - h, h_ = h;
  rate_ = h > 0 ? 1 / std::max(h, closing) : 0, share_ = h < closing ? h * rate_ : 1;
  if (kick > 0) add_forces(where.time, before_, h);
  if (h == 0 && kick > 0) add_limited_kicks(before_);
  set_masses(momenta, h);
  set_rows(where.time);
}

// Places of the state, velocities of the momenta.
void StepProblem::place(const State& where, std::span<const double> momenta) {
  time_ = where.time;
  for (size_t i = 0; i < motions_.size(); ++i) {
    const BodyId id(i);
    BodyMotion& motion = motions_[i];
    motion.center = where.position(id);
    motion.rotation = where.orientation(id).to_matrix();
    motion.hinge_angles = where.hinge_angles.empty() ? nullptr : where.hinge_angles.data();
    const int n = node_of(id);
    if (n == kNone) continue;
    const Weight& weight = weights_[static_cast<size_t>(n)];
    const double* p = &momenta[6 * static_cast<size_t>(n)];
    motion.velocity = weight.inverse_mass * Vec3(p[0], p[1], p[2]);
    motion.angular_velocity =
        motion.rotation * (weight.inverse_inertia_B * (motion.rotation.transpose() * Vec3(p[3], p[4], p[5])));
  }
}

// Kicks of soft laws go to smooth_, those of stiff ones to b.
void StepProblem::add_forces(double t, double h_before, double h) {
  const double kick = 0.5 * (h_before + h);
  const Vec3 gravity = kick * model_->gravity();
  for (size_t n = 0; n < bodies_.size(); ++n) part(smooth_, n).head<3>() += weights_[n].mass * gravity;
  for (const Law& law : laws_) {
    model::Wrench on_a, on_b;
    law.law->linearise(t, motion_of(law.law->a(), motions_), motion_of(law.law->b(), motions_), on_a, on_b,
                       resistance_);
    if (resistance_.turns && !resistance_.none()) {
      add_turning(law, on_a, on_b, h_before, h);
      continue;
    }
    const LawWeights weights =
        resistance_.none() ? LawWeights{.kick = kick} : choose_weights(law, h_before, h);
    std::vector<double>& onto = weights.soft ? smooth_ : b_;
    double *at_a = at(onto, law.a), *at_b = at(onto, law.b);
    if (at_a) push(on_a, kick, at_a);
    if (at_b) push(on_b, kick, at_b);
    if (!resistance_.none()) add_resistance(law, weights, at_a, at_b);
  }
}

// The rest of (2).
void StepProblem::add_resistance(const Law& law, const LawWeights& weights, double* at_a, double* at_b) {
  const Resistance& rows = resistance_;
  double now[Resistance::kMostRows], past[Resistance::kMostRows];
  for (int i = 0; i < rows.rows; ++i) {
    now[i] = weights.now(rows.stiffness[i], rows.damping[i]);
    past[i] = weights.before(rows.stiffness[i], rows.damping[i]);
  }
  const BodyMotion &a = motion_of(law.law->a(), motions_), &b = motion_of(law.law->b(), motions_);
  for (int i = 0; i < rows.rows; ++i) {
    double speed = 0;
    if (at_a) speed += speed_along(rows.J_a[i], a);
    if (at_b) speed += speed_along(rows.J_b[i], b);
    if (at_a) push(rows.J_a[i], past[i] * speed, at_a);
    if (at_b) push(rows.J_b[i], past[i] * speed, at_b);
  }
  if (at_a) matrix_.diagonal(law.a) += product(rows, rows.J_a, rows.J_a, now);
  if (at_b) matrix_.diagonal(law.b) += product(rows, rows.J_b, rows.J_b, now);
  if (at_a && at_b) matrix_.add_coupling(law.a, law.b, product(rows, rows.J_a, rows.J_b, now));
}

// Equation (2) for a law of the relative angular velocity, as most of stiff joints are: one 3 x 3 block for both bodies and between them.
void StepProblem::add_turning(const Law& law, const model::Wrench& on_a, const model::Wrench& on_b,
                              double h_before, double h) {
  const Resistance& rows = resistance_;
  const LawWeights weights = choose_weights(law, h_before, h);
  const double damping = weights.damped * rows.turning_damping;
  const Vec3 w =
      motion_of(law.law->b(), motions_).angular_velocity - motion_of(law.law->a(), motions_).angular_velocity;
  double P[6] = {damping, 0, damping, 0, 0, damping},
         kick[3] = {damping * w[0], damping * w[1], damping * w[2]};
  const auto add_row = [&](int i) {
    const double x = rows.J_b[i][3], y = rows.J_b[i][4], z = rows.J_b[i][5];
    const double weight = weights.now(rows.stiffness[i], rows.damping[i]);
    const double wx = weight * x, wy = weight * y, wz = weight * z;
    P[0] += wx * x, P[1] += wy * x, P[2] += wy * y, P[3] += wz * x, P[4] += wz * y, P[5] += wz * z;
    const double past = weights.before(rows.stiffness[i], rows.damping[i]);
    if (past == 0) return;
    const double much = past * (x * w[0] + y * w[1] + z * w[2]);
    kick[0] += much * x, kick[1] += much * y, kick[2] += much * z;
  };
  for (int i = 0; i < rows.rows; ++i) add_row(i);
  const double K[9] = {P[0], P[1], P[3], P[1], P[2], P[4], P[3], P[4], P[5]};
  std::vector<double>& onto = weights.soft ? smooth_ : b_;
  const auto act_on = [&](int node, const Vec3& torque, double sign) {
    double* on = &onto[6 * static_cast<size_t>(node) + 3];
    for (int r = 0; r < 3; ++r) on[r] += weights.kick * torque[r] + sign * kick[r];
    double* A = matrix_.diagonal(node).data() + 21;  // its turning part, column by column
    A[0] += P[0], A[1] += P[1], A[2] += P[3], A[6] += P[1], A[7] += P[2], A[8] += P[4], A[12] += P[3],
        A[13] += P[4], A[14] += P[5];
  };
  if (law.a != kNone) act_on(law.a, on_a.torque, -1);
  if (law.b != kNone) act_on(law.b, on_b.torque, 1);
  if (law.a != kNone && law.b != kNone) matrix_.subtract_turning(law.a, law.b, K);
}

// J M^-1 J^T of row i and one body.
double StepProblem::mobility(int node, const double* J) const {
  if (node == kNone) return 0;
  const BodyId id = bodies_[static_cast<size_t>(node)];
  const Vec3 turn = motions_[id.index()].rotation.transpose() * Vec3(J[3], J[4], J[5]);
  const Weight& weight = weights_[static_cast<size_t>(node)];
  const double turning = turn.dot(weight.inverse_inertia_B * turn);
  return resistance_.turns ? turning : turning + weight.inverse_mass * square_of(J);
}

// Means over the rows, weighed by how stiff or damped they are: the same however the axes of a law are turned.
LawWeights StepProblem::choose_weights(const Law& law, double h_before, double h) const {
  const Resistance& rows = resistance_;
  const double longer = std::max(h_before, h), kick = 0.5 * (h_before + h);
  double square = 0, rate = 0;  // as LawWeights has them
  const auto measure = [&](const auto& mobility_of, double turning) {
    double stiff = 0, stiffness = 0, damped = 0, damping = 0;
    for (int i = 0; i < rows.rows; ++i) {
      const double k = rows.stiffness[i], d = rows.damping[i], j = mobility_of(i);
      stiffness += k, damping += d, stiff += k * k * j, damped += d * d * j;
    }
    rate = (damping > 0 ? damped / damping : 0) + rows.turning_damping * turning;
    square = stiffness > 0 ? stiff / stiffness : 0;
    const bool damps = damping > 0 || rows.turning_damping > 0;
    return (!(stiffness > 0) || longer * longer * square > kStiffStep * kStiffStep) &&
           (!damps || kick * rate > kHeavyDamping);
  };
  // As if bodies were as hard to turn as they are at most: enough to see that most stiff laws are. What is not of a moving body may not even be a
  // number.
  const auto moment_of = [&](int node) {
    return node == kNone ? 0 : weights_[static_cast<size_t>(node)].least_turning;
  };
  const auto lightest = [&](int node, const double* J) {
    return node == kNone ? 0
                         : weights_[static_cast<size_t>(node)].inverse_mass * square_of(J) +
                               moment_of(node) * square_of(J + 3);
  };
  const double turning = moment_of(law.a) + moment_of(law.b);
  if (rows.turns
          ? measure([&](int i) { return turning * square_of(rows.J_b[i] + 3); }, turning)
          : measure([&](int i) { return lightest(law.a, rows.J_a[i]) + lightest(law.b, rows.J_b[i]); }, 0))
    return LawWeights::of(square, rate, h_before, h);
  double mean = 0;  // over all directions
  if (rows.turning_damping > 0)
    for (const int node : {law.a, law.b})
      if (node != kNone) mean += weights_[static_cast<size_t>(node)].inverse_inertia_B.trace() / 3;
  measure(
      [&](int i) {
        return mobility(law.a, rows.turns ? rows.J_b[i] : rows.J_a[i]) + mobility(law.b, rows.J_b[i]);
      },
      mean);
  return LawWeights::of(square, rate, h_before, h);
}

// M, with the inertia of the middle of the coming step: soft laws turn bodies on the way there, stiff ones, whose kicks are taken back at
// once, do not.
void StepProblem::set_masses(std::span<const double> momenta, double h) {
  middle_.compute(motions_, momenta, smooth_, h, inertias_);
  for (size_t n = 0; n < bodies_.size(); ++n) {
    const double mass = weights_[n].mass;
    for (size_t k = 6 * n; k < 6 * n + 6; ++k) b_[k] += smooth_[k];
    double* A = matrix_.diagonal(static_cast<int>(n)).data();
    A[0] += mass, A[7] += mass, A[14] += mass;
    const double* inertia = inertias_[n].data();
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) A[21 + 6 * c + r] += inertia[3 * c + r];
  }
}

void StepProblem::set_rows(double t) {
  c_.resize(matrix_.rows()), open_.resize(matrix_.rows()), bends_.assign(matrix_.rows(), 0.0);
  for (const Point& point : points_) {
    const BodyMotion &a = motion_of(point.a, motions_), &b = motion_of(point.b, motions_);
    const Vec3 arm_a = turned_by(a.rotation, point.arm_A), arm_b = turned_by(b.rotation, point.arm_B);
    const bool b_first = joints_[point.joint].point > 0;
    double *first = matrix_.J_a(point.joint), *second = matrix_.J_b(point.joint);
    double *c = &c_[matrix_.first_row(point.joint)], *open = &open_[matrix_.first_row(point.joint)];
    for (int k = 0; k < 3; ++k) {
      first[k] = b_first ? arm_b[k] : arm_a[k], second[k] = b_first ? arm_a[k] : arm_b[k];
      open[k] = (b.center[k] - a.center[k]) + (arm_b[k] - arm_a[k]);
      c[k] = -rate_ * open[k];
    }
  }
  model::ConstraintRows rows;
  for (const size_t k : others_) {
    const model::Constraint& constraint = *model_->constraints()[k];
    constraint.evaluate(t, motion_of(constraint.a(), motions_), motion_of(constraint.b(), motions_), rows);
    const bool b_first = node_of(constraint.b()) != kNone;
    copy_rows(b_first ? rows.J_b : rows.J_a, joints_[k].count, matrix_.J_a(k));
    if (joints_[k].b != kNone) copy_rows(rows.J_a, joints_[k].count, matrix_.J_b(k));
    double *c = &c_[matrix_.first_row(k)], *open = &open_[matrix_.first_row(k)];
    for (int i = 0; i < joints_[k].count; ++i)
      open[i] = rows.value[i], c[i] = -rows.rate[i] - rate_ * rows.value[i];
  }
}

void StepProblem::expect_bends(std::span<const double> bends) {
  for (size_t k = 0; k < c_.size(); ++k) bends_[k] += bends[k], c_[k] += bends[k];
}

// What was expected, and what is left in y_; less what v does not follow, because rows are redundant: that is no bend.
void StepProblem::note_bends(std::span<const double> v) {
  const auto along = [&](const double* J, int node) {
    double speed = 0;
    for (size_t k = 0; k < 6; ++k) speed += J[k] * v[6 * static_cast<size_t>(node) + k];
    return speed;
  };
  const auto point_speed = [&](const double* arm, int node) {
    const Eigen::Map<const Vec6> u(&v[6 * static_cast<size_t>(node)]);
    return Vec3(u.head<3>() + u.tail<3>().cross(Vec3(arm[0], arm[1], arm[2])));
  };
  for (size_t j = 0; j < joints_.size(); ++j) {
    const BlockSolver::Rows& joint = joints_[j];
    const size_t first = matrix_.first_row(j);
    for (size_t i = 0; i < static_cast<size_t>(joint.count); ++i)
      bends_[first + i] += y_[first + i] - c_[first + i];
    if (joint.point != 0) {
      Vec3 u = point_speed(matrix_.J_a(j), joint.a);
      if (joint.b != kNone) u -= point_speed(matrix_.J_b(j), joint.b);
      for (size_t k = 0; k < 3; ++k) bends_[first + k] += joint.point * u[static_cast<int>(k)];
      continue;
    }
    for (size_t i = 0; i < static_cast<size_t>(joint.count); ++i) {
      bends_[first + i] += along(matrix_.J_a(j) + 6 * i, joint.a);
      if (joint.b != kNone) bends_[first + i] += along(matrix_.J_b(j) + 6 * i, joint.b);
    }
  }
}

StepProblem::Closing StepProblem::close_joints(const State& where, double h, double tolerance,
                                               std::vector<double>& v, std::vector<double>& l) {
  Closing closing;
  if (matrix_.rows() == 0) return closing;
  for (size_t i = 0; i < end_.size(); ++i)
    if (node_of(BodyId(i)) == kNone) end_[i] = motions_[i];
  y_.resize(matrix_.rows());
  model::ConstraintRows rows;
  double last = std::numeric_limits<double>::infinity();
  for (int pass = 0;; ++pass) {
    for (size_t n = 0; n < bodies_.size(); ++n) {
      const BodyId id = bodies_[n];
      const Eigen::Map<const Vec6> u(&v[6 * n]);
      end_[id.index()].center = motions_[id.index()].center + h * u.head<3>();
      end_[id.index()].rotation = (turn_by(h * u.tail<3>()) * where.orientation(id)).to_matrix();
    }
    closing.after = 0, closing.closed = true;
    double most = 0;
    // Parts of a step leave their share of what there was: more than that by the same share of the tolerance is closed, too.
    const auto enter = [&](size_t row, double gap) {
      const double over = gap - (1 - share_) * open_[row];
      const double size = std::abs(gap) * row_scales_[row], excess = std::abs(over) * row_scales_[row];
      closing.after = std::max(closing.after, size), most = std::max(most, excess);
      if (pass == 0)
        closing.before = std::max(closing.before, std::abs(gap - h * bends_[row]) * row_scales_[row]);
      y_[row] = -over / h;
      if (!(size <= tolerance || excess <= share_ * tolerance)) closing.closed = false;
    };
    for (const Point& point : points_) {
      const BodyMotion &a = motion_of(point.a, end_), &b = motion_of(point.b, end_);
      const Vec3 arm_a = turned_by(a.rotation, point.arm_A), arm_b = turned_by(b.rotation, point.arm_B);
      const size_t first = matrix_.first_row(point.joint);
      for (size_t k = 0; k < 3; ++k) enter(first + k, (b.center[k] - a.center[k]) + (arm_b[k] - arm_a[k]));
    }
    for (const size_t k : others_) {
      const model::Constraint& joint = *model_->constraints()[k];
      joint.evaluate(where.time + h, motion_of(joint.a(), end_), motion_of(joint.b(), end_), rows);
      const size_t first = matrix_.first_row(k);
      for (size_t i = 0; i < static_cast<size_t>(joints_[k].count); ++i) enter(first + i, rows.value[i]);
    }
    if (pass == 0) note_bends(v);
    // One pass at least, or a gap of the second order in h is left, and with it the energy is another one where steps are short. Loops may keep
    // what redundant rows disagree about.
    if ((closing.closed && (pass > 0 || most <= kClosedAtOnce)) || pass == kClosingPasses ||
        !(most < kClosingStall * last))
      return closing;
    last = most;
    x_.assign(size(), 0.0);
    matrix_.solve(x_.data(), y_.data());
    for (size_t k = 0; k < v.size(); ++k) v[k] += x_[k];
    for (size_t k = 0; k < l.size(); ++k) l[k] += y_[k];
  }
}

double StepProblem::largest_turn(std::span<const double> v, double h) {
  double square = 0;
  for (size_t k = 3; k < v.size(); k += 6)
    square = std::max(square, v[k] * v[k] + v[k + 1] * v[k + 1] + v[k + 2] * v[k + 2]);
  return h * math::sqrt(square);
}

std::vector<double> StepProblem::momenta_from(std::span<const double> v) const {
  std::vector<double> momenta(size());
  for (size_t n = 0; n < bodies_.size(); ++n) {
    const Eigen::Map<const Vec6> u(&v[6 * n]);
    part(momenta, n) << weights_[n].mass * u.head<3>(), inertias_[n] * u.tail<3>();
  }
  return momenta;
}

void StepProblem::drift(std::span<const double> v, double h, State& state) const {
  for (size_t n = 0; n < bodies_.size(); ++n) {
    const Eigen::Map<const Vec6> u(&v[6 * n]);
    const BodyId id = bodies_[n];
    state.set_position(id, state.position(id) + h * u.head<3>());
    const Quat q = turn_by(h * u.tail<3>()) * state.orientation(id);
    const double inverse = 1 / q.norm();
    state.set_orientation(
        id, Quat::from_wxyz(inverse * q.w(), inverse * q.x(), inverse * q.y(), inverse * q.z()));
  }
  state.time += h;
}

}  // namespace tumble::dynamics
