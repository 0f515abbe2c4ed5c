#include "tumble/simulate/leapfrog/limit_rows.h"

#include <algorithm>
#include <cmath>

namespace tumble::simulate {

using dynamics::ConeConstraint;
using model::kNone;
using model::State;

bool is_reached(const StepContext& c, const LimitRow& row) {
  return dynamics::is_limit_reached(row.value, c.touching_gap(c.limit_tolerance(row.limit)));
}

namespace {

// At the middle of a swing the gradient of its limit is zero: there is nothing to push against, and the limit
// is far.
bool has_gradient(const StepContext& c, const LimitRow& row) {
  return row.cone.G_a.row(0).squaredNorm() + row.cone.G_b.row(0).squaredNorm() >
         c.par.limit_gradient * c.par.limit_gradient;
}

}  // namespace

void find_limits(const StepContext& c, double time, std::span<const model::BodyMotion> motions, double h,
                 const LeapfrogMemory& memory, KickRows& rows) {
  rows.limits.all.clear(), rows.limits.rows.clear();
  model::ConstraintRows values;
  for (size_t k = 0; k < c.model.limits().size(); ++k) {
    const model::Limit& limit = *c.model.limits()[k];
    const dynamics::LimitState now = dynamics::evaluate_limit(limit, time, motions, values);
    LimitRow& it = rows.limits.all.emplace_back();
    it.limit = k, it.value = now.value;
    it.cone.set = ConeConstraint::Set::positive;
    it.cone.a = c.bodies.node_of(limit.b()), it.cone.b = c.bodies.node_of(limit.a());
    if (it.cone.a != kNone) it.cone.G_a.row(0) = Eigen::Map<const model::Vec6>(values.J_b[0]).transpose();
    if (it.cone.b != kNone) it.cone.G_b.row(0) = Eigen::Map<const model::Vec6>(values.J_a[0]).transpose();
    if (dynamics::is_in_reach(now, 2 * h, c.par.limit_shell * c.unit_of(k)) && has_gradient(c, it)) {
      add_limit_row(k, rows);
      if (const CachedLimit* last = memory.find_limit(k))
        rows.limits.rows.back().trial_impulse = last->impulse;
    }
  }
}

void add_limit_row(size_t limit, KickRows& rows) {
  const LimitRow& row = rows.limits.rows.emplace_back(rows.limits.all[limit]);
  rows.couple(row.cone.a, row.cone.b);
}

ConeConstraint make_limit_cone(const StepContext& c, const LimitRow& row, double h) {
  ConeConstraint cone = row.cone;
  const double recovery_rate = -c.unit_of(row.limit) * c.accuracy / c.scales.time;
  cone.bias.x() = (row.value > 0 ? row.value / h : std::max(row.value / h, recovery_rate)) +
                  row.gap_curvature * h - row.velocity_bias;
  return cone;
}

void check_limits(const StepContext& c, const State& end, const LimitSet& limits,
                  std::vector<LimitViolation>& violations) {
  violations.clear();
  for (size_t k = 0; k < c.model.limits().size(); ++k) {
    const double value = dynamics::compute_limit_value(c.model, end, k);
    // A limit may be passed by half of the tolerance. One that is already passed may go hardly further.
    const double allowed = c.limit_tolerance(k);
    if (dynamics::is_limit_passed(value, 0.5 * allowed, limits.all[k].value - c.par.limit_residual * allowed))
      violations.push_back({k, value});
  }
}

double refine_limit(const StepContext& c, const LimitViolation& violation, double h, KickRows& rows) {
  const size_t k = violation.limit;
  const double value = violation.value, before = rows.limits.all[k].value;
  const auto row = std::find_if(rows.limits.rows.begin(), rows.limits.rows.end(),
                                [&](const LimitRow& r) { return r.limit == k; });
  if (row != rows.limits.rows.end()) {
    row->velocity_bias += (std::max(before, 0.0) > 0 ? -value : before - value) / h;
    return h;
  }
  const double reached = h * before / (before - value);
  if (rows.limits.all[k].immobile)
    return before > 0 && reached > c.par.shortest_part * c.h_whole ? std::min(h, reached) : 0;
  if (!has_gradient(c, rows.limits.all[k])) return 0.5 * h;
  if (c.model.limits()[k]->restitution() > 0 && before > 0 && reached > c.par.shortest_part * c.h_whole)
    return std::min(h, reached);
  add_limit_row(k, rows);
  return h;
}

void save_limits(const ConstraintSet& cones, const LimitSet& limits, std::span<const double> v, double h,
                 std::vector<CachedLimit>& cache) {
  cache.clear();
  for (size_t i = 0; i < limits.rows.size(); ++i)
    cache.push_back({limits.rows[i].limit, cones.limits()[i].impulse.x(),
                     limits.rows[i].value + h * dynamics::relative_velocity(limits.rows[i].cone, v).x()});
  std::sort(cache.begin(), cache.end(),
            [](const CachedLimit& x, const CachedLimit& y) { return x.limit < y.limit; });
}

}  // namespace tumble::simulate
