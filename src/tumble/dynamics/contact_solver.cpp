#include "tumble/dynamics/contact_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tumble/dynamics/few_contacts.h"
#include "tumble/dynamics/least_residual.h"
#include "tumble/dynamics/many_contacts.h"
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

double tangential(const Vec3& u) { return math::sqrt(u.y() * u.y() + u.z() * u.z()); }

double shift_of(const ConeRow& row, const Vec3& u) {
  return row.set == ConeRow::Set::cone ? row.friction * tangential(u) : 0;
}

}  // namespace

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

Vec3 ContactSolver::velocity_at(const ConeRow& row, const std::vector<double>& v) const {
  Vec3 u = row.bias;
  if (row.a != kNone) u += row.G_a * at(v, row.a);
  if (row.b != kNone) u += row.G_b * at(v, row.b);
  return u;
}

// p of (2).
Vec3 ContactSolver::push_of(size_t i, const ConeRow& row, const Vec3& u, Mat3* derivative) const {
  return project_on_cone(
      row, row.impulse * (1 - rho(i, row) * row.compliance) - rho(i, row) * (u + Vec3(shifts_[i], 0, 0)),
      derivative);
}

// How far each island goes from v along d, at most all the way: to where (2), convex along it, is least, or nearly. Its slope there is
//   d.(A v - b) + t d.A d - sum (G d).p(t)
void ContactSolver::search_lines(const BlockSolver& matrix, std::span<const double> b,
                                 const std::vector<ConeRow>& rows, const std::vector<double>& v,
                                 const std::vector<double>& d) {
  struct Line {
    double along = 0, bend = 0;
    double left = 0, right = 1, at_left = 0, at_right = 0, first = 0, t = 1, slope = 0;
    bool found = false;
  };
  std::vector<Line> lines(islands_.size());
  force_.assign(b.begin(), b.end());
  matrix.subtract_product(v.data(), force_.data());
  for (size_t i = 0; i < d.size(); ++i) lines[island_of_node_[i / 6]].along -= d[i] * force_[i];
  force_.assign(d.size(), 0.0);
  matrix.subtract_product(d.data(), force_.data());
  for (size_t i = 0; i < d.size(); ++i) lines[island_of_node_[i / 6]].bend -= d[i] * force_[i];
  for (size_t k = 0; k < lines.size(); ++k) lines[k].found = islands_[k].rests;
  const auto look = [&] {
    for (Line& line : lines) line.slope = line.along + line.t * line.bend;
    for (size_t i = 0; i < rows.size(); ++i) {
      Line& line = lines[island_of_row_[i]];
      if (line.found) continue;
      const Vec3 turn = velocity_at(rows[i], d) - rows[i].bias;
      line.slope -= turn.dot(push_of(i, rows[i], velocity_at(rows[i], v) + line.t * turn));
    }
  };
  for (Line& line : lines) line.t = 0;
  look();
  for (Line& line : lines) line.first = line.at_left = line.slope, line.t = 1;
  look();
  // Uphill at once: what is left of the joints, at the end of all digits.
  for (Line& line : lines) {
    line.at_right = line.slope;
    if (!(line.first < 0) || !(line.at_right > kLineSlope * std::abs(line.first))) line.found = true;
  }
  // Regula falsi; the slope of an end that stays is halved.
  for (int step = 0; step < kContactLineSteps; ++step) {
    bool any = false;
    for (Line& line : lines)
      if (!line.found) {
        any = true;
        line.t = (line.left * line.at_right - line.right * line.at_left) / (line.at_right - line.at_left);
      }
    if (!any) break;
    look();
    for (Line& line : lines) {
      if (line.found) continue;
      const double whole = line.right - line.left;
      if (std::abs(line.slope) <= kLineSlope * std::abs(line.first)) {
        line.found = true;
      } else if (line.slope > 0) {
        if (line.right - line.t < 0.5 * whole) line.at_left *= 0.5;
        line.right = line.t, line.at_right = line.slope;
      } else {
        if (line.t - line.left < 0.5 * whole) line.at_right *= 0.5;
        line.left = line.t, line.at_left = line.slope;
      }
    }
  }
  for (size_t k = 0; k < lines.size(); ++k) islands_[k].share = lines[k].t;
}

