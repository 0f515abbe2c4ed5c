#include "tumble/dynamics/kick_problem.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>

#include "tumble/core/require.h"
#include "tumble/dynamics/linear/ball_kernel.h"
#include "tumble/dynamics/tolerances.h"
#include "tumble/model/joint_forces.h"
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

using Vec6 = KktSolver::Vec6;

Eigen::Map<Vec6> part(std::vector<double>& x, size_t node) { return Eigen::Map<Vec6>(x.data() + 6 * node); }

// exp(r): up to half a radian, as far as a step turns, by series in the square of half the angle, whose next terms are below 1e-17.
inline Quat turn_by(const Vec3& r) {
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

// 1/|q|, of what is hardly ever else than 1 but for roundings: there 1 - (|q|^2 - 1)/2 is right to 3/8 (|q|^2 - 1)^2, without a root to wait for.
inline double inverse_norm(const Quat& q) {
  const double excess = q.w() * q.w() + q.x() * q.x() + q.y() * q.y() + q.z() * q.z() - 1;
  return std::abs(excess) < 1e-8 ? 1 - 0.5 * excess : 1 / q.norm();
}

Vec6 velocity_of(const BodyMotion& motion) {
  Vec6 v;
  v << motion.velocity, motion.angular_velocity;
  return v;
}

// R^T r.
inline Vec3 turned_back(const Mat3& R, const double* r) {
  return {R(0, 0) * r[0] + R(1, 0) * r[1] + R(2, 0) * r[2], R(0, 1) * r[0] + R(1, 1) * r[1] + R(2, 1) * r[2],
          R(0, 2) * r[0] + R(1, 2) * r[1] + R(2, 2) * r[2]};
}

void write_impulse(const model::Wrench& on, double time, double* out) {
  for (int k = 0; k < 3; ++k) out[k] = time * on.force[k], out[3 + k] = time * on.torque[k];
}

// Adds w_i J_i^T J_i to a lower triangle. Rows are mostly zeros.
void add_squares(const Resistance& rows, const double (*J)[6], const double* weights, double* A) {
  for (int i = 0; i < rows.rows; ++i)
    TUMBLE_UNROLLED (r, 0, 6) {
      const double much = weights[i] * J[i][r];
      if (much == 0) continue;
      TUMBLE_UNROLLED (c, 0, r + 1) A[lower(r, c)] += much * J[i][c];
    }
}

// w_i J_i^T J_i', added up.
KktSolver::Block product(const Resistance& rows, const double* weights) {
  KktSolver::Block sum = KktSolver::Block::Zero();
  for (int i = 0; i < rows.rows; ++i)
    for (int c = 0; c < 6; ++c)
      for (int r = 0; r < 6; ++r) sum(r, c) += weights[i] * rows.J_a[i][r] * rows.J_b[i][c];
  return sum;
}

void copy_rows(const double (*J)[6], int count, double* out) {
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 6; ++k) out[6 * i + k] = J[i][k];
}

double square_of(const double* r) { return r[0] * r[0] + r[1] * r[1] + r[2] * r[2]; }

// Bodies of a part: their numbers fit into the nearest cache.
constexpr size_t kPart = 16;
static_assert(kPart % MidpointInertia::kLanes == 0);
constexpr size_t kCacheLine = 64;  // bytes

inline void fetch(const void* from, size_t bytes) {
  const char* first = static_cast<const char*>(from);
  for (size_t at = 0; at < bytes; at += kCacheLine) __builtin_prefetch(first + at);
}

}  // namespace

