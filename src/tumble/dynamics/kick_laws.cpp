#include "tumble/dynamics/kick_laws.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/core/require.h"
#include "tumble/dynamics/law_weights.h"
#include "tumble/dynamics/linear/ball_kernel.h"
#include "tumble/model/joint_forces.h"

namespace tumble::dynamics {

using math::Vec3;
using model::BodyMotion;
using model::Resistance;
using model::Wrench;
using Law = KickLaws::Law;

namespace {

using Vec6 = KktSolver::Vec6;

bool has_effort_limit(const model::ForceLaw& law) {
  return law.resists() && law.largest_effort() < std::numeric_limits<double>::infinity();
}

Vec6 velocity_of(const BodyMotion& motion) {
  Vec6 v;
  v << motion.velocity, motion.angular_velocity;
  return v;
}

// The velocity of a node; 0 for a body that does not move.
Eigen::Map<const Vec6> velocity_in(std::span<const double> v, int node) {
  static constexpr double kRest[6] = {};
  return Eigen::Map<const Vec6>(node == kNone ? kRest : &v[6 * static_cast<size_t>(node)]);
}

double speed_of(const ConeConstraint::Matrix36& G, int row, const BodyMotion& m) {
  return G.block<1, 3>(row, 0).dot(m.velocity) + G.block<1, 3>(row, 3).dot(m.angular_velocity);
}

// The effort along a row that has this effect on the two bodies. It is computed from the body with the larger
// Jacobian.
double effort_along(const Vec6& J_a, const Vec6& J_b, const Wrench& on_a, const Wrench& on_b) {
  const bool by_b = J_b.squaredNorm() > J_a.squaredNorm();
  const Vec6& J = by_b ? J_b : J_a;
  const Wrench& on = by_b ? on_b : on_a;
  return (J.head<3>().dot(on.force) + J.tail<3>().dot(on.torque)) / J.squaredNorm();
}

void write_impulse(const Wrench& on, double time, double* out) {
  for (int k = 0; k < 3; ++k) out[k] = time * on.force[k], out[3 + k] = time * on.torque[k];
}

// Adds w_i J_i^T J_i to a lower triangle. Rows are mostly zeros.
void add_squares(const Resistance& rows, const double (*J)[6], const double* weights, double* A) {
  for (int i = 0; i < rows.rows; ++i)
    TUMBLE_UNROLLED (r, 0, 6) {
      const double product = weights[i] * J[i][r];
      if (product == 0) continue;
      TUMBLE_UNROLLED (c, 0, r + 1) A[lower(r, c)] += product * J[i][c];
    }
}

// Sum of w_i J_a,i^T J_b,i.
KktSolver::Block product(const Resistance& rows, const double* weights) {
  KktSolver::Block sum = KktSolver::Block::Zero();
  for (int i = 0; i < rows.rows; ++i)
    for (int c = 0; c < 6; ++c)
      for (int r = 0; r < 6; ++r) sum(r, c) += weights[i] * rows.J_a[i][r] * rows.J_b[i][c];
  return sum;
}

// Impulses of soft laws contribute to the midpoint rotation. Impulses of stiff laws do not, since the step
// reverses them at once.
void add_impulse(int node, const double* impulse, bool soft, KickSystem& system) {
  if (node == kNone) return;
  const auto n = static_cast<size_t>(node);
  double *b = &system.b[6 * n], *angular = soft ? &system.angular_impulse[3 * n] : b + 3;
  for (int k = 0; k < 3; ++k) b[k] += impulse[k], angular[k] += impulse[3 + k];
}

// What the weights of a law depend on.
struct WeightQuery {
  const KickBodies& bodies;
  std::span<const BodyMotion> motions;
  const ThetaParameters& theta;
  double h_before, h;   // s
  bool at_end = false;  // theta = 1 at any frequency
};

// Averages over the rows, weighted by stiffness or damping. So they do not depend on the orientation of the
// law's axes.
LawWeights choose_weights(const Law& law, const Resistance& rows, const WeightQuery& query) {
  double stiff = 0, stiffness = 0, damped = 0, damping = 0;
  for (int i = 0; i < rows.rows; ++i) {
    const double k = rows.stiffness[i], d = rows.damping[i];
    const double j = query.bodies.mobility(law.a, rows.J_a[i], query.motions) +
                     query.bodies.mobility(law.b, rows.J_b[i], query.motions);
    stiffness += k, damping += d, stiff += k * k * j, damped += d * d * j;
  }
  const double square = stiffness > 0 ? stiff / stiffness : 0, rate = damping > 0 ? damped / damping : 0;
  return LawWeights::of(square, rate, query.h_before, query.h, query.theta, query.at_end);
}

// The same with K in place of rows: the mean of K, and the least mobilities of the two bodies. The slowest
// rotation decides how stiff a law is. The twist of a thin bone is far faster than its bending, which would
// otherwise be damped too much.
LawWeights choose_angular_weights(const Law& law, const Resistance& resistance, const WeightQuery& query) {
  double least = 0, mean = 0;
  for (const int node : {law.a, law.b}) {
    if (node == kNone) continue;
    const BodyMass& mass = query.bodies.masses[static_cast<size_t>(node)];
    least += mass.least_inverse_moment, mean += mass.mean_inverse_moment();
  }
  const double* K = resistance.turning_stiffness;
  return LawWeights::of((1.0 / 3) * (K[0] + K[2] + K[5]) * least, resistance.turning_damping * mean,
                        query.h_before, query.h, query.theta, query.at_end);
}

// The row of a law with an effort limit, equation (1), for a drift of h after the kick. With h = 0 nothing is
// solved, and `impulse` is the impulse that the law has already exerted.
ConeConstraint make_actuator_row(const Law& law, double h, const ThetaParameters& theta,
                                 const KickBodies& bodies, const KickSystem& system, Resistance& resistance) {
  const double h_before = system.step.h_before;
  const std::vector<BodyMotion>& motions = system.motions;
  const BodyMotion &a = motion_of(law.law->a(), motions), &b = motion_of(law.law->b(), motions);
  resistance.unlimited = true;
  Wrench on_a, on_b;
  law.law->linearise(system.step.time, a, b, on_a, on_b, resistance);
  resistance.unlimited = false;
  TUMBLE_REQUIRE(resistance.turns || resistance.rows == 1,
                 "a law with an effort limit has one row, or acts on the relative rotation");
  ConeConstraint row;
  row.set = ConeConstraint::Set::ball;
  row.radius = 0.5 * (h_before + h) * law.law->largest_effort();
  row.a = law.a, row.b = law.b;
  Vec3 force = Vec3::Zero();
  double stiffness = 0, damping = 0;
  if (resistance.turns) {
    row.G_a.block<3, 3>(0, 3) = -math::Mat3::Identity(), row.G_b.block<3, 3>(0, 3).setIdentity();
    force = on_b.torque;
    stiffness = resistance.stiffness[0], damping = resistance.turning_damping;
  } else {
    for (int k = 0; k < 6; ++k) row.G_a(0, k) = resistance.J_a[0][k], row.G_b(0, k) = resistance.J_b[0][k];
    force.x() = effort_along(row.G_a.row(0), row.G_b.row(0), on_a, on_b);
    stiffness = resistance.stiffness[0], damping = resistance.damping[0];
  }
  // A law beyond its effort limit is no spring. With theta near 1/2 it would leave the limit too late or too
  // early, and gain energy.
  const bool beyond = force.squaredNorm() > law.law->largest_effort() * law.law->largest_effort();
  const WeightQuery query{bodies, motions, theta, h_before, h, beyond};
  const LawWeights weights = resistance.turns ? choose_angular_weights(law, resistance, query)
                                              : choose_weights(law, resistance, query);
  const double B = weights.now(stiffness, damping), past = weights.before(stiffness, damping);
  Vec3 speed;
  for (int i = 0; i < 3; ++i) speed[i] = speed_of(row.G_a, i, a) + speed_of(row.G_b, i, b);
  row.impulse = weights.kick * force + past * speed;
  if (h == 0 || !(B > 0)) {
    // Nothing is solved: u is the velocity after this law alone has acted.
    for (int i = 0; i < 3; ++i) {
      double J_a[6], J_b[6];
      for (int k = 0; k < 6; ++k) J_a[k] = row.G_a(i, k), J_b[k] = row.G_b(i, k);
      row.impulse[i] =
          (row.impulse[i] - B * speed[i]) /
          (1 + B * (bodies.mobility(law.a, J_a, motions) + bodies.mobility(law.b, J_b, motions)));
    }
    row.impulse = project_on_cone(row, row.impulse);
    return row;
  }
  row.compliance = 1 / B;
  row.bias = -row.impulse / B;
  row.impulse.setZero();
  return row;
}

LawImpulses impulses_of(const ConeConstraint& row) {
  LawImpulses impulses;
  for (const auto& [G, on] : {std::pair(&row.G_a, &impulses.on_a), std::pair(&row.G_b, &impulses.on_b)}) {
    const Vec6 impulse = G->transpose() * row.impulse;
    on->force = impulse.head<3>(), on->torque = impulse.tail<3>();
  }
  impulses.effort = row.G_a.row(1).isZero(0) ? row.impulse.x() : row.impulse.norm();
  return impulses;
}

}  // namespace

KickLaws::KickLaws(const KickBodies& bodies, const ThetaParameters& parameters) : theta_(parameters) {
  for (const auto& law : bodies.model->forces()) {
    const int a = bodies.moving.node_of(law->a()), b = bodies.moving.node_of(law->b());
    const bool limited = has_effort_limit(*law);
    const auto first_switch = static_cast<uint32_t>(switch_times_.size());
    for (const double t : law->switch_times())
      if (std::isfinite(t)) switch_times_.push_back(t);
    std::sort(switch_times_.begin() + first_switch, switch_times_.end());
    laws_.push_back({law.get(), a, b, static_cast<uint32_t>(laws_.size()), 0, limited, first_switch,
                     static_cast<uint32_t>(switch_times_.size()) - first_switch});
    nodes_.emplace_back(a, b);
    if (limited) actuators_.push_back(laws_.back());
    if (law->resists() && a != kNone && b != kNone) couplings_.emplace_back(std::min(a, b), std::max(a, b));
  }
  std::sort(couplings_.begin(), couplings_.end());
  couplings_.erase(std::unique(couplings_.begin(), couplings_.end()), couplings_.end());
  linear_.resize(laws_.size());
}

void KickLaws::schedule(const KktSolver& matrix, const PartOfNodes& part_of) {
  for (Law& law : laws_)
    if (law.law->resists() && law.a != kNone && law.b != kNone)
      law.coupling = static_cast<uint32_t>(matrix.coupling_of(law.a, law.b));
  PartOfNodes::sort(laws_, [&](const Law& law) { return part_of(law.a, law.b); });
}

double* KickLaws::reserve(size_t numbers) {
  if (numbers_.size() < used_ + numbers) numbers_.resize(2 * (used_ + numbers));
  used_ += numbers;
  return &numbers_[used_ - numbers];
}

void KickLaws::add(size_t first, size_t end, const KickBodies& bodies, KickSystem& system) {
  if (!(system.step.kick > 0)) return;
  for (size_t k = first; k < end; ++k) {
    const size_t later = k + kBodiesPerPart;
    if (later < laws_.size()) prefetch(laws_[later].law, sizeof(model::BallDrive));
    const Law& law = laws_[k];
    if (!law.has_effort_limit) {
      add_law(law, bodies, system);
    } else if (system.step.h == 0) {
      const ConeConstraint row = make_actuator_row(law, 0, theta_, bodies, system, resistance_);
      const Vec6 on_a = row.G_a.transpose() * row.impulse, on_b = row.G_b.transpose() * row.impulse;
      add_impulse(law.a, on_a.data(), true, system);
      add_impulse(law.b, on_b.data(), true, system);
    }
  }
}

// The mean wrenches of a law over a kick, and its linearisation at t_n in resistance_. Between switch times a
// force is smooth: each piece of time has the force in its middle. Rows of laws with an effort limit do not
// use this; none of the program's own drives has switch times.
void KickLaws::linearise(const Law& law, const KickStep& step, const BodyMotion& a, const BodyMotion& b,
                         Wrench& on_a, Wrench& on_b) {
  law.law->linearise(step.time, a, b, on_a, on_b, resistance_);
  if (law.switches == 0) return;
  const double begin = step.time - 0.5 * step.h_before, end = step.time + 0.5 * step.h;
  const auto is_inside = [&](double t) { return t > begin && t < end; };
  const std::span<const double> times(&switch_times_[law.first_switch], law.switches);
  if (std::none_of(times.begin(), times.end(), is_inside)) return;
  on_a = {}, on_b = {};
  double from = begin;
  const auto add_piece = [&](double to) {
    Wrench mean_a, mean_b;
    law.law->apply(0.5 * (from + to), a, b, mean_a, mean_b);
    const double share = (to - from) / (end - begin);
    on_a.force += share * mean_a.force, on_a.torque += share * mean_a.torque;
    on_b.force += share * mean_b.force, on_b.torque += share * mean_b.torque;
    from = to;
  };
  for (const double t : times)
    if (is_inside(t)) add_piece(t);
  add_piece(end);
}

void KickLaws::add_law(const Law& law, const KickBodies& bodies, KickSystem& system) {
  Wrench on_a, on_b;
  linearise(law, system.step, motion_of(law.law->a(), system.motions),
            motion_of(law.law->b(), system.motions), on_a, on_b);
  resistance_.turns ? add_angular(law, on_b, bodies, system) : add_rows(law, on_a, on_b, bodies, system);
}

// Equation (2) of kick_problem.h. The rows of the world may be NaN.
void KickLaws::add_rows(const Law& law, const Wrench& on_a, const Wrench& on_b, const KickBodies& bodies,
                        KickSystem& system) {
  const Resistance& rows = resistance_;
  const KickStep& step = system.step;
  const LawWeights weights =
      rows.none() ? LawWeights{.kick = step.kick}
                  : choose_weights(law, rows, {bodies, system.motions, theta_, step.h_before, step.h});
  const bool has_b = law.law->b().valid();
  const size_t width = has_b ? 12 : 6;
  linear_[law.index] = {static_cast<uint32_t>(used_), static_cast<int8_t>(rows.rows), false, has_b};
  double* impulse = reserve(width + (1 + width) * static_cast<size_t>(rows.rows));
  write_impulse(on_a, weights.kick, impulse);
  if (has_b) write_impulse(on_b, weights.kick, impulse + 6);
  using Row = Eigen::Map<const Vec6>;
  const Vec6 v_a = velocity_of(motion_of(law.law->a(), system.motions)),
             v_b = velocity_of(motion_of(law.law->b(), system.motions));
  Eigen::Map<Vec6> on(impulse), other(impulse + width - 6);
  double now[Resistance::kMostRows], *row = impulse + width;
  for (int i = 0; i < rows.rows; ++i, row += 1 + width) {
    row[0] = now[i] = weights.now(rows.stiffness[i], rows.damping[i]);
    const double past = weights.before(rows.stiffness[i], rows.damping[i]);
    const Row J_a(rows.J_a[i]), J_b(rows.J_b[i]);
    Eigen::Map<Vec6>(row + 1) = J_a;
    if (has_b) Eigen::Map<Vec6>(row + 7) = J_b;
    if (past == 0) continue;
    const double along = past * (has_b ? J_a.dot(v_a) + J_b.dot(v_b) : J_a.dot(v_a));
    on += along * J_a;
    if (has_b) other += along * J_b;
  }
  add_impulse(law.a, impulse, weights.soft, system);
  if (has_b) add_impulse(law.b, impulse + 6, weights.soft, system);
  if (rows.none()) return;
  KktSolver& matrix = system.matrix;
  if (law.a != kNone) add_squares(rows, rows.J_a, now, matrix.lower_diagonal(law.a));
  if (law.b != kNone) add_squares(rows, rows.J_b, now, matrix.lower_diagonal(law.b));
  if (law.a != kNone && law.b != kNone) matrix.add_coupling(law.a, law.b, product(rows, now));
}

// Equation (2) for a law that depends on the relative rotation, as most laws of stiff joints do. One 3 x 3
// block serves both bodies and their coupling.
void KickLaws::add_angular(const Law& law, const Wrench& on_b, const KickBodies& bodies, KickSystem& system) {
  const double* K = resistance_.turning_stiffness;
  const KickStep& step = system.step;
  const LawWeights weights =
      choose_angular_weights(law, resistance_, {bodies, system.motions, theta_, step.h_before, step.h});
  const double damping = weights.damped * resistance_.turning_damping;
  const Vec3 &w_a = motion_of(law.law->a(), system.motions).angular_velocity,
             &w_b = motion_of(law.law->b(), system.motions).angular_velocity;
  const double w[] = {w_b[0] - w_a[0], w_b[1] - w_a[1], w_b[2] - w_a[2]};
  linear_[law.index] = {static_cast<uint32_t>(used_), 0, true, true};
  double *torque = reserve(3 + kLower3), *P = torque + 3;
  for (int k = 0; k < 3; ++k)
    torque[k] = weights.kick * on_b.torque[k] + damping * w[k] + weights.past * times_symmetric(K, w, k);
  for (int k = 0; k < kLower3; ++k) P[k] = weights.stiff * K[k];
  P[lower(0, 0)] += damping, P[lower(1, 1)] += damping, P[lower(2, 2)] += damping;
  KktSolver& matrix = system.matrix;
  const auto act_on = [&](int node, double sign) {
    if (node == kNone) return;
    const auto n = static_cast<size_t>(node);
    double* on = weights.soft ? &system.angular_impulse[3 * n] : &system.b[6 * n + 3];
    double* A = matrix.lower_diagonal(node);
    for (int r = 0; r < 3; ++r) {
      on[r] += sign * torque[r];
      for (int c = 0; c <= r; ++c) A[lower(3 + r, 3 + c)] += P[lower(r, c)];
    }
  };
  act_on(law.a, -1), act_on(law.b, 1);
  if (law.a != kNone && law.b != kNone)
    matrix.subtract_angular(system.has_contact_couplings ? matrix.coupling_of(law.a, law.b) : law.coupling,
                            P);
}

void KickLaws::update_effort_limits() {
  actuators_.clear();
  for (Law& law : laws_) {
    law.has_effort_limit = has_effort_limit(*law.law);
    if (law.has_effort_limit) actuators_.push_back(law);
  }
  std::sort(actuators_.begin(), actuators_.end(),
            [](const Law& x, const Law& y) { return x.index < y.index; });
}

void KickLaws::add_actuators(const KickBodies& bodies, const KickSystem& system,
                             std::vector<ConeConstraint>& cones, std::vector<size_t>& laws) {
  if (!(system.step.h > 0)) return;
  for (const Law& law : actuators_) {
    const ConeConstraint row = make_actuator_row(law, system.step.h, theta_, bodies, system, resistance_);
    if (!(row.compliance > 0)) continue;  // it does not resist and has no effect
    cones.push_back(row);
    laws.push_back(law.index);
  }
}

LawImpulses KickLaws::compute_impulses(size_t index, std::span<const double> v, const ConeConstraint* row,
                                       const KickBodies& bodies, const KickSystem& system) {
  if (const auto limited = std::lower_bound(actuators_.begin(), actuators_.end(), index,
                                            [](const Law& x, size_t i) { return x.index < i; });
      limited != actuators_.end() && limited->index == index)
    return impulses_of(row ? *row : make_actuator_row(*limited, 0, theta_, bodies, system, resistance_));
  if (!(system.step.kick > 0)) return {};
  return compute_linear_impulses(linear_[index], v, nodes_[index]);
}

LawImpulses KickLaws::compute_linear_impulses(const Linear& linear, std::span<const double> v,
                                              std::pair<int, int> nodes) const {
  LawImpulses impulses;
  const double* impulse = &numbers_[linear.at];
  const auto v_a = velocity_in(v, nodes.first), v_b = velocity_in(v, nodes.second);
  if (linear.turns) {
    const double w[] = {v_b[3] - v_a[3], v_b[4] - v_a[4], v_b[5] - v_a[5]};
    for (int k = 0; k < 3; ++k) {
      impulses.on_b.torque[k] = impulse[k] - times_symmetric(impulse + 3, w, k);
      impulses.on_a.torque[k] = -impulses.on_b.torque[k];
    }
    impulses.effort = impulses.on_b.torque.norm();
    return impulses;
  }
  using Row = Eigen::Map<const Vec6>;
  const int width = linear.has_b ? 12 : 6;
  const double* row = impulse + width;
  Vec6 on_a = Row(impulse), on_b = Vec6::Zero();
  if (linear.has_b) on_b = Row(impulse + 6);
  for (int i = 0; i < linear.rows; ++i, row += 1 + width) {
    const Row J_a(row + 1), J_b(row + width - 5);
    const double along = -row[0] * (linear.has_b ? J_a.dot(v_a) + J_b.dot(v_b) : J_a.dot(v_a));
    on_a += along * J_a;
    if (linear.has_b) on_b += along * J_b;
  }
  impulses.on_a = {on_a.head<3>(), on_a.tail<3>()}, impulses.on_b = {on_b.head<3>(), on_b.tail<3>()};
  if (linear.rows != 1) return impulses;
  const Vec6 J_a = Row(impulse + width + 1), J_b = linear.has_b ? Vec6(Row(impulse + 19)) : Vec6::Zero();
  impulses.effort = effort_along(J_a, J_b, impulses.on_a, impulses.on_b);
  return impulses;
}

}  // namespace tumble::dynamics