// Newton's method on (2), in every island until it rests.
void ContactSolver::minimise(BlockSolver& matrix, std::span<const double> b, std::span<const double> c,
                             const std::vector<ConeRow>& rows, double tolerance, bool first,
                             std::vector<double>& v, std::vector<double>& l, ContactReport& report) {
  for (int pass = 0; pass < kContactNewtonPasses; ++pass) {
    // (A + G^T rho DPi G) v' + J^T l = b + G^T (Pi(z) + rho DPi G v)
    matrix.clear_addition();
    next_.assign(b.begin(), b.end());
    l.assign(c.begin(), c.end());
    for (Island& island : islands_) island.pushed = island.change = island.speed = 0;
    pulls_.clear();
    for (size_t i = 0; i < rows.size(); ++i) {
      const ConeRow& row = rows[i];
      Island& island = islands_[island_of_row_[i]];
      Mat3 D;
      const Vec3 u = velocity_at(row, v), p = push_of(i, row, u, &D);
      island.pushed = std::max(island.pushed, p.norm() * inertias_[i]);
      D *= rho(i, row);
      const Vec3 pull = p + D * (u - row.bias);
      pulls_.push_back({pull, D});
      add_push(row, pull, next_);
      add_stiffness(row, D, matrix);
    }
    matrix.factor();
    ++report.factorisations;
    matrix.solve(next_.data(), l.data());
    for (size_t i = 0; i < v.size(); ++i) {
      Island& island = islands_[island_of_node_[i / 6]];
      island.change = std::max(island.change, std::abs(next_[i] - v[i]));
      island.speed = std::max({island.speed, std::abs(v[i]), std::abs(next_[i])});
    }
    // Velocities are known well enough when what impulses make of them is, or rounding stops them.
    bool rest = true;
    for (Island& island : islands_) {
      island.rests = !(island.change > std::max(tolerance * island.pushed, kContactRoundOff * island.speed));
    }
    // And when the impulses they make are those that were solved for: what these differ by, momentum would lack.
    for (size_t i = 0; i < rows.size(); ++i) {
      Island& island = islands_[island_of_row_[i]];
      if (!island.rests) continue;
      const Vec3 u = velocity_at(rows[i], next_);
      const double lacking =
          (push_of(i, rows[i], u) - pulls_[i].first + pulls_[i].second * (u - rows[i].bias)).norm();
      island.rests = !(lacking * inertias_[i] > tolerance * island.pushed &&
                       lacking > rho(i, rows[i]) * kContactRoundOff * island.speed);
    }
    for (const Island& island : islands_) rest = rest && island.rests;
    // The first step obeys the joints, which the guess may not; from then on (2) must fall.
    if (rest || (first && pass == 0)) {
      v = next_;
      if (rest) break;
      continue;
    }
    for (size_t i = 0; i < v.size(); ++i) next_[i] -= v[i];
    search_lines(matrix, b, rows, v, next_);
    for (size_t i = 0; i < v.size(); ++i) {
      const Island& island = islands_[island_of_node_[i / 6]];
      v[i] += (island.rests ? 1 : island.share) * next_[i];
    }
  }
  for (Island& island : islands_)
    island.rests = island.rests || island.change <= kContactRestless * island.speed;
}

