#include "support/contact_problem.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace support {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using tumble::dynamics::ConeConstraint;
using tumble::dynamics::KktSolver;
using tumble::dynamics::kNone;

namespace {

void put(std::string& text, double x) {
  char digits[32];
  text += ' ';
  text.append(digits,
              std::to_chars(digits, digits + sizeof digits, x).ptr);  // shortest text that reads back equal
}

template <class Matrix>
void put_all(std::string& text, const Matrix& m) {
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.cols(); ++j) put(text, m(i, j));
}

template <class Matrix>
void get_all(std::istream& in, Matrix& m) {
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.cols(); ++j) in >> m(i, j);
}

// The nearest point of the cone (or half line), by cases.
Eigen::Vector3d nearest(const Eigen::Vector3d& z, double mu, bool limit) {
  if (limit) return {std::max(0.0, z[0]), 0, 0};
  const double t = std::hypot(z[1], z[2]);
  if (t <= mu * z[0]) return z;
  if (z[0] + mu * t <= 0) return Eigen::Vector3d::Zero();
  const double along = (z[0] + mu * t) / (1 + mu * mu), across = t > 0 ? mu * along / t : 0;
  return {along, across * z[1], across * z[2]};
}

}  // namespace

ContactProblem ContactProblem::capture(const KktSolver& matrix, const std::vector<double>& b,
                                       const std::vector<double>& c,
                                       const std::vector<ConeConstraint>& rows) {
  const Index n = static_cast<Index>(6 * matrix.nodes()), m = static_cast<Index>(matrix.rows());
  MatrixXd A(n, n), J(m, n);
  for (Index j = 0; j < n; ++j) {
    const VectorXd e = VectorXd::Unit(n, j), no_impulse = VectorXd::Zero(m);
    VectorXd Ae = VectorXd::Zero(n), unused = VectorXd::Zero(n), Je = VectorXd::Zero(m);
    matrix.subtract_product(e.data(), Ae.data());
    matrix.subtract_rows(e.data(), no_impulse.data(), unused.data(), Je.data());
    A.col(j) = -Ae, J.col(j) = -Je;
  }
  ContactProblem problem;
  problem.b = b, problem.rows = rows;
  for (ConeConstraint& row : problem.rows) row.impulse.setZero();
  const Index bodies = n / 6;
  for (Index i = 0; i < bodies; ++i) {
    problem.masses.push_back(A.block<6, 6>(6 * i, 6 * i));
    for (Index j = i + 1; j < bodies; ++j)
      if (!A.block<6, 6>(6 * i, 6 * j).isZero(0))
        problem.couplings.push_back({static_cast<int>(i), static_cast<int>(j), A.block<6, 6>(6 * i, 6 * j)});
  }
  // Consecutive rows of the same bodies belong to one joint.
  std::pair<int, int> last(kNone, kNone);
  for (Index k = 0; k < m; ++k) {
    std::vector<int> on;
    for (Index i = 0; i < bodies; ++i)
      if (!J.block<1, 6>(k, 6 * i).isZero(0)) on.push_back(static_cast<int>(i));
    if (on.empty() || on.size() > 2) throw std::logic_error("a row of a joint is on one body or two");
    const std::pair<int, int> now(on[0], on.size() > 1 ? on[1] : kNone);
    if (now != last) problem.joints.push_back({now.first, now.second, Rows(0, 6), Rows(0, 6), VectorXd(0)});
    last = now;
    Joint& joint = problem.joints.back();
    const Index count = joint.c.size();
    joint.J_a.conservativeResize(count + 1, 6), joint.J_b.conservativeResize(count + 1, 6);
    joint.c.conservativeResize(count + 1);
    joint.J_a.row(count) = J.block<1, 6>(k, 6 * now.first);
    joint.J_b.row(count).setZero();
    if (now.second != kNone) joint.J_b.row(count) = J.block<1, 6>(k, 6 * now.second);
    joint.c[count] = c[static_cast<size_t>(k)];
  }
  return problem;
}

