#include "tumble/dynamics/contact_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/dynamics/hard_contacts.h"
#include "tumble/dynamics/tolerances.h"
#include "tumble/math/elementary.h"

namespace tumble::dynamics {

using math::Mat3;
using math::Vec3;

namespace {

using Vec6 = BlockSolver::Vec6;

Eigen::Map<Vec6> at(std::vector<double>& x, int node) {
  return Eigen::Map<Vec6>(&x[6 * static_cast<size_t>(node)]);
}
Eigen::Map<const Vec6> at(const std::vector<double>& x, int node) {
  return Eigen::Map<const Vec6>(&x[6 * static_cast<size_t>(node)]);
}

constexpr double kNever = std::numeric_limits<double>::infinity();

double tangential(const Vec3& u) { return math::sqrt(u.y() * u.y() + u.z() * u.z()); }

}  // namespace

double shift_of(const ConeRow& row, const Vec3& u) {
  return row.set == ConeRow::Set::cone ? row.friction * tangential(u) : 0;
}

Vec3 project_on_cone(const ConeRow& row, const Vec3& z, Mat3* derivative) {
  const auto give = [&](const Vec3& p, const Mat3& D) {
    if (derivative) *derivative = D;
    return p;
  };
  if (row.set == ConeRow::Set::positive) {
    const bool pushes = z.x() > 0;
    return give(Vec3(pushes ? z.x() : 0, 0, 0), Vec3(pushes ? 1 : 0, 0, 0).asDiagonal());
  }
  if (row.set == ConeRow::Set::ball) {
    const double length = z.norm();
    if (length <= row.radius) return give(z, Mat3::Identity());
    const Vec3 d = z / length;
    return give(row.radius * d, row.radius / length * (Mat3::Identity() - d * d.transpose()));
  }
  const double mu = row.friction, t = tangential(z);
  if (mu * t <= -z.x())
    return give(Vec3::Zero(), Mat3::Zero());  // first: without friction what pulls must not pass for inside
  if (t <= mu * z.x()) return give(z, Mat3::Identity());
  const double normal = (z.x() + mu * t) / (1 + mu * mu);
  if (!(t > 0)) return give(Vec3(normal, 0, 0), Vec3(1 / (1 + mu * mu), 0, 0).asDiagonal());
  const Vec3 g(1, mu * z.y() / t, mu * z.z() / t);
  Mat3 D = g * g.transpose() / (1 + mu * mu);
  const double y = z.y() / t, x = z.z() / t, turn = mu * normal / t;
  D(1, 1) += turn * (1 - y * y), D(2, 2) += turn * (1 - x * x);
  D(1, 2) -= turn * x * y, D(2, 1) -= turn * x * y;
  return give(normal * g, D);
}

Vec3 speed_at(const ConeRow& row, const std::vector<double>& v) {
  Vec3 u = Vec3::Zero();
  if (row.a != kNone) u += row.G_a * at(v, row.a);
  if (row.b != kNone) u += row.G_b * at(v, row.b);
  return u;
}

void add_push(const ConeRow& row, const Vec3& impulse, std::vector<double>& momenta) {
  if (row.a != kNone) at(momenta, row.a) += row.G_a.transpose() * impulse;
  if (row.b != kNone) at(momenta, row.b) += row.G_b.transpose() * impulse;
}

void add_stiffness(const ConeRow& row, const Mat3& stiffness, BlockSolver& matrix) {
  if (row.a != kNone) {
    const Eigen::Matrix<double, 6, 3> half = row.G_a.transpose() * stiffness;
    matrix.add_to_diagonal(row.a, half * row.G_a);
    if (row.b != kNone) matrix.add_to_coupling(row.a, row.b, half * row.G_b);
  }
  if (row.b != kNone) matrix.add_to_diagonal(row.b, row.G_b.transpose() * stiffness * row.G_b);
}

double rounding_at(const ConeRow& row, const RowScale& scale, const std::vector<double>& v) {
  double speed = row.bias.norm();
  const auto add = [&](int node, const ConeRow::Matrix36& G, double reach) {
    if (node == kNone) return;
    const double moves = at(v, node).head<3>().norm(), turns = at(v, node).tail<3>().norm();
    speed +=
        G.leftCols<3>().norm() * (moves + reach * turns) + G.rightCols<3>().norm() * (turns + moves / reach);
  };
  add(row.a, row.G_a, scale.reach_a), add(row.b, row.G_b, scale.reach_b);
  return kContactRoundOff * speed;
}

ContactResidual measure_residual(const std::vector<ConeRow>& rows, std::span<const RowScale> scales,
                                 std::span<const double> shifts, const std::vector<double>& v) {
  double most = 0, wrong = 0, wrong_here = 0, rounding = 0, all = 0;  // all: no number if any is none
  for (size_t i = 0; i < rows.size(); ++i) {
    const ConeRow& row = rows[i];
    const Vec3 u = speed_at(row, v) + row.bias + row.compliance * row.impulse;
    const auto lacks = [&](double shift) {
      return (row.impulse - project_on_cone(row, row.impulse - (u + Vec3(shift, 0, 0)) / scales[i].inertia))
          .norm();
    };
    most = std::max(most, row.impulse.norm());
    all += row.impulse.sum() + u.sum();
    wrong = std::max(wrong, lacks(shift_of(row, u)));
    if (!shifts.empty()) wrong_here = std::max(wrong_here, lacks(shifts[i]));
    rounding = std::max(rounding, rounding_at(row, scales[i], v) / scales[i].inertia);
  }
  const double size = std::max(most, wrong);
  if (!std::isfinite(all)) return {kNever, kNever, 0};
  return size > 0 ? ContactResidual{wrong / size, wrong_here / size, rounding / size} : ContactResidual{};
}

namespace {

// One island of (1), on which `matrix` works.
class IslandProblem {
 public:
  /// `next` and `force` are room for as many numbers as `v` has.
  IslandProblem(BlockSolver& matrix, std::span<const double> b, std::span<const double> c,
                std::vector<ConeRow>& rows, std::vector<double>& v, std::vector<double>& l,
                std::vector<double>& next, std::vector<double>& force);
  ContactReport solve(double tolerance, double enough);

