#include <doctest/doctest.h>

#include "support/tolerance.h"
#include "tumble/geometry/mass_properties.h"
#include "tumble/model/force_laws.h"
#include "tumble/scene/height_fields.h"
#include "tumble/scene/meshes.h"
#include "tumble/scene/scene.h"

using namespace tumble;
using math::Vec3;
using support::round_off;

namespace {

// The unit cube with one corner at the origin.
const char* const kCube =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    "f 4 3 2\nf 4 2 1\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 "
    "5 8\n";

core::Expected<scene::Scene> load(const std::string& elements, std::vector<scene::SceneFile> more = {}) {
  more.insert(more.begin(), {"main.xml", "<scene>" + elements + "</scene>"});
  return scene::load_scene("some/folder/main.xml", scene::BundleFiles(std::move(more)));
}

model::Model model_of(const std::string& elements) {
  core::Expected<scene::Scene> loaded = load(elements, {{"cube.obj", kCube}});
  for (const core::Diagnostic& diagnostic : loaded.diagnostics()) INFO(to_string(diagnostic));
  REQUIRE_MESSAGE(loaded, (loaded.diagnostics().empty() ? "" : to_string(loaded.diagnostics().front())));
  return std::move(loaded).value().model;
}

std::string first_message(const core::Expected<scene::Scene>& loaded) {
  return loaded.diagnostics().empty() ? "" : to_string(loaded.diagnostics().front());
}

/// The wrenches of a force law on its two bodies, in the poses of the model.
model::Wrench wrench_on_a(const model::Model& model, const model::ForceLaw& law, double t = 0) {
  const auto motion = [&](model::BodyId id) {
    model::BodyMotion at;
    if (!id.valid()) return at;
    const model::Body& body = model.body(id);
    at.center = body.X_WB * body.center_B;
    at.rotation = body.X_WB.rotation.to_matrix();
    at.velocity = body.velocity;
    at.angular_velocity = body.angular_velocity;
    return at;
  };
  model::Wrench on_a, on_b;
  law.apply(t, motion(law.a()), motion(law.b()), on_a, on_b);
  return on_a;
}

}  // namespace

TEST_CASE("a scene can be given as text, and its faults have lines") {
  const core::Expected<scene::Scene> scene =
      scene::load_scene_text("<scene name='one'>\n<body name='ball'><sphere radius='1'/></body>\n</scene>");
  REQUIRE(scene);
  CHECK(scene->model.name() == "one");
  CHECK(scene->model.find_body("ball").has_value());
  REQUIRE(scene->files.size() == 1);
  CHECK(scene->files[0].path == "scene.xml");
  CHECK(first_message(scene::load_scene_text("<scene>\n<bdy/>\n</scene>")).starts_with("scene.xml:2:"));
}

TEST_CASE("a scene without <simulation>, <world> or materials has the model's defaults") {
  const model::Model model = model_of("<body><sphere radius='1'/></body>");
  const model::RunOptions defaults;
  CHECK(model.run_options().duration == defaults.duration);
  CHECK(model.gravity() == Vec3(0, -9.81, 0));
  CHECK(model.material(model.body(model::BodyId(0)).shapes[0].material).density == model::Material{}.density);
  CHECK(model.name() == "main");
}

TEST_CASE("the table and the model have the same defaults") {
  const model::Model model = model_of("<simulation/><world/><material name='m'/>");
  const model::RunOptions defaults, &options = model.run_options();
  CHECK(options.duration == defaults.duration);
  CHECK(options.fps == defaults.fps);
  CHECK(options.method == defaults.method);
  CHECK(options.accuracy == defaults.accuracy);
  CHECK(options.integrator == defaults.integrator);
  CHECK(options.orientation == defaults.orientation);
  CHECK(options.step == defaults.step);
  CHECK(options.settle == defaults.settle);
  CHECK(options.threads == defaults.threads);
  CHECK(options.verify == defaults.verify);
  CHECK(model.gravity() == model_of("").gravity());
  const model::Material& material = model.materials().back();
  const model::Material plain;
  CHECK(material.name == "m");
  CHECK(material.density == plain.density);
  CHECK(material.friction == plain.friction);
  CHECK(material.restitution == plain.restitution);
  CHECK(material.color == plain.color);
}