// Of (1), and with shifts as they are; and what rounding makes of it.
void ContactSolver::measure_residuals(const std::vector<ConeRow>& rows, const std::vector<double>& v) {
  struct Sums {
    double most = 0, wrong = 0, wrong_here = 0, rounding = 0, all = 0;  // all: not a number if any is none
  };
  std::vector<Sums> sums(islands_.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const ConeRow& row = rows[i];
    Sums& sum = sums[island_of_row_[i]];
    const Vec3 u = velocity_at(row, v) + row.compliance * row.impulse;
    const auto left = [&](double shift) {
      return (row.impulse - project_on_cone(row, row.impulse - (u + Vec3(shift, 0, 0)) / inertias_[i]))
          .norm();
    };
    sum.most = std::max(sum.most, row.impulse.norm());
    sum.all += row.impulse.sum() + u.sum();
    sum.wrong = std::max(sum.wrong, left(shift_of(row, u)));
    sum.wrong_here = std::max(sum.wrong_here, left(shifts_[i]));
    double speed = row.bias.norm();
    for (const auto& [node, G] : {std::pair(row.a, &row.G_a), std::pair(row.b, &row.G_b)})
      if (node != kNone) speed += (G->cwiseAbs() * at(v, node).cwiseAbs()).norm();
    sum.rounding = std::max(sum.rounding, kContactRoundOff * speed / inertias_[i]);
  }
  for (size_t k = 0; k < sums.size(); ++k) {
    const double size = std::max(sums[k].most, sums[k].wrong);
    islands_[k].residual =
        !std::isfinite(sums[k].all) ? Residual{kNever, kNever, 0}
        : size > 0 ? Residual{sums[k].wrong / size, sums[k].wrong_here / size, sums[k].rounding / size}
                   : Residual{};
  }
}

// Shifts are right if the velocities they lead to give them back, s = F(s) = mu |u_t(v(s))|. Sets steps to F - s and finds the largest that
// matters: of contacts that carry, or would if their shifts were right.
void ContactSolver::judge_shifts(const std::vector<ConeRow>& rows, const std::vector<double>& v) {
  for (Island& island : islands_) island.rubbing.clear(), island.wrong = 0;
  step_.assign(rows.size(), 0.0);
  for (size_t i = 0; i < rows.size(); ++i) {
    const ConeRow& row = rows[i];
    if (row.set != ConeRow::Set::cone || !(row.friction > 0)) continue;
    Mat3 D;
    const Vec3 u = velocity_at(row, v), p = push_of(i, row, u, &D);
    const Vec3 slip(0, u.y() + row.compliance * p.y(), u.z() + row.compliance * p.z());
    const double speed = tangential(slip);
    step_[i] = row.friction * speed - shifts_[i];
    Island& island = islands_[island_of_row_[i]];
    if (p.x() > 0 || (step_[i] < 0 && u.x() < 0)) island.wrong = std::max(island.wrong, std::abs(step_[i]));
    if (!(p.x() > 0)) continue;
    const bool slides = speed > 0 && !D.isIdentity(0);
    island.rubbing.push_back(
        {i, -rho(i, row) * D.col(0), slides ? row.friction / speed * slip : Vec3(0 * slip)});
  }
}

// Steps of Newton's method for s = F(s). How v answers to s is known from the factors at hand, dv = -H^-1 G^T rho DPi n ds: each
// product with the derivative is one solution.
void ContactSolver::improve_step(BlockSolver& matrix, const std::vector<ConeRow>& rows,
                                 const Island& island) {
  const std::vector<Rubbing>& rubbing = island.rubbing;
  if (rubbing.empty()) return;
  std::vector<double> dv, dl;
  const auto apply = [&](const Eigen::VectorXd& ds) {
    dv.assign(6 * matrix.nodes(), 0.0), dl.assign(matrix.rows(), 0.0);
    for (size_t k = 0; k < rubbing.size(); ++k) {
      const ConeRow& row = rows[rubbing[k].row];
      add_push(row, ds[static_cast<Eigen::Index>(k)] * rubbing[k].push, dv);
    }
    matrix.solve(dv.data(), dl.data());
    Eigen::VectorXd y = ds;
    for (size_t k = 0; k < rubbing.size(); ++k) {
      const ConeRow& row = rows[rubbing[k].row];
      y[static_cast<Eigen::Index>(k)] -= rubbing[k].slope.dot(velocity_at(row, dv) - row.bias);
    }
    return y;
  };
  Eigen::VectorXd rest(static_cast<Eigen::Index>(rubbing.size()));
  for (size_t k = 0; k < rubbing.size(); ++k) rest[static_cast<Eigen::Index>(k)] = step_[rubbing[k].row];
  const Eigen::VectorXd ds = solve_least_residual(apply, rest, kShiftResidual, kShiftProducts);
  for (size_t k = 0; k < rubbing.size(); ++k) step_[rubbing[k].row] = ds[static_cast<Eigen::Index>(k)];
}