KickProblem::KickProblem(const model::Model& model) : model_(&model), bodies_(model) {
  for (const BodyId id : bodies_.bodies()) {
    const model::Body& body = model.body(id);
    const Mat3& I = body.inverse_inertia_B;
    const Eigen::SelfAdjointEigenSolver<Mat3> moments(I, Eigen::EigenvaluesOnly);
    weights_.push_back({body.mass,
                        body.inverse_mass,
                        moments.eigenvalues()[0],
                        {I(0, 0), I(1, 0), I(1, 1), I(2, 0), I(2, 1), I(2, 2)}});
  }
  for (size_t i = 0; i < model.bodies().size(); ++i)
    if (node_of(BodyId(i)) == kNone) fixed_.emplace_back(i);
  for (const auto& constraint : model.constraints()) {
    const int a = node_of(constraint->a()), b = node_of(constraint->b());
    // The solver's first body moves.
    TUMBLE_REQUIRE(a != kNone || b != kNone, "a constraint between two fixed bodies says nothing");
    const model::JointFrames* held = constraint->held_point();
    const int sign = b != kNone ? 1 : -1;  // points are those of b less those of a
    if (held)
      points_.push_back({.a = a,
                         .b = b,
                         .body_a = constraint->a(),
                         .body_b = constraint->b(),
                         .joint = static_cast<uint32_t>(joints_.size()),
                         .scale = 1 / model.size_of(*constraint),
                         .arm_A = held->arm_A,
                         .arm_B = held->arm_B});
    else
      others_.push_back(joints_.size());
    joints_.push_back({b != kNone ? b : a, b != kNone ? a : kNone, constraint->rows(), held ? sign : 0});
    for (int i = 0; i < constraint->rows(); ++i)
      row_scales_.push_back(constraint->is_angle(i) ? 1 : 1 / model.size_of(*constraint));
  }
  std::vector<char> jointed(bodies_.size(), 0);
  for (const KktSolver::Rows& joint : joints_)
    for (const int n : {joint.a, joint.b})
      if (n != kNone) jointed[static_cast<size_t>(n)] = 1;
  for (size_t n = 0; n < bodies_.size(); ++n)
    if (jointed[n]) jointed_.push_back(static_cast<int>(n));
  for (const auto& law : model.forces()) {
    const bool limited = law->resists() && law->largest_effort() < std::numeric_limits<double>::infinity();
    laws_.push_back(
        {law.get(), node_of(law->a()), node_of(law->b()), static_cast<uint32_t>(laws_.size()), 0, limited});
    const Law& nodes = laws_.back();
    law_nodes_.emplace_back(nodes.a, nodes.b);
    if (limited) limited_.push_back(nodes);
    if (law->resists() && nodes.a != kNone && nodes.b != kNone)
      tied_.emplace_back(std::min(nodes.a, nodes.b), std::max(nodes.a, nodes.b));
  }
  std::sort(tied_.begin(), tied_.end());
  tied_.erase(std::unique(tied_.begin(), tied_.end()), tied_.end());
  acting_.resize(laws_.size());
  motions_.resize(model.bodies().size()), end_.resize(model.bodies().size());
  b_.resize(size()), turning_.resize(3 * bodies_.size()), inertias_.resize(bodies_.size());
  plan_parts();
}

void KickProblem::plan_parts() {
  matrix_.begin(bodies_.size(), tied_, joints_);
  for (Law& law : laws_)
    if (law.law->resists() && law.a != kNone && law.b != kNone)
      law.tie = static_cast<uint32_t>(matrix_.tie_of(law.a, law.b));
  order_.assign(matrix_.bodies().begin(), matrix_.bodies().end());
  middle_.emplace(*model_, bodies_, order_);
  if (jointed_.size() < order_.size()) middle_of_jointed_.emplace(*model_, bodies_, jointed_);
  std::vector<size_t> part_of(order_.size());
  for (size_t k = 0; k < order_.size(); ++k) part_of[static_cast<size_t>(order_[k])] = k / kPart;
  // Of two bodies, the part of the one that comes first. What moves nothing goes with the first part.
  const auto part_of_two = [&](int a, int b) {
    const size_t none = a == kNone && b == kNone ? 0 : parts_.max_size();
    return std::min(a == kNone ? none : part_of[static_cast<size_t>(a)],
                    b == kNone ? none : part_of[static_cast<size_t>(b)]);
  };
  const auto part_of_joint = [&](size_t k) { return part_of_two(joints_[k].a, joints_[k].b); };
  const auto part_of_law = [&](const Law& law) { return part_of_two(law.a, law.b); };
  const auto sort_by = [](auto& list, const auto& part) {
    std::stable_sort(list.begin(), list.end(),
                     [&](const auto& x, const auto& y) { return part(x) < part(y); });
  };
  sort_by(laws_, part_of_law);
  sort_by(points_, [&](const Point& point) { return part_of_joint(point.joint); });
  sort_by(others_, part_of_joint);
  for (Point& point : points_) {
    point.first_row = static_cast<uint32_t>(matrix_.first_row(point.joint));
    const int side_of_b = joints_[point.joint].point > 0 ? 0 : 1;
    point.J_b = static_cast<uint32_t>(matrix_.place_of_J(point.joint, side_of_b));
    point.J_a = static_cast<uint32_t>(matrix_.place_of_J(point.joint, 1 - side_of_b));
  }
  for (const size_t k : others_)
    for (const int node : {joints_[k].a, joints_[k].b})
      if (node != kNone) around_others_.push_back(node);
  std::sort(around_others_.begin(), around_others_.end());
  around_others_.erase(std::unique(around_others_.begin(), around_others_.end()), around_others_.end());
  std::vector<char> is_open(bodies_.size(), 0);
  const auto open = [&](int node) {
    if (node == kNone || is_open[static_cast<size_t>(node)]) return;
    is_open[static_cast<size_t>(node)] = 1;
    opened_.push_back(node);
  };
  Part next;
  for (size_t part = 0; part == 0 || part * kPart < order_.size(); ++part) {
    parts_.push_back(next);
    for (; next.node < std::min((part + 1) * kPart, order_.size()); ++next.node) open(order_[next.node]);
    for (; next.law < laws_.size() && part_of_law(laws_[next.law]) == part; ++next.law)
      open(laws_[next.law].a), open(laws_[next.law].b);
    for (; next.point < points_.size() && part_of_joint(points_[next.point].joint) == part; ++next.point)
      open(points_[next.point].a), open(points_[next.point].b);
    for (; next.other < others_.size() && part_of_joint(others_[next.other]) == part; ++next.other)
      open(joints_[others_[next.other]].a), open(joints_[others_[next.other]].b);
    next.opened = opened_.size();
  }
  parts_.push_back(next);
}

