#include "tumble/dynamics/joint_limits.h"

namespace tumble::dynamics {

using model::BodyMotion;

LimitState evaluate_limit(const model::Limit& limit, double t, std::span<const BodyMotion> motions,
                          model::ConstraintRows& row) {
  const BodyMotion &a = motion_of(limit.a(), motions), &b = motion_of(limit.b(), motions);
  limit.evaluate(t, a, b, row);
  return {row.value[0], speed_of_row(limit, row, 0, a, b)};
}

void evaluate_limits(const model::Model& model, double t, std::span<const BodyMotion> motions,
                     std::vector<LimitState>& out) {
  out.resize(model.limits().size());
  model::ConstraintRows row;
  for (size_t k = 0; k < out.size(); ++k) out[k] = evaluate_limit(*model.limits()[k], t, motions, row);
}

double compute_limit_value(const model::Model& model, const model::State& state, size_t limit) {
  const model::Limit& it = *model.limits()[limit];
  model::ConstraintRows row;
  it.evaluate(state.time, motion_in(model, state, it.a()), motion_in(model, state, it.b()), row);
  return row.value[0];
}

}  // namespace tumble::dynamics