// The shifts of the next pass: by Newton's method while its steps, or parts of them, make shifts less wrong; F may bend away from
// where it meets s, and then some plain steps s <- F(s) lead on.
void ContactSolver::move_shifts(BlockSolver& matrix, const std::vector<ConeRow>& rows, Island& island) {
  if (island.plain > 0) {
    --island.plain;
    island.least_wrong = std::numeric_limits<double>::infinity();
    const double share = island.attempts % 2 == 1 ? 1 : 0.5;  // two shifts may swap for ever
    for (const size_t i : island.rows) shifts_[i] += share * step_[i];
    return;
  }
  if (island.wrong < (1 - kShiftDescent * island.part) * island.least_wrong) {
    improve_step(matrix, rows, island);
    for (const size_t i : island.rows) start_[i] = shifts_[i], direction_[i] = step_[i];
    island.least_wrong = island.wrong, island.part = 1;
  } else {
    island.part *= 0.5;
    if (island.part < kLeastShiftShare) island.plain = kPlainShifts << island.attempts++;
  }
  for (const size_t i : island.rows) shifts_[i] = std::max(0.0, start_[i] + island.part * direction_[i]);
}

void ContactSolver::begin(BlockSolver& matrix, const std::vector<ConeRow>& rows,
                          const std::vector<double>& v) {
  inertias_.clear(), shifts_.clear();
  for (const ConeRow& row : rows) {
    const int count = row.set == ConeRow::Set::positive ? 1 : 3;
    double sum = 0;
    for (const auto& [node, G] : {std::pair(row.a, &row.G_a), std::pair(row.b, &row.G_b)}) {
      if (node == kNone) continue;
      const Eigen::LLT<BlockSolver::Block> A(matrix.diagonal(node));
      for (int k = 0; k < count; ++k) sum += G->row(k).dot(A.solve(G->row(k).transpose()));
    }
    inertias_.push_back(sum / count);
    shifts_.push_back(row.impulse.x() > 0 ? shift_of(row, velocity_at(row, v) + row.compliance * row.impulse)
                                          : 0);
  }
  start_ = direction_ = best_ = shifts_;
  // Bodies that act on each other.
  island_of_node_ = matrix.islands();
  islands_.assign(
      island_of_node_.empty() ? 0 : 1 + *std::max_element(island_of_node_.begin(), island_of_node_.end()),
      {});
  island_of_row_.clear();
  for (size_t i = 0; i < rows.size(); ++i) {
    const int node = rows[i].a != kNone ? rows[i].a : rows[i].b;
    island_of_row_.push_back(island_of_node_[static_cast<size_t>(node)]);
    islands_[island_of_row_.back()].rows.push_back(i);
  }
}

// Forces of joints that go with the impulses, and factors as passes leave them, with contacts in them.
void ContactSolver::end_hard(BlockSolver& matrix, std::span<const double> b, std::span<const double> c,
                             const std::vector<ConeRow>& rows, const std::vector<double>& v,
                             std::vector<double>& l, ContactReport& report) {
  if (matrix.rows() == 0) return;
  matrix.clear_addition();
  matrix.factor();
  next_.assign(b.begin(), b.end()), l.assign(c.begin(), c.end());
  for (const ConeRow& row : rows) add_push(row, row.impulse, next_);
  matrix.solve(next_.data(), l.data());
  for (size_t i = 0; i < rows.size(); ++i) {
    Mat3 D;
    push_of(i, rows[i], velocity_at(rows[i], v), &D);
    add_stiffness(rows[i], rho(i, rows[i]) * D, matrix);
  }
  matrix.factor();
  report.factorisations += 2;
}

