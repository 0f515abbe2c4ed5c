#include "tumble/simulate/reference_run.h"

#include <algorithm>

namespace tumble::simulate {

namespace {

SimulationOptions ten_times_finer(SimulationOptions options) {
  options.accuracy = std::max(*options.accuracy / 10, kFinestAccuracy);
  if (options.fixed_step) options.fixed_step = *options.fixed_step / 2;
  return options;
}

}  // namespace

ReferenceRun::ReferenceRun(const model::Model& model, const SimulationOptions& options, const Start& start)
    : live_(model),
      options_(ten_times_finer(options)),
      tight_(start.tight),
      stepper_(make_stepper(live_.model(), options_, tight_)),
      state_(start.state),
      at_frame_(start.state) {}

bool ReferenceRun::compare(const model::State& frame, model::ErrorEstimate& estimate) {
  while (state_.time < frame.time) {
    if (live_.release_until(state_.time))
      stepper_ = make_stepper(live_.model(), options_, tight_, Scales(stepper_->scales()));
    if (!stepper_->step(state_).good()) return false;
  }
  if (frame.time > 0) stepper_->state_at(frame.time, at_frame_);
  model::ErrorEstimate::Frame row{.t = frame.time};
  for (size_t i = 0; i < live_.model().bodies().size(); ++i) {
    const model::BodyId id(i);
    row.position_error = std::max(row.position_error, (frame.position(id) - at_frame_.position(id)).norm());
    row.angle_error =
        std::max(row.angle_error, math::angle_between(frame.orientation(id), at_frame_.orientation(id)));
  }
  estimate.frames.push_back(row);
  estimate.max_position_error = std::max(estimate.max_position_error, row.position_error);
  estimate.max_angle_error = std::max(estimate.max_angle_error, row.angle_error);
  return true;
}

}  // namespace tumble::simulate
