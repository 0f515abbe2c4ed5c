// One camera for a whole motion.
//   It shows the moving bodies at all frames that were added. Three rules keep them large:
//   - A body that flies away is left out while it is farther from the middle of the others than
//     kOutlierReach times the largest median distance of the run.
//   - Fixed bodies are shown as long as the motion fills kMotionFill of the picture's height.
//   - If no direction was asked for, the first of kDirections counts from which the motion fills
//     kMotionFill of the height and fixed bodies hide little of it.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "tumble/view/camera.h"

namespace tumble::view {

/// The box and the ball round a body at one time. The smaller of the two extents is a close bound in any
/// direction.
struct PlacedExtent {
  math::Vec3 center;     // m, world
  math::Vec3 half_size;  // m, along the axes of R_WS
  math::Mat3 R_WS;       // axes of the box
  double radius;         // m
  double away = 0;       // m, of a moving body from the middle of all at that time

  /// Largest n.p over the body.
  double reach(const math::Vec3& n) const;
};

class Framing {
 public:
  explicit Framing(const math::Vec3& up);

  /// Adds the moving items at their poses. Fixed items are taken from the first frame.
  void add_frame(std::span<const DrawItem> items);

  /// A fixed point that should be seen, such as the pivot of a pendulum.
  void add_point(const math::Vec3& p_W);

  /// Light and grid need the subject; it does not depend on the camera.
  Subject subject() const;
  Camera camera(double aspect, const CameraOptions& options = {}) const;
  /// The items, by index, that hide moving bodies from this camera: to be drawn as veils.
  std::vector<size_t> find_veils(const Camera& camera, double aspect) const;
  /// The part of the picture's height that the motion fills, 0..1, cut off at its borders.
  double motion_fill(const Camera& camera, double aspect) const;
  const math::Vec3& up() const { return up_; }

 private:
  struct Extent {
    Eigen::AlignedBox3d box;
    double radius = 0;  // m, about the middle of the box
  };
  struct Ball {
    math::Vec3 center = math::Vec3::Zero();
    double radius = 0;
  };
  const Extent& extent_of(const DrawItem& item);
  static Ball ball_round(std::span<const PlacedExtent> placed);
  using Extents = std::vector<PlacedExtent>;
  Extents near_moving() const;
  Camera camera_from(const Extents& moving, const ViewAngles& angles, double aspect,
                     const CameraOptions& options) const;
  double hidden_part(const Camera& camera, double aspect) const;

  math::Vec3 up_;
  bool has_fixed_ = false, has_ground_ = false;
  std::vector<PlacedExtent> moving_, fixed_, points_;
  double spread_ = 0;                        // m, the largest median of `away`
  std::vector<std::vector<DrawItem>> kept_;  // some frames, to see what fixed bodies hide
  size_t frames_ = 0, keep_every_ = 1;
  std::map<const geometry::TriangleMesh*, Extent> extents_;
  std::vector<std::shared_ptr<const geometry::TriangleMesh>> meshes_;  // keep the keys of extents_ alive
};

}  // namespace tumble::view