// After a pass: is the island solved, and if not, what changes for the next?
void ContactSolver::advance(BlockSolver& matrix, const std::vector<ConeRow>& rows, double tolerance, int pass,
                            Island& island) {
  const Residual& residual = island.residual;
  // What is easy to have is had.
  const double enough = std::max((island.easy ? kEasyShare : 1) * tolerance, residual.rounding);
  island.solved = island.rests && residual.whole <= enough;
  island.done = island.solved || (island.given_up && island.rests && residual.at_shift <= enough);
  if (island.done) return;
  if (residual.whole < island.least_residual && island.rests) {
    island.least_residual = residual.whole;
    for (const size_t i : island.rows) best_[i] = shifts_[i];
  }
  // Where all goes well, impulses and shifts settle together; else what shifts lead to is judged when impulses have settled for them.
  island.easy = island.easy && residual.whole < island.last / 3;
  island.last = residual.whole;
  const bool settled = residual.at_shift <= std::max(kSettled * residual.whole, enough);
  if (pass == kContactPasses) {
    island.given_up = true;
    for (const size_t i : island.rows) shifts_[i] = best_[i];
    island.stiffness = kContactStiffness;
  } else if (island.easy) {
    for (const size_t i : island.rows) shifts_[i] += step_[i];
  } else if (!island.given_up && island.rests && (settled || ++island.waited == kSettlingPasses)) {
    move_shifts(matrix, rows, island);
    island.waited = 0;
  }
  if (!island.rests)
    island.stiffness = island.stiffest = std::max(island.stiffness / 10, kContactStiffness);
  else if (residual.at_shift > std::max(island.before / 3, enough))
    island.stiffness = std::min(10 * island.stiffness, island.stiffest);
}

void ContactSolver::copy_velocities(const Island& island, const std::vector<double>& from,
                                    std::vector<double>& to) const {
  for (size_t i = 0; i < to.size(); ++i)
    if (&islands_[island_of_node_[i / 6]] == &island) to[i] = from[i];
}

// Islands of few contacts in their impulses (few_contacts.h). One push on each is answered for all of them together.
void ContactSolver::solve_few(BlockSolver& matrix, std::span<const double> b, std::span<const double> c,
                              const std::vector<Island*>& hard, double tolerance,
                              std::vector<ConeRow>& rows) {
  const auto place = [](size_t k) { return static_cast<Eigen::Index>(3 * k); };
  matrix.clear_addition();
  matrix.factor();
  std::vector<double> x(b.begin(), b.end()), y(c.begin(), c.end());
  matrix.solve(x.data(), y.data());
  struct Problem {
    std::vector<ConeRow> rows;
    Eigen::MatrixXd W;
    Eigen::VectorXd q, r;
  };
  std::vector<Problem> problems(hard.size());
  size_t most = 0;
  for (size_t n = 0; n < hard.size(); ++n) {
    Problem& problem = problems[n];
    const size_t count = hard[n]->rows.size();
    problem.W.setZero(place(count), place(count)), problem.q.resize(place(count)), problem.r = problem.q;
    for (size_t k = 0; k < count; ++k) {
      problem.rows.push_back(rows[hard[n]->rows[k]]);
      problem.q.segment<3>(place(k)) = velocity_at(problem.rows[k], x);
      problem.r.segment<3>(place(k)) = problem.rows[k].impulse;
    }
    most = std::max(most, count);
  }
  for (size_t k = 0; k < most; ++k)
    for (int axis = 0; axis < 3; ++axis) {
      x.assign(x.size(), 0.0), y.assign(y.size(), 0.0);
      for (const Problem& problem : problems)
        if (k < problem.rows.size()) add_push(problem.rows[k], Vec3::Unit(axis), x);
      matrix.solve(x.data(), y.data());
      for (Problem& problem : problems)
        for (size_t j = 0; k < problem.rows.size() && j < problem.rows.size(); ++j)
          problem.W.block<3, 1>(place(j), place(k) + axis) =
              velocity_at(problem.rows[j], x) - problem.rows[j].bias;
    }
  for (size_t n = 0; n < hard.size(); ++n) {
    Problem& problem = problems[n];
    for (size_t k = 0; k < problem.rows.size(); ++k)
      for (Eigen::Index i = place(k); i < place(k) + 3; ++i) {
        problem.W(i, i) += problem.rows[k].compliance;
        // Directions in which a row does not act: they must not be zero.
        if (!(problem.W(i, i) > kDependentRow * inertias_[hard[n]->rows[k]]))
          problem.W(i, i) = inertias_[hard[n]->rows[k]];
      }
    Eigen::VectorXd r = problem.r;
    FewContacts().solve(problem.W, problem.q, problem.rows, kEasyShare * tolerance, r);
    // Bodies that joints hold can be jammed by impulses without bounds, and where impulses are far larger than what they do, many divide
    // them: the passes find those that rest.
    double speed = 0, pushed = 0;
    for (size_t k = 0; k < problem.rows.size(); ++k) {
      speed = std::max(speed, problem.q.segment<3>(place(k)).norm());
      pushed = std::max(pushed, r.segment<3>(place(k)).norm() * inertias_[hard[n]->rows[k]]);
    }
    if (!(pushed <= kJammed * speed)) continue;
    for (size_t k = 0; k < problem.rows.size(); ++k) rows[hard[n]->rows[k]].impulse = r.segment<3>(place(k));
  }
}

