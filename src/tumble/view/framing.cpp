// The distance d of the camera. Let n be the inward unit normal of a side of the view pyramid, f the unit
// vector forward and target - d f the eye. A point p is inside if  n.(p - target) + d n.f >= 0, so
//   d >= max_p( -n.(p - target) ) / n.f,   n.f = sin(half angle of the pyramid)                         (1)
// The target is moved to the middle between opposite sides, where both give the same distance. A parallel
// projection needs the height  2 max_p |y - y_target|.
#include "tumble/view/framing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tumble/math/elementary.h"
#include "tumble/view/detail/occlusion.h"
#include "tumble/view/detail/project.h"
#include "tumble/view/tolerances.h"

namespace tumble::view {

namespace {

using math::Vec3;

constexpr double kOneDegree = math::kPi / 180;  // rad
// Three-quarter views, from the front right and somewhat above first. Those from the sides show long motions
// less wide, those from above look into vessels.
constexpr std::array kDirections = {
    ViewAngles{32 * kOneDegree, 21 * kOneDegree},  ViewAngles{58 * kOneDegree, 21 * kOneDegree},
    ViewAngles{-32 * kOneDegree, 21 * kOneDegree}, ViewAngles{-58 * kOneDegree, 21 * kOneDegree},
    ViewAngles{32 * kOneDegree, 38 * kOneDegree},  ViewAngles{58 * kOneDegree, 38 * kOneDegree},
    ViewAngles{32 * kOneDegree, 52 * kOneDegree},  ViewAngles{75 * kOneDegree, 21 * kOneDegree}};

// The middle of the values.
double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// From the subject towards the camera.
Vec3 direction_of(const ViewAngles& angles, const Vec3& up) {
  const Vec3 from(math::cos(angles.elevation) * math::sin(angles.azimuth), math::sin(angles.elevation),
                  math::cos(angles.elevation) * math::cos(angles.azimuth));
  return Eigen::Quaterniond::FromTwoVectors(Vec3::UnitY(), up) * from;
}

// The axes of a camera. They exist for a view from straight above, too.
struct Axes {
  Vec3 right, up, forward;

  Axes(const ViewAngles& angles, const Vec3& world_up) {
    forward = -direction_of(angles, world_up);
    right = direction_of({angles.azimuth + math::kPi / 2, 0}, world_up);
    up = right.cross(forward);
  }
};

// What the two sides across one axis ask for, seen from a target.
struct Sides {
  Vec3 axis, n_low, n_high;
  double sine, cosine;
  double low = -std::numeric_limits<double>::infinity(), high = low;

