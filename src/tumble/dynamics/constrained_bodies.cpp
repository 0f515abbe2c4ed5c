#include "tumble/dynamics/constrained_bodies.h"

#include <algorithm>
#include <cmath>

#include "tumble/dynamics/spin.h"
#include "tumble/math/elementary.h"

namespace tumble::dynamics {

using model::kAngularMomentumAt;
using model::kBodySize;
using model::kMomentumAt;
using model::kOrientationAt;
using model::Vec3;

ConstrainedBodies::ConstrainedBodies(const model::Model& model) : model_(&model), solver_(model) {
  for (const model::Body& body : model.bodies()) {
    const model::Mat3& I = body.inverse_inertia_B;
    const Vec3 weight = body.mass * model.gravity();
    bodies_.push_back({body.inverse_mass,
                       {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)},
                       {weight.x(), weight.y(), weight.z()},
                       body.is_fixed()});
  }
  twists_.assign(6 * nodes().size(), 0.0);
  rows_.assign(solver_.rows(), 0.0);
  if (model.forces().empty() && solver_.empty()) return;
  // Fixed bodies keep this motion. update_motions() sets that of the others.
  for (const model::Body& body : model.bodies())
    motions_.push_back(
        {body.X_WB * body.center_B, body.X_WB.rotation.to_matrix(), Vec3::Zero(), Vec3::Zero()});
}

void ConstrainedBodies::update_weights() {
  for (size_t i = 0; i < bodies_.size(); ++i) {
    const Vec3 weight = model_->bodies()[i].mass * model_->gravity();
    std::copy_n(weight.data(), 3, bodies_[i].weight);
  }
}

void ConstrainedBodies::set_active_limits(const std::vector<int>& limits) {
  solver_.set_active_limits(limits);
  rows_.resize(solver_.rows());
}

void ConstrainedBodies::update_motions(const double* y, const double* hinge_angles) {
  if (motions_.empty()) return;
  for (size_t i = 0; i < bodies_.size(); ++i) {
    motions_[i].hinge_angles = hinge_angles;
    if (bodies_[i].fixed) continue;
    const double *yb = y + i * kBodySize, *q = yb + kOrientationAt;
    const Spin spin(q, bodies_[i].inverse_inertia, yb + kAngularMomentumAt);
    const model::Mat3 R = rotation_from(q);
    motions_[i] = {vec3(yb), R, bodies_[i].inverse_mass * vec3(yb + kMomentumAt), R * vec3(spin.omega),
                   hinge_angles};
  }
}

double ConstrainedBodies::gap_of(size_t c) const {
  const model::Constraint& constraint = *model_->constraints()[c];
  const double size = model_->size_of(constraint);
  double largest = 0;
  for (int i = 0; i < constraint.rows() && size > 0; ++i) {
    const double C = std::abs(solver_.values()[solver_.first_row(c) + static_cast<size_t>(i)]);
    largest = math::max_or_nan(largest, gap_in_meters(constraint, i, size, C));
  }
  return largest;
}

JointGap ConstrainedBodies::largest_gap() const {
  JointGap gap;
  for (size_t c = 0; c < model_->constraints().size(); ++c)
    if (const double error = gap_of(c); !std::isnan(gap.error) && !(error <= gap.error))
      gap = {error, static_cast<int>(c), model_->constraints()[c].get()};
  for (size_t k = 0; k < active_limits().size(); ++k) {
    const model::Limit& limit = *model_->limits()[static_cast<size_t>(active_limits()[k])];
    const double C = std::abs(solver_.values()[solver_.first_row_of_limit(k)]);
    const double error = gap_in_meters(limit, 0, model_->size_of(limit), C);
    if (!std::isnan(gap.error) && !(error <= gap.error)) gap.error = error, gap.widest = &limit;
  }
  return gap;
}

JointGap ConstrainedBodies::compute_gap(double t, const double* y) {
  update_motions(y, nullptr);
  solver_.evaluate(t, motions_);
  return largest_gap();
}

}  // namespace tumble::dynamics
