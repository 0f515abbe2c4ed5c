// Runs a model and returns states, for tests of motion.
#pragma once

#include <functional>
#include <string>

#include "tumble/model/model_builder.h"
#include "tumble/scene/scene.h"
#include "tumble/simulate/simulation.h"

namespace support {

/// A run of unlimited duration, by the precise method if the options leave it open. Throws if it cannot
/// start.
tumble::simulate::Simulation make_simulation(const tumble::model::Model& model,
                                             tumble::simulate::SimulationOptions options = {});

/// The state at t_end. Throws if a step fails.
tumble::model::State simulate_to(const tumble::model::Model& model, double t_end,
                                 const tumble::simulate::SimulationOptions& options = {});

/// Calls `look` with the state at k/fps for k = 0 .. round(t_end*fps).
void simulate_frames(const tumble::model::Model& model, double t_end, double fps,
                     const tumble::simulate::SimulationOptions& options,
                     const std::function<void(const tumble::model::State&)>& look);

/// Calls `look` at the start and after every step until t_end has passed. Returns the number of steps.
long simulate_steps(const tumble::model::Model& model, double t_end,
                    const tumble::simulate::SimulationOptions& options,
                    const std::function<void(const tumble::model::State&)>& look);

/// Loads scenes/NAME.xml. Throws its diagnostics if it does not load.
tumble::scene::Scene load(const std::string& name);

/// A model of one body at the origin with the given principal moments and mass 1.
tumble::model::Model single_body(const tumble::model::Vec3& moments, const tumble::model::Vec3& omega,
                                 const tumble::model::Vec3& gravity = tumble::model::Vec3::Zero());

/// The finished model. Throws its diagnostics if there is none.
tumble::model::Model finished(tumble::model::ModelBuilder& builder);

/// Least-squares slope of log(error) over log(h).
double fitted_slope(const std::vector<double>& steps, const std::vector<double>& errors);

}  // namespace support
