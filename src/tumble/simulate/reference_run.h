// Estimates the error of a run: the same scene at ten times the accuracy, compared frame by frame.
#pragma once

#include <memory>

#include "tumble/model/live_model.h"
#include "tumble/model/run_output.h"
#include "tumble/simulate/simulation_options.h"
#include "tumble/simulate/start/prepare_start.h"
#include "tumble/simulate/stepper.h"

namespace tumble::simulate {

class ReferenceRun {
 public:
  /// `options` are those of the run, resolved. The model is copied.
  ReferenceRun(const model::Model& model, const SimulationOptions& options, const Start& start);

  /// Advances to the frame and adds its error to `estimate`. Returns false when a step of the reference run
  /// fails.
  bool compare(const model::State& frame, model::ErrorEstimate& estimate);

 private:
  model::LiveModel live_;
  SimulationOptions options_;
  contact::TightPairs tight_;
  std::unique_ptr<Stepper> stepper_;
  model::State state_, at_frame_;
};

}  // namespace tumble::simulate