TEST_CASE("the program options of <simulation> are read, with the places of given attributes") {
  const auto scene_of = [](const std::string& attributes) {
    return load("\n<simulation " + attributes + "/>");
  };
  const auto plain = scene_of("");
  REQUIRE(plain);
  CHECK(plain->given.empty());
  for (const std::string& path : {plain->program.summary, plain->program.log, plain->program.checkpoint,
                                  plain->program.resume, plain->program.contacts, plain->program.reactions})
    CHECK(path == "");
  CHECK_FALSE((plain->program.estimate_error || plain->program.profile || plain->program.quiet ||
               plain->program.verbose));

  const auto full = scene_of(
      "summary='s' log='l' checkpoint='c' resume='r' contacts='k' reactions='f' estimate-error='true' "
      "profile='true' quiet='true' verbose='true'");
  REQUIRE(full);
  const scene::ProgramOptions& program = full->program;
  CHECK(program.summary + program.log + program.checkpoint + program.resume + program.contacts +
            program.reactions ==
        "slcrkf");
  CHECK((program.estimate_error && program.profile && program.quiet && program.verbose));
  CHECK(full->given.size() == 10);
  CHECK(full->given.at("summary").line == 2);
  CHECK(full->given.at("summary").column == 13);
}

TEST_CASE("<simulation>, <world> and <material> are read") {
  const model::Model model = model_of(
      "<simulation duration='2min' fps='59.94' method='precise' accuracy='1e-9' integrator='cash-karp' "
      "orientation='quergs' step='2ms' settle='true' threads='3' verify='steps'/><world gravity='1 2 3'/>"
      "<material name='a' density='2g/cm3' friction='0.4' restitution='0.3' color='#0080fF'/>"
      "<material name='b' friction='0.9' restitution='0.1'/>"
      "<contact a='a' b='b'/><contact a='b' b='b' friction='0.7' restitution='0.6'/>");
  const model::RunOptions& options = model.run_options();
  CHECK(options.duration == 120);
  CHECK(options.fps == 59.94);
  CHECK(options.method == "precise");
  CHECK(options.accuracy == 1e-9);
  CHECK(options.integrator == "cash-karp");
  CHECK(options.orientation == "quergs");
  CHECK(options.step == 2 * 0.001);
  CHECK(options.settle);
  CHECK(options.threads == 3);
  CHECK(options.verify == "steps");
  CHECK(model.gravity() == Vec3(1, 2, 3));
  const model::Material& a = model.materials()[1];
  CHECK(a.density == 2000);
  CHECK(a.color == std::array<double, 3>{0, 128 / 255.0, 1});
  REQUIRE(model.material_pairs().size() == 2);
  CHECK(!model.material_pairs()[0].friction);  // the pair is combined from both materials
  CHECK(!model.material_pairs()[0].restitution);
  CHECK(model.material_pairs()[1].friction == 0.7);
  CHECK(model.material_pairs()[1].restitution == 0.6);
}

TEST_CASE("a body has the pose and the velocity of its attributes") {
  const model::Model model = model_of(
      "<body name='a' position='1 2 3' rotate='0 0 4 90deg' velocity='1 0 0' angular-velocity='0 60rpm 0' "
      "group='g'>"
      "<box size='1 2 3' at='0 0 1'/></body>"
      "<body name='b' quaternion='0.7071 0 0 0.7071' fixed='true'/>");
  const model::Body& a = model.body(*model.find_body("a"));
  CHECK(a.X_WB.translation == Vec3(1, 2, 3));
  CHECK((a.X_WB.rotation * Vec3(1, 0, 0) - Vec3(0, 1, 0)).norm() <= round_off(4));
  CHECK(a.velocity == Vec3(1, 0, 0));
  CHECK(std::abs(a.angular_velocity.y() - 2 * math::kPi) <= round_off(8));
  CHECK(a.group == "g");
  CHECK(a.mass == doctest::Approx(6000).epsilon(round_off(16)));
  CHECK((a.center_B - Vec3(0, 0, 1)).norm() <= round_off(4));
  const model::Body& b = model.body(*model.find_body("b"));
  CHECK(b.is_fixed());
  CHECK(std::abs(b.X_WB.rotation.norm() - 1) <= round_off(2));
  CHECK(std::abs(b.X_WB.rotation.w() - std::sqrt(0.5)) <= round_off(4));
}

