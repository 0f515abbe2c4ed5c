// The distance d of the automatic camera. Let n be the inward unit normal of a side of the view pyramid, f
// the unit vector forward and target - d f the eye. A point p is inside if  n.(p - target) + d n.f >= 0, so
//   d >= max_p( -n.(p - target) ) / n.f,   n.f = sin(half angle of the pyramid)                         (2)
// The target is moved to the middle between opposite sides, where both give the same distance.
#include "tumble/view/camera.h"

#include <algorithm>
#include <limits>
#include <map>

#include "tumble/math/elementary.h"
#include "tumble/view/detail/project.h"
#include "tumble/view/tolerances.h"

namespace tumble::view {

namespace {

using math::Vec3;

// Bounding box and bounding sphere of a mesh. The smaller of the two extents is a close bound in any
// direction.
struct Extent {
  Eigen::AlignedBox3d box;
  double radius = 0;  // m, about the middle of the box
};

Extent compute_extent(const geometry::TriangleMesh& mesh) {
  Extent extent;
  for (const Vec3& p : mesh.vertices)
    if (p.allFinite()) extent.box.extend(p);
  if (extent.box.isEmpty()) return extent;
  const Vec3 middle = extent.box.center();
  for (const Vec3& p : mesh.vertices)
    if (p.allFinite()) extent.radius = std::max(extent.radius, (p - middle).norm());
  return extent;
}

struct PlacedExtent {
  Vec3 center;      // m, world
  Vec3 half_size;   // m, along the axes of R
  math::Mat3 R_WS;  // axes of the box
  double radius;    // m
  bool fixed;

