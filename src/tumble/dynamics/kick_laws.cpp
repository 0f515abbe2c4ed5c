#include "tumble/dynamics/kick_laws.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Eigenvalues>

#include "tumble/core/require.h"
#include "tumble/dynamics/detail/law_rows.h"
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

// The impulse along a row, of the drift before the kick, at rest: by (1) of law_weights.h along a coordinate,
// otherwise what (2) has beside F.
double row_impulse_before(const Resistance& rows, int i, bool has_coordinate, const LawHistory& history,
                          double h_before, double speed) {
  if (has_coordinate && i == 0 && !std::isnan(history.half_impulse)) return history.half_impulse;
  if (has_coordinate && i == 0)
    return 0.5 * h_before *
           (0.5 * (history.effort + rows.effort) -
            2 * history.along.epsilon * history.stiffness * (rows.coordinate - history.coordinate));
  const LawDrift& last = has_coordinate ? history.across : history.along;
  return (0.25 - last.epsilon) * h_before * h_before * rows.stiffness[i] * speed;
}

// Impulses of soft laws contribute to the midpoint rotation. Impulses of stiff laws do not, since the step
// reverses them at once.
void add_impulse(int node, const double* impulse, bool soft, KickSystem& system) {
  if (node == kNone) return;
  const auto n = static_cast<size_t>(node);
  double *b = &system.b[6 * n], *angular = soft ? &system.angular_impulse[3 * n] : b + 3;
  for (int k = 0; k < 3; ++k) b[k] += impulse[k], angular[k] += impulse[3 + k];
}

