// What `render` draws: the items of a scene or of a recording at any time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "motion_source.h"
#include "tumble/view/draw_list.h"

namespace tumble::app {

class DrawnMotion {
 public:
  virtual ~DrawnMotion() = default;

  /// Reads a scene, a .tumble, a .csv with --scene, a .glb or a .gltf. Throws InputError.
  static std::unique_ptr<DrawnMotion> open(const std::string& path, const Arguments& arguments);

  math::Vec3 up = math::Vec3::UnitY();
  bool has_up = false;
  double begin = 0, end = 0;  // s, the first and the last time
  double fps = 0;             // of the recording; of the run of a scene
  bool is_recording = false;  // with all its frames; else a scene, simulated up to the last time asked for
  std::vector<std::string> names;                                // of the bodies
  std::vector<std::vector<size_t>> items_of_body;                // indices into items
  std::vector<view::DrawItem> items;                             // at the time of the last show()
  virtual const model::Model* model() const { return nullptr; }  // null: a .glb
  virtual const model::State* state() const { return nullptr; }  // at the time of the last show()
  /// The recording and the nearest frame, for contacts and forces. Null: there is none.
  virtual const record::Recording* recording() const { return nullptr; }
  virtual size_t nearest_frame() const { return 0; }

  /// Says which times will be shown. A scene is simulated up to the last one; false: it stopped before, and
  /// `end` is how far it came.
  virtual bool prepare(const std::vector<double>&) { return true; }
  /// Moves the items to a time.
  virtual void show(double time) = 0;
  /// The centre of mass of a body (of a .glb: the origin of its node) at the time of the last show().
  virtual math::Vec3 position(size_t body) const = 0;
  virtual bool is_fixed(size_t body) const = 0;
  /// The body and all that joints connect it to, not through fixed bodies.
  virtual std::vector<size_t> figure_of(size_t body) const { return {body}; }
  /// Times at which the camera looks at the motion: all frames of a recording, or some if there are many.
  std::vector<double> sample_times(size_t most) const;
  /// The body with this name. Throws UsageError with a hint if there is none.
  size_t find_body(const std::string& flag, const std::string& name) const;
};

}  // namespace tumble::app