// Islands of many contacts, in impulses and velocities (many_contacts.h); the others stay as they are.
int ContactSolver::solve_many(BlockSolver& matrix, std::span<const double> b, std::span<const double> c,
                              const std::vector<Island*>& hard, double tolerance,
                              std::vector<ConeRow>& rows) {
  std::vector<size_t> chosen;
  for (const Island* island : hard) chosen.insert(chosen.end(), island->rows.begin(), island->rows.end());
  std::vector<double> others(b.begin(), b.end()), inertias;
  std::vector<ConeRow> hard_rows;
  for (const size_t i : chosen) hard_rows.push_back(rows[i]), inertias.push_back(inertias_[i]);
  for (const ConeRow& row : rows) add_push(row, row.impulse, others);
  for (const ConeRow& row : hard_rows) add_push(row, -row.impulse, others);
  const int factorisations =
      ManyContacts().solve(matrix, others, c, inertias, kEasyShare * tolerance, hard_rows);
  for (size_t k = 0; k < chosen.size(); ++k) rows[chosen[k]].impulse = hard_rows[k].impulse;
  return factorisations;
}

// Islands that are not solved with ease, otherwise. Returns how many factorisations that took.
int ContactSolver::solve_hard(BlockSolver& matrix, std::span<const double> b, std::span<const double> c,
                              const std::vector<Island*>& hard, double tolerance, double enough,
                              std::vector<ConeRow>& rows, std::vector<double>& v, std::vector<double>& l) {
  std::vector<Island*> few, many;
  for (Island* island : hard) (island->rows.size() <= kFewContacts ? few : many).push_back(island);
  const std::vector<double> v_before = v, shifts_before = shifts_;
  std::vector<Vec3> r_before;
  for (const ConeRow& row : rows) r_before.push_back(row.impulse);
  std::vector<double> left_before;
  for (const Island* island : hard) left_before.push_back(island->residual.whole);
  int factorisations = 1;
  if (!few.empty()) solve_few(matrix, b, c, few, tolerance, rows), ++factorisations;
  if (!many.empty()) factorisations += solve_many(matrix, b, c, many, enough, rows);
  matrix.clear_addition();
  matrix.factor();
  std::vector<double> x(b.begin(), b.end());
  l.assign(c.begin(), c.end());
  for (const ConeRow& row : rows) add_push(row, row.impulse, x);
  matrix.solve(x.data(), l.data());
  for (Island* island : hard) {
    copy_velocities(*island, x, v);
    for (const size_t i : island->rows)
      shifts_[i] = shift_of(rows[i], velocity_at(rows[i], v) + rows[i].compliance * rows[i].impulse);
  }
  measure_residuals(rows, v);
  for (size_t n = 0; n < hard.size(); ++n) {
    Island& island = *hard[n];
    island.was_hard = true;
    island.solved = island.done = island.residual.whole <= std::max(enough, island.residual.rounding);
    if (island.done) {
      island.found_v = v, island.found_residual = island.residual;
      for (const size_t i : island.rows) island.found_r.push_back(rows[i].impulse);
    } else if (island.residual.whole < left_before[n]) {
      island.rests = true;
      island.last = island.least_residual = island.residual.whole, island.stiffness = kContactStiffness;
      island.least_wrong = kNever, island.part = 1, island.plain = island.waited = 0;
      for (const size_t i : island.rows) start_[i] = best_[i] = shifts_[i], direction_[i] = 0;
    } else {  // to go on from where it was
      copy_velocities(island, v_before, v);
      for (const size_t i : island.rows) rows[i].impulse = r_before[i], shifts_[i] = shifts_before[i];
    }
  }
  return factorisations;
}