  // tan_half: of the pyramid; 0: parallel.
  Sides(const Vec3& axis_in, const Vec3& forward, double tan_half) : axis(axis_in) {
    cosine = 1 / math::sqrt(1 + tan_half * tan_half);
    sine = tan_half * cosine;
    n_low = cosine * axis + sine * forward;
    n_high = -cosine * axis + sine * forward;
  }
  void include(const PlacedExtent& p, const Vec3& target) {
    low = std::max(low, p.reach(-n_low) + n_low.dot(target));
    high = std::max(high, p.reach(-n_high) + n_high.dot(target));
  }
  double distance() const { return (low + high) / (2 * sine); }        // with the target in the middle
  double distance_here() const { return std::max(low, high) / sine; }  // without moving the target
  double shift() const { return (high - low) / (2 * cosine); }         // m, of the target along the axis
  double half_size() const { return (low + high) / 2; }                // m, of a parallel picture
  double half_size_here() const { return std::max(low, high); }        // m
};

// The narrowest pair of sides that contains everything at a given distance. Its shift centres the subject.
double shift_at(const std::vector<const PlacedExtent*>& shown, const Vec3& target, const Vec3& forward,
                const Vec3& axis, double tan_half, double distance) {
  const auto sides = [&](double tangent) {
    Sides fit(axis, forward, tangent);
    for (const PlacedExtent* p : shown) fit.include(*p, target);
    return fit;
  };
  double narrow = 0, wide = tan_half;
  for (int i = 0; i < kCenteringSteps; ++i) {
    const double middle = (narrow + wide) / 2;
    (sides(middle).distance() > distance ? narrow : wide) = middle;
  }
  return sides(wide).shift();
}

}  // namespace

double PlacedExtent::reach(const Vec3& n) const {
  const double box = (R_WS.transpose() * n).cwiseAbs().dot(half_size);
  return n.dot(center) + std::min(box, radius);
}

Framing::Framing(const Vec3& up) : up_(detail::upright(up)) {}

const Framing::Extent& Framing::extent_of(const DrawItem& item) {
  const auto [entry, is_new] = extents_.try_emplace(item.mesh.get());
  Extent& extent = entry->second;
  if (!is_new) return extent;
  meshes_.push_back(item.mesh);
  for (const Vec3& p : item.mesh->vertices)
    if (p.allFinite()) extent.box.extend(p);
  if (extent.box.isEmpty()) return extent;
  const Vec3 middle = extent.box.center();
  for (const Vec3& p : item.mesh->vertices)
    if (p.allFinite()) extent.radius = std::max(extent.radius, (p - middle).norm());
  return extent;
}

void Framing::add_frame(std::span<const DrawItem> items) {
  std::vector<PlacedExtent> moving;
  for (const DrawItem& item : items) {
    has_ground_ = has_ground_ || item.ground;
    if (item.ground || !detail::is_drawable(item) || (item.fixed && frames_ > 0)) continue;
    const Extent& extent = extent_of(item);
    if (extent.box.isEmpty()) continue;
    (item.fixed ? fixed_ : moving)
        .push_back({item.X_WS * Vec3(extent.box.center()), extent.box.sizes() / 2,
                    item.X_WS.rotation.to_matrix(), extent.radius});
  }
  if (moving.size() >= kFewestForOutliers) {
    Vec3 middle;
    std::vector<double> values(moving.size());
    for (int k = 0; k < 3; ++k) {
      std::transform(moving.begin(), moving.end(), values.begin(),
                     [&](const auto& p) { return p.center[k]; });
      middle[k] = median(values);
    }
    for (PlacedExtent& p : moving) p.away = (p.center - middle).norm();
    std::transform(moving.begin(), moving.end(), values.begin(),
                   [&](const auto& p) { return p.away + p.radius; });
    spread_ = std::max(spread_, median(values));
  }
  moving_.insert(moving_.end(), moving.begin(), moving.end());

  if (frames_ % keep_every_ == 0) {
    kept_.emplace_back(items.begin(), items.end());
    if (kept_.size() > kKeptFrames) {  // keep every other
      for (size_t k = 1; 2 * k < kept_.size(); ++k) kept_[k] = std::move(kept_[2 * k]);
      kept_.resize((kept_.size() + 1) / 2);
      keep_every_ *= 2;
    }
  }
  ++frames_;
}

void Framing::add_point(const Vec3& p_W) {
  if (p_W.allFinite()) points_.push_back({p_W, Vec3::Zero(), math::Mat3::Identity(), 0});
}

// Without bodies that fly away.
Framing::Extents Framing::near_moving() const {
  Extents near;
  for (const PlacedExtent& p : moving_)
    if (spread_ == 0 || p.away - p.radius <= kOutlierReach * spread_) near.push_back(p);
  return near;
}

// The centre of the common box, and the largest distance from there: fast, and close to the smallest sphere.
Framing::Ball Framing::ball_round(std::span<const PlacedExtent> placed) {
  Eigen::AlignedBox3d box;
  for (const PlacedExtent& p : placed)
    for (const Vec3& axis : {Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY()), Vec3(Vec3::UnitZ())}) {
      box.extend(p.center + axis * (p.reach(axis) - axis.dot(p.center)));
      box.extend(p.center - axis * (p.reach(-axis) + axis.dot(p.center)));
    }
  Ball ball;
  if (box.isEmpty()) return ball;
  ball.center = box.center();
  for (const PlacedExtent& p : placed)
    ball.radius = std::max(ball.radius, (p.center - ball.center).norm() + p.radius);
  ball.radius = std::min(ball.radius, box.diagonal().norm() / 2);
  return ball;
}