TEST_CASE("each shape element gives its shape and its pose in the body") {
  const model::Model model = model_of(
      "<mesh name='cube' file='cube.obj'/>"
      "<body fixed='true'><sphere radius='1'/><box size='1 2 3'/><capsule radius='1' length='2'/>"
      "<cylinder radius='3' length='4'/><cone radius='5' length='6'/><plane normal='0 5 0' at='0 -1 0'/>"
      "<shape mesh='cube' collide='false' rotate='0 1 0 180deg'/></body>");
  const auto& shapes = model.body(model::BodyId(0)).shapes;
  REQUIRE(shapes.size() == 7);
  CHECK(std::get<collision::Sphere>(shapes[0].shape).radius == 1);
  CHECK(std::get<collision::Box>(shapes[1].shape).size == Vec3(1, 2, 3));
  CHECK(std::get<collision::Capsule>(shapes[2].shape).length == 2);
  CHECK(std::get<collision::Cylinder>(shapes[3].shape).radius == 3);
  CHECK(std::get<collision::Cylinder>(shapes[3].shape).length == 4);
  CHECK(std::get<collision::Cone>(shapes[4].shape).radius == 5);
  CHECK(std::get<collision::Cone>(shapes[4].shape).length == 6);
  CHECK(std::get<collision::Plane>(shapes[5].shape).normal == Vec3(0, 1, 0));
  CHECK(shapes[5].X_BS.translation == Vec3(0, -1, 0));
  CHECK(std::get<collision::Mesh>(shapes[6].shape).triangles->triangles.size() == 12);
  CHECK(!shapes[6].collide);
  CHECK((shapes[6].X_BS.rotation * Vec3(1, 0, 0) - Vec3(-1, 0, 0)).norm() <= round_off(4));
}

TEST_CASE("shapes with the same mesh share one hull of its vertices") {
  const model::Model model = model_of(
      "<mesh name='cube' file='cube.obj' scale='2'/><material name='ice' density='917'/>"
      "<body name='a'><hull mesh='cube' material='ice'/></body><body name='b'><hull mesh='cube'/></body>");
  const auto& a = model.body(model::BodyId(0));
  const auto hull = std::get<collision::Hull>(a.shapes[0].shape).triangles;
  CHECK(hull->vertices.size() == 8);
  CHECK(std::get<collision::Hull>(model.body(model::BodyId(1)).shapes[0].shape).triangles == hull);
  CHECK(a.mass == doctest::Approx(8 * 917).epsilon(round_off(16)));
}

TEST_CASE("rows and columns place the points of a height field, and scale changes only heights") {
  const model::Model model = model_of(
      "<body fixed='true'><height-field size='4 6' columns='3' scale='2' heights='0 1 2  3 4 5  6 7 8  9 10 "
      "1100cm'/></body>");
  const auto& shape = model.body(model::BodyId(0)).shapes[0].shape;
  const geometry::TriangleMesh& sheet = *std::get<collision::HeightField>(shape).triangles;
  REQUIRE(sheet.vertices.size() == 12);
  CHECK(sheet.triangles.size() == 12);  // two for each of 3 by 2 cells
  CHECK(sheet.vertices[0] == Vec3(-2, 0, -3));
  CHECK(sheet.vertices[1] == Vec3(0, 2, -3));
  CHECK(sheet.vertices[5] == Vec3(2, 10, -1));
  CHECK(sheet.vertices[11] == Vec3(2, 22, 3));
  for (const geometry::Triangle& t : sheet.triangles) {  // all face up
    const Vec3 &p = sheet.vertices[t[0]], &q = sheet.vertices[t[1]], &r = sheet.vertices[t[2]];
    CHECK((q - p).cross(r - p).y() > 0);
  }
  CHECK(model.body(model::BodyId(0)).mass == 0);
}

