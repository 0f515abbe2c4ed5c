// --camera, --look-at, --fov, --zoom, --orthographic: one camera for all pictures of a motion.
#pragma once

#include <optional>
#include <vector>

#include "drawn_motion.h"
#include "tumble/view/framing.h"

namespace tumble::app {

std::vector<Flag> camera_flags();

/// What the flags say, checked before anything is read or simulated.
struct CameraRequest {
  view::CameraOptions options;
  std::string follow, look_at;  // names of bodies; empty: none
};
/// Throws UsageError.
CameraRequest read_camera(const Arguments& arguments);

/// Where the camera stands, and what light and ground depend on. Made once for a motion; it moves only if it
/// follows a body.
class CameraMan {
 public:
  /// Shows the motion at `times`. Throws UsageError for names that are not there.
  CameraMan(DrawnMotion& motion, const std::vector<double>& times, const CameraRequest& request,
            double aspect);

  /// For the time that the motion shows.
  view::Camera camera(const DrawnMotion& motion) const;
  view::Subject subject(const DrawnMotion& motion) const;
  /// Items that hide the motion, by index.
  const std::vector<size_t>& veils() const { return veils_; }
  /// The part of the picture's height that the motion fills over all times.
  double motion_fill() const { return fill_; }

 private:
  view::Camera camera_;
  view::Subject subject_;
  std::optional<size_t> followed_;
  math::Vec3 up_;
  double near_radius_ = 0;  // m, half the size of what a close view shows; 0: the view shows all
  double fill_ = 0;
  std::vector<size_t> veils_;
};

}  // namespace tumble::app