Subject Framing::subject() const {
  Extents shown = near_moving();
  const Ball motion = ball_round(shown);
  Subject subject;
  subject.has_floor = has_ground_;
  for (const PlacedExtent& p : fixed_)
    if (motion.radius == 0 || (p.center - motion.center).norm() + p.radius <= kSubjectReach * motion.radius)
      shown.push_back(p);
    else
      subject.has_floor = subject.has_floor || p.radius > motion.radius;
  const Ball ball = ball_round(shown);
  subject.center = ball.center;
  if (ball.radius > 0) subject.radius = ball.radius;
  subject.lowest =
      shown.empty() ? subject.center.dot(up_) - subject.radius : std::numeric_limits<double>::infinity();
  for (const PlacedExtent& p : shown) subject.lowest = std::min(subject.lowest, -p.reach(-up_));
  return subject;
}

Camera Framing::camera_from(const Extents& moving, const ViewAngles& angles, double aspect,
                            const CameraOptions& options) const {
  const Axes axes(angles, up_);
  Camera camera;
  // The vertical is no guide to a view from straight above.
  camera.up = std::abs(axes.forward.dot(up_)) < kNearlyVertical ? up_ : axes.up;
  camera.vertical_fov = options.vertical_fov;
  const double tan_y = kFrameFill * std::tan(camera.vertical_fov / 2), tan_x = tan_y * aspect;

  const std::vector<PlacedExtent>& first = moving.empty() ? fixed_ : moving;
  const Ball ball = ball_round(first);
  const double least_radius = ball.radius > 0 ? ball.radius : 1;
  camera.target = options.look_at.value_or(ball.center);

  // The half height of the picture of a parallel projection, or the distance.
  Sides x(axes.right, axes.forward, options.parallel ? 0 : tan_x);
  Sides y(axes.up, axes.forward, options.parallel ? 0 : tan_y);
  const auto size_of = [&](const Sides& sides_x, const Sides& sides_y) {
    if (options.parallel && options.look_at)
      return std::max(sides_x.half_size_here() / aspect, sides_y.half_size_here()) / kFrameFill;
    if (options.parallel) return std::max(sides_x.half_size() / aspect, sides_y.half_size()) / kFrameFill;
    if (options.look_at) return std::max(sides_x.distance_here(), sides_y.distance_here());
    return std::max(sides_x.distance(), sides_y.distance());
  };
  std::vector<const PlacedExtent*> shown;
  const auto include = [&](const PlacedExtent& p) {
    shown.push_back(&p);
    x.include(p, camera.target);
    y.include(p, camera.target);
  };
  for (const PlacedExtent& p : first) include(p);

  if (!moving.empty() && !options.look_at) {
    // Fixed bodies near the motion, small ones first, while the motion stays large.
    const double size = size_of(x, y);
    const double height = options.parallel ? y.half_size() / kFrameFill / size : y.distance() / size;
    const double most = size * std::max(kFreeGrowth, height * kFrameFill / kMotionFill);
    std::vector<const PlacedExtent*> near;
    for (const PlacedExtent& p : points_) near.push_back(&p);
    for (const PlacedExtent& p : fixed_)
      if ((p.center - ball.center).norm() + p.radius <= kSubjectReach * ball.radius) near.push_back(&p);
    std::stable_sort(near.begin(), near.end(),
                     [](const auto* a, const auto* b) { return a->radius < b->radius; });
    for (const PlacedExtent* p : near) {
      Sides wider_x = x, wider_y = y;
      wider_x.include(*p, camera.target);
      wider_y.include(*p, camera.target);
      if (size_of(wider_x, wider_y) <= most) include(*p);
    }
  }

  double size = 1;
  if (!shown.empty()) size = size_of(x, y);
  if (shown.empty() || !(size > 0)) size = least_radius / math::sin(camera.vertical_fov / 2);
  double distance = size;
  if (options.parallel) {
    if (!shown.empty() && !options.look_at) camera.target += axes.right * x.shift() + axes.up * y.shift();
    camera.parallel_height = 2 * size / options.zoom;
    distance = kParallelDistance * std::max(least_radius, size);
  } else {
    distance = std::max(size, kMinCameraDistance * least_radius);
    if (!shown.empty() && !options.look_at) {
      const Vec3 middle = camera.target;
      camera.target += axes.right * shift_at(shown, middle, axes.forward, axes.right, tan_x, distance) +
                       axes.up * shift_at(shown, middle, axes.forward, axes.up, tan_y, distance);
    }
    distance /= options.zoom;
  }
  camera.eye = camera.target - distance * axes.forward;
  return camera;
}