 private:
  double rho(size_t i) const { return 1 / (scales_[i].inertia / stiffness_ + rows_[i].compliance); }
  Vec3 velocity_at(size_t i, const std::vector<double>& v) const {
    return speed_at(rows_[i], v) + rows_[i].bias;
  }
  Vec3 push_of(size_t i, const Vec3& u, Mat3* derivative = nullptr) const;
  double search_line();
  void find_step();
  bool is_resting(double tolerance) const;
  void minimise(double tolerance, bool first);
  ContactResidual measure() const { return measure_residual(rows_, scales_, shifts_, v_); }
  double right_shift(size_t i) const {
    return shift_of(rows_[i], velocity_at(i, v_) + rows_[i].compliance * rows_[i].impulse);
  }
  bool solve_by_passes(double tolerance, double enough, int passes);
  bool solve_by_newton(double tolerance, double enough, double scale);
  bool approach(double tolerance, double enough);
  void keep_if_best(const ContactResidual& residual);
  void take_best();
  template <class Function>
  void for_each_number(Function function) const {
    for (const int n : matrix_.bodies())
      for (size_t i = 6 * static_cast<size_t>(n), end = i + 6; i < end; ++i) function(i);
  }

  BlockSolver& matrix_;
  std::span<const double> b_, c_;
  std::vector<ConeRow>& rows_;
  std::vector<double>&v_, &l_;
  std::vector<RowScale> scales_;
  std::vector<double> shifts_;                                                  // s of each row
  double stiffness_ = kContactStiffness, stiffest_ = kLargestContactStiffness;  // sigma: rho = sigma / w
  bool rests_ = false;
  bool is_factored_ = false;  // the matrix, with the stiffness of pulls_
  bool tried_ = false;        // approach(), after a pass
  int passes_ = 0, factorisations_ = 0;
  struct Solution {
    ContactResidual residual = {kNever, kNever, 0};
    std::vector<ConeRow> rows = {};
    std::vector<double> v = {}, l = {};  // v of its bodies alone
  } best_;
  // Newton's method: where its step leads, from which impulses, these being the first less the second times G v near v; how large that is.
  std::vector<double>&next_, &force_;
  std::vector<std::pair<Vec3, Mat3>> pulls_;
  double change_ = 0, speed_ = 0, pushed_ = 0;
};

IslandProblem::IslandProblem(BlockSolver& matrix, std::span<const double> b, std::span<const double> c,
                             std::vector<ConeRow>& rows, std::vector<double>& v, std::vector<double>& l,
                             std::vector<double>& next, std::vector<double>& force)
    : matrix_(matrix), b_(b), c_(c), rows_(rows), v_(v), l_(l), next_(next), force_(force) {
  for (size_t i = 0; i < rows.size(); ++i) {
    const ConeRow& row = rows[i];
    const int count = row.set == ConeRow::Set::positive ? 1 : 3;
    RowScale scale{0, 1, 1};
    const auto add = [&](int node, const ConeRow::Matrix36& G, double& reach) {
      if (node == kNone) return;
      const BlockSolver::Block& M = matrix.diagonal(node);
      const Eigen::LLT<BlockSolver::Block> A(M);
      for (int k = 0; k < count; ++k) scale.inertia += G.row(k).dot(A.solve(G.row(k).transpose())) / count;
      reach = math::sqrt(M.diagonal().tail<3>().sum() / M.diagonal().head<3>().sum());
    };
    add(row.a, row.G_a, scale.reach_a), add(row.b, row.G_b, scale.reach_b);
    scales_.push_back(scale);
    shifts_.push_back(row.impulse.x() > 0 ? shift_of(row, velocity_at(i, v) + row.compliance * row.impulse)
                                          : 0);
  }
}

// p of (2).
Vec3 IslandProblem::push_of(size_t i, const Vec3& u, Mat3* derivative) const {
  const ConeRow& row = rows_[i];
  return project_on_cone(
      row, row.impulse * (1 - rho(i) * row.compliance) - rho(i) * (u + Vec3(shifts_[i], 0, 0)), derivative);
}

// How far to go from v to where Newton's method leads, at most all the way: to where (2), convex along it, is least, or nearly. Its slope there,
// with d the whole way, is
//   d.(A v - b) + t d.A d - sum (G d).p(t)
double IslandProblem::search_line() {
  double along = 0, bend = 0;
  for_each_number([&](size_t i) { force_[i] = b_[i]; });
  matrix_.subtract_product(v_.data(), force_.data());
  for_each_number([&](size_t i) { next_[i] -= v_[i], along -= next_[i] * force_[i], force_[i] = 0; });
  matrix_.subtract_product(next_.data(), force_.data());
  for_each_number([&](size_t i) { bend -= next_[i] * force_[i]; });
  std::vector<Vec3> turns, starts;
  for (size_t i = 0; i < rows_.size(); ++i)
    turns.push_back(speed_at(rows_[i], next_)), starts.push_back(velocity_at(i, v_));
  for_each_number([&](size_t i) { next_[i] += v_[i]; });
  const auto slope_at = [&](double t) {
    double slope = along + t * bend;
    for (size_t i = 0; i < rows_.size(); ++i) slope -= turns[i].dot(push_of(i, starts[i] + t * turns[i]));
    return slope;
  };
  double left = 0, right = 1, at_left = slope_at(0), at_right = slope_at(1);
  const double near = kLineSlope * std::abs(at_left);
  // Uphill at once: what is left of the joints, at the end of all digits.
  if (!(at_left < 0) || !(at_right > near)) return 1;
  // Regula falsi; the slope of an end that stays is halved.
  double t = 1;
  for (int step = 0; step < kContactLineSteps; ++step) {
    const double whole = right - left;
    t = (left * at_right - right * at_left) / (at_right - at_left);
    const double slope = slope_at(t);
    if (std::abs(slope) <= near) break;
    if (slope > 0) {
      if (right - t < 0.5 * whole) at_left *= 0.5;
      right = t, at_right = slope;
    } else {
      if (t - left < 0.5 * whole) at_right *= 0.5;
      left = t, at_left = slope;
    }
  }
  return t;
}

// (A + G^T rho DPi G) v' + J^T l = b + G^T (Pi(z) + rho DPi G v)
void IslandProblem::find_step() {
  matrix_.copy_rows(c_.data(), l_.data());
  for_each_number([&](size_t i) { next_[i] = b_[i]; });
  pulls_.resize(rows_.size());
  change_ = speed_ = pushed_ = 0;
  for (size_t i = 0; i < rows_.size(); ++i) {
    Mat3 D;
    const Vec3 u = velocity_at(i, v_), p = push_of(i, u, &D);
    pushed_ = std::max(pushed_, p.norm() * scales_[i].inertia);
    D *= rho(i);
    is_factored_ = is_factored_ && D == pulls_[i].second;
    pulls_[i] = {p + D * (u - rows_[i].bias), D};
    add_push(rows_[i], pulls_[i].first, next_);
  }
  if (!is_factored_) {
    matrix_.clear_addition();
    for (size_t i = 0; i < rows_.size(); ++i) add_stiffness(rows_[i], pulls_[i].second, matrix_);
    matrix_.factor();
    ++factorisations_;
    is_factored_ = true;
  }
  matrix_.solve(next_.data(), l_.data());
  for_each_number([&](size_t i) {
    change_ = std::max(change_, std::abs(next_[i] - v_[i]));
    speed_ = std::max({speed_, std::abs(v_[i]), std::abs(next_[i])});
  });
}

// It is done when the impulses that velocities make are those that were solved for: what these differ by, momentum lacks.
bool IslandProblem::is_resting(double tolerance) const {
  for (size_t i = 0; i < rows_.size(); ++i) {
    const Vec3 u = velocity_at(i, next_);
    const double lacks = (push_of(i, u) - pulls_[i].first + pulls_[i].second * (u - rows_[i].bias)).norm();
    if (lacks * scales_[i].inertia > tolerance * pushed_ && lacks > rho(i) * kContactRoundOff * speed_)
      return false;
  }
  return true;
}

// Newton's method on (2), until it rests.
void IslandProblem::minimise(double tolerance, bool first) {
  for (int pass = 0; pass < kContactNewtonPasses; ++pass) {
    find_step();
    rests_ = is_resting(tolerance);
    // The first step obeys the joints, which the guess may not; from then on (2) must fall.
    const double share = rests_ || (first && pass == 0) ? 1 : search_line();
    for_each_number([&](size_t i) { v_[i] = share < 1 ? v_[i] + share * (next_[i] - v_[i]) : next_[i]; });
    if (rests_) return;
  }
  rests_ = change_ <= kContactRestless * speed_;
}

// Passes until it is solved, or they lead nowhere.
bool IslandProblem::solve_by_passes(double tolerance, double enough, int passes) {
  bool easy = true;
  double last = kNever, before = 1;
  stiffness_ = kContactStiffness, stiffest_ = kLargestContactStiffness;
  for (int pass = 1;; ++pass, ++passes_) {
    minimise(kEasyShare * tolerance, passes_ == 0);
    for (size_t i = 0; i < rows_.size(); ++i) rows_[i].impulse = push_of(i, velocity_at(i, v_));
    const ContactResidual residual = measure();
    // What is easy to have is had.
    const double wanted = (easy ? kEasyShare : 1) * tolerance;
    if (rests_ && residual.is_within(wanted)) return true;
    keep_if_best(residual);
    if (!tried_ && residual.whole > kSlidingShare * std::max(residual.at_shifts, wanted)) {
      tried_ = true;
      if (approach(tolerance, enough)) return true;
    }
    const bool falls = residual.whole < last / 3;
    if (!std::isfinite(residual.whole) || (pass >= passes && factorisations_ > kHardFrom && !falls))
      return false;
    easy = easy && falls;
    last = residual.whole;
    if (!rests_)
      stiffness_ = stiffest_ = std::max(stiffness_ / 10, kContactStiffness);
    else if (residual.at_shifts > std::max({before / 3, wanted, residual.rounding}))
      stiffness_ = std::min(10 * stiffness_, stiffest_);
    for (size_t i = 0; i < rows_.size(); ++i) shifts_[i] = right_shift(i);
    before = measure().at_shifts;
  }
}

// Newton's method from here. Its factors have the contacts in them; where it fails all is as before.
bool IslandProblem::approach(double tolerance, double enough) {
  HardContacts hard(matrix_, b_, c_, scales_);
  const std::vector<ConeRow> rows_before = rows_;
  std::vector<double> v_before;
  for_each_number([&](size_t i) { v_before.push_back(v_[i]); });
  is_factored_ = false;
  const bool near = hard.approach(tolerance, enough, rows_, v_, l_);
  factorisations_ += hard.factorisations();
  if (near && measure().is_within(enough)) return true;
  rows_ = rows_before;
  for_each_number([&, next = size_t{0}](size_t i) mutable { v_[i] = v_before[next++]; });
  return false;
}

void IslandProblem::keep_if_best(const ContactResidual& residual) {
  const bool better = residual.is_within(0) == best_.residual.is_within(0)
                          ? residual.whole <= best_.residual.whole
                          : residual.is_within(0);
  if (!rests_ || !better) return;
  best_.residual = residual, best_.rows = rows_, best_.v.clear();
  for_each_number([&](size_t i) { best_.v.push_back(v_[i]); });
  best_.l.resize(l_.size());
  matrix_.copy_rows(l_.data(), best_.l.data());
}

bool IslandProblem::solve_by_newton(double tolerance, double enough, double scale) {
  HardContacts hard(matrix_, b_, c_, scales_);
  hard.solve(tolerance, enough, scale, rows_, v_, l_);
  is_factored_ = false;
  factorisations_ += hard.factorisations();
  rests_ = true;
  keep_if_best(measure());
  return best_.residual.is_within(enough);
}

// The best, with factors as passes leave them, contacts in them.
void IslandProblem::take_best() {
  if (best_.rows.empty()) return;
  rows_ = best_.rows;
  for_each_number([&, next = size_t{0}](size_t i) mutable { v_[i] = best_.v[next++]; });
  matrix_.copy_rows(best_.l.data(), l_.data());
  stiffness_ = kContactStiffness;
  matrix_.clear_addition();
  for (size_t i = 0; i < rows_.size(); ++i) {
    shifts_[i] = right_shift(i);
    Mat3 D;
    push_of(i, velocity_at(i, v_), &D);
    add_stiffness(rows_[i], rho(i) * D, matrix_);
  }
  matrix_.factor();
  ++factorisations_;
}

ContactReport IslandProblem::solve(double tolerance, double enough) {
  ContactReport report;
  const bool guessed =
      std::any_of(rows_.begin(), rows_.end(), [](const ConeRow& row) { return row.impulse != Vec3::Zero(); });
  if (!(guessed && approach(tolerance, enough)) && !solve_by_passes(tolerance, enough, 1)) {
    report.solved = best_.residual.is_within(tolerance) || solve_by_newton(tolerance, enough, kHardScale) ||
                    solve_by_passes(tolerance, enough, kLastPasses) || best_.residual.is_within(enough);
    if (!report.solved) {
      for (ConeRow& row : rows_) row.impulse.setZero();
      report.solved = solve_by_newton(tolerance, enough, kLastHardScale);
    }
    take_best();
  }
  if (const ContactResidual left = measure(); left.is_within(0) && left.whole > tolerance) {
    // Asked for more digits than passes have.
    keep_if_best(left);
    HardContacts hard(matrix_, b_, c_, scales_);
    hard.polish(tolerance, rows_, v_, l_);
    factorisations_ += hard.factorisations();
    keep_if_best(measure());
    take_best();
  }
  const ContactResidual residual = measure();
  report.passes = passes_, report.factorisations = factorisations_;
  // Where impulses are next to nothing, rounding is all there is: it counts as what was asked for.
  report.residual =
      report.solved && residual.is_within(0) ? std::min(tolerance, residual.whole) : residual.whole;
  return report;
}

}  // namespace

ContactReport ContactSolver::solve(BlockSolver& matrix, std::span<const double> b, std::span<const double> c,
                                   std::vector<ConeRow>& rows, double tolerance, std::vector<double>& v,
                                   std::vector<double>& l, double enough) {
  // Rows by island.
  std::vector<size_t> island_of(matrix.nodes());
  for (size_t k = 0; k < matrix.islands(); ++k) {
    matrix.work_on(k);
    for (const int n : matrix.bodies()) island_of[static_cast<size_t>(n)] = k;
  }
  std::vector<std::vector<size_t>> numbers(matrix.islands());
  for (size_t i = 0; i < rows.size(); ++i)
    numbers[island_of[static_cast<size_t>(rows[i].a != kNone ? rows[i].a : rows[i].b)]].push_back(i);
  ContactReport report;
  l.resize(c.size());
  std::vector<ConeRow> own;
  std::vector<double> next(v.size()), force(v.size());
  for (size_t k = 0; k < numbers.size(); ++k) {
    matrix.work_on(k);
    own.clear();
    for (const size_t i : numbers[k]) own.push_back(rows[i]);
    const ContactReport part =
        IslandProblem(matrix, b, c, own, v, l, next, force).solve(tolerance, std::max(enough, tolerance));
    for (size_t i = 0; i < own.size(); ++i) rows[numbers[k][i]].impulse = own[i].impulse;
    report.residual = std::max(report.residual, part.residual);
    report.solved = report.solved && part.solved;
    report.passes = std::max(report.passes, part.passes);
    report.factorisations = std::max(report.factorisations, part.factorisations);
  }
  matrix.work_on_all();
  return report;
}

}  // namespace tumble::dynamics
