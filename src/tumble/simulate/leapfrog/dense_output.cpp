#include "tumble/simulate/leapfrog/dense_output.h"

#include "tumble/dynamics/hinge_angles.h"
#include "tumble/math/elementary.h"

namespace tumble::simulate {

using core::BodyId;
using math::Quat;
using math::Vec3;
using model::State;

namespace {

// The rate of the rotation vector r at which the angular velocity is w: Jl^-1(r) w.
Vec3 rotation_vector_rate(const Vec3& r, const Vec3& w) {
  constexpr double kSmallRotation = 1e-6;  // rad^2
  const double square = r.squaredNorm();
  double factor = 1.0 / 12;  // (1 - p cot p)/(4 p^2), with p half the angle
  if (square > kSmallRotation) {
    const double p = 0.5 * math::sqrt(square);
    factor = (1 - p * math::cos(p) / math::sin(p)) / square;
  }
  return w - 0.5 * r.cross(w) + factor * r.cross(r.cross(w));
}

}  // namespace

void DenseOutput::update(const contact::ContactFinder& finder) {
  const State &start = step_.start, &end = step_.end;
  const double h = end.time - start.time;
  near_.assign(bodies_->size(), 0);
  for (const auto& pair : step_.pairs)
    for (const uint32_t item : {pair.a, pair.b})
      if (const int n = finder.node_of(item); n != model::kNone) near_[static_cast<size_t>(n)] = 1;
  departures_.assign(bodies_->size(), std::nullopt);
  for (size_t n = 0; n < bodies_->size(); ++n) {
    const BodyId id = (*bodies_)[n];
    const Eigen::Map<const model::Vec6> v(&step_.v[6 * n]);
    const model::BodyMotion from = motion_in(*model_, start, id), to = motion_in(*model_, end, id);
    const Vec3 turn = h * v.tail<3>();
    const Departure departure{h * (from.velocity - v.head<3>()), h * (to.velocity - v.head<3>()),
                              h * from.angular_velocity - turn,
                              h * rotation_vector_rate(turn, to.angular_velocity) - turn};
    const double radius = model_->body(id).radius;
    // The cubics s (1 - s)^2 and s^2 (1 - s) are at most 4/27.
    const double farthest = 4.0 / 27 *
                            (departure.start.norm() + departure.end.norm() +
                             radius * (departure.turn_start.norm() + departure.turn_end.norm()));
    if (farthest <= step_.near_free * radius) departures_[n] = departure;
  }
  groups_->mark_groups(near_);
  is_updated_ = true;
}

// Only pairs that the certificate looked at can be near each other.
bool DenseOutput::overlaps(const State& state, const contact::ContactFinder& finder) const {
  const auto placed = [&](uint32_t item) {
    const contact::PairTracker::Item& it = finder.item(item);
    return collision::Placed(
        *it.collider, body_pose(*model_, state, it.body) * model_->body(it.body).shapes[it.shape].X_BS);
  };
  for (const auto& pair : step_.pairs)
    if (!(collision::compute_distance(placed(pair.a), placed(pair.b)).distance > 0)) return true;
  return false;
}

void DenseOutput::place(double time, bool near_on_cubic, State& state) const {
  const State &start = step_.start, &end = step_.end;
  const double h = end.time - start.time, s = (time - start.time) / h;
  const double at_start = s * (1 - s) * (1 - s), at_end = s * s * (s - 1);
  const auto between = [&](double a, double b) { return a + s * (b - a); };
  state = start;
  for (size_t n = 0; n < bodies_->size(); ++n) {
    const BodyId id = (*bodies_)[n];
    const Eigen::Map<const model::Vec6> v(&step_.v[6 * n]);
    Vec3 travel = s * h * v.head<3>(), turn = s * h * v.tail<3>();
    if (departures_[n] && (near_on_cubic || !near_[n])) {
      travel += at_start * departures_[n]->start + at_end * departures_[n]->end;
      turn += at_start * departures_[n]->turn_start + at_end * departures_[n]->turn_end;
    }
    state.set_position(id, start.position(id) + travel);
    state.set_orientation(id, (dynamics::rotation_from_vector(turn) * start.orientation(id)).normalized());
    const size_t first = id.index() * model::kBodySize;
    for (size_t k = first + model::kMomentumAt; k < first + model::kBodySize; ++k)
      state.y[k] = between(start.y[k], end.y[k]);
  }
  state.time = time;
  for (size_t k = 0; k < state.impulses.size(); ++k)
    state.impulses[k] = between(start.impulses[k], end.impulses[k]);
  for (size_t k = 0; k < state.work.size(); ++k) state.work[k] = between(start.work[k], end.work[k]);
  dynamics::update_hinge_angles(*model_, state);
}

void DenseOutput::close_joints(State& state) {
  if (model_->constraints().empty()) return;
  if (!joints_) joints_ = std::make_unique<Joints>(*model_);
  closed_ = state;
  joints_->projection.project(state.time, closed_.y.data(),
                              state.hinge_angles.empty() ? nullptr : state.hinge_angles.data());
  for (const BodyId id : bodies_->bodies()) {  // momenta stay those between both ends
    state.set_position(id, closed_.position(id));
    state.set_orientation(id, closed_.orientation(id));
  }
  dynamics::update_hinge_angles(*model_, state);
}

void DenseOutput::state_at(double time, const contact::ContactFinder& finder, State& state) {
  if (!is_updated_) update(finder);
  for (const bool near_on_cubic : {true, false}) {
    place(time, near_on_cubic, state);
    close_joints(state);
    if (!overlaps(state, finder)) return;
  }
  place(time, false, state);
}

}  // namespace tumble::simulate