  // Largest n.p over the body.
  double reach(const Vec3& n) const {
    const double box = (R_WS.transpose() * n).cwiseAbs().dot(half_size);
    return n.dot(center) + std::min(box, radius);
  }
};

std::vector<PlacedExtent> place_all(std::span<const DrawItem> items) {
  std::map<const geometry::TriangleMesh*, Extent> extents;
  std::vector<PlacedExtent> placed;
  for (const DrawItem& item : items) {
    if (item.ground || !detail::is_drawable(item)) continue;
    const auto [entry, is_new] = extents.try_emplace(item.mesh.get());
    if (is_new) entry->second = compute_extent(*item.mesh);
    const Extent& extent = entry->second;
    if (extent.box.isEmpty()) continue;
    placed.push_back({item.X_WS * Vec3(extent.box.center()), extent.box.sizes() / 2,
                      item.X_WS.rotation.to_matrix(), extent.radius, item.fixed});
  }
  return placed;
}

struct Ball {
  Vec3 center = Vec3::Zero();
  double radius = 0;
};

// The centre of the common box, and the largest distance from there: fast, and close to the smallest sphere.
template <typename Filter>
Ball ball_round(const std::vector<PlacedExtent>& placed, const Filter& wanted) {
  Eigen::AlignedBox3d box;
  for (const PlacedExtent& p : placed) {
    if (!wanted(p)) continue;
    for (const Vec3& axis : {Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY()), Vec3(Vec3::UnitZ())}) {
      box.extend(p.center + axis * (p.reach(axis) - axis.dot(p.center)));
      box.extend(p.center - axis * (p.reach(-axis) + axis.dot(p.center)));
    }
  }
  Ball ball;
  if (box.isEmpty()) return ball;
  ball.center = box.center();
  for (const PlacedExtent& p : placed)
    if (wanted(p)) ball.radius = std::max(ball.radius, (p.center - ball.center).norm() + p.radius);
  ball.radius = std::min(ball.radius, box.diagonal().norm() / 2);
  return ball;
}

struct Framed {
  std::vector<PlacedExtent> placed;
  Subject subject;
};

// The moving bodies, then fixed ones near them.
Framed frame(std::span<const DrawItem> items, const Vec3& up) {
  Framed framed;
  std::vector<PlacedExtent> all = place_all(items);
  const Ball moving = ball_round(all, [](const PlacedExtent& p) { return !p.fixed; });
  const auto belongs = [&](const PlacedExtent& p) {
    return !p.fixed || moving.radius == 0 ||
           (p.center - moving.center).norm() + p.radius <= kSubjectReach * moving.radius;
  };
  const Ball ball = ball_round(all, belongs);
  Subject& subject = framed.subject;
  subject.center = ball.center;
  if (ball.radius > 0) subject.radius = ball.radius;
  subject.lowest = std::numeric_limits<double>::infinity();
  for (const PlacedExtent& p : all) {
    if (!belongs(p)) {
      subject.has_floor = subject.has_floor || p.radius > moving.radius;
      continue;
    }
    subject.lowest = std::min(subject.lowest, -p.reach(-up));
    framed.placed.push_back(p);
  }
  if (framed.placed.empty()) subject.lowest = subject.center.dot(up) - subject.radius;
  for (const DrawItem& item : items) subject.has_floor = subject.has_floor || item.ground;
  return framed;
}

// Three-quarter view: from the front right, somewhat above.
Vec3 view_direction(const Vec3& up) {
  constexpr double kAzimuth = 0.56, kElevation = 0.36;  // rad, 32 and 21 degrees
  const Vec3 from(math::cos(kElevation) * math::sin(kAzimuth), math::sin(kElevation),
                  math::cos(kElevation) * math::cos(kAzimuth));
  return -(Eigen::Quaterniond::FromTwoVectors(Vec3::UnitY(), up) * from);
}

struct Fit {
  double distance;  // m, of the eye from the target
  double shift;     // m, of the target along the axis
};

// Equation (2) for the pair of sides across `axis`.
Fit fit(const Framed& framed, const Vec3& forward, const Vec3& axis, double tan_half) {
  const double c = 1 / math::sqrt(1 + tan_half * tan_half), s = tan_half * c;
  const Vec3 n_low = c * axis + s * forward, n_high = -c * axis + s * forward;
  double low = -std::numeric_limits<double>::infinity(), high = low;
  for (const PlacedExtent& p : framed.placed) {
    low = std::max(low, p.reach(-n_low) + n_low.dot(framed.subject.center));
    high = std::max(high, p.reach(-n_high) + n_high.dot(framed.subject.center));
  }
  return {(low + high) / (2 * s), (high - low) / (2 * c)};
}

// The narrowest pair of sides that contains the subject at a given distance. Its shift centres the subject.
Fit fit_at(const Framed& framed, const Vec3& forward, const Vec3& axis, double tan_half, double distance) {
  double narrow = 0, wide = tan_half;
  for (int i = 0; i < kCenteringSteps; ++i) {
    const double middle = (narrow + wide) / 2;
    (fit(framed, forward, axis, middle).distance > distance ? narrow : wide) = middle;
  }
  return fit(framed, forward, axis, wide);
}

}  // namespace

Subject find_subject(std::span<const DrawItem> items, const Vec3& up) {
  return frame(items, detail::upright(up)).subject;
}

Camera automatic_camera(std::span<const DrawItem> items, const Vec3& up_hint, double aspect) {
  const Vec3 up = detail::upright(up_hint);
  const Framed framed = frame(items, up);
  Camera camera;
  camera.up = up;
  camera.target = framed.subject.center;
  const Vec3 forward = view_direction(up);
  const Vec3 right = forward.cross(up).normalized();
  const double tan_y = kFrameFill * std::tan(camera.vertical_fov / 2), tan_x = tan_y * aspect;

  double distance = framed.subject.radius / math::sin(camera.vertical_fov / 2);
  if (!framed.placed.empty()) {
    const Vec3 axis_y = right.cross(forward);
    distance =
        std::max({fit(framed, forward, right, tan_x).distance, fit(framed, forward, axis_y, tan_y).distance,
                  kMinCameraDistance * framed.subject.radius});
    camera.target += right * fit_at(framed, forward, right, tan_x, distance).shift +
                     axis_y * fit_at(framed, forward, axis_y, tan_y, distance).shift;
  }
  camera.eye = camera.target - distance * forward;
  return camera;
}

}  // namespace tumble::view