std::string ContactProblem::text() const {
  std::string text = "about " + about + "\n";
  for (size_t i = 0; i < masses.size(); ++i) {
    text += "body";
    for (Index r = 0; r < 6; ++r)
      for (Index k = 0; k <= r; ++k) put(text, masses[i](r, k));
    put_all(text, Eigen::Map<const KktSolver::Vec6>(&b[6 * i]));
    text += "\n";
  }
  const auto pair = [&](const char* what, int i, int j) {
    text += std::string(what) + " " + std::to_string(i) + " " + std::to_string(j);
  };
  for (const Coupling& coupling : couplings) {
    pair("coupling", coupling.a, coupling.b);
    put_all(text, coupling.A_ab);
    text += "\n";
  }
  for (const Joint& joint : joints) {
    pair("joint", joint.a, joint.b);
    text += " " + std::to_string(joint.c.size());
    put_all(text, joint.J_a);
    if (joint.b != kNone) put_all(text, joint.J_b);
    put_all(text, joint.c);
    text += "\n";
  }
  for (const ConeConstraint& row : rows) {
    const bool cone = row.set == ConeConstraint::Set::cone;
    pair(cone ? "contact" : "limit", row.a, row.b);
    if (cone) put(text, row.friction);
    const Index count = cone ? 3 : 1;
    if (row.a != kNone) put_all(text, row.G_a.topRows(count));
    if (row.b != kNone) put_all(text, row.G_b.topRows(count));
    put_all(text, row.bias.head(count));
    text += "\n";
  }
  text += "solver " + solver + "\ntolerance";
  put(text, tolerance);
  text += std::string("\nsame_velocities ") + (same_velocities ? "yes" : "no") + "\nimpulses";
  for (const double x : impulses) put(text, x);
  return text + "\n";
}

ContactProblem ContactProblem::read(const std::filesystem::path& path) {
  ContactProblem problem;
  std::ifstream lines(path);
  if (!lines) throw std::runtime_error(path.string() + " is missing");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::string what;
    in >> what;
    const auto rest = [&] {
      std::string words;
      std::getline(in >> std::ws, words);
      return words;
    };
    if (what == "about") {
      problem.about = rest();
    } else if (what == "solver") {
      problem.solver = rest();
    } else if (what == "tolerance") {
      in >> problem.tolerance;
    } else if (what == "same_velocities") {
      problem.same_velocities = rest() == "yes";
    } else if (what == "body") {
      Block A;
      for (Index r = 0; r < 6; ++r)
        for (Index k = 0; k <= r; ++k) in >> A(r, k), A(k, r) = A(r, k);
      problem.masses.push_back(A);
      for (double x = 0, k = 0; k < 6; ++k) in >> x, problem.b.push_back(x);
    } else if (what == "coupling") {
      Coupling coupling = {};
      in >> coupling.a >> coupling.b;
      get_all(in, coupling.A_ab);
      problem.couplings.push_back(coupling);
    } else if (what == "joint") {
      Joint joint = {};
      Index count = 0;
      in >> joint.a >> joint.b >> count;
      joint.J_a.resize(count, 6), joint.J_b.setZero(count, 6), joint.c.resize(count);
      get_all(in, joint.J_a);
      if (joint.b != kNone) get_all(in, joint.J_b);
      get_all(in, joint.c);
      problem.joints.push_back(joint);
    } else if (what == "contact" || what == "limit") {
      ConeConstraint row;
      row.set = what == "contact" ? ConeConstraint::Set::cone : ConeConstraint::Set::positive;
      in >> row.a >> row.b;
      if (what == "contact") in >> row.friction;
      auto on_a = row.G_a.topRows(what == "contact" ? 3 : 1), on_b = row.G_b.topRows(on_a.rows());
      auto bias = row.bias.head(on_a.rows());
      if (row.a != kNone) get_all(in, on_a);
      if (row.b != kNone) get_all(in, on_b);
      get_all(in, bias);
      problem.rows.push_back(row);
    } else if (what == "impulses") {
      for (double x = 0; in >> x;) problem.impulses.push_back(x);
      in.clear();
    } else {
      throw std::runtime_error(path.string() + ": unknown keyword '" + what + "'");
    }
    if (!in) throw std::runtime_error(path.string() + ": a line of '" + what + "' is short");
  }
  if (problem.impulses.size() != 3 * problem.rows.size())
    throw std::runtime_error(path.string() + ": expected three impulses per contact");
  return problem;
}

