#include "tumble/dynamics/kick_problem.h"

#include <algorithm>

#include "tumble/math/elementary.h"

namespace tumble::dynamics {

using model::BodyMotion;
using model::State;

namespace {

// The system of laws and joints without contacts. Both are sorted by its elimination order.
KickSystem begin_system(const KickBodies& bodies, KickLaws& laws, KickJoints& joints,
                        const ProximalParameters& proximal) {
  KickSystem system;
  system.matrix = KktSolver(proximal);
  system.matrix.set_pattern(bodies.size(), laws.couplings(), joints.rows());
  const PartOfNodes part_of(system.matrix.bodies());
  laws.schedule(system.matrix, part_of);
  joints.schedule(system.matrix, part_of);
  system.motions.resize(bodies.model->bodies().size());
  system.b.resize(6 * bodies.size()), system.angular_impulse.resize(3 * bodies.size());
  return system;
}

// Nodes whose rotation at the middle of a step is corrected with joints and stiff laws, ascending.
std::vector<int> find_corrected(const KickLaws& laws, const KickJoints& joints) {
  std::vector<int> nodes = laws.nodes_with_lengths();
  nodes.insert(nodes.end(), joints.jointed().begin(), joints.jointed().end());
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

}  // namespace

KickProblem::KickProblem(const model::Model& model, const KickParameters& parameters)
    : parameters_(parameters),
      bodies_(model),
      laws_(bodies_, parameters.laws),
      joints_(bodies_),
      system_(begin_system(bodies_, laws_, joints_, parameters.proximal)),
      schedule_(plan_schedule(system_.matrix.bodies(), laws_, joints_)),
      inertia_(bodies_, schedule_.order, find_corrected(laws_, joints_), parameters.mid_rotation),
      closer_(parameters.closing) {
  set_joint_ratios();
}

void KickProblem::set_joint_ratios() {
  const auto laws = static_cast<double>(laws_.laws().size());
  if (laws == 0 || system_.matrix.rows() == 0 ||
      laws * static_cast<double>(bodies_.size()) > parameters_.frequencies.largest_problem)
    return;
  const State start = model::start_state(*bodies_.model);
  assemble(start, {momenta_of(start)}, 0, 0, {});
  system_.matrix.clear_addition();
  system_.matrix.factor();
  laws_.set_joint_ratios(bodies_, parameters_.frequencies, system_);
  holds_ = Holds::nothing;
}

void KickProblem::set_couplings(const std::vector<std::pair<int, int>>& coupled) {
  KktSolver& matrix = system_.matrix;
  if (coupled.empty()) {
    system_.has_contact_couplings ? matrix.set_pattern(bodies_.size(), laws_.couplings(), joints_.rows())
                                  : matrix.reset();
    system_.has_contact_couplings = false;
    return;
  }
  couplings_ = laws_.couplings();
  couplings_.insert(couplings_.end(), coupled.begin(), coupled.end());
  matrix.set_pattern(bodies_.size(), couplings_, joints_.rows());
  system_.has_contact_couplings = true;
}

void KickProblem::begin(const State& where, const KickStart& start, double kick, double h, double closing) {
  const double rate = h > 0 ? 1 / std::max(h, closing) : 0;
  system_.step = {.time = where.time,
                  .h_before = 2 * kick - h,
                  .h = h,
                  .kick = kick,
                  .rate = rate,
                  .share = h < closing ? h * rate : 1};
  const size_t rows = system_.matrix.rows();
  system_.b.resize(size()), system_.c.resize(rows);
  joints_.begin(rows), laws_.begin(start.laws, system_.step.h_before), inertia_.begin();
  for (const core::BodyId id : bodies_.fixed) set_body_pose(id, where, system_.motions[id.index()]);
}

void KickProblem::damp_ringing(const State& where, const KickStart& start, double h_before, double h) {
  laws_.clear_ringing(h_before);
  const auto rings = [](const LawHistory& law) { return law.along.ringing > 0; };
  if (!laws_.resist() || (h_before > 0 && std::none_of(start.laws.begin(), start.laws.end(), rings))) return;
  assemble(where, {start.momenta}, 0, 0, {});
  system_.step.h_before = h_before;
  if (!laws_.find_ringing(bodies_, h_before > 0 ? start.laws : std::span<const LawHistory>(), system_, h,
                          parameters_.laws.stiff_step))
    return;
  // Momenta at t_n: those before the kick, and the impulses of the half step before t_n.
  std::vector<double>& p = system_.b;
  std::copy(start.momenta.begin(), start.momenta.end(), p.begin());
  for (size_t k = 0; k < start.other_forces.size(); ++k) p[k] += 0.5 * h_before * start.other_forces[k];
  for (size_t n = 0; n < bodies_.size(); ++n)
    for (size_t k = 0; k < 3; ++k)
      p[6 * n + k] +=
          0.5 * h_before * bodies_.masses[n].mass * bodies_.model->gravity()[static_cast<Eigen::Index>(k)];
  laws_.add_impulses_before(system_, p);
  laws_.add_ringing(bodies_, system_);
  row_scratch_.assign(system_.matrix.rows(), 0.0);
  system_.matrix.clear_addition();
  system_.matrix.factor();
  system_.matrix.solve(p.data(), row_scratch_.data());
  laws_.save_ringing(p, system_);
  holds_ = Holds::motions;
}

bool KickProblem::add_impact_resistance(double h) {
  TUMBLE_ASSERT(holds_ == Holds::system);
  laws_.clear_ringing(0);
  if (!laws_.resist() || !laws_.find_ringing(bodies_, {}, system_, h, parameters_.laws.rod_step))
    return false;
  laws_.add_ringing(bodies_, system_);
  return true;
}

void KickProblem::add_resistance_impulses(std::span<const double> v, std::span<double> momenta) {
  laws_.save_ringing(v, system_);
  for (size_t k = 0; k < laws_.laws().size(); ++k) {
    const LawImpulses impulses = compute_resistance_impulses(k);
    const auto [a, b] = laws_.nodes_of(k);
    for (const auto& [node, on] : {std::pair(a, &impulses.on_a), std::pair(b, &impulses.on_b)})
      if (node != kNone) {
        Eigen::Map<model::Vec6> p(&momenta[6 * static_cast<size_t>(node)]);
        p.head<3>() += on->force, p.tail<3>() += on->torque;
      }
  }
}

void KickProblem::assemble(const State& where, const KickStart& start, double kick, double h,
                           const std::vector<std::pair<int, int>>& coupled, double closing) {
  set_couplings(coupled);
  begin(where, start, kick, h, closing);
  for (size_t part = 0; part + 1 < schedule_.parts.size(); ++part) assemble_part(part, where, start.momenta);
  holds_ = Holds::system;
}

void KickProblem::solve_without_contacts(const State& where, const KickStart& start, double kick, double h,
                                         double closing, std::vector<double>& v, std::vector<double>& l) {
  KktSolver& matrix = system_.matrix;
  std::vector<double>&b = system_.b, &c = system_.c;
  set_couplings({});
  v.swap(b), l.swap(c);  // reuses memory
  begin(where, start, kick, h, closing);
  const bool fused = matrix.begin_fused();
  for (size_t part = 0; part + 1 < schedule_.parts.size(); ++part) {
    assemble_part(part, where, start.momenta);
    if (fused)
      matrix.eliminate_range(schedule_.parts[part].node, schedule_.parts[part + 1].node, b.data(), c.data());
  }
  if (fused) {
    matrix.back_substitute(b.data(), c.data());
  } else {
    matrix.factor();
    matrix.solve(b.data(), c.data());
  }
  v.swap(b), l.swap(c);
  holds_ = Holds::solution;
}

std::span<const BodyMotion> KickProblem::update_motions(const State& where, std::span<const double> momenta) {
  system_.step.time = where.time;
  for (const core::BodyId id : bodies_.fixed) set_body_pose(id, where, system_.motions[id.index()]);
  for (size_t n = 0; n < bodies_.size(); ++n)
    set_body_motion(bodies_, n, where, &momenta[6 * n], system_.motions);
  holds_ = Holds::motions;
  return system_.motions;
}

// Prefetches the data of a body that is assembled one part later.
void KickProblem::prefetch_body(size_t use, const State& where, std::span<const double> momenta) {
  if (use >= schedule_.first_uses.size()) return;
  const auto n = static_cast<size_t>(schedule_.first_uses[use]);
  const size_t id = bodies_.moving[n].index();
  prefetch(&where.y[id * model::kBodySize], model::kMomentumAt * sizeof(double));
  prefetch(&momenta[6 * n], 6 * sizeof(double));
  prefetch(&bodies_.masses[n], sizeof(BodyMass));
  prefetch(&system_.motions[id], sizeof(BodyMotion));
  prefetch(system_.matrix.lower_diagonal(schedule_.first_uses[use]), kLower6 * sizeof(double));
}

void KickProblem::assemble_part(size_t part, const State& where, std::span<const double> momenta) {
  const KickSchedule::Part &first = schedule_.parts[part], &end = schedule_.parts[part + 1];
  for (size_t k = first.first_use; k < end.first_use; ++k) {
    prefetch_body(k + kBodiesPerPart, where, momenta);
    assemble_body(schedule_.first_uses[k], where, momenta);
  }
  laws_.add(first.law, end.law, bodies_, system_);
  inertia_.set_masses(first.node, end.node, schedule_.order, momenta, system_);
  joints_.set_points(first.point, end.point, system_);
  joints_.set_others(first.other, end.other, bodies_, system_);
}

// Sets the motion of a body, and the contributions of mass and gravity to A and b.
void KickProblem::assemble_body(int node, const State& where, std::span<const double> momenta) {
  const auto n = static_cast<size_t>(node);
  const double *p = &momenta[6 * n], *g = bodies_.model->gravity().data();
  set_body_motion(bodies_, n, where, p, system_.motions);
  double *b = &system_.b[6 * n], *angular_impulse = &system_.angular_impulse[3 * n],
         *A = system_.matrix.lower_diagonal(node);
  const double mass = bodies_.masses[n].mass, kick_mass = system_.step.kick * mass;
  for (int k = 0; k < 3; ++k) b[k] = p[k] + kick_mass * g[k], b[3 + k] = p[3 + k], angular_impulse[k] = 0;
  for (int k = 0; k < kLower6; ++k) A[k] = 0;
  A[lower(0, 0)] = A[lower(1, 1)] = A[lower(2, 2)] = mass;
}

std::vector<double> KickProblem::solve_velocities(std::span<const double> momenta) {
  TUMBLE_ASSERT(holds_ == Holds::system);
  std::vector<double> v(momenta.begin(), momenta.end()), l = system_.c;
  system_.matrix.clear_addition();
  system_.matrix.factor();
  system_.matrix.solve(v.data(), l.data());
  return v;
}

void KickProblem::add_actuators(std::vector<ConeConstraint>& cones, std::vector<size_t>& laws) {
  TUMBLE_ASSERT(holds_ == Holds::system);
  laws_.add_actuators(bodies_, system_, cones, laws);
}

LawImpulses KickProblem::compute_law_impulses(size_t law, std::span<const double> v,
                                              const ConeConstraint* row) {
  TUMBLE_ASSERT(holds_ >= Holds::solution);
  return laws_.compute_impulses(law, v, row, bodies_, system_);
}

JointClosing KickProblem::close_joints(const State& where, double h, double tolerance, double target,
                                       std::vector<double>& v, std::vector<double>& l) {
  TUMBLE_ASSERT(holds_ >= Holds::solution && system_.step.time == where.time && system_.step.h == h);
  // Corrections of an earlier solution of the same system are not valid.
  inertia_.begin(), laws_.clear_length_errors();
  return closer_.close(where, h, tolerance, target, bodies_, joints_, laws_, inertia_, system_, v, l);
}

std::vector<double> KickProblem::compute_momenta(std::span<const double> v) const {
  std::vector<double> momenta;
  compute_momenta(v, momenta);
  return momenta;
}

void KickProblem::compute_momenta(std::span<const double> v, std::vector<double>& momenta) const {
  TUMBLE_ASSERT(holds_ >= Holds::solution);
  inertia_.compute_momenta(bodies_, v, momenta);
}

void KickProblem::add_impulses(std::span<const double> l, std::span<const ConeConstraint> cones,
                               std::span<double> momenta) {
  TUMBLE_ASSERT(holds_ >= Holds::solution);
  const math::Vec3 gravity = system_.step.kick * bodies_.model->gravity();
  for (size_t n = 0; n < bodies_.size(); ++n)
    for (size_t k = 0; k < 3; ++k)
      momenta[6 * n + k] += bodies_.masses[n].mass * gravity[static_cast<Eigen::Index>(k)];
  if (!l.empty()) {
    unused_rows_.assign(l.size(), 0.0);
    system_.matrix.subtract_rows(momenta.data(), l.data(), momenta.data(), unused_rows_.data());
  }
  for (const ConeConstraint& cone : cones)
    for (const auto& [node, G] : {std::pair(cone.a, &cone.G_a), std::pair(cone.b, &cone.G_b)})
      if (node != kNone)
        Eigen::Map<model::Vec6>(&momenta[6 * static_cast<size_t>(node)]) += G->transpose() * cone.impulse;
}

bool KickProblem::compute_nodal_shift(const State& where, std::span<const double> v,
                                      const std::vector<std::pair<int, int>>& coupled,
                                      std::vector<double>& shift) {
  TUMBLE_ASSERT(holds_ >= Holds::solution);
  shift.assign(size(), 0.0);
  row_scratch_.clear();
  for (size_t k = 0; k < laws_.laws().size(); ++k) {
    const LawImpulses own = laws_.compute_nodal_shift(k, v);
    const auto [a, b] = laws_.nodes_of(k);
    for (const auto& [node, on] : {std::pair(a, &own.on_a), std::pair(b, &own.on_b)})
      for (size_t i = 0; node != kNone && i < 3; ++i) {
        double* at = &shift[6 * static_cast<size_t>(node)];
        const auto axis = static_cast<Eigen::Index>(i);
        at[i] += on->force[axis], at[3 + i] += on->torque[axis];
      }
  }
  if (std::all_of(shift.begin(), shift.end(), [](double x) { return x == 0; })) return false;
  if (system_.matrix.rows() == 0) return true;
  const double h_before = system_.step.h_before, h = system_.step.h;
  // Joints distribute it: M dV + J^T l = shift, J dV = 0; shift - J^T l is the shift under joints.
  assemble(where, {shift}, 0, 0, coupled);
  row_scratch_.assign(system_.matrix.rows(), 0.0);
  std::vector<double>& change = system_.b;
  std::copy(shift.begin(), shift.end(), change.begin());
  system_.matrix.clear_addition();
  system_.matrix.factor();
  system_.matrix.solve(change.data(), row_scratch_.data());
  add_impulses(row_scratch_, {}, shift);
  system_.step.h_before = h_before, system_.step.h = h;
  holds_ = Holds::motions;
  return true;
}

double KickProblem::largest_rotation(std::span<const double> v, double h) {
  double square = 0;
  for (size_t k = 3; k < v.size(); k += 6)
    square = std::max(square, v[k] * v[k] + v[k + 1] * v[k + 1] + v[k + 2] * v[k + 2]);
  return h * math::sqrt(square);
}

}  // namespace tumble::dynamics
