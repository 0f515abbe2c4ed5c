#include "tumble/dynamics/solvers/contact_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/core/require.h"
#include "tumble/dynamics/solvers/semismooth_newton.h"
#include "tumble/dynamics/tolerances.h"
#include "tumble/math/elementary.h"

namespace tumble::dynamics {

using math::Mat3;
using math::Vec3;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

double size_of(const double* r) { return math::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]); }

}  // namespace

double largest_rounding(const std::vector<ConeConstraint>& rows, std::span<const RowScale> scales,
                        const std::vector<double>& v) {
  double most = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const RowScale& scale = scales[i];
    double speed = size_of(rows[i].bias.data());
    const auto add = [&](int node, double moving, double turning) {
      if (node == kNone) return;
      const double* u = &v[6 * static_cast<size_t>(node)];
      speed += moving * size_of(u) + turning * size_of(u + 3);
    };
    add(rows[i].a, scale.moving_a, scale.turning_a), add(rows[i].b, scale.moving_b, scale.turning_b);
    most = std::max(most, speed / scale.inertia);
  }
  return kContactRoundOff * most;
}

void find_lacks(const KktSolver& matrix, std::span<const double> b, std::span<const double> c,
                const std::vector<ConeConstraint>& rows, const std::vector<double>& v,
                const std::vector<double>& l, std::vector<double>& of_momenta,
                std::vector<double>& of_joints) {
  matrix.for_each_dof([&](size_t i) { of_momenta[i] = b[i]; });
  matrix.for_each_row([&](size_t i) { of_joints[i] = c[i]; });
  for (const ConeConstraint& row : rows) add_push(row, row.impulse, of_momenta);
  matrix.subtract_product(v.data(), of_momenta.data());
  matrix.subtract_rows(v.data(), l.data(), of_momenta.data(), of_joints.data());
}

void SavedIterate::keep(const KktSolver& matrix, const std::vector<ConeConstraint>& rows,
                        const std::vector<double>& v, const std::vector<double>& l) {
  impulses_.resize(rows.size()), v_.resize(6 * matrix.bodies().size()), l_.resize(l.size());
  for (size_t i = 0; i < rows.size(); ++i) impulses_[i] = rows[i].impulse;
  double* next = v_.data();
  matrix.for_each_dof([&](size_t i) { *next++ = v[i]; });
  next = l_.data();
  matrix.for_each_row([&](size_t i) { *next++ = l[i]; });
}

void SavedIterate::restore(const KktSolver& matrix, std::vector<ConeConstraint>& rows, std::vector<double>& v,
                           std::vector<double>& l) const {
  for (size_t i = 0; i < rows.size(); ++i) rows[i].impulse = impulses_[i];
  const double* next = v_.data();
  matrix.for_each_dof([&](size_t i) { v[i] = *next++; });
  next = l_.data();
  matrix.for_each_row([&](size_t i) { l[i] = *next++; });
}

// One island of (1) after the other: the one that the matrix works on.
class ContactSolver::Island {
 public:
  void begin(KktSolver& matrix) {
    matrix_ = &matrix;
    known_.at.assign(matrix.nodes(), kNone), known_.factors.clear();
  }
  ContactReport solve(std::span<const double> b, std::span<const double> c, std::vector<ConeConstraint>& rows,
                      double tolerance, std::vector<double>& v, std::vector<double>& l, double enough);

 private:
  void begin_rows();
  ContactReport solve_rows(double tolerance, double enough);
  RowScale scale_of(const ConeConstraint& row);
  // Of A_ii = L D L^T; and how far from its centre a body has its mass, m.
  struct BodyFactors {
    double L[15], inverse_D[6], reach;
  };
  const BodyFactors& factors_of(int node);
  void set_stiffness(double stiffness);
  void look() { look_at(v_, u_), rounding_ = largest_rounding(rows_, scales_, v_); }
  void look_at(const std::vector<double>& v, std::vector<Vec3>& u) const;
  // z of (2), of which p is the projection.
  Vec3 before_projection(size_t i, const Vec3& u) const {
    const Vec3& r = rows_[i].impulse;
    const double rho = rho_[i], kept = 1 - rho * rows_[i].compliance;
    return {kept * r[0] - rho * (u[0] + shifts_[i]), kept * r[1] - rho * u[1], kept * r[2] - rho * u[2]};
  }
  double search_line();
  void find_step();
  bool is_resting(double tolerance);
  void go_to_next(double share);
  void minimise(double tolerance, bool first, int most = kContactNewtonPasses);
  void balance();
  const ContactResidual& measure() {
    return residual_ = measure_residual(rows_, scales_, u_, shifts_, rounding_);
  }
  void set_shifts();
  bool solve_by_passes(double tolerance, double enough, int passes);
  bool solve_by_newton(double tolerance, double enough, double scale);
  bool approach(double tolerance, double enough);
  void keep_if_best(const ContactResidual& residual);
  void take_best();
  int factorisations() const { return factorisations_ + hard_.factorisations(); }