std::vector<double> KickProblem::momenta_of(const State& state) const {
  std::vector<double> momenta(size());
  for (size_t n = 0; n < bodies_.size(); ++n)
    part(momenta, n) << state.momentum(bodies_[n]), state.angular_momentum(bodies_[n]);
  return momenta;
}

void KickProblem::tie_bodies(const std::vector<std::pair<int, int>>& coupled) {
  if (coupled.empty()) {
    tied_by_contacts_ ? matrix_.begin(bodies_.size(), tied_, joints_) : matrix_.begin_again();
    tied_by_contacts_ = false;
    return;
  }
  all_ = tied_;
  all_.insert(all_.end(), coupled.begin(), coupled.end());
  matrix_.begin(bodies_.size(), all_, joints_);
  tied_by_contacts_ = true;
}

void KickProblem::assemble(const State& where, std::span<const double> momenta, double kick, double h,
                           const std::vector<std::pair<int, int>>& coupled, double closing) {
  tie_bodies(coupled);
  begin(where, kick, h, closing);
  for (size_t p = 0; p + 1 < parts_.size(); ++p) assemble_part(parts_[p], parts_[p + 1], where, momenta);
}

void KickProblem::solve_alone(const State& where, std::span<const double> momenta, double kick, double h,
                              double closing, std::vector<double>& v, std::vector<double>& l) {
  tie_bodies({});
  v.swap(b_), l.swap(c_);  // the same memory every time
  begin(where, kick, h, closing);
  const bool along = matrix_.begin_fused();
  for (size_t p = 0; p + 1 < parts_.size(); ++p) {
    assemble_part(parts_[p], parts_[p + 1], where, momenta);
    if (along) matrix_.eliminate_range(parts_[p].node, parts_[p + 1].node, b_.data(), c_.data());
  }
  if (along) {
    matrix_.back_substitute(b_.data(), c_.data());
  } else {
    matrix_.factor();
    matrix_.solve(b_.data(), c_.data());
  }
  v.swap(b_), l.swap(c_);
}

void KickProblem::begin(const State& where, double kick, double h, double closing) {
  time_ = where.time, kick_ = kick, before_ = 2 * kick - h, h_ = h;
  rate_ = h > 0 ? 1 / std::max(h, closing) : 0, share_ = h < closing ? h * rate_ : 1;
  b_.resize(size()), c_.resize(matrix_.rows()), open_.resize(matrix_.rows());
  bent_.resize(matrix_.rows());
  kept_ = 0, has_beside_ = false;
  for (const BodyId id : fixed_) place_body(id, where);
}

std::span<const BodyMotion> KickProblem::place(const State& where, std::span<const double> momenta) {
  time_ = where.time;
  for (const BodyId id : fixed_) place_body(id, where);
  for (size_t n = 0; n < bodies_.size(); ++n) move_body(n, where, &momenta[6 * n]);
  return motions_;
}

