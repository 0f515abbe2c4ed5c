#include "tumble/view/camera.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/tolerance.h"
#include "tumble/geometry/tessellate.h"

using namespace tumble;
using math::Quat;
using math::Vec3;
using view::Camera;
using view::DrawItem;

namespace {

DrawItem box(const Vec3& size, const Vec3& at, bool fixed = false) {
  return {.mesh = std::make_shared<const geometry::TriangleMesh>(geometry::tessellate_box(size)),
          .X_WS = {Quat::from_axis_angle(Vec3(1, 2, 3), 0.7), at},
          .color = {1, 1, 1},
          .fixed = fixed};
}

// The largest |x| and |y| of all vertices in a picture from -1 to 1; infinite behind the eye.
double fill(const Camera& camera, const std::vector<DrawItem>& items, double aspect) {
  const Vec3 forward = (camera.target - camera.eye).normalized();
  const Vec3 right = forward.cross(camera.up).normalized(), up = right.cross(forward);
  const double t = std::tan(camera.vertical_fov / 2);
  double largest = 0;
  for (const DrawItem& item : items)
    for (const Vec3& v : item.mesh->vertices) {
      const Vec3 p = item.X_WS * v - camera.eye;
      if (p.dot(forward) <= 0) return INFINITY;
      largest = std::max({largest, std::abs(p.dot(right) / (p.dot(forward) * t * aspect)),
                          std::abs(p.dot(up) / (p.dot(forward) * t))});
    }
  return largest;
}

}  // namespace

TEST_CASE("the automatic camera shows every moving body, with a small margin") {
  const std::vector<std::vector<DrawItem>> scenes = {
      {box(Vec3(1, 1, 1), Vec3::Zero())},
      {box(Vec3(5, 0.1, 0.1), Vec3(1e3, 0, 0))},
      {box(Vec3(1, 1, 1), Vec3(-30, 2, 4)), box(Vec3(1, 2, 1), Vec3(25, -8, 3)),
       box(Vec3(2, 1, 1), Vec3(0, 0, -60))},
      {box(Vec3(1e-3, 1e-3, 2e-3), Vec3(0, 1e-3, 0)), box(Vec3(1e-3, 1e-3, 1e-3), Vec3(0, 0.02, 0))}};
  for (const Vec3& up : {Vec3(0, 1, 0), Vec3(0, 0, 9.81), Vec3(-1, -1, 0.3), Vec3(0, -2, 0), Vec3(0, 0, 0)})
    for (const double aspect : {16.0 / 9, 1.0, 0.5})
      for (const auto& scene : scenes) {
        const double part = fill(view::automatic_camera(scene, up, aspect), scene, aspect);
        CHECK(part < 0.9);
        CHECK(part > 0.5);
      }
}

TEST_CASE("planes and huge fixed bodies do not increase the distance of the camera, near fixed bodies do") {
  const std::vector<DrawItem> alone = {box(Vec3(1, 1, 1), Vec3(0, 1, 0))};
  const Camera close = view::automatic_camera(alone, Vec3(0, 1, 0), 1.5);
  std::vector<DrawItem> with_floor = alone;
  with_floor.push_back(box(Vec3(200, 1, 200), Vec3(0, -1, 0), true));
  DrawItem plane = box(Vec3(1000, 1, 1000), Vec3::Zero(), true);
  plane.ground = true;
  with_floor.push_back(plane);
  // From the same direction: the camera would avoid the huge bodies, which hide the cube.
  view::CameraOptions options;
  options.angles = view::angles_of(close, Vec3(0, 1, 0));
  const Camera same = view::automatic_camera(with_floor, Vec3(0, 1, 0), 1.5, options);
  CHECK((same.eye - close.eye).norm() <= support::round_off(64) * close.eye.norm());
  CHECK((same.target - close.target).norm() <= support::round_off(64) * close.eye.norm());
  CHECK(view::find_subject(with_floor, Vec3(0, 1, 0)).has_floor);
  CHECK_FALSE(view::find_subject(alone, Vec3(0, 1, 0)).has_floor);

  std::vector<DrawItem> with_post = alone;
  with_post.push_back(box(Vec3(0.2, 0.2, 0.2), Vec3(0, 2, 0), true));
  CHECK(fill(view::automatic_camera(with_post, Vec3(0, 1, 0), 1.5), with_post, 1.5) < 0.9);
}

TEST_CASE("the camera is upright and above its target, for any up direction") {
  for (const Vec3& up : {Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(-1, 0, 0), Vec3(0, -1, 0)}) {
    const Camera camera = view::automatic_camera(std::vector{box(Vec3(1, 1, 1), Vec3(3, 4, 5))}, up, 1.5);
    CHECK((camera.eye - camera.target).normalized().dot(up) > 0.2);
    CHECK(camera.up.dot(up) == doctest::Approx(1).epsilon(support::round_off(16)));
  }
  const Camera nothing = view::automatic_camera({}, Vec3(0, 1, 0), 1.5);
  CHECK(nothing.eye.allFinite());
  CHECK((nothing.eye - nothing.target).norm() > 0);
}

TEST_CASE("the subject has the lowest point along the up direction") {
  DrawItem item = box(Vec3(1, 2, 3), Vec3(0, 5, 0));
  item.X_WS.rotation = Quat();
  CHECK(view::find_subject(std::vector{item}, Vec3(0, 1, 0)).lowest ==
        doctest::Approx(4).epsilon(support::round_off(16)));
  CHECK(view::find_subject(std::vector{item}, Vec3(0, 0, 2)).lowest ==
        doctest::Approx(-1.5).epsilon(support::round_off(16)));
}