  KktSolver* matrix_ = nullptr;
  std::span<const double> b_, c_;
  std::vector<double> v_, l_;  // as given, while it is solved
  std::vector<ConeConstraint> rows_;
  SemismoothNewton hard_;
  struct {
    std::vector<int> at;  // by body
    std::vector<BodyFactors> factors;
  } known_;  // those that were asked for
  std::vector<RowScale> scales_;
  std::vector<double> shifts_;                                  // s of each row
  std::vector<Vec3> u_;                                         // at v
  double rounding_ = 0;                                         // of impulses, near v
  double stiffness_ = 0, stiffest_ = kLargestContactStiffness;  // sigma: rho = sigma / w
  std::vector<double> rho_;
  bool rests_ = false, is_restless_ = false;  // is_restless_: but for small steps to and fro
  bool is_factored_ = false;                  // the matrix, with the stiffness of pulls_
  bool tried_ = false;                        // approach(), but for that from a guess
  int passes_ = 0, factorisations_ = 0;       // factorisations_: without those of hard_
  ContactResidual residual_, best_residual_;  // residual_: as it was measured last
  SavedIterate best_, before_;
  // Newton's method: where its step leads, with the velocities and impulses of rows there; from which impulses, these being the first less the second
  // times G v near v; how large that is.
  std::vector<double> next_, force_, left_;
  std::vector<Vec3> next_u_, next_pushes_;
  std::vector<std::pair<Vec3, Mat3>> pulls_;
  double speed_ = 0, pushed_ = 0;
};

const ContactSolver::Island::BodyFactors& ContactSolver::Island::factors_of(int node) {
  int& at = known_.at[static_cast<size_t>(node)];
  if (at == kNone) {
    at = static_cast<int>(known_.factors.size());
    BodyFactors& f = known_.factors.emplace_back();
    const double* A = matrix_->given_diagonal(node);
    factor_symmetric<6>(A, f.L, f.inverse_D);
    f.reach = math::sqrt((A[lower(3, 3)] + A[lower(4, 4)] + A[lower(5, 5)]) /
                         (A[lower(0, 0)] + A[lower(1, 1)] + A[lower(2, 2)]));
  }
  return known_.factors[static_cast<size_t>(at)];
}

RowScale ContactSolver::Island::scale_of(const ConeConstraint& row) {
  RowScale scale{.inertia = 0};
  const int count = row.set == ConeConstraint::Set::positive ? 1 : 3;
  const auto enter = [&](int node, const ConeConstraint::Matrix36& G, double& moving, double& turning) {
    if (node == kNone) return;
    const BodyFactors& f = factors_of(node);
    double sum = 0;
    for (int k = 0; k < count; ++k) {
      double z[6];
      TUMBLE_UNROLLED (c, 0, 6) z[c] = G(k, c);
      solve_lower<6>(f.L, z);
      TUMBLE_UNROLLED (c, 0, 6) sum = add(z[c] * z[c], f.inverse_D[c], sum);
    }
    scale.inertia += sum / count;
    const double move = G.leftCols<3>().norm(), turn = G.rightCols<3>().norm();
    moving = move + turn / f.reach, turning = turn + move * f.reach;
  };
  enter(row.a, row.G_a, scale.moving_a, scale.turning_a);
  enter(row.b, row.G_b, scale.moving_b, scale.turning_b);
  return scale;
}