std::vector<double> KickProblem::velocities_of(std::span<const double> momenta) {
  std::vector<double> v(momenta.begin(), momenta.end()), l = c_;
  matrix_.clear_addition();
  matrix_.factor();
  matrix_.solve(v.data(), l.data());
  return v;
}

void KickProblem::place_body(BodyId id, const State& where) {
  BodyMotion& motion = motions_[id.index()];
  motion.center = where.position(id);
  motion.rotation = where.orientation(id).to_matrix();
  motion.hinge_angles = where.hinge_angles.empty() ? nullptr : where.hinge_angles.data();
}

void KickProblem::move_body(size_t node, const State& where, const double* p) {
  const Weight& weight = weights_[node];
  BodyMotion& motion = motions_[bodies_[node].index()];
  place_body(bodies_[node], where);
  motion.velocity = weight.inverse_mass * Vec3(p[0], p[1], p[2]);
  motion.angular_velocity = turned_by(motion.rotation, weight.turned(turned_back(motion.rotation, p + 3)));
}

// Asks for what is needed of the body that is opened a part later, so that it is at hand then.
void KickProblem::fetch_body(size_t opened, const State& where, std::span<const double> momenta) {
  if (opened >= opened_.size()) return;
  const auto n = static_cast<size_t>(opened_[opened]);
  const size_t id = bodies_[n].index();
  fetch(&where.y[id * model::kBodySize], model::kMomentumAt * sizeof(double));
  fetch(&momenta[6 * n], 6 * sizeof(double));
  fetch(&weights_[n], sizeof(Weight));
  fetch(&motions_[id], sizeof(BodyMotion));
  fetch(matrix_.lower_diagonal(opened_[opened]), kLower6 * sizeof(double));
}

void KickProblem::assemble_part(const Part& part, const Part& next, const State& where,
                                std::span<const double> momenta) {
  for (size_t k = part.opened; k < next.opened; ++k) {
    fetch_body(k + kPart, where, momenta);
    open_body(opened_[k], where, momenta);
  }
  for (size_t k = part.law; kick_ > 0 && k < next.law; ++k) {
    if (k + kPart < laws_.size()) fetch(laws_[k + kPart].law, sizeof(model::BallDrive));
    if (!laws_[k].limited)
      add_law(laws_[k]);
    else if (h_ == 0)
      add_limited_kick(laws_[k]);
  }
  set_masses(part.node, next.node, momenta);
  set_points(part.point, next.point);
  set_others(part.other, next.other);
}

// Places of the state, velocities of the momenta, and what mass and gravity make of A and b.
void KickProblem::open_body(int node, const State& where, std::span<const double> momenta) {
  const auto n = static_cast<size_t>(node);
  const Weight& weight = weights_[n];
  const double *p = &momenta[6 * n], *g = model_->gravity().data();
  move_body(n, where, p);
  double *b = &b_[6 * n], *turning = &turning_[3 * n], *A = matrix_.lower_diagonal(node);
  const double weighed = kick_ * weight.mass;
  for (int k = 0; k < 3; ++k) b[k] = p[k] + weighed * g[k], b[3 + k] = p[3 + k], turning[k] = 0;
  for (int k = 0; k < kLower6; ++k) A[k] = 0;
  A[lower(0, 0)] = A[lower(1, 1)] = A[lower(2, 2)] = weight.mass;
}

// Kicks of soft laws turn bodies on the way to the middle of the step, those of stiff ones, which are taken back at once, do not.
void KickProblem::push_on(int node, const double* impulse, bool soft) {
  if (node == kNone) return;
  const auto n = static_cast<size_t>(node);
  double *b = &b_[6 * n], *turning = soft ? &turning_[3 * n] : b + 3;
  for (int k = 0; k < 3; ++k) b[k] += impulse[k], turning[k] += impulse[3 + k];
}

double* KickProblem::keep(size_t numbers) {
  if (impulses_.size() < kept_ + numbers) impulses_.resize(2 * (kept_ + numbers));
  kept_ += numbers;
  return &impulses_[kept_ - numbers];
}

void KickProblem::add_law(const Law& law) {
  model::Wrench on_a, on_b;
  law.law->linearise(time_, motion_of(law.law->a(), motions_), motion_of(law.law->b(), motions_), on_a, on_b,
                     resistance_);
  resistance_.turns ? add_turning(law, on_b) : add_rows_of(law, on_a, on_b);
}