std::vector<double> ContactProblem::fill(KktSolver& matrix) const {
  std::vector<std::pair<int, int>> pairs;
  for (const Coupling& coupling : couplings) pairs.emplace_back(coupling.a, coupling.b);
  for (const ConeConstraint& row : rows)
    if (row.a != kNone && row.b != kNone) pairs.emplace_back(row.a, row.b);
  std::vector<KktSolver::Rows> blocks;
  for (const Joint& joint : joints) blocks.push_back({joint.a, joint.b, static_cast<int>(joint.c.size())});
  matrix.set_pattern(masses.size(), pairs, blocks);
  for (size_t i = 0; i < masses.size(); ++i) matrix.set_diagonal(static_cast<int>(i), masses[i]);
  for (const Coupling& coupling : couplings) matrix.add_coupling(coupling.a, coupling.b, coupling.A_ab);
  std::vector<double> c;
  for (size_t j = 0; j < joints.size(); ++j) {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor>;
    Eigen::Map<RowMajor>(matrix.J_a(j), joints[j].J_a.rows(), 6) = joints[j].J_a;
    if (joints[j].b != kNone) Eigen::Map<RowMajor>(matrix.J_b(j), joints[j].J_b.rows(), 6) = joints[j].J_b;
    c.insert(c.end(), joints[j].c.begin(), joints[j].c.end());
  }
  return c;
}

ReducedProblem::ReducedProblem(const ContactProblem& problem) {
  const Index n = static_cast<Index>(problem.b.size());
  Index m = 0, k = 0;
  for (const ContactProblem::Joint& joint : problem.joints) m += joint.c.size();
  const Index count = static_cast<Index>(problem.rows.size());
  MatrixXd K = MatrixXd::Zero(n + m, n + m);
  given_.resize(n + m);
  for (size_t i = 0; i < problem.masses.size(); ++i)
    K.block<6, 6>(static_cast<Index>(6 * i), static_cast<Index>(6 * i)) = problem.masses[i];
  for (const ContactProblem::Coupling& coupling : problem.couplings) {
    K.block<6, 6>(6 * coupling.a, 6 * coupling.b) = coupling.A_ab;
    K.block<6, 6>(6 * coupling.b, 6 * coupling.a) = coupling.A_ab.transpose();
  }
  given_.head(n) = Eigen::Map<const VectorXd>(problem.b.data(), n);
  for (const ContactProblem::Joint& joint : problem.joints) {
    const Index rows = joint.c.size();
    K.block(n + k, 6 * joint.a, rows, 6) = joint.J_a;
    if (joint.b != kNone) K.block(n + k, 6 * joint.b, rows, 6) = joint.J_b;
    given_.segment(n + k, rows) = joint.c;
    k += rows;
  }
  K.topRightCorner(n, m) = K.bottomLeftCorner(m, n).transpose();
  joints_ = m > 0;
  if (joints_)
    both_.compute(K);
  else
    masses_.compute(K);

  G_.setZero(3 * count, n + m);
  bias_.resize(3 * count), friction.resize(count), inertias.resize(count);
  for (Index i = 0; i < count; ++i) {
    const ConeConstraint& row = problem.rows[static_cast<size_t>(i)];
    const bool is_limit = row.set == ConeConstraint::Set::positive;
    double sum = 0;
    for (const auto& [node, on] : {std::pair(row.a, &row.G_a), std::pair(row.b, &row.G_b)}) {
      if (node == kNone) continue;
      G_.block<3, 6>(3 * i, 6 * node) = *on;
      sum += (*on * problem.masses[static_cast<size_t>(node)].ldlt().solve(on->transpose())).trace();
    }
    inertias[i] = sum / (is_limit ? 1 : 3);
    friction[i] = is_limit ? 0 : row.friction;
    limit.push_back(is_limit);
    bias_.segment<3>(3 * i) = row.bias;
  }
}