void ContactSolver::Island::begin_rows() {
  scales_.clear();
  for (const ConeConstraint& row : rows_) scales_.push_back(scale_of(row));
  look();
  shifts_.assign(rows_.size(), 0.0);
  for (size_t i = 0; i < rows_.size(); ++i)
    if (rows_[i].impulse.x() > 0)
      shifts_[i] = shift_of(rows_[i], u_[i] + rows_[i].compliance * rows_[i].impulse);
  stiffness_ = 0;
  rests_ = is_factored_ = tried_ = false;
  passes_ = factorisations_ = 0;
  best_residual_ = {kNever, kNever, 0};
  best_.clear();
}

void ContactSolver::Island::look_at(const std::vector<double>& v, std::vector<Vec3>& u) const {
  u.resize(rows_.size());
  for (size_t i = 0; i < rows_.size(); ++i) u[i] = speed_at(rows_[i], v) + rows_[i].bias;
}

void ContactSolver::Island::set_stiffness(double stiffness) {
  if (stiffness == stiffness_) return;
  stiffness_ = stiffness;
  rho_.resize(rows_.size());
  for (size_t i = 0; i < rows_.size(); ++i)
    rho_[i] = 1 / (scales_[i].inertia / stiffness + rows_[i].compliance);
}

// How far to go from v to where Newton's method leads, at most all the way: to where (2), convex along it, is least, or nearly. Its slope there,
// with d the whole way, is
//   d.(A v - b) + t d.A d - sum (G d).p(t)
double ContactSolver::Island::search_line() {
  double along = 0, bend = 0;
  matrix_->for_each_dof([&](size_t i) { force_[i] = b_[i]; });
  matrix_->subtract_product(v_.data(), force_.data());
  matrix_->for_each_dof([&](size_t i) { next_[i] -= v_[i], along -= next_[i] * force_[i], force_[i] = 0; });
  matrix_->subtract_product(next_.data(), force_.data());
  matrix_->for_each_dof([&](size_t i) { bend -= next_[i] * force_[i], next_[i] += v_[i]; });
  const auto slope_at = [&](double t) {
    double slope = along + t * bend;
    for (size_t i = 0; i < rows_.size(); ++i) {
      const Vec3 turn = next_u_[i] - u_[i];
      slope -= turn.dot(project_on_cone(rows_[i], before_projection(i, u_[i] + t * turn)));
    }
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
void ContactSolver::Island::find_step() {
  matrix_->for_each_row([&](size_t i) { l_[i] = c_[i]; });
  matrix_->for_each_dof([&](size_t i) { next_[i] = b_[i]; });
  pulls_.resize(rows_.size());
  double most = 0;
  for (size_t i = 0; i < rows_.size(); ++i) {
    Mat3 D;
    const Vec3 p = project_on_cone(rows_[i], before_projection(i, u_[i]), D);
    most = std::max(most, p.squaredNorm() * (scales_[i].inertia * scales_[i].inertia));
    D *= rho_[i];
    is_factored_ = is_factored_ && D == pulls_[i].second;
    pulls_[i] = {p + D * (u_[i] - rows_[i].bias), D};
    add_push(rows_[i], pulls_[i].first, next_);
  }
  pushed_ = math::sqrt(most);
  if (!is_factored_) {
    matrix_->clear_addition();
    for (size_t i = 0; i < rows_.size(); ++i) add_stiffness(rows_[i], pulls_[i].second, *matrix_);
    matrix_->factor();
    ++factorisations_;
    is_factored_ = true;
  }
  matrix_->solve(next_.data(), l_.data());
  double speed = 0;
  matrix_->for_each_dof([&](size_t i) { speed = std::max({speed, std::abs(v_[i]), std::abs(next_[i])}); });
  speed_ = speed;
  look_at(next_, next_u_);
}

// It is done when the impulses that velocities make are those that were solved for: what these differ by, momentum lacks.
bool ContactSolver::Island::is_resting(double tolerance) {
  bool rests = true;
  next_pushes_.resize(rows_.size());
  for (size_t i = 0; i < rows_.size(); ++i) {
    const Vec3& u = next_u_[i];
    next_pushes_[i] = project_on_cone(rows_[i], before_projection(i, u));
    const Vec3 lacks = next_pushes_[i] - pulls_[i].first + pulls_[i].second * (u - rows_[i].bias);
    const double limit =
        std::max(tolerance * pushed_ / scales_[i].inertia, rho_[i] * kContactRoundOff * speed_);
    rests = rests && !(lacks.squaredNorm() > limit * limit);
  }
  return rests;
}

// From v to where the step leads, or a share of the way.
void ContactSolver::Island::go_to_next(double share) {
  if (share < 1) {
    matrix_->for_each_dof([&](size_t i) { v_[i] += share * (next_[i] - v_[i]); });
    look_at(v_, u_);
    for (size_t i = 0; i < rows_.size(); ++i)
      next_pushes_[i] = project_on_cone(rows_[i], before_projection(i, u_[i]));
  } else {
    matrix_->for_each_dof([&](size_t i) { v_[i] = next_[i]; });
    u_.swap(next_u_);
  }
}

// Newton's method on (2), until it rests.
void ContactSolver::Island::minimise(double tolerance, bool first, int most) {
  is_restless_ = false;
  double change = 0;
  for (int pass = 0; pass < most; ++pass) {
    find_step();
    rests_ = is_resting(tolerance);
    if (pass + 1 == most)
      matrix_->for_each_dof([&](size_t i) { change = std::max(change, std::abs(next_[i] - v_[i])); });
    // The first step obeys the joints, which the guess may not; from then on (2) must fall.
    go_to_next(rests_ || (first && pass == 0) ? 1 : search_line());
    if (rests_) return;
  }
  rests_ = change <= kContactRestless * speed_;
  is_restless_ = true;
}

void ContactSolver::Island::set_shifts() {
  for (size_t i = 0; i < rows_.size(); ++i)
    shifts_[i] = shift_of(rows_[i], u_[i] + rows_[i].compliance * rows_[i].impulse);
}

// Takes off what rounding has left of momenta and joints, by the factors at hand.
void ContactSolver::Island::balance() {
  find_lacks(*matrix_, b_, c_, rows_, v_, l_, next_, left_);
  matrix_->solve(next_.data(), left_.data());
  matrix_->for_each_dof([&](size_t i) { v_[i] += next_[i]; });
  matrix_->for_each_row([&](size_t i) { l_[i] += left_[i]; });
  for (size_t i = 0; i < rows_.size(); ++i) rows_[i].impulse -= pulls_[i].second * speed_at(rows_[i], next_);
  look();
}

// Passes until it is solved, or they lead nowhere.
bool ContactSolver::Island::solve_by_passes(double tolerance, double enough, int passes) {
  bool easy = true;
  double last = kNever, before = 1;
  set_stiffness(kContactStiffness), stiffest_ = kLargestContactStiffness;
  bool begun = false;
  int first = 0, idle = 0;  // factorisations up to the first pass of all; passes that gained little, in a row
  if (passes_ == 0 && rows_.size() <= kFewRows && !tried_) {
    minimise(kEasyShare * tolerance, true, kFewSteps);
    if (!rests_ && (tried_ = true, approach(tolerance, enough))) return true;
    begun = true;
  }
  for (int pass = 1;; ++pass, ++passes_) {
    if (!begun || !rests_) minimise(kEasyShare * tolerance, passes_ == 0 && !begun);
    begun = false;
    for (size_t i = 0; i < rows_.size(); ++i) rows_[i].impulse = next_pushes_[i];
    if (passes_ == 0) first = factorisations();
    if (pass == 1) rounding_ = largest_rounding(rows_, scales_, v_);
    const double wanted = (easy ? kEasyShare : 1) * tolerance;  // what is easy to have is had
    ContactResidual residual = measure();
    // What is stiff rounds so much more.
    const bool loses_digits =
        is_restless_ || residual.rounding * (stiffness_ / kContactStiffness) > kEasyShare * tolerance;
    if (loses_digits && residual.is_within(enough)) balance(), residual = measure();
    const bool falls = residual.whole < last / 3;
    idle = falls ? 0 : idle + 1;
    if (rests_ && (residual.whole <= wanted || (!falls && residual.is_within(wanted)))) return true;
    keep_if_best(residual);
    if (!tried_ && residual.whole > kSlidingShare * std::max(residual.at_shifts, wanted)) {
      tried_ = true;
      if (approach(tolerance, enough)) return true;
    }
    const bool leads = falls || (factorisations() - first <= kHardFrom && idle <= kLastPasses);
    if (!std::isfinite(residual.whole) || (pass >= passes && !leads)) return false;
    easy = easy && falls;
    last = residual.whole;
    if (!rests_)
      set_stiffness(stiffest_ = std::max(stiffness_ / 10, kContactStiffness));
    else if (residual.at_shifts > std::max({before / 3, wanted, residual.rounding}))
      set_stiffness(std::min(kContactStiffening * stiffness_, stiffest_));
    set_shifts();
    before = residual.whole;  // with these shifts
  }
}

// Newton's method from here. Its factors have the contacts in them; where it fails all is as before.
bool ContactSolver::Island::approach(double tolerance, double enough) {
  before_.keep(*matrix_, rows_, v_, l_);
  is_factored_ = false;
  const bool near = hard_.approach(tolerance, enough, scales_, rows_, v_, l_);
  if (near) {
    look();
    if (measure().is_within(enough)) return true;
  }
  before_.restore(*matrix_, rows_, v_, l_);
  look();
  return false;
}

void ContactSolver::Island::keep_if_best(const ContactResidual& residual) {
  const bool better = residual.is_within(0) == best_residual_.is_within(0)
                          ? residual.whole <= best_residual_.whole
                          : residual.is_within(0);
  if (!rests_ || !better) return;
  best_residual_ = residual;
  best_.keep(*matrix_, rows_, v_, l_);
}

bool ContactSolver::Island::solve_by_newton(double tolerance, double enough, double scale) {
  hard_.solve(tolerance, enough, scale, scales_, rows_, v_, l_);
  look();
  is_factored_ = false;
  rests_ = true;
  keep_if_best(measure());
  return best_residual_.is_within(enough);
}

// The best, with factors as passes leave them, contacts in them.
void ContactSolver::Island::take_best() {
  if (best_.empty()) return;
  best_.restore(*matrix_, rows_, v_, l_);
  look();
  set_shifts();
  set_stiffness(kContactStiffness);
  matrix_->clear_addition();
  for (size_t i = 0; i < rows_.size(); ++i) {
    Mat3 D;
    project_on_cone(rows_[i], before_projection(i, u_[i]), D);
    add_stiffness(rows_[i], rho_[i] * D, *matrix_);
  }
  matrix_->factor();
  ++factorisations_;
}

ContactReport ContactSolver::Island::solve_rows(double tolerance, double enough) {
  begin_rows();
  ContactReport report;
  const bool guessed = std::any_of(rows_.begin(), rows_.end(),
                                   [](const ConeConstraint& row) { return row.impulse != Vec3::Zero(); });
  if (!(guessed && approach(tolerance, enough)) && !solve_by_passes(tolerance, enough, 1)) {
    report.solved = best_residual_.is_within(tolerance) || solve_by_newton(tolerance, enough, kHardScale) ||
                    solve_by_passes(tolerance, enough, kLastPasses) || best_residual_.is_within(enough);
    if (!report.solved) {
      for (ConeConstraint& row : rows_) row.impulse.setZero();
      report.solved = solve_by_newton(tolerance, enough, kLastHardScale);
    }
    take_best(), measure();
  }
  if (const ContactResidual left = residual_;
      left.whole > tolerance && (left.is_within(0) || left.whole < kLastDigits)) {
    // Asked for more digits than passes have.
    rests_ = true;
    keep_if_best(left);
    approach(tolerance, left.whole);
    keep_if_best(measure());
    if (best_residual_.whole > tolerance) {
      hard_.polish(tolerance, scales_, rows_, v_, l_);
      look();
      keep_if_best(measure());
    }
    take_best(), measure();
    report.solved = report.solved || best_residual_.is_within(enough);
  }
  report.residual = residual_.whole;
  report.passes = passes_, report.factorisations = factorisations();
  return report;
}

ContactReport ContactSolver::Island::solve(std::span<const double> b, std::span<const double> c,
                                           std::vector<ConeConstraint>& rows, double tolerance,
                                           std::vector<double>& v, std::vector<double>& l, double enough) {
  TUMBLE_ASSERT(matrix_);
  b_ = b, c_ = c;
  l.resize(c.size());
  next_.resize(v.size()), force_.resize(v.size()), left_.resize(c.size());
  hard_.begin(*matrix_, b, c);
  const auto swap = [&] { v_.swap(v), l_.swap(l), rows_.swap(rows); };
  swap();
  ContactReport report;
  try {
    report = solve_rows(tolerance, std::max(enough, tolerance));
  } catch (...) {
    swap();
    throw;
  }
  swap();
  return report;
}

ContactResidual measure_residual(const std::vector<ConeConstraint>& rows, std::span<const RowScale> scales,
                                 std::span<const Vec3> u, std::span<const double> shifts, double rounding) {
  double most = 0, wrong = 0, wrong_here = 0;  // squares
  double all = 0;                              // no number if any is none
  for (size_t i = 0; i < rows.size(); ++i) {
    const ConeConstraint& row = rows[i];
    const Vec3 at = u[i] + row.compliance * row.impulse;
    const double response = 1 / scales[i].inertia, right = shift_of(row, at);
    const auto lacks = [&](double shift) {
      return (row.impulse - project_on_cone(row, row.impulse - response * (at + Vec3(shift, 0, 0))))
          .squaredNorm();
    };
    most = std::max(most, row.impulse.squaredNorm());
    all += row.impulse.sum() + at.sum();
    const double here = lacks(right);
    wrong = std::max(wrong, here);
    if (!shifts.empty()) wrong_here = std::max(wrong_here, shifts[i] == right ? here : lacks(shifts[i]));
  }
  if (!std::isfinite(all)) return {kNever, kNever, 0};
  const double size =
      std::max(math::sqrt(std::max(most, wrong)), kLeastImpulse / kContactRoundOff * rounding);
  if (!(size > 0)) return {};
  return {math::sqrt(wrong) / size, math::sqrt(wrong_here) / size, rounding / size};
}

RowsByIsland::RowsByIsland(KktSolver& matrix, const std::vector<ConeConstraint>& rows)
    : first_(matrix.islands() + 1, 0), numbers_(rows.size()) {
  std::vector<size_t> island_of(matrix.nodes());
  for (size_t k = 0; k < matrix.islands(); ++k) {
    matrix.select_island(k);
    for (const int n : matrix.bodies()) island_of[static_cast<size_t>(n)] = k;
  }
  matrix.select_all_islands();
  const auto island = [&](const ConeConstraint& row) {
    return island_of[static_cast<size_t>(row.a != kNone ? row.a : row.b)];
  };
  for (const ConeConstraint& row : rows) ++first_[island(row) + 1];
  for (size_t k = 0; k + 1 < first_.size(); ++k) first_[k + 1] += first_[k];
  std::vector<size_t> next = first_;
  for (size_t i = 0; i < rows.size(); ++i) numbers_[next[island(rows[i])]++] = i;
}

ContactSolver::ContactSolver() : island_(std::make_unique<Island>()) {}
ContactSolver::~ContactSolver() = default;
ContactSolver::ContactSolver(ContactSolver&&) noexcept = default;
ContactSolver& ContactSolver::operator=(ContactSolver&&) noexcept = default;

void ContactSolver::begin(KktSolver& matrix) { island_->begin(matrix); }

ContactReport ContactSolver::solve_island(std::span<const double> b, std::span<const double> c,
                                          std::vector<ConeConstraint>& rows, double tolerance,
                                          std::vector<double>& v, std::vector<double>& l, double enough) {
  return island_->solve(b, c, rows, tolerance, v, l, enough);
}

ContactReport ContactSolver::solve(KktSolver& matrix, std::span<const double> b, std::span<const double> c,
                                   std::vector<ConeConstraint>& rows, double tolerance,
                                   std::vector<double>& v, std::vector<double>& l, double enough) {
  const RowsByIsland by_island(matrix, rows);
  ContactReport report;
  std::vector<ConeConstraint> own;
  begin(matrix);
  for (size_t k = 0; k < by_island.islands(); ++k) {
    const std::span<const size_t> numbers = by_island.of(k);
    matrix.select_island(k);
    own.clear();
    for (const size_t i : numbers) own.push_back(rows[i]);
    const ContactReport part = solve_island(b, c, own, tolerance, v, l, enough);
    for (size_t i = 0; i < numbers.size(); ++i) rows[numbers[i]].impulse = own[i].impulse;
    report.residual = std::max(report.residual, part.residual);
    report.solved = report.solved && part.solved;
    report.passes = std::max(report.passes, part.passes);
    report.factorisations = std::max(report.factorisations, part.factorisations);
  }
  matrix.select_all_islands();
  return report;
}

}  // namespace tumble::dynamics