// Equation (2). The rows of the world need not be numbers.
void KickProblem::add_rows_of(const Law& law, const model::Wrench& on_a, const model::Wrench& on_b) {
  const Resistance& rows = resistance_;
  const LawWeights weights = rows.none() ? LawWeights{.kick = kick_} : choose_weights(law, before_, h_);
  const bool has_b = law.law->b().valid();
  const size_t wide = has_b ? 12 : 6;
  acting_[law.index] = {static_cast<uint32_t>(kept_), static_cast<int8_t>(rows.rows), false, has_b};
  double* impulse = keep(wide + (1 + wide) * static_cast<size_t>(rows.rows));
  write_impulse(on_a, weights.kick, impulse);
  if (has_b) write_impulse(on_b, weights.kick, impulse + 6);
  using Row = Eigen::Map<const Vec6>;
  const Vec6 v_a = velocity_of(motion_of(law.law->a(), motions_)),
             v_b = velocity_of(motion_of(law.law->b(), motions_));
  Eigen::Map<Vec6> on(impulse), other(impulse + wide - 6);
  double now[Resistance::kMostRows], *row = impulse + wide;
  for (int i = 0; i < rows.rows; ++i, row += 1 + wide) {
    row[0] = now[i] = weights.now(rows.stiffness[i], rows.damping[i]);
    const double past = weights.before(rows.stiffness[i], rows.damping[i]);
    const Row J_a(rows.J_a[i]), J_b(rows.J_b[i]);
    Eigen::Map<Vec6>(row + 1) = J_a;
    if (has_b) Eigen::Map<Vec6>(row + 7) = J_b;
    if (past == 0) continue;
    const double much = past * (has_b ? J_a.dot(v_a) + J_b.dot(v_b) : J_a.dot(v_a));
    on += much * J_a;
    if (has_b) other += much * J_b;
  }
  push_on(law.a, impulse, weights.soft);
  if (has_b) push_on(law.b, impulse + 6, weights.soft);
  if (rows.none()) return;
  if (law.a != kNone) add_squares(rows, rows.J_a, now, matrix_.lower_diagonal(law.a));
  if (law.b != kNone) add_squares(rows, rows.J_b, now, matrix_.lower_diagonal(law.b));
  if (law.a != kNone && law.b != kNone) matrix_.add_coupling(law.a, law.b, product(rows, now));
}

// Equation (2) for a law of the relative angular velocity, as most of stiff joints are: one 3 x 3 block for both bodies and between them.
void KickProblem::add_turning(const Law& law, const model::Wrench& on_b) {
  const double* K = resistance_.turning_stiffness;
  const LawWeights weights = choose_turning_weights(law, before_, h_);
  const double damping = weights.damped * resistance_.turning_damping;
  const Vec3 &w_a = motion_of(law.law->a(), motions_).angular_velocity,
             &w_b = motion_of(law.law->b(), motions_).angular_velocity;
  const double w[] = {w_b[0] - w_a[0], w_b[1] - w_a[1], w_b[2] - w_a[2]};
  acting_[law.index] = {static_cast<uint32_t>(kept_), 0, true, true};
  double *torque = keep(3 + kLower3), *P = torque + 3;
  for (int k = 0; k < 3; ++k)
    torque[k] = weights.kick * on_b.torque[k] + damping * w[k] + weights.past * times_symmetric(K, w, k);
  for (int k = 0; k < kLower3; ++k) P[k] = weights.stiff * K[k];
  P[lower(0, 0)] += damping, P[lower(1, 1)] += damping, P[lower(2, 2)] += damping;
  const auto act_on = [&](int node, double sign) {
    if (node == kNone) return;
    const auto n = static_cast<size_t>(node);
    double* on = weights.soft ? &turning_[3 * n] : &b_[6 * n + 3];
    double* A = matrix_.lower_diagonal(node);
    for (int r = 0; r < 3; ++r) {
      on[r] += sign * torque[r];
      for (int c = 0; c <= r; ++c) A[lower(3 + r, 3 + c)] += P[lower(r, c)];
    }
  };
  act_on(law.a, -1), act_on(law.b, 1);
  if (law.a != kNone && law.b != kNone)
    matrix_.subtract_turning(tied_by_contacts_ ? matrix_.tie_of(law.a, law.b) : law.tie, P);
}

// J M^-1 J^T of a row and one body.
double KickProblem::mobility(int node, const double* J) const {
  if (node == kNone) return 0;
  const BodyId id = bodies_[static_cast<size_t>(node)];
  const Weight& weight = weights_[static_cast<size_t>(node)];
  const double moving = weight.inverse_mass * square_of(J);
  if (square_of(J + 3) == 0) return moving;
  const Vec3 axis = turned_back(motions_[id.index()].rotation, J + 3);
  return moving + axis.dot(weight.turned(axis));
}