// The row of a law with an effort limit, equation (1), for a drift of h after the kick. With h = 0 nothing is
// solved, and `impulse` is the impulse that the law has already exerted.
ConeConstraint make_actuator_row(const Law& law, double h, const LawParameters& par, LawHistory& history,
                                 const KickBodies& bodies, const KickSystem& system, Resistance& resistance) {
  const double h_before = system.step.h_before;
  const std::vector<BodyMotion>& motions = system.motions;
  const BodyMotion &a = motion_of(law.law->a(), motions), &b = motion_of(law.law->b(), motions);
  resistance.clear();
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
  // A law beyond its effort limit is no spring. By the midpoint rule it would leave the limit too late or too
  // early, and gain energy.
  const bool beyond = force.squaredNorm() > law.law->largest_effort() * law.law->largest_effort();
  const LawScale scale = resistance.turns ? scale_of_rotation(law, resistance, bodies)
                                          : scale_of_rows(law, resistance, 0, 1, bodies, motions);
  const bool backward = beyond || math::sqrt(scale.square) * (h > 0 ? h : h_before) > par.stiff_step;
  const LawWeights weights = LawWeights::of(scale, h_before, h, history.along, par, backward);
  history.along = {.epsilon = weights.drift.epsilon, .ringing = 0};
  const double B = weights.now(stiffness, damping), past = weights.of_past(stiffness, damping);
  Vec3 speed;
  for (int i = 0; i < 3; ++i) speed[i] = speed_of(row.G_a, i, a) + speed_of(row.G_b, i, b);
  row.impulse = weights.kick() * force + past * speed;
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

KickLaws::KickLaws(const KickBodies& bodies, const LawParameters& parameters) : par_(parameters) {
  for (const auto& law : bodies.model->forces()) {
    const int a = bodies.moving.node_of(law->a()), b = bodies.moving.node_of(law->b());
    const bool limited = has_effort_limit(*law);
    const auto first_switch = static_cast<uint32_t>(switch_times_.size());
    for (const double t : law->switch_times())
      if (std::isfinite(t)) switch_times_.push_back(t);
    std::sort(switch_times_.begin() + first_switch, switch_times_.end());
    double size = 0;
    for (const core::BodyId body : {law->a(), law->b()})
      if (body.valid()) size = std::max(size, bodies.model->body(body).radius);
    laws_.push_back({.law = law.get(),
                     .a = a,
                     .b = b,
                     .index = static_cast<uint32_t>(laws_.size()),
                     .coupling = 0,
                     .has_effort_limit = limited,
                     .first_switch = first_switch,
                     .switches = static_cast<uint32_t>(switch_times_.size()) - first_switch,
                     .has_length = law->coordinate(model::kWorldMotion, model::kWorldMotion).has_value(),
                     .scale = size > 0 ? 1 / size : 1,
                     .joint_ratio = 1});
    nodes_.emplace_back(a, b);
    if (limited) actuators_.push_back(laws_.back());
    if (law->resists() && a != kNone && b != kNone) couplings_.emplace_back(std::min(a, b), std::max(a, b));
  }
  std::sort(couplings_.begin(), couplings_.end());
  couplings_.erase(std::unique(couplings_.begin(), couplings_.end()), couplings_.end());
  linear_.resize(laws_.size()), next_.resize(laws_.size());
}

std::vector<int> KickLaws::nodes_with_lengths() const {
  std::vector<int> nodes;
  for (const Law& law : laws_)
    for (const int node : {law.a, law.b})
      if (law.has_length && node != kNone) nodes.push_back(node);
  return nodes;
}

// A law without stiffness at the start, such as a comfort zone, has no rows there. Its ratio is 1: its modes
// are then damped a little more.
void KickLaws::set_joint_ratios(const KickBodies& bodies, const FrequencyParameters& par,
                                KickSystem& system) {
  std::vector<double> x(6 * bodies.size()), l(system.matrix.rows());
  // The mobility under joints along J, by the other row I: I A^-1 J^T.
  const auto solve = [&](const Law& law, const Vec6& J_a, const Vec6& J_b) {
    std::fill(x.begin(), x.end(), 0.0), std::fill(l.begin(), l.end(), 0.0);
    if (law.a != kNone) std::copy_n(J_a.data(), 6, &x[6 * static_cast<size_t>(law.a)]);
    if (law.b != kNone) std::copy_n(J_b.data(), 6, &x[6 * static_cast<size_t>(law.b)]);
    system.matrix.solve(x.data(), l.data());
  };
  for (Law& law : laws_) {
    if (!law.law->resists()) continue;
    Wrench on_a, on_b;
    resistance_.clear();
    law.law->linearise(0, motion_of(law.law->a(), system.motions), motion_of(law.law->b(), system.motions),
                       on_a, on_b, resistance_);
    if (resistance_.turns) {
      math::Mat3 mobility;
      for (int k = 0; k < 3; ++k) {
        Vec6 J = Vec6::Zero();
        J[3 + k] = 1;
        solve(law, -J, J);
        mobility.col(k) = velocity_in(x, law.b).tail<3>() - velocity_in(x, law.a).tail<3>();
      }
      const Eigen::SelfAdjointEigenSolver<math::Mat3> values(mobility, Eigen::EigenvaluesOnly);
      const Vec3& w = values.eigenvalues();
      double least = w[2];
      for (int k = 1; k >= 0; --k)
        if (w[k] > par.round_off * w[2]) least = w[k];
      law.joint_ratio = std::clamp(least / least_angular_mobility(law, bodies), 0.0, 1.0);
    } else if (resistance_.rows > 0) {
      const Vec6 J_a = Eigen::Map<const Vec6>(resistance_.J_a[0]),
                 J_b = Eigen::Map<const Vec6>(resistance_.J_b[0]);
      const bool has_b = law.b != kNone;
      const double free = bodies.mobility(law.a, resistance_.J_a[0], system.motions) +
                          bodies.mobility(law.b, resistance_.J_b[0], system.motions);
      if (!(free > 0)) continue;
      solve(law, J_a, has_b ? J_b : Vec6(Vec6::Zero()));
      const double joined = (law.a != kNone ? J_a.dot(velocity_in(x, law.a)) : 0) +
                            (has_b ? J_b.dot(velocity_in(x, law.b)) : 0);
      law.joint_ratio = std::clamp(joined / free, 0.0, 1.0);
    }
  }
  update_effort_limits();
}

void KickLaws::begin(std::span<const LawHistory> history, double h_before) {
  used_ = 0;
  lengths_.clear();
  past_ = h_before > 0 ? history : std::span<const LawHistory>();
  if (h_before > 0) loss_ = 0;
}

void KickLaws::add_impulses_before(const KickSystem& system, std::span<double> p) {
  if (past_.empty()) return;
  for (const Law& law : laws_)
    if (!law.has_effort_limit && !law.law->is_dissipative())
      add_impulses_before(law, system.step, system.motions, p);
}

void KickLaws::linearise_at(const Law& law, const KickSystem& system) {
  Wrench on_a, on_b;
  linearise(law, system.step, motion_of(law.law->a(), system.motions),
            motion_of(law.law->b(), system.motions), on_a, on_b);
}

// Adds the impulses of a law in the half step before t_n to the momenta.
void KickLaws::add_impulses_before(const Law& law, const KickStep& step, std::span<const BodyMotion> motions,
                                   std::span<double> p) {
  const BodyMotion &a = motion_of(law.law->a(), motions), &b = motion_of(law.law->b(), motions);
  Wrench on_a, on_b;
  linearise(law, step, a, b, on_a, on_b);
  const Resistance& rows = resistance_;
  const LawHistory& history = history_of(law);
  const bool has_coordinate = rows.has_coordinate && law.switches == 0;
  Vec6 impulse_a = Vec6::Zero(), impulse_b = Vec6::Zero();
  if (!has_coordinate || rows.turns) {
    impulse_a << on_a.force, on_a.torque;
    impulse_b << on_b.force, on_b.torque;
    impulse_a *= 0.5 * step.h_before, impulse_b *= 0.5 * step.h_before;
  }
  if (rows.turns) {
    const Vec3 w = b.angular_velocity - a.angular_velocity;
    const double past = (0.25 - history.along.epsilon) * step.h_before * step.h_before;
    for (int k = 0; k < 3; ++k) {
      const double torque = past * times_symmetric(rows.turning_stiffness, w.data(), k);
      impulse_a[3 + k] -= torque, impulse_b[3 + k] += torque;
    }
  } else {
    const Vec6 v_a = velocity_of(a), v_b = velocity_of(b);
    for (int i = 0; i < rows.rows; ++i) {
      const Eigen::Map<const Vec6> J_a(rows.J_a[i]), J_b(rows.J_b[i]);
      const double speed = law.law->b().valid() ? J_a.dot(v_a) + J_b.dot(v_b) : J_a.dot(v_a);
      double along = row_impulse_before(rows, i, has_coordinate, history, step.h_before, speed);
      if (has_coordinate) along -= 0.5 * step.h_before * rows.damping[i] * speed;
      impulse_a += along * J_a;
      if (law.b != kNone) impulse_b += along * J_b;
    }
  }
  if (law.a != kNone) Eigen::Map<Vec6>(&p[6 * static_cast<size_t>(law.a)]) += impulse_a;
  if (law.b != kNone) Eigen::Map<Vec6>(&p[6 * static_cast<size_t>(law.b)]) += impulse_b;
}

const LawHistory& KickLaws::history_of(const Law& law) const {
  static const LawHistory kNoHistory{};
  return past_.empty() ? kNoHistory : past_[law.index];
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
      LawHistory history = history_of(law);
      const ConeConstraint row = make_actuator_row(law, 0, par_, history, bodies, system, resistance_);
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
  resistance_.clear();
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

// Equations (1) and (2) of law_weights.h. The rows of the world may be NaN.
void KickLaws::add_rows(const Law& law, const Wrench& on_a, const Wrench& on_b, const KickBodies& bodies,
                        KickSystem& system) {
  const Resistance& rows = resistance_;
  const KickStep& step = system.step;
  const LawHistory& history = history_of(law);
  const bool has_coordinate = rows.has_coordinate && law.switches == 0, has_b = law.law->b().valid();
  const bool is_idle = has_coordinate && rows.rows == 1 && rows.stiffness[0] == 0 && rows.damping[0] == 0 &&
                       rows.effort == 0 && history.effort == 0;
  next_[law.index] = {};
  if (rows.none() || is_idle) {
    linear_[law.index] = {static_cast<uint32_t>(used_), 0, false, has_b};
    double* impulse = reserve(has_b ? 12 : 6);
    write_impulse(on_a, step.kick, impulse);
    if (has_b) write_impulse(on_b, step.kick, impulse + 6);
    add_impulse(law.a, impulse, true, system);
    if (has_b) add_impulse(law.b, impulse + 6, true, system);
    return;
  }
  // The coordinate is mostly far stiffer than what is across it.
  const int first = has_coordinate ? 1 : rows.rows;
  const LawScale scale = scale_of_rows(law, rows, 0, first, bodies, system.motions);
  const LawWeights weights = LawWeights::of(scale, step.h_before, step.h, history.along, par_);
  const LawWeights across =
      first == rows.rows ? LawWeights{}
                         : LawWeights::of(scale_of_rows(law, rows, first, rows.rows, bodies, system.motions),
                                          step.h_before, step.h, history.across, par_);
  const double share = step.h_before / (step.h_before + step.h);  // of the drift before
  const size_t width = has_b ? 12 : 6;
  linear_[law.index] = {static_cast<uint32_t>(used_), static_cast<int8_t>(rows.rows), false, has_b};
  double* impulse = reserve(width + (kRowNumbers + width) * static_cast<size_t>(rows.rows));
  if (has_coordinate) {
    std::fill_n(impulse, width, 0.0);
  } else {
    write_impulse(on_a, weights.kick(), impulse);
    if (has_b) write_impulse(on_b, weights.kick(), impulse + 6);
  }
  next_[law.index].along = weights.drift;
  next_[law.index].across = across.drift;
  const double* ringing = ringing_of(law);
  using Row = Eigen::Map<const Vec6>;
  const Vec6 v_a = velocity_of(motion_of(law.law->a(), system.motions)),
             v_b = velocity_of(motion_of(law.law->b(), system.motions));
  Eigen::Map<Vec6> on(impulse), other(impulse + width - 6);
  double now[Resistance::kMostRows], *row = impulse + width;
  for (int i = 0; i < rows.rows; ++i, row += kRowNumbers + width) {
    const double k = rows.stiffness[i], d = rows.damping[i];
    const LawWeights& own = i < first ? weights : across;
    const Row J_a(rows.J_a[i]), J_b(rows.J_b[i]);
    const double speed = has_b ? J_a.dot(v_a) + J_b.dot(v_b) : J_a.dot(v_a);
    // Impulses of the drift before; those of F are in `impulse` if the law has no coordinate.
    double before = row_impulse_before(rows, i, has_coordinate, history, step.h_before, speed);
    if (ringing && (i == 0 || !has_coordinate)) before += ringing[i];
    double along = before + own.damped * d * speed, shift = before;
    double loss = 2 * (i < first ? history.along : history.across).epsilon * k * step.h_before *
                  step.h_before * speed * speed;
    if (has_coordinate && i == 0) {
      const double change = rows.coordinate - history.coordinate;
      shift = before - weights.before * rows.effort;
      along = before + weights.after * rows.effort - (weights.kick() - weights.damped) * d * speed;
      loss = 2 * history.along.epsilon * history.stiffness * change * change;
      next_[law.index] = {rows.effort,   rows.coordinate, k,
                          weights.drift, across.drift,    std::numeric_limits<double>::quiet_NaN()};
    }
    row[kWeight] = now[i] = own.now(k, d);
    row[kLengthError] = 0;
    row[kShift] = (1 - share) * shift;
    row[kShiftRate] = own.backward ? 0 : share * own.stiff * k;
    if (step.h_before > 0) loss_ += loss;
    Eigen::Map<Vec6>(row + kRowNumbers) = J_a;
    if (has_b) Eigen::Map<Vec6>(row + kRowNumbers + 6) = J_b;
    if (along == 0) continue;
    on += along * J_a;
    if (has_b) other += along * J_b;
  }
  add_impulse(law.a, impulse, weights.soft, system);
  if (has_b) add_impulse(law.b, impulse + 6, weights.soft, system);
  if (law.has_length && has_coordinate && step.h > 0 &&
      (!weights.soft || scale.rate * weights.kick() > par_.soft_step))
    lengths_.push_back(static_cast<uint32_t>(&law - laws_.data()));
  KktSolver& matrix = system.matrix;
  if (law.a != kNone) add_squares(rows, rows.J_a, now, matrix.lower_diagonal(law.a));
  if (law.b != kNone) add_squares(rows, rows.J_b, now, matrix.lower_diagonal(law.b));
  if (law.a != kNone && law.b != kNone) matrix.add_coupling(law.a, law.b, product(rows, now));
}

// Equation (2) of law_weights.h for a law that depends on the relative rotation, as most laws of stiff joints
// do. One 3 x 3 block serves both bodies and their coupling.
void KickLaws::add_angular(const Law& law, const Wrench& on_b, const KickBodies& bodies, KickSystem& system) {
  const double* K = resistance_.turning_stiffness;
  const KickStep& step = system.step;
  const LawHistory& history = history_of(law);
  const LawWeights weights =
      LawWeights::of(scale_of_rotation(law, resistance_, bodies), step.h_before, step.h, history.along, par_);
  const double share = step.h_before / (step.h_before + step.h);  // of the drift before
  const double damping = weights.damped * resistance_.turning_damping;
  next_[law.index] = {};
  next_[law.index].along = weights.drift;
  const double* ringing = ringing_of(law);
  const Vec3 &w_a = motion_of(law.law->a(), system.motions).angular_velocity,
             &w_b = motion_of(law.law->b(), system.motions).angular_velocity;
  const double w[] = {w_b[0] - w_a[0], w_b[1] - w_a[1], w_b[2] - w_a[2]};
  linear_[law.index] = {static_cast<uint32_t>(used_), 0, true, true};
  double *torque = reserve(3 + kLower3 + 5), *P = torque + 3, *shift = P + kLower3;
  double energy = 0;
  for (int k = 0; k < 3; ++k) {
    const double stiff = times_symmetric(K, w, k);
    const double before = weights.past * stiff + (ringing ? ringing[k] : 0);
    torque[k] = weights.kick() * on_b.torque[k] + damping * w[k] + before;
    shift[k] = (1 - share) * before;
    energy += w[k] * stiff;
  }
  shift[3] = weights.backward ? 0 : share, shift[4] = damping;
  if (step.h_before > 0) loss_ += 2 * history.along.epsilon * step.h_before * step.h_before * energy;
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

double KickLaws::speed_along(const Law& law, const double* row, std::span<const double> v) const {
  using Row = Eigen::Map<const Vec6>;
  const Row J_a(row + kRowNumbers), J_b(row + kRowNumbers + (linear_[law.index].has_b ? 6 : 0));
  return (law.a == kNone ? 0 : J_a.dot(velocity_in(v, law.a))) +
         (law.b == kNone ? 0 : J_b.dot(velocity_in(v, law.b)));
}

KickLaws::LengthErrors KickLaws::add_length_errors(const model::State& where, std::span<const double> v,
                                                   double h, const KickSystem& system, std::span<double> x) {
  LengthErrors errors;
  length_errors_.clear();
  const auto end_of = [&](core::BodyId id, int node) {
    BodyMotion end = motion_of(id, system.motions);
    if (node == kNone) return end;
    const auto u = velocity_in(v, node);
    end.center += h * u.head<3>();
    end.rotation = (rotation_from_vector(h * u.tail<3>()) * where.orientation(id)).to_matrix();
    return end;
  };
  for (const uint32_t at : lengths_) {
    const Law& law = laws_[at];
    const double* row = row_of(law);
    using Row = Eigen::Map<const Vec6>;
    const Row J_a(row + kRowNumbers), J_b(row + kRowNumbers + (linear_[law.index].has_b ? 6 : 0));
    const double speed = speed_along(law, row, v);
    const double q = *law.law->coordinate(end_of(law.law->a(), law.a), end_of(law.law->b(), law.b));
    double error = (q - next_[law.index].coordinate) / h - speed, change = error - row[kLengthError];
    // The rounding of q times the stiffness would be a force of its own.
    const double extent = q + motion_of(law.law->a(), system.motions).center.cwiseAbs().maxCoeff() +
                          motion_of(law.law->b(), system.motions).center.cwiseAbs().maxCoeff();
    if (std::abs(change) * h < par_.length_rounding * extent) error = row[kLengthError], change = 0;
    length_errors_.push_back(error);
    errors.largest = std::max(errors.largest, std::abs(change) * h * law.scale);
    errors.linear = std::max(errors.linear, std::abs(error) * h * law.scale);
    const double impulse = -row[kWeight] * change;
    if (law.a != kNone) Eigen::Map<Vec6>(&x[6 * static_cast<size_t>(law.a)]) += impulse * J_a;
    if (law.b != kNone) Eigen::Map<Vec6>(&x[6 * static_cast<size_t>(law.b)]) += impulse * J_b;
  }
  return errors;
}

void KickLaws::save_half_impulses(std::span<const double> v, double h) {
  for (const uint32_t at : lengths_) {
    const Law& law = laws_[at];
    LawHistory& next = next_[law.index];
    if (!(next.along.ringing > 0)) continue;
    const double* row = row_of(law);
    const double speed = speed_along(law, row, v) + row[kLengthError];
    next.half_impulse = 0.5 * h * next.effort - (0.25 + next.along.epsilon) * h * h * next.stiffness * speed;
  }
}

void KickLaws::accept_length_errors() {
  for (size_t k = 0; k < lengths_.size(); ++k) {
    const Linear& linear = linear_[laws_[lengths_[k]].index];
    numbers_[linear.at + (linear.has_b ? 12 : 6) + kLengthError] = length_errors_[k];
  }
}

LawImpulses KickLaws::compute_nodal_shift(size_t index, std::span<const double> v) const {
  LawImpulses shift;
  if (find_actuator(index)) return shift;
  const Linear& linear = linear_[index];
  const auto v_a = velocity_in(v, nodes_[index].first), v_b = velocity_in(v, nodes_[index].second);
  const double* impulse = &numbers_[linear.at];
  if (linear.turns) {
    const double *P = impulse + 3, *constant = P + kLower3;
    const double w[] = {v_b[3] - v_a[3], v_b[4] - v_a[4], v_b[5] - v_a[5]};
    for (int k = 0; k < 3; ++k)
      shift.on_b.torque[k] = constant[k] + constant[3] * (times_symmetric(P, w, k) - constant[4] * w[k]);
    shift.on_a.torque = -shift.on_b.torque;
    return shift;
  }
  using Row = Eigen::Map<const Vec6>;
  const int width = linear.has_b ? 12 : 6;
  const double* row = impulse + width;
  Vec6 on_a = Vec6::Zero(), on_b = Vec6::Zero();
  for (int i = 0; i < linear.rows; ++i, row += kRowNumbers + width) {
    const Row J_a(row + kRowNumbers), J_b(row + kRowNumbers + width - 6);
    const double speed = linear.has_b ? J_a.dot(v_a) + J_b.dot(v_b) : J_a.dot(v_a);
    const double along = row[kShift] + row[kShiftRate] * (speed + row[kLengthError]);
    if (along == 0) continue;
    on_a += along * J_a;
    if (linear.has_b) on_b += along * J_b;
  }
  shift.on_a = {on_a.head<3>(), on_a.tail<3>()}, shift.on_b = {on_b.head<3>(), on_b.tail<3>()};
  return shift;
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
    LawHistory history = history_of(law);
    const ConeConstraint row =
        make_actuator_row(law, system.step.h, par_, history, bodies, system, resistance_);
    next_[law.index] = history;
    if (!(row.compliance > 0)) continue;  // it does not resist and has no effect
    cones.push_back(row);
    laws.push_back(law.index);
  }
}

const Law* KickLaws::find_actuator(size_t index) const {
  const auto found = std::lower_bound(actuators_.begin(), actuators_.end(), index,
                                      [](const Law& x, size_t i) { return x.index < i; });
  return found != actuators_.end() && found->index == index ? &*found : nullptr;
}

LawImpulses KickLaws::compute_impulses(size_t index, std::span<const double> v, const ConeConstraint* row,
                                       const KickBodies& bodies, const KickSystem& system) {
  if (const Law* limited = find_actuator(index)) {
    LawHistory history = history_of(*limited);
    return impulses_of(row ? *row
                           : make_actuator_row(*limited, 0, par_, history, bodies, system, resistance_));
  }
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
  for (int i = 0; i < linear.rows; ++i, row += kRowNumbers + width) {
    const Row J_a(row + kRowNumbers), J_b(row + kRowNumbers + width - 6);
    const double speed = linear.has_b ? J_a.dot(v_a) + J_b.dot(v_b) : J_a.dot(v_a);
    const double along = -row[kWeight] * (speed + row[kLengthError]);
    on_a += along * J_a;
    if (linear.has_b) on_b += along * J_b;
  }
  impulses.on_a = {on_a.head<3>(), on_a.tail<3>()}, impulses.on_b = {on_b.head<3>(), on_b.tail<3>()};
  if (linear.rows != 1) return impulses;
  const double* J = impulse + width + kRowNumbers;
  const Vec6 J_a = Row(J), J_b = linear.has_b ? Vec6(Row(J + 6)) : Vec6::Zero();
  impulses.effort = effort_along(J_a, J_b, impulses.on_a, impulses.on_b);
  return impulses;
}

}  // namespace tumble::dynamics