double Framing::motion_fill(const Camera& camera, double aspect) const {
  const detail::Projection view(camera, aspect);
  double low = 1, high = -1;
  for (const PlacedExtent& p : near_moving()) {
    const Vec3 center = view.to_camera(p.center);
    const double scale = view.tan_y * view.depth_scale(center.z());
    if (!(scale > 0)) continue;
    const double reach = p.reach(view.up) - view.up.dot(p.center);
    low = std::min(low, (center.y() - reach) / scale);
    high = std::max(high, (center.y() + reach) / scale);
  }
  return std::max(0.0, std::min(high, 1.0) - std::max(low, -1.0)) / 2;
}

// The part of the moving bodies that fixed ones hide.
double Framing::hidden_part(const Camera& camera, double aspect) const {
  if (fixed_.empty()) return 0;
  const detail::Occlusion occlusion(camera, aspect, kept_.front());
  size_t seen = 0, hidden = 0;
  for (const std::vector<DrawItem>& frame : kept_) {
    const detail::Occlusion::Count count = occlusion.count(frame);
    seen += count.all, hidden += count.all_hidden();
  }
  return seen > 0 ? static_cast<double>(hidden) / static_cast<double>(seen) : 0;
}

std::vector<size_t> Framing::find_veils(const Camera& camera, double aspect) const {
  std::vector<size_t> veils;
  std::vector<DrawItem> in_front = kept_.empty() ? std::vector<DrawItem>{} : kept_.front();
  // What is behind a veil may hide bodies, too: look again without the veils found so far.
  for (int round = 0; round < kVeilRounds && !in_front.empty(); ++round) {
    const detail::Occlusion occlusion(camera, aspect, in_front);
    size_t seen = 0;
    std::vector<size_t> hidden(in_front.size(), 0);
    std::vector<bool> veil(in_front.size(), false);
    for (const std::vector<DrawItem>& frame : kept_) {
      const detail::Occlusion::Count count = occlusion.count(frame);
      seen += count.all;
      for (size_t i = 0; i < hidden.size(); ++i) {
        hidden[i] += count.hidden[i];
        if (static_cast<double>(count.hidden[i]) > kHiddenAtOnce * static_cast<double>(count.all))
          veil[i] = true;
      }
    }
    const size_t known = veils.size();
    for (size_t i = 0; i < hidden.size(); ++i)
      if (veil[i] || static_cast<double>(hidden[i]) > kHiddenAtMost * static_cast<double>(seen)) {
        veils.push_back(i);
        in_front[i].mesh = nullptr;
      }
    if (veils.size() == known) break;
  }
  return veils;
}

Camera Framing::camera(double aspect, const CameraOptions& options) const {
  const Extents moving = near_moving();
  if (options.angles) return camera_from(moving, *options.angles, aspect, options);
  Camera best;
  double most = -std::numeric_limits<double>::infinity();
  for (const ViewAngles& angles : kDirections) {
    const Camera camera = camera_from(moving, angles, aspect, options);
    if (moving_.empty()) return camera;
    const double fill = std::min(1.0, motion_fill(camera, aspect) / kMotionFill);
    const double hidden = hidden_part(camera, aspect);
    if (fill >= kEnoughFill && hidden <= kHiddenAtMost) return camera;
    if (2 * fill - hidden > most) most = 2 * fill - hidden, best = camera;
  }
  return best;
}

ViewAngles angles_of(const Camera& camera, const Vec3& up) {
  const Vec3 from = (camera.eye - camera.target).normalized();
  const Vec3 local =
      Eigen::Quaterniond::FromTwoVectors(Vec3::UnitY(), detail::upright(up)).conjugate() * from;
  return {math::atan2(local.x(), local.z()), math::atan2(local.y(), std::hypot(local.x(), local.z()))};
}

Subject find_subject(std::span<const DrawItem> items, const Vec3& up) {
  Framing framing(up);
  framing.add_frame(items);
  return framing.subject();
}

Camera automatic_camera(std::span<const DrawItem> items, const Vec3& up, double aspect,
                        const CameraOptions& options) {
  Framing framing(up);
  framing.add_frame(items);
  return framing.camera(aspect, options);
}

}  // namespace tumble::view