// Means over the rows, weighed by how stiff or damped they are: the same however the axes of a law are turned.
LawWeights KickProblem::choose_weights(const Law& law, double h_before, double h, bool at_end) const {
  const Resistance& rows = resistance_;
  double stiff = 0, stiffness = 0, damped = 0, damping = 0;
  for (int i = 0; i < rows.rows; ++i) {
    const double k = rows.stiffness[i], d = rows.damping[i];
    const double j = mobility(law.a, rows.J_a[i]) + mobility(law.b, rows.J_b[i]);
    stiffness += k, damping += d, stiff += k * k * j, damped += d * d * j;
  }
  const double square = stiffness > 0 ? stiff / stiffness : 0, rate = damping > 0 ? damped / damping : 0;
  return LawWeights::of(square, rate, h_before, h, at_end);
}

// For K in place of rows: its mean, and the least mobilities of the two bodies. The slowest turn decides how stiff a law is: a thin bone's twist is far faster than its bending, which
// would be damped for that.
LawWeights KickProblem::choose_turning_weights(const Law& law, double h_before, double h, bool at_end) const {
  double least = 0, mean = 0;
  for (const int node : {law.a, law.b}) {
    if (node == kNone) continue;
    const Weight& weight = weights_[static_cast<size_t>(node)];
    least += weight.least_turning, mean += weight.mean_turning();
  }
  const double* K = resistance_.turning_stiffness;
  return LawWeights::of((1.0 / 3) * (K[0] + K[2] + K[5]) * least, resistance_.turning_damping * mean,
                        h_before, h, at_end);
}

// M, with the inertia of the middle of the coming step. What joints do to that is not known yet.
void KickProblem::set_masses(size_t first, size_t end, std::span<const double> momenta) {
  middle_->compute(first, end, motions_, momenta, turning_, h_, inertias_);
  for (size_t at = first; at < end; ++at) {
    const auto n = static_cast<size_t>(order_[at]);
    double* A = matrix_.lower_diagonal(order_[at]);
    const MidpointInertia::Inertia& inertia = inertias_[n];
    for (int r = 0; r < 3; ++r) {
      b_[6 * n + 3 + static_cast<size_t>(r)] += turning_[3 * n + static_cast<size_t>(r)];
      for (int c = 0; c <= r; ++c) A[lower(3 + r, 3 + c)] += inertia[static_cast<size_t>(lower(r, c))];
    }
  }
}

void KickProblem::set_points(size_t first, size_t end) {
  for (size_t at = first; at < end; ++at) {
    if (at + 2 * kPart < points_.size()) fetch(&points_[at + 2 * kPart], sizeof(Point));
    if (at + kPart < points_.size()) {
      const Point& later = points_[at + kPart];
      fetch(matrix_.J_at(later.J_a), 3 * sizeof(double)), fetch(&c_[later.first_row], 3 * sizeof(double));
      fetch(&open_[later.first_row], 3 * sizeof(double)), fetch(&bent_[later.first_row], 3 * sizeof(double));
    }
    const Point& point = points_[at];
    const BodyMotion &a = motion_of(point.body_a, motions_), &b = motion_of(point.body_b, motions_);
    const Vec3 arm_a = turned_by(a.rotation, point.arm_A), arm_b = turned_by(b.rotation, point.arm_B);
    double *on_a = matrix_.J_at(point.J_a), *on_b = matrix_.J_at(point.J_b);
    double *c = &c_[point.first_row], *open = &open_[point.first_row], *bent = &bent_[point.first_row];
    const Vec3 bend = b.angular_velocity.cross(b.angular_velocity.cross(arm_b)) -
                      a.angular_velocity.cross(a.angular_velocity.cross(arm_a));
    for (int k = 0; k < 3; ++k) {
      on_a[k] = arm_a[k], on_b[k] = arm_b[k];
      open[k] = (b.center[k] - a.center[k]) + (arm_b[k] - arm_a[k]);
      bent[k] = 0.5 * h_ * h_ * bend[k];
      c[k] = -rate_ * open[k] - 0.5 * h_ * bend[k];
    }
  }
}

