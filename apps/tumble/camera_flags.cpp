#include "camera_flags.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tumble/math/elementary.h"
#include "tumble/view/marks.h"

namespace tumble::app {

namespace {

constexpr double kDegree = math::kPi / 180;
constexpr double kLeastFov = 1, kMostFov = 150;  // degrees; beyond, a picture is only distortion
constexpr double kMostZoom = 1e6;
constexpr double kFollowWidth = 1.6;   // a followed figure has this much more room than its size
constexpr double kShadowMargin = 1.3;  // shadows are computed for this much more than a close view shows

struct NamedView {
  const char* name;
  double azimuth, elevation;  // degrees
};
constexpr NamedView kNamed[] = {{"front", 0, 0}, {"side", 90, 0}, {"back", 180, 0}, {"top", 0, 90}};

// Exactly n numbers, separated by commas.
std::optional<std::vector<double>> split_numbers(const std::string& text, size_t n) {
  std::vector<double> values;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    double value = 0;
    const auto [rest, error] = std::from_chars(at, end, value);
    if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
    values.push_back(value);
    at = rest;
    if (at == end) break;
    if (*at++ != ',') return std::nullopt;
  }
  return values.size() == n ? std::optional(values) : std::nullopt;
}

void read_direction(const std::string& word, CameraRequest& request) {
  if (word.starts_with("follow:")) {
    request.follow = word.substr(7);
    if (request.follow.empty()) throw UsageError("--camera follow:NAME needs the name of a body");
    return;
  }
  for (const NamedView& view : kNamed)
    if (word == view.name) {
      request.options.angles = view::ViewAngles{view.azimuth * kDegree, view.elevation * kDegree};
      return;
    }
  const std::optional<std::vector<double>> angles = split_numbers(word, 2);
  if (!angles || std::abs(angles->at(1)) > 90)
    throw UsageError(
        "--camera takes front, side, back, top, follow:NAME or AZIMUTH,ELEVATION in degrees "
        "(elevation -90 to 90), e.g. 30,20; not \"" +
        word + "\"");
  request.options.angles =
      view::ViewAngles{std::remainder(angles->at(0), 360) * kDegree, angles->at(1) * kDegree};
}

}  // namespace

std::vector<Flag> camera_flags() {
  return {{"--camera", "AZIMUTH,ELEVATION|front|side|back|top|follow:NAME",
           "look from there (degrees: 0,0 is the front, 90,0 +X, 0,90 above), or follow a body; both may be "
           "given"},
          {"--look-at", "NAME|X,Y,Z", "put this body or point into the middle"},
          {"--zoom", "FACTOR", "show everything larger by this factor"},
          {"--fov", "DEGREES", "set the vertical angle of view (default: 30)"},
          {"--orthographic", "", "draw without perspective"}};
}

CameraRequest read_camera(const Arguments& arguments) {
  CameraRequest request;
  for (const std::string& word : arguments.all("--camera")) read_direction(word, request);
  if (const auto look_at = arguments.text("--look-at")) {
    if (!request.follow.empty()) throw UsageError("--look-at and --camera follow:NAME exclude each other");
    if (const auto point = split_numbers(*look_at, 3))
      request.options.look_at = math::Vec3(point->data());
    else
      request.look_at = *look_at;
  }
  request.options.parallel = arguments.is_on("--orthographic").value_or(false);
  if (const auto fov = arguments.number("--fov")) {
    if (*fov < kLeastFov || *fov > kMostFov) throw UsageError("--fov takes 1 to 150 degrees");
    if (request.options.parallel) throw UsageError("--fov means nothing with --orthographic; use --zoom");
    request.options.vertical_fov = *fov * kDegree;
  }
  if (const auto zoom = arguments.positive("--zoom")) {
    if (*zoom > kMostZoom || *zoom < 1 / kMostZoom) throw UsageError("--zoom takes 1e-6 to 1e6");
    request.options.zoom = *zoom;
  }
  return request;
}

CameraMan::CameraMan(DrawnMotion& motion, const std::vector<double>& times, const CameraRequest& request,
                     double aspect)
    : up_(motion.up) {
  view::CameraOptions options = request.options;
  std::vector<size_t> figure;
  std::optional<size_t> target;
  if (!request.follow.empty()) target = followed_ = motion.find_body("--camera", request.follow);
  if (!request.look_at.empty()) target = motion.find_body("--look-at", request.look_at);
  if (target) figure = motion.figure_of(*target);

  view::Framing all(motion.up), close(motion.up);
  std::vector<view::DrawItem> near;
  Eigen::AlignedBox3d path;
  for (const double time : times) {
    motion.show(time);
    all.add_frame(motion.items);
    if (!target) continue;
    const math::Vec3 at = motion.position(*target);
    path.extend(at);
    near.clear();
    for (const size_t body : figure)
      for (const size_t i : motion.items_of_body[body]) {
        view::DrawItem& item = near.emplace_back(motion.items[i]);
        item.fixed = false;
        if (followed_) item.X_WS.translation -= at;
      }
    close.add_frame(near);
  }
  if (motion.model())
    for (const math::Vec3& anchor : view::find_anchors(*motion.model(), *motion.state()))
      all.add_point(anchor);
  subject_ = all.subject();
  if (!target) {
    camera_ = all.camera(aspect, options);
    if (options.look_at || options.zoom != 1) near_radius_ = 1;
  } else {
    options.look_at = followed_ ? math::Vec3(math::Vec3::Zero()) : math::Vec3(path.center());
    if (!options.angles) {  // the direction from which the whole motion is seen well
      const view::Camera whole = all.camera(aspect, request.options);
      options.angles = view::angles_of(whole, motion.up);
    }
    if (followed_) options.zoom /= kFollowWidth;
    camera_ = close.camera(aspect, options);
    near_radius_ = 1;
  }
  if (near_radius_ > 0) {
    const double distance = (camera_.eye - camera_.target).norm();
    const double height = camera_.parallel_height > 0 ? camera_.parallel_height
                                                      : 2 * distance * std::tan(camera_.vertical_fov / 2);
    near_radius_ = std::min(subject_.radius, kShadowMargin * height / 2 * std::hypot(1, aspect));
  }
  fill_ = all.motion_fill(camera_, aspect);
  // A camera that follows a body is judged by the view of the whole from the same direction.
  view::CameraOptions whole;
  whole.angles = view::angles_of(camera_, motion.up);
  veils_ = all.find_veils(followed_ ? all.camera(aspect, whole) : camera_, aspect);
}

view::Camera CameraMan::camera(const DrawnMotion& motion) const {
  view::Camera camera = camera_;
  if (!followed_) return camera;
  const math::Vec3 at = motion.position(*followed_);
  camera.eye += at, camera.target += at;
  return camera;
}

view::Subject CameraMan::subject(const DrawnMotion& motion) const {
  view::Subject subject = subject_;
  if (near_radius_ > 0) subject.center = camera(motion).target, subject.radius = near_radius_;
  return subject;
}

}  // namespace tumble::app
