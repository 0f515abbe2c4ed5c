// A scene or a recording as a sequence of states, for convert and render.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "arguments.h"
#include "exit_codes.h"
#include "tumble/model/state.h"
#include "tumble/record/recording.h"
#include "tumble/scene/scene.h"
#include "tumble/simulate/start/prepare_start.h"

namespace tumble::app {

/// Frames of a model, one at a time. Errors inside are thrown as InputError.
class MotionSource {
 public:
  virtual ~MotionSource() = default;
  virtual const scene::Scene& scene() const = 0;
  const model::Model& model() const { return scene().model; }
  virtual record::RecordingInfo info() const = 0;
  virtual size_t frame_count() const = 0;
  virtual model::State frame(size_t k) = 0;
  /// The native recording, with log, warnings and summary; null for other sources.
  virtual const record::Recording* recording() const { return nullptr; }
};

/// The input has faults, which are printed already.
struct InputError {
  int exit_code = kExitBadInput;
};

/// The diagnostics; those without a file get `path`.
core::Diagnostics with_file(core::Diagnostics diagnostics, const std::string& path);

/// The first state of a run: joints are closed, and touching bodies have the contact offset between them.
/// Diagnostics name `path`.
core::Expected<simulate::Start> start_of(const scene::Scene& scene, const std::string& path,
                                         double accuracy = simulate::kDefaultAccuracy);

std::string lower_extension(const std::string& path);

/// A .tumble: its frames.
std::unique_ptr<MotionSource> open_recording(const std::string& path);

/// .tumble: its frames. .csv: its frames, with the model from --scene. .xml: only the start.
std::unique_ptr<MotionSource> open_motion(const std::string& path, const Arguments& arguments);

}  // namespace tumble::app