TEST_CASE("heights are read from text with units, comments, empty lines and any line ends") {
  core::Diagnostics diagnostics;
  const auto grid = scene::detail::parse_heights(
      "\xef\xbb\xbf# a comment\r\n 0 1.5\t-2e-1m # another\r\n\r\n10cm 0 1\r2 3 4", "t.txt", diagnostics);
  REQUIRE(grid);
  CHECK(diagnostics.empty());
  CHECK(grid->columns == 3);
  CHECK(grid->heights == std::vector<double>{0, 1.5, -0.2, 0.1, 0, 1, 2, 3, 4});
  CHECK(!scene::detail::parse_heights("", "t.txt", diagnostics));
  CHECK(!scene::detail::parse_heights("1\n2\n", "t.txt", diagnostics));
  CHECK(diagnostics.size() == 2);
  // The number of messages about one file is limited.
  std::string wrong;
  for (int i = 0; i < 1000; ++i) wrong += "x\n";
  diagnostics.clear();
  CHECK(!scene::detail::parse_heights(wrong, "t.txt", diagnostics));
  CHECK(diagnostics.size() == 20);
}

TEST_CASE("<inertia> overrides the inertia of the shapes") {
  const model::Model model = model_of(
      "<body><sphere radius='1'/><inertia mass='2' center='1 0 0' moments='2 3 4' products='0.1 0.2 "
      "0.3'/></body>");
  const model::Body& body = model.body(model::BodyId(0));
  CHECK(body.mass == 2);
  CHECK(body.center_B == Vec3(1, 0, 0));
  CHECK(body.inertia_B(0, 0) == 2);
  CHECK(body.inertia_B(0, 1) == 0.1);
  CHECK(body.inertia_B(0, 2) == 0.2);
  CHECK(body.inertia_B(1, 2) == 0.3);
}

TEST_CASE("normals of a mirrored or scaled mesh still point outwards") {
  for (const Vec3& scale : {Vec3(-2, 3, 4), Vec3(-2, -3, 4), Vec3(-2, -3, -4), Vec3(2, 3, 4)}) {
    std::ostringstream text;
    text << scale.x() << ' ' << scale.y() << ' ' << scale.z();
    const model::Model model =
        model_of("<mesh name='c' file='cube.obj' scale='" + text.str() + "'/><body><shape mesh='c'/></body>");
    const model::Body& body = model.body(model::BodyId(0));
    CHECK(body.mass == doctest::Approx(24000).epsilon(round_off(240)));
    CHECK((body.center_B - 0.5 * scale).norm() <= round_off(16));
  }
  const model::Model model =
      model_of("<mesh name='c' file='cube.obj' scale='0.5'/><body><shape mesh='c'/></body>");
  CHECK(model.body(model::BodyId(0)).mass == doctest::Approx(125).epsilon(round_off(240)));
}

TEST_CASE("a spring with damping is two force laws, which act at the given world points") {
  const model::Model model = model_of(
      "<body name='a' position='1 0 0' rotate='0 0 1 90deg' velocity='0 2 0'><sphere radius='1'/></body>"
      "<spring a='a' at-a='1 1 0' at-b='1 5 0' length='1' stiffness='10' damping='3'/>"
      "<spring name='slack' b='a' at-a='9 0 0' stiffness='10'/>");
  REQUIRE(model.forces().size() == 3);
  CHECK(model.forces()[0]->name() == "spring1");
  CHECK(model.forces()[1]->name() == "spring1.damping");
  CHECK(model.forces()[2]->name() == "slack");
  CHECK((wrench_on_a(model, *model.forces()[0]).force - Vec3(0, 30, 0)).norm() <=
        round_off(64, 30));  // 10 (4 - 1)
  CHECK((wrench_on_a(model, *model.forces()[1]).force - Vec3(0, -6, 0)).norm() <= round_off(64, 6));
  CHECK(wrench_on_a(model, *model.forces()[2]).force.norm() <=
        round_off(64, 80));  // the default length is the distance at the start
}

TEST_CASE("a force acts at its point, from `from` to `to`, in the axes of `frame`") {
  const model::Model model = model_of(
      "<body name='a' position='1 0 0' rotate='0 0 1 90deg'><sphere radius='1'/></body>"
      "<force body='a' value='1 0 0' at='1 2 0' from='1' to='2'/><force body='a' value='1 0 0' frame='body'/>"
      "<torque name='t' body='a' value='0 0 7Nm'/>");
  const auto& forces = model.forces();
  CHECK(forces[0]->name() == "force1");
  CHECK(forces[1]->name() == "force2");
  CHECK(wrench_on_a(model, *forces[0], 0.5).force.norm() == 0);
  CHECK(wrench_on_a(model, *forces[0], 1).force == Vec3(1, 0, 0));
  CHECK((wrench_on_a(model, *forces[0], 1).torque - Vec3(0, 0, -2)).norm() <= round_off(16));
  CHECK(wrench_on_a(model, *forces[0], 2).force.norm() == 0);
  CHECK((wrench_on_a(model, *forces[1], 1e9).force - Vec3(0, 1, 0)).norm() <= round_off(4));
  CHECK(wrench_on_a(model, *forces[1]).torque.norm() == 0);
  CHECK(wrench_on_a(model, *forces[2]).torque == Vec3(0, 0, 7));
}

