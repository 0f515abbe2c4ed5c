#include "tumble/view/picture.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/tolerance.h"
#include "tumble/model/model_builder.h"

using namespace tumble;
using math::Quat;
using math::Vec3;

namespace {

// Two thrown balls and a fixed plane.
model::Model make_model() {
  model::ModelBuilder builder("throw");
  const auto red = builder.add_material({.name = "red", .color = {0.9, 0.1, 0.1}});
  for (const double x : {0.0, 1.0}) {
    model::BodySpec spec;
    spec.name = x > 0 ? "b" : "a";
    spec.X_WB.translation = Vec3(x, 1, 0);
    spec.shapes.push_back({collision::Sphere{0.2}, {Quat(), Vec3(0, 0.1, 0)}, red, true, {}});
    builder.add_body(spec);
  }
  model::BodySpec floor;
  floor.name = "floor";
  floor.fixed = true;
  floor.shapes.push_back({collision::Plane{Vec3(0, 1, 0)}, {}, {}, true, {}});
  builder.add_body(floor);
  auto model = builder.finish();
  REQUIRE(model);
  return std::move(model).value();
}

std::vector<model::State> make_motion(const model::Model& model) {
  std::vector<model::State> motion;
  for (int k = 0; k <= 20; ++k) {
    model::State state = model::start_state(model);
    state.time = 0.05 * k;
    for (size_t b = 0; b < 2; ++b)
      state.set_position(model::BodyId(b), state.position(model::BodyId(b)) + Vec3(0.1 * k, 0, 0));
    motion.push_back(state);
  }
  return motion;
}

}  // namespace

TEST_CASE("the draw list has each shape at its pose, and equal shapes share a mesh") {
  const model::Model model = make_model();
  const auto items = view::build_draw_list(model, model::start_state(model));
  REQUIRE(items.size() == 3);
  CHECK(items[0].mesh == items[1].mesh);
  CHECK((items[1].X_WS.translation - Vec3(1, 1.1, 0)).norm() <= support::round_off(16));
  CHECK(items[0].color == view::Color{0.9, 0.1, 0.1});
  CHECK_FALSE(items[0].fixed);
  CHECK_FALSE(items[0].ground);
  CHECK(items[2].fixed);
  CHECK(items[2].ground);
}

TEST_CASE("poses follow the state and paths follow the centres of mass") {
  const model::Model model = make_model();
  const auto motion = make_motion(model);
  auto items = view::build_draw_list(model, motion.front());
  view::update_poses(model, motion.back(), items);
  CHECK((items[0].X_WS.translation - Vec3(2, 1.1, 0)).norm() <= support::round_off(16));
  const auto paths = view::build_paths(model, motion);
  REQUIRE(paths.size() == 2);  // none for the floor
  REQUIRE(paths[1].points.size() == 21);
  CHECK(paths[1].points.back() == motion.back().position(model::BodyId(1)));
}

TEST_CASE("the pictures of one motion have the same camera, and ghosts and paths are visible") {
  const model::Model model = make_model();
  const auto motion = make_motion(model);
  view::PictureOptions options;
  options.width = 160, options.height = 90;
  options.paths = false;
  const auto first = view::draw_picture(model, motion.front(), motion, options);
  const auto last = view::draw_picture(model, motion.back(), motion, options);
  CHECK(first.rgb != last.rgb);
  // The top row shows only background and far floor, which are equal if the cameras are.
  CHECK(std::equal(first.rgb.begin(), first.rgb.begin() + 160 * 3, last.rgb.begin()));
  options.ghosts = 3;
  CHECK(view::draw_picture(model, motion.back(), motion, options).rgb != last.rgb);
  options.ghosts = 0;
  options.paths = true;
  CHECK(view::draw_picture(model, motion.back(), motion, options).rgb != last.rgb);
  CHECK(view::draw_picture(model, motion.back(), {}, options).rgb.size() == last.rgb.size());
}