void KickProblem::set_others(size_t first, size_t end) {
  model::ConstraintRows rows;
  for (size_t at = first; at < end; ++at) {
    const size_t k = others_[at];
    const model::Constraint& constraint = *model_->constraints()[k];
    constraint.evaluate(time_, motion_of(constraint.a(), motions_), motion_of(constraint.b(), motions_),
                        rows);
    const bool b_first = node_of(constraint.b()) != kNone;
    copy_rows(b_first ? rows.J_b : rows.J_a, joints_[k].count, matrix_.J_a(k));
    if (joints_[k].b != kNone) copy_rows(rows.J_a, joints_[k].count, matrix_.J_b(k));
    const size_t row = matrix_.first_row(k);
    for (size_t i = 0; i < static_cast<size_t>(joints_[k].count); ++i) {
      open_[row + i] = rows.value[i], bent_[row + i] = 0.5 * h_ * h_ * rows.bias[i];
      c_[row + i] = -rows.rate[i] - rate_ * rows.value[i] - 0.5 * h_ * rows.bias[i];
    }
  }
}

// How far joints are open at the end. Parts of a step leave their share of what there was: more than that by the same share of the tolerance is
// closed, too.
struct KickProblem::Gaps {
  double tolerance, share, h;
  const double *open, *bent;  // bent: or null
  double* y;                  // what is asked of the solver
  double largest = 0, linear = 0,
         most = 0;  // in sizes: of gaps, as a linear step leaves them, of what is over
  bool closed = true;

  void enter(size_t row, double gap, double scale) {
    const double over = gap - (1 - share) * open[row];
    const double size = std::abs(gap) * scale, excess = std::abs(over) * scale;
    largest = std::max(largest, size), most = std::max(most, excess);
    if (bent) linear = std::max(linear, std::abs(gap + bent[row]) * scale);
    y[row] = -over / h;
    if (!(size <= tolerance || excess <= share * tolerance)) closed = false;
  }
};

// A point moves by h v of its body and by what turning makes of its arm.
void KickProblem::find_gaps_of_points(std::span<const double> v, double h, Gaps& gaps) {
  middle_of_jointed().compute_turns(v, h, turns_);
  const auto add_way = [&](int node, const double* arm, double sign, double* gap) {
    if (node == kNone) return;
    const double *u = &v[6 * static_cast<size_t>(node)], *w = &turns_[4 * static_cast<size_t>(node)],
                 *q = w + 1;
    const double t[] = {2 * cross(q, arm, 0), 2 * cross(q, arm, 1), 2 * cross(q, arm, 2)};
    for (int k = 0; k < 3; ++k) gap[k] += sign * (h * u[k] + (*w * t[k] + cross(q, t, k)));
  };
  for (const Point& point : points_) {
    const double* open = &open_[point.first_row];
    double gap[] = {open[0], open[1], open[2]};
    add_way(point.a, matrix_.J_at(point.J_a), -1, gap);
    add_way(point.b, matrix_.J_at(point.J_b), 1, gap);
    for (size_t k = 0; k < 3; ++k) gaps.enter(point.first_row + k, gap[k], point.scale);
  }
}

void KickProblem::find_gaps_of_others(const State& where, std::span<const double> v, double h, Gaps& gaps) {
  for (const int node : around_others_) {
    const BodyId id = bodies_[static_cast<size_t>(node)];
    const Eigen::Map<const Vec6> u(&v[6 * static_cast<size_t>(node)]);
    end_[id.index()].center = motions_[id.index()].center + h * u.head<3>();
    end_[id.index()].rotation = (turn_by(h * u.tail<3>()) * where.orientation(id)).to_matrix();
  }
  model::ConstraintRows rows;
  for (const size_t k : others_) {
    const model::Constraint& joint = *model_->constraints()[k];
    joint.evaluate(where.time + h, motion_of(joint.a(), end_), motion_of(joint.b(), end_), rows);
    const size_t first = matrix_.first_row(k);
    for (size_t i = 0; i < static_cast<size_t>(joints_[k].count); ++i)
      gaps.enter(first + i, rows.value[i], row_scales_[first + i]);
  }
}