// What was found so, if passes for other islands went on after it.
void ContactSolver::give_back(Island& island, std::vector<ConeRow>& rows, std::vector<double>& v) const {
  island.residual = island.found_residual;
  for (size_t k = 0; k < island.rows.size(); ++k) rows[island.rows[k]].impulse = island.found_r[k];
  copy_velocities(island, island.found_v, v);
}

ContactReport ContactSolver::solve(BlockSolver& matrix, std::span<const double> b, std::span<const double> c,
                                   std::vector<ConeRow>& rows, double tolerance, std::vector<double>& v,
                                   std::vector<double>& l, double enough) {
  ContactReport report;
  enough = std::max(enough, tolerance);
  begin(matrix, rows, v);
  for (;; ++report.passes) {
    minimise(matrix, b, c, rows, kEasyShare * tolerance, report.passes == 0, v, l, report);
    if (!std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); })) {
      report.residual = std::numeric_limits<double>::infinity(), report.solved = false;
      return report;
    }
    judge_shifts(rows, v);
    for (size_t i = 0; i < rows.size(); ++i) rows[i].impulse = push_of(i, rows[i], velocity_at(rows[i], v));
    measure_residuals(rows, v);
    bool done = true;
    for (Island& island : islands_) {
      if (island.found_r.empty()) advance(matrix, rows, tolerance, report.passes, island);
      if (!island.done && report.factorisations > kManyFrom && island.rests &&
          island.residual.whole <= enough)
        island.solved = island.done = true;
      done = done && island.done;
    }
    std::vector<Island*> hard;
    for (Island& island : islands_)
      if (!island.done && !island.was_hard && island.rows.size() <= kManyContacts &&
          report.factorisations > (island.rows.size() <= kFewContacts ? kFewFrom : kManyFrom))
        hard.push_back(&island);
    if (!hard.empty()) {
      report.factorisations += solve_hard(matrix, b, c, hard, tolerance, enough, rows, v, l);
      done = std::all_of(islands_.begin(), islands_.end(), [](const Island& island) { return island.done; });
    }
    if (done || report.passes == kContactPasses + kLastPasses) break;
    std::vector<Residual> after;
    for (const Island& island : islands_) after.push_back(island.residual);
    measure_residuals(rows, v);  // with the shifts of the next pass
    for (size_t k = 0; k < islands_.size(); ++k)
      islands_[k].before = islands_[k].residual.at_shift, islands_[k].residual = after[k];
  }
  ++report.passes;
  bool any_hard = false;
  for (Island& island : islands_) {
    any_hard = any_hard || island.was_hard;
    if (!island.found_r.empty()) give_back(island, rows, v);
  }
  if (any_hard) end_hard(matrix, b, c, rows, v, l, report);
  for (const Island& island : islands_) {
    // Where impulses are next to nothing, rounding is all there is: it counts as what was asked for.
    report.residual =
        std::max(report.residual, island.solved && island.residual.whole <= island.residual.rounding
                                      ? std::min(tolerance, island.residual.whole)
                                      : island.residual.whole);
    report.solved = report.solved && island.solved;
  }
  return report;
}

}  // namespace tumble::dynamics
