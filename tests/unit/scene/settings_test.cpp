// Settings: attributes that are replaced before a scene is read.
#include <doctest/doctest.h>

#include "tumble/model/force_laws.h"
#include "tumble/scene/scene.h"

using namespace tumble;

namespace {
namespace settings_test {

const char* const kMain = R"(<scene name="yard">
  <include file="part.xml"/>
  <contact a="wood" b="ice" friction="0.2"/>
  <body name="car" velocity="1 2 3" quaternion="1 0 0 0">
    <box size="1 1 1"/>
    <box size="2 2 2" at="5 0 0"/>
  </body>
  <body position="9 0 0"><sphere radius="1" material="ice"/></body>
  <force body="car" value="1 2 3"/>
</scene>)";
const char* const kPart =
    R"(<scene><simulation fps="7"/><material name="wood"/><material name="ice"/></scene>)";

const std::vector<scene::SceneFile>& files() {
  static const std::vector<scene::SceneFile> list = {{"main.xml", kMain}, {"part.xml", kPart}};
  return list;
}

core::Expected<scene::Scene> load(const std::vector<std::string>& settings) {
  return scene::load_scene("main.xml", scene::BundleFiles(files()), {.settings = settings});
}

std::string answer_to(const std::string& setting) {
  const core::Expected<scene::Scene> loaded = load({setting});
  REQUIRE_MESSAGE(!loaded, setting);
  for (const core::Diagnostic& fault : loaded.diagnostics()) CHECK(scene::is_setting(fault.place));
  return to_string(loaded.diagnostics().front());
}

}  // namespace settings_test
}  // namespace

TEST_CASE(
    "settings replace and add attributes, also of included files, children and elements without a name") {
  const core::Expected<scene::Scene> scene = settings_test::load(
      {"car.velocity.y=20cm/s", "car.box[2].size.2=7", "car.quaternion.w=0", "car.quaternion.x=1",
       "ice.density=5", "ice,wood.friction=0.9", "body2.velocity=1 0 0", "force1.value.0=-3",
       "world.gravity.z=4", "scene.name=court", "simulation.duration=1min", "simulation.duration=2min"});
  REQUIRE_MESSAGE(scene, to_string(scene.diagnostics().front()));
  const model::Model& model = scene->model;
  const model::Body& car = model.bodies()[0];
  CHECK(car.velocity == model::Vec3(1, 0.2, 3));
  CHECK(std::get<collision::Box>(car.shapes[1].shape).size == model::Vec3(2, 2, 7));
  CHECK(car.X_WB.rotation.x() == 1);
  CHECK(model.materials()[2].density == 5);
  CHECK(model.material_pairs()[0].friction == 0.9);
  CHECK(model.bodies()[1].velocity == model::Vec3(1, 0, 0));
  CHECK(dynamic_cast<const model::AppliedForce&>(*model.forces()[0]).value() == model::Vec3(-3, 2, 3));
  CHECK(model.gravity() == model::Vec3(0, -9.81, 4));
  CHECK(model.name() == "court");
  CHECK(model.run_options().duration == 120);
  CHECK(model.run_options().fps == 60);  // <simulation> of an included file is ignored

  const core::Expected<scene::Scene> again = scene::load_scene(
      scene->files[0].path, scene::BundleFiles(scene->files), {.settings = scene->settings});
  REQUIRE(again);
  CHECK(again->model.bodies()[0].velocity == car.velocity);
  CHECK(scene->files.size() == 2);
  CHECK(scene->files[0].bytes == settings_test::kMain);  // the files themselves are unchanged
}

TEST_CASE("an impossible setting is reported at its address") {
  using settings_test::answer_to;
  CHECK(answer_to("cat.velocity=1") ==
        "--set cat.velocity: nothing is called \"cat\"; did you mean \"car\"?");
  CHECK(answer_to("car.velocity.x=1kg") ==
        "--set car.velocity.x: velocity=\"1kg 2 3\": \"kg\" is not a unit of velocity; expected one of m/s, "
        "km/h, cm/s, mm/s");
  CHECK(answer_to("car.quaternion.v=1") ==
        "--set car.quaternion.v: quaternion has 4 numbers: .0 to .3, or .w, .x, .y and .z, not \".v\"");
  CHECK(answer_to("car.box[3].size=1") ==
        "--set car.box[3].size: body \"car\" has 2 <box>, counted from 1; there is no \"box[3]\"");
  CHECK(answer_to("car.rotate.3=1") ==
        "--set car.rotate.3: body \"car\" has no rotate, so its \".3\" cannot be changed; give all of it: "
        "an axis (3 pure numbers) and an angle (rad, deg, rev, turn)");
  CHECK(answer_to("body2.sphere.material=iron") ==
        "--set body2.sphere.material: material=\"iron\": there is no material \"iron\"; known: \"ice\", "
        "\"wood\"");
}

TEST_CASE("settings of a scene that cannot be read completely report no missing names") {
  const char* const cut = "<scene><include file='nowhere.xml'/><body name='car'/></scene>";
  const scene::BundleFiles files(std::vector<scene::SceneFile>{{"main.xml", cut}});
  const auto faults =
      scene::load_scene("main.xml", files, {.settings = {"cat.velocity=1", "car.velocty=1"}}).diagnostics();
  size_t of_settings = 0;
  for (const core::Diagnostic& fault : faults) of_settings += scene::is_setting(fault.place);
  CHECK(of_settings == 1);
  CHECK_FALSE(scene::is_setting(faults.front().place));
}