TEST_CASE("attraction and drag have the given constants") {
  const model::Model model = model_of(
      "<body name='a' velocity='3 0 0'><sphere radius='1'/></body><body name='b' position='0 2 0'><sphere "
      "radius='1'/></body>"
      "<attraction a='a' b='b' constant='8N*m2'/><drag body='a' linear='2' quadratic='10' wind='1 0 0'/>");
  CHECK((wrench_on_a(model, *model.forces()[0]).force - Vec3(0, 2, 0)).norm() <= round_off(8));
  CHECK(wrench_on_a(model, *model.forces()[1]).force == Vec3(-(2 + 10 * 2.0) * 2, 0, 0));
}

TEST_CASE("ignored pairs come from bodies and from groups") {
  const model::Model model = model_of(
      "<body name='a' group='g'><sphere radius='1'/></body><body name='b' group='h'><sphere "
      "radius='1'/></body>"
      "<body name='c' group='h'><sphere radius='1'/></body><body name='d'><sphere radius='1'/></body>"
      "<ignore a='d' b='a'/><ignore groups='g  h'/>");
  const auto& pairs = model.ignored_pairs();
  using model::BodyId;
  REQUIRE(pairs.size() == 3);
  CHECK(pairs[0] == std::pair(BodyId(0), BodyId(1)));
  CHECK(pairs[1] == std::pair(BodyId(0), BodyId(2)));
  CHECK(pairs[2] == std::pair(BodyId(0), BodyId(3)));
}

TEST_CASE("default names number the elements of a kind and skip names in use") {
  const model::Model model = model_of(
      "<body name='body2'><sphere radius='1'/></body><body><sphere radius='1'/></body><body><sphere "
      "radius='1'/></body>");
  CHECK(model.bodies()[1].name == "body3");
  CHECK(model.bodies()[2].name == "body4");
}

TEST_CASE("an include adds elements, but not name, <simulation> or <world>; a second include adds nothing") {
  const auto loaded = load(
      "<body name='first'><sphere radius='1'/></body><include file='parts/a.xml'/><include "
      "file='parts/../parts/a.xml'/>"
      "<body name='last'><sphere radius='1'/></body>",
      {{"parts/a.xml",
        "<scene name='x'><simulation duration='99'/><world gravity='0 0 0'/><mesh name='c' "
        "file='../cube.obj'/>"
        "<body name='middle' position='5 0 0'><shape mesh='c'/></body></scene>"},
       {"cube.obj", kCube}});
  REQUIRE_MESSAGE(loaded, first_message(loaded));
  const model::Model& model = loaded->model;
  CHECK(model.name() == "main");
  CHECK(model.run_options().duration == 5);
  CHECK(model.gravity() == Vec3(0, -9.81, 0));
  REQUIRE(model.bodies().size() == 3);
  CHECK(model.bodies()[1].name == "middle");
  REQUIRE(loaded->files.size() == 3);
  CHECK(loaded->files[0].path == "main.xml");
  CHECK(loaded->files[1].path == "parts/a.xml");
  CHECK(loaded->files[2].path == "cube.obj");
}