KickProblem::Closing KickProblem::close_joints(const State& where, double h, double tolerance, double rest,
                                               std::vector<double>& v, std::vector<double>& l) {
  Closing closing;
  if (matrix_.rows() == 0) return closing;
  for (const BodyId id : fixed_) end_[id.index()] = motions_[id.index()];
  y_.resize(matrix_.rows()), turns_.resize(4 * bodies_.size());
  beside_.resize(3 * bodies_.size()), lacks_.resize(3 * bodies_.size());
  double last = std::numeric_limits<double>::infinity();
  for (int pass = 0;; ++pass) {
    Gaps gaps{tolerance, share_, h, open_.data(), pass == 0 ? bent_.data() : nullptr, y_.data()};
    find_gaps_of_points(v, h, gaps);
    find_gaps_of_others(where, v, h, gaps);
    closing.after = gaps.largest, closing.closed = gaps.closed;
    if (pass == 0) closing.before = gaps.linear;
    // One pass at least, or the middle of the step stays where it was thought to be. Loops may keep what redundant rows disagree about.
    if ((closing.closed &&
         gaps.most <= (pass > 0 ? std::max(kClosedAtOnce, share_ * rest) : kClosedAtOnce)) ||
        pass == kClosingPasses || !(gaps.most < kClosingStall * last))
      return closing;
    last = gaps.most;
    turn_middles(h, v);
    matrix_.solve(x_.data(), y_.data());
    for (size_t k = 0; k < v.size(); ++k) v[k] += x_[k];
    for (size_t k = 0; k < l.size(); ++k) l[k] += y_[k];
  }
}

// The right side of the next pass: what angular momenta lack, and was not given to the last one.
void KickProblem::turn_middles(double h, const std::vector<double>& v) {
  middle_of_jointed().compute_lacks(motions_, v, h, inertias_, lacks_);
  if (jointed_.size() < bodies_.size()) x_.assign(size(), 0.0);
  x_.resize(size());
  for (const int node : jointed_) {
    const auto n = static_cast<size_t>(node);
    for (size_t k = 0; k < 3; ++k)
      x_[6 * n + k] = 0, x_[6 * n + 3 + k] = lacks_[3 * n + k] - (has_beside_ ? beside_[3 * n + k] : 0);
  }
  std::swap(beside_, lacks_);
  has_beside_ = true;
}

double KickProblem::largest_turn(std::span<const double> v, double h) {
  double square = 0;
  for (size_t k = 3; k < v.size(); k += 6)
    square = std::max(square, v[k] * v[k] + v[k + 1] * v[k + 1] + v[k + 2] * v[k + 2]);
  return h * math::sqrt(square);
}

std::vector<double> KickProblem::momenta_from(std::span<const double> v) const {
  std::vector<double> momenta;
  momenta_from(v, momenta);
  return momenta;
}

void KickProblem::momenta_from(std::span<const double> v, std::vector<double>& momenta) const {
  momenta.resize(size());
  for (size_t n = 0; n < bodies_.size(); ++n) {
    const double *u = &v[6 * n], mass = weights_[n].mass;
    double* p = &momenta[6 * n];
    for (int k = 0; k < 3; ++k) p[k] = mass * u[k], p[3 + k] = times_symmetric(inertias_[n].data(), u + 3, k);
  }
  for (size_t n = 0; has_beside_ && n < bodies_.size(); ++n)
    for (size_t k = 0; k < 3; ++k) momenta[6 * n + 3 + k] -= beside_[3 * n + k];
}

void KickProblem::add_velocities(const State& state, std::vector<double>& v) const {
  for (size_t n = 0; n < bodies_.size(); ++n) {
    const BodyId id = bodies_[n];
    const Mat3 R = state.orientation(id).to_matrix();
    const double* P = &state.y[id.index() * model::kBodySize + model::kMomentumAt];
    const Vec3 w = turned_by(R, weights_[n].turned(turned_back(R, P + 3)));
    for (size_t k = 0; k < 3; ++k)
      v[6 * n + k] += weights_[n].inverse_mass * P[k], v[6 * n + 3 + k] += w[static_cast<Eigen::Index>(k)];
  }
}

void KickProblem::drift(std::span<const double> v, double h, State& state) const {
  for (size_t n = 0; n < bodies_.size(); ++n) {
    const Eigen::Map<const Vec6> u(&v[6 * n]);
    const BodyId id = bodies_[n];
    state.set_position(id, state.position(id) + h * u.head<3>());
    const Quat q = turn_by(h * u.tail<3>()) * state.orientation(id);
    const double inverse = inverse_norm(q);
    state.set_orientation(
        id, Quat::from_wxyz(inverse * q.w(), inverse * q.x(), inverse * q.y(), inverse * q.z()));
  }
  state.time += h;
}

}  // namespace tumble::dynamics
