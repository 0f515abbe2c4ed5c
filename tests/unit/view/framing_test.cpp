#include "tumble/view/framing.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/tolerance.h"
#include "tumble/geometry/tessellate.h"
#include "tumble/math/elementary.h"

using namespace tumble;
using math::Quat;
using math::Vec3;
using view::Camera;
using view::DrawItem;

namespace {

DrawItem block(const Vec3& size, const Vec3& at, bool fixed = false) {
  return {.mesh = std::make_shared<const geometry::TriangleMesh>(geometry::tessellate_box(size)),
          .X_WS = {Quat(), at},
          .color = {1, 1, 1},
          .fixed = fixed};
}

const Vec3 kUp(0, 1, 0);
constexpr double kAspect = 16.0 / 9;

// A cube that goes along a line in 21 frames, and fixed items.
view::Framing moving_cube(const Vec3& from, const Vec3& to, const std::vector<DrawItem>& fixed) {
  view::Framing framing(kUp);
  for (int k = 0; k <= 20; ++k) {
    std::vector<DrawItem> items = fixed;
    items.push_back(block(Vec3(1, 1, 1), from + (to - from) * k / 20));
    framing.add_frame(items);
  }
  return framing;
}

Vec3 backwards(const Camera& camera) { return (camera.eye - camera.target).normalized(); }

}  // namespace

TEST_CASE("the motion fills at least a third of the height beside fixed bodies of any size") {
  for (const double size : {0.1, 1.0, 3.0, 10.0, 100.0}) {
    const std::vector<DrawItem> fixed = {block(Vec3(size, 0.2, size), Vec3(0, -1, 0), true),
                                         block(Vec3(0.1, size, 0.1), Vec3(2, 0, -2), true)};
    for (const Vec3& to : {Vec3(0, 3, 0), Vec3(4, 0, 0), Vec3(0, 0, 6)}) {
      const view::Framing framing = moving_cube(Vec3::Zero(), to, fixed);
      const Camera camera = framing.camera(kAspect);
      CHECK(framing.motion_fill(camera, kAspect) > 1.0 / 3);
      CHECK(framing.motion_fill(camera, kAspect) < 0.9);
    }
  }
}

TEST_CASE("a body that flies away does not shrink the others, a group that does is followed") {
  const auto heap = [](double away, size_t flying) {
    view::Framing framing(kUp);
    for (int k = 0; k <= 10; ++k) {
      std::vector<DrawItem> items;
      for (size_t i = 0; i < 20; ++i) {
        const Vec3 at(static_cast<double>(i % 4), static_cast<double>(i / 4), 0);
        items.push_back(block(Vec3(1, 1, 1), at + (i < flying ? Vec3(away * k, 0, 0) : Vec3(0, 0, 0))));
      }
      framing.add_frame(items);
    }
    return (framing.camera(kAspect).eye - framing.camera(kAspect).target).norm();
  };
  const double together = heap(0, 0);
  CHECK(heap(1000, 1) < 8 * together);  // it is followed for the first metres
  CHECK(heap(1000, 20) > 50 * together);
  // A moderate distance is shown.
  CHECK(heap(1, 1) > 1.1 * together);
}

TEST_CASE("the camera looks from where the angles say, for any up") {
  const double right = math::kPi / 2;
  struct Case {
    view::ViewAngles angles;
    Vec3 from;  // where Y is up
  };
  for (const auto& [angles, from] :
       {Case{{0, 0}, Vec3(0, 0, 1)}, Case{{right, 0}, Vec3(1, 0, 0)}, Case{{2 * right, 0}, Vec3(0, 0, -1)},
        Case{{0, right}, Vec3(0, 1, 0)}, Case{{0, -right}, Vec3(0, -1, 0)}}) {
    for (const bool parallel : {false, true}) {
      view::CameraOptions options;
      options.angles = angles;
      options.parallel = parallel;
      const std::vector<DrawItem> items = {block(Vec3(1, 2, 3), Vec3(4, 5, 6))};
      const Camera camera = view::automatic_camera(items, kUp, kAspect, options);
      CHECK((backwards(camera) - from).norm() <= support::round_off(64));
      const Camera turned = view::automatic_camera(items, Vec3(0, 0, 1), kAspect, options);
      CHECK((backwards(turned) - Vec3(from.x(), -from.z(), from.y())).norm() <= support::round_off(64));
      const view::ViewAngles back = view::angles_of(camera, kUp);
      CHECK(back.elevation == doctest::Approx(angles.elevation).epsilon(support::round_off(64)));
    }
  }
}

TEST_CASE("from above, up in the picture is away from the front") {
  view::CameraOptions options;
  options.angles = view::ViewAngles{0, math::kPi / 2};
  const Camera camera =
      view::automatic_camera(std::vector{block(Vec3(1, 1, 1), Vec3::Zero())}, kUp, 1, options);
  CHECK(camera.up.normalized().dot(Vec3(0, 0, -1)) > 0.99);
}

TEST_CASE("what is looked at is in the middle, and everything is shown") {
  const view::Framing framing = moving_cube(Vec3(0, 0, 0), Vec3(5, 3, 0), {});
  for (const bool parallel : {false, true}) {
    view::CameraOptions options;
    options.look_at = Vec3(1, 0, 0);
    options.parallel = parallel;
    const Camera camera = framing.camera(kAspect, options);
    CHECK((camera.target - Vec3(1, 0, 0)).norm() == 0);
    CHECK(framing.motion_fill(camera, kAspect) < 0.95);
    options.zoom = 2;
    const Camera near = framing.camera(kAspect, options);
    if (parallel)
      CHECK(near.parallel_height == doctest::Approx(camera.parallel_height / 2));
    else
      CHECK((near.eye - near.target).norm() == doctest::Approx((camera.eye - camera.target).norm() / 2));
  }
}

TEST_CASE("the camera looks into a vessel from above, and a wall that hides the action is a veil") {
  const std::vector<DrawItem> vessel = {
      block(Vec3(4, 0.1, 4), Vec3(0, 0, 0), true), block(Vec3(4, 1.5, 0.1), Vec3(0, 0.75, 2), true),
      block(Vec3(4, 1.5, 0.1), Vec3(0, 0.75, -2), true), block(Vec3(0.1, 1.5, 4), Vec3(2, 0.75, 0), true),
      block(Vec3(0.1, 1.5, 4), Vec3(-2, 0.75, 0), true)};
  const view::Framing framing = moving_cube(Vec3(-1, 0.6, 0), Vec3(1, 0.6, 0), vessel);
  const Camera camera = framing.camera(kAspect);
  CHECK(view::angles_of(camera, kUp).elevation > 0.5);
  view::CameraOptions options;
  options.angles = view::ViewAngles{0, 0.1};
  const Camera level = framing.camera(kAspect, options);
  CHECK(framing.find_veils(level, kAspect) == std::vector<size_t>{1});  // the front wall
  options.angles = view::ViewAngles{0, 1.4};
  CHECK(framing.find_veils(framing.camera(kAspect, options), kAspect).empty());
}