TEST_CASE("the files of a loaded scene, loaded as a bundle, give the same model") {
  const std::string path = std::string(TUMBLE_SOURCE_DIR) + "/tests/input/good/everything.xml";
  const auto from_disk = scene::load_scene(path);
  REQUIRE_MESSAGE(from_disk, first_message(from_disk));
  CHECK(from_disk->files.size() == 3);
  CHECK(from_disk->files[0].path == "everything.xml");
  const auto again = scene::load_scene(from_disk->files[0].path, scene::BundleFiles(from_disk->files));
  REQUIRE_MESSAGE(again, first_message(again));
  REQUIRE(again->files.size() == from_disk->files.size());
  for (size_t i = 0; i < again->files.size(); ++i) {
    CHECK(again->files[i].path == from_disk->files[i].path);
    CHECK(again->files[i].bytes == from_disk->files[i].bytes);
  }
  CHECK(again->model.name() == "everything");
  REQUIRE(again->model.bodies().size() == from_disk->model.bodies().size());
  for (size_t i = 0; i < again->model.bodies().size(); ++i) {
    CHECK(again->model.bodies()[i].mass == from_disk->model.bodies()[i].mass);
    CHECK(again->model.bodies()[i].inertia_B == from_disk->model.bodies()[i].inertia_B);
  }
}

TEST_CASE("messages show the main file as typed and other files joined to its folder") {
  CHECK(first_message(load("<wrold/>")).starts_with("some/folder/main.xml:1:8: "));
  const auto loaded = load("<include file='parts/a.xml'/>", {{"parts/a.xml", "<scene><wrold/></scene>"}});
  CHECK(first_message(loaded).starts_with("some/folder/parts/a.xml:1:8: "));
  const auto missing = load("<mesh name='a' file='/elsewhere/a.obj'/>");
  CHECK(first_message(missing) ==
        "some/folder/main.xml:1:23: the mesh file \"/elsewhere/a.obj\" is not among the stored files of this "
        "scene");
}

TEST_CASE("a fault in one element neither hides faults of others nor causes false ones") {
  const auto loaded = load(
      "\n<material name='m' density='-1'/>\n<body name='a'><sphere radius='1' material='m'/></body>\n"
      "<force body='a' value='0 0 0' from='2' to='1'/>\n<drag body='a'/>\n<body name='b'/>");
  // The body with a faulty material is not built, so its forces are not checked. Body b is.
  REQUIRE(loaded.diagnostics().size() == 2);
  CHECK(loaded.diagnostics()[0].place.line == 2);
  CHECK(loaded.diagnostics()[1].place.line == 6);
}

TEST_CASE("names in parts that could not be read are not reported as missing") {
  CHECK(
      load("<bdy name='a'><sphere radius='1'/></bdy><force body='a' value='0 0 0'/>").diagnostics().size() ==
      1);
  CHECK(load("<include file='gone.xml'/><force body='a' value='0 0 0'/>").diagnostics().size() == 1);
  CHECK(
      load("<force body='a' value='0 0 0'/><body name='a'><sphere radius='1'/></bdy>").diagnostics().size() ==
      1);
}

TEST_CASE("messages about long and hostile input are short") {
  const std::string long_text(100000, 'x');
  for (const std::string& elements :
       {"<world gravity='" + long_text + "'/>", "<" + long_text + "/>", "<world " + long_text + "='1'/>",
        "<body name='" + long_text + "'/>", "<world>" + long_text + "</world>", "<" + long_text + ">"}) {
    const auto loaded = load(elements);
    REQUIRE(!loaded);
    for (const core::Diagnostic& diagnostic : loaded.diagnostics()) {
      CHECK(to_string(diagnostic).size() < 500);
      CHECK(to_string(diagnostic).find('\n') == std::string::npos);
    }
  }
  std::string numbers;
  for (int i = 0; i < 200000; ++i) numbers += "1 ";
  CHECK(first_message(load("<world gravity='" + numbers + "'/>")).find("has 200000 numbers; expected 3") !=
        std::string::npos);
}

TEST_CASE("thousands of missing names are reported quickly: hints are searched only while they are cheap") {
  std::string elements;
  for (int i = 0; i < 3000; ++i)
    elements += "<body name='b" + std::to_string(i) + "'><sphere radius='1'/></body>";
  for (int i = 0; i < 3000; ++i) elements += "<force body='c" + std::to_string(i) + "' value='1 0 0'/>";
  const auto loaded = load(elements);
  REQUIRE(loaded.diagnostics().size() == 101);
  CHECK(loaded.diagnostics()[0].message == "body=\"c0\": there is no body \"c0\"");
  CHECK(loaded.diagnostics()[100].message == "and 2900 more faults; correct these first");
}

TEST_CASE("a device is not read: its bytes may never end") {
  const auto loaded = scene::load_scene("/dev/zero");
  CHECK(first_message(loaded) == "/dev/zero: is a device; expected a file");
}