// If rows are redundant any solution will do: the solutions differ only in the reactions of joints.
MatrixXd ReducedProblem::solve(const MatrixXd& given) const {
  if (joints_) return both_.solve(given);
  return masses_.solve(given);
}

VectorXd ReducedProblem::velocities(const VectorXd& r) const {
  return G_ * solve(given_ + G_.transpose() * r) + bias_;
}

MatrixXd ReducedProblem::W() const {
  const MatrixXd half = G_ * solve(G_.transpose());
  return 0.5 * (half + half.transpose());
}

double ReducedProblem::residual(const VectorXd& r) const {
  const VectorXd u = velocities(r);
  double worst = 0, most = 0;
  for (Index i = 0; i < contacts(); ++i) {
    const Eigen::Vector3d r_i = r.segment<3>(3 * i);
    Eigen::Vector3d changed = u.segment<3>(3 * i);
    changed[0] += friction[i] * std::hypot(changed[1], changed[2]);
    worst = std::max(
        worst,
        (r_i - nearest(r_i - changed / inertias[i], friction[i], limit[static_cast<size_t>(i)])).norm());
    most = std::max(most, r_i.norm());
  }
  return worst > 0 ? worst / std::max(most, worst) : 0;
}

double ReducedProblem::unit(const VectorXd& r) const {
  double most = 0;
  for (Index i = 0; i < contacts(); ++i) most = std::max(most, r.segment<3>(3 * i).norm());
  return most * inertias.maxCoeff();
}

// u = W r + q, with q = G v + w, is a sum of products. Its rounding error is at most the number of terms
// times a unit in the last place of the sum of their absolute values [Higham 2002, 3.1].
double ReducedProblem::rounding(const VectorXd& r) const {
  const VectorXd free = solve(given_);
  const VectorXd sums = W().cwiseAbs() * r.cwiseAbs() + G_.cwiseAbs() * free.cwiseAbs() + bias_.cwiseAbs();
  const double unit = static_cast<double>(r.size()) * 0.5 * std::numeric_limits<double>::epsilon();
  double worst = 0, most = 0;
  for (Index i = 0; i < contacts(); ++i) {
    worst = std::max(worst, unit * sums.segment<3>(3 * i).norm() / inertias[i]);
    most = std::max(most, r.segment<3>(3 * i).norm());
  }
  return worst > 0 ? worst / std::max(most, worst) : 0;
}

OwnSolution solve_by_tumble(const ContactProblem& problem, double tolerance, const VectorXd& guess) {
  KktSolver matrix;
  const std::vector<double> c = problem.fill(matrix);
  std::vector<ConeConstraint> rows = problem.rows;
  for (size_t i = 0; i < rows.size() && guess.size() > 0; ++i)
    rows[i].impulse = guess.segment<3>(static_cast<Index>(3 * i));
  std::vector<double> v(problem.b.size(), 0.0), l;
  OwnSolution solution;
  solution.report = tumble::dynamics::ContactSolver().solve(matrix, problem.b, c, rows, tolerance, v, l);
  solution.r.resize(static_cast<Index>(3 * rows.size()));
  for (size_t i = 0; i < rows.size(); ++i) solution.r.segment<3>(static_cast<Index>(3 * i)) = rows[i].impulse;
  return solution;
}

std::vector<std::filesystem::path> stored_contact_problems() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(TUMBLE_SOURCE_DIR "/tests/data/contact"))
    if (entry.path().extension() == ".txt") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace support
