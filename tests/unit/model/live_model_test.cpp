#include "tumble/model/live_model.h"

#include <doctest/doctest.h>

#include <bit>
#include <functional>
#include <random>

#include "support/simulate.h"
#include "tumble/model/joint_forces.h"
#include "tumble/model/limits.h"

using namespace tumble;
using namespace tumble::model;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

class Wind final : public ForceLaw {
 public:
  explicit Wind(BodyId body) : ForceLaw("wind", body) {}
  void apply(double, const BodyMotion&, const BodyMotion&, Wrench& on_a, Wrench&) const override {
    on_a.force.x() += 1;
  }
};

// A scene with one object of every kind that may change during a run.
struct LiveScene {
  Vec3 gravity = Vec3(0, -9.81, 0);
  Material ice{.name = "ice", .friction = 0.1, .restitution = 0.2};
  MaterialPair pair{.a = {}, .b = {}, .friction = 0.3, .restitution = 0.4, .stiffness = 1000, .damping = 5};
  double stiffness = 20, length = 0.5, damping = 2;
  Vec3 force = Vec3(1, 2, 3), torque = Vec3(0, 1, 0), wind = Vec3(1, 0, 0);
  double constant = 3, linear = 0.2, quadratic = 0.1;
  JointSpec knee{.name = "knee",
                 .type = JointType::hinge,
                 .at = {0, 0.5, 0},
                 .axis = {1, 0, 0.2},
                 .limits = Range{-1, 2},
                 .comfort = Range{-0.5, 1.2},
                 .restitution = 0.1,
                 .stiffness = 4,
                 .damping = 0.3,
                 .rest = 0.2,
                 .drives = {{.target = 0.3, .stiffness = 7, .damping = 0.5, .max_force = 9},
                            {.velocity = 1, .damping = 0.4}}};
  JointSpec hip{.name = "hip",
                .type = JointType::ball,
                .at = {0, 1.5, 0},
                .axis = {0, 1, 0},
                .axis2 = {1, 0, 0},
                .twist = Range{-0.5, 0.6},
                .swing = {0.5, 0.7},
                .limits_x = Range{-1.5, 1.4},
                .comfort = Range{-0.3, 0.3},
                .comfort_swing = 0.3,
                .stiffness = 3,
                .damping = 0.2,
                .rest_rotation = {0.1, 0.2, 0.3},
                .drives = {{.target_rotation = {0.2, 0, 0.1},
                            .angular_velocity = {0, 1, 0},
                            .stiffness = 5,
                            .damping = 0.6,
                            .max_force = 11},
                           {.target = 0.2, .stiffness = 2, .damping = 0.1, .axis = {1, 1, 0}}}};
  JointSpec rail{.name = "rail",
                 .type = JointType::cylindrical,
                 .at = {2, 0, 0},
                 .axis = {0, 0, 1},
                 .limits = Range{-1, 1},
                 .twist = Range{-0.4, 0.4}};
  JointSpec neck{.name = "neck",
                 .type = JointType::ball,
                 .at = {3, 0, 0},
                 .axis = {0, 1, 0},
                 .swing = {0.6},
                 .comfort_swing = 0.2};
  JointSpec rope{.name = "rope",
                 .type = JointType::distance,
                 .at_a = Vec3(4, 1, 0),
                 .at_b = Vec3(4, 0, 0),
                 .range = Range{0, 1.5}};
  std::shared_ptr<const ForceLaw> own = std::make_shared<Wind>(BodyId(0));

  Model build() const {
    ModelBuilder builder("live");
    builder.set_gravity(gravity);
    const MaterialId wood = builder.add_material({.name = "wood"}), cold = builder.add_material(ice);
    MaterialPair both = pair;
    both.a = wood, both.b = cold;
    builder.add_material_pair(both);
    builder.add_material_pair({.a = wood, .b = wood});
    BodySpec body;
    body.shapes.push_back({collision::Box{Vec3(0.2, 0.5, 0.1)}, {}, {}, true, {}});
    std::vector<BodyId> bodies;
    for (const char* name : {"thigh", "shin", "wagon", "head", "weight"}) {
      body.name = name;
      body.X_WB = {Quat::from_axis_angle(Vec3(1, 2, -1), 0.7),
                   Vec3(static_cast<double>(bodies.size()), 1, 0)};
      bodies.push_back(builder.add_body(body));
    }
    const auto add = [&](JointSpec spec, BodyId a, BodyId b) {
      spec.a = a, spec.b = b;
      builder.add_joint(spec);
    };
    add(knee, bodies[0], bodies[1]);
    add(hip, {}, bodies[0]);
    add(rail, {}, bodies[2]);
    add(neck, {}, bodies[3]);
    add(rope, {}, bodies[4]);
    const Vec3 arm(0.1, 0, 0.2);
    builder.add_force(std::make_shared<Spring>("coil", bodies[0], arm, bodies[1], arm, length, stiffness));
    builder.add_force(std::make_shared<Damper>("coil.damping", bodies[0], arm, bodies[1], arm, damping));
    builder.add_force(std::make_shared<Spring>("bare", bodies[0], arm, bodies[1], arm, 0.2, 3));
    builder.add_force(std::make_shared<AppliedForce>("blow", bodies[0], force, Frame::body, arm));
    builder.add_force(std::make_shared<AppliedTorque>("twirl", bodies[0], torque, Frame::world));
    builder.add_force(std::make_shared<InverseSquare>("pull", bodies[0], bodies[1], constant));
    builder.add_force(std::make_shared<Drag>("air", bodies[0], linear, quadratic, wind));
    builder.add_force(own);
    return support::finished(builder);
  }
};

// All outputs of the laws and limits of a model in some random poses, bit for bit.
std::vector<uint64_t> output_bits(const Model& model) {
  std::mt19937 numbers_at_random(5);
  std::normal_distribution<double> normal;
  std::vector<uint64_t> bits;
  const auto note = [&](double x) { bits.push_back(std::bit_cast<uint64_t>(x)); };
  const auto note_all = [&](const auto& v) {
    for (const double x : v) note(x);
  };
  const auto vector = [&](double size) {
    return Vec3(size * normal(numbers_at_random), size * normal(numbers_at_random),
                size * normal(numbers_at_random));
  };
  note_all(model.gravity());
  for (const Material& material : model.materials()) note(material.friction), note(material.restitution);
  for (const MaterialPair& pair : model.material_pairs())
    note(pair.friction.value_or(-1)), note(pair.restitution.value_or(-1)), note(pair.stiffness),
        note(pair.damping);
  for (int n = 0; n < 20; ++n) {
    std::vector<double> angles(model.counted_hinges().size(), 0.1 * n);
    std::vector<BodyMotion> motions;
    for (const Body& body : model.bodies())
      motions.push_back({body.X_WB * body.center_B + vector(0.1),
                         (body.X_WB.rotation * Quat::from_rotation_vector(vector(0.3))).to_matrix(),
                         vector(1), vector(1), angles.data()});
    BodyMotion world;
    world.hinge_angles = angles.data();
    const auto motion = [&](BodyId id) -> const BodyMotion& {
      return id.valid() ? motions[id.index()] : world;
    };
    for (const auto& law : model.forces()) {
      const BodyMotion &a = motion(law->a()), &b = motion(law->b());
      for (const bool unlimited : {false, true}) {
        Wrench on_a, on_b;
        Resistance resistance{};
        resistance.unlimited = unlimited;
        law->linearise(0.5, a, b, on_a, on_b, resistance);
        note_all(on_a.force), note_all(on_a.torque), note_all(on_b.force), note_all(on_b.torque);
        for (int i = 0; i < resistance.rows; ++i) note(resistance.stiffness[i]), note(resistance.damping[i]);
        if (resistance.turns) note_all(resistance.turning_stiffness), note(resistance.turning_damping);
      }
      note(law->potential(0.5, a, b).value_or(-1));
      note(law->largest_effort());
    }
    for (const auto& limit : model.limits()) {
      ConstraintRows rows{};
      limit->evaluate(0, motion(limit->a()), motion(limit->b()), rows);
      note(rows.value[0]), note(rows.bias[0]), note(limit->restitution());
      note_all(rows.J_a[0]), note_all(rows.J_b[0]);
    }
    for (const JointParts& joint : model.joints())
      for (const auto& drive : joint.drives) note(drive->effort(motion(drive->a()), motion(drive->b())));
  }
  return bits;
}

std::string message(const auto& expected) { return expected ? "" : expected.diagnostics().front().message; }
bool holds(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return true;
  MESSAGE(text);
  return false;
}

struct Change {
  std::string address;
  std::vector<double> value;
  std::function<void(LiveScene&)> make;
};

const std::vector<Change> kChanges = {
    {"world.gravity", {0, 0, -3.7}, [](LiveScene& w) { w.gravity = Vec3(0, 0, -3.7); }},
    {"world.gravity.y", {-1.62}, [](LiveScene& w) { w.gravity.y() = -1.62; }},
    {"ice.friction", {0.02}, [](LiveScene& w) { w.ice.friction = 0.02; }},
    {"material:ice.restitution", {1}, [](LiveScene& w) { w.ice.restitution = 1; }},
    {"wood,ice.friction", {0.5}, [](LiveScene& w) { w.pair.friction = 0.5; }},
    {"ice,wood.restitution", {0.6}, [](LiveScene& w) { w.pair.restitution = 0.6; }},
    {"contact:wood,ice.stiffness", {2e4}, [](LiveScene& w) { w.pair.stiffness = 2e4; }},
    {"wood,ice.damping", {0}, [](LiveScene& w) { w.pair.damping = 0; }},
    {"coil.stiffness", {31}, [](LiveScene& w) { w.stiffness = 31; }},
    {"coil.length", {0.25}, [](LiveScene& w) { w.length = 0.25; }},
    {"coil.damping", {0.5}, [](LiveScene& w) { w.damping = 0.5; }},
    {"blow.value", {4, 5, 6}, [](LiveScene& w) { w.force = Vec3(4, 5, 6); }},
    {"twirl.value.z", {2}, [](LiveScene& w) { w.torque.z() = 2; }},
    {"pull.constant", {-1}, [](LiveScene& w) { w.constant = -1; }},
    {"air.linear", {0.7}, [](LiveScene& w) { w.linear = 0.7; }},
    {"air.quadratic", {0}, [](LiveScene& w) { w.quadratic = 0; }},
    {"air.wind", {0, 3, 0}, [](LiveScene& w) { w.wind = Vec3(0, 3, 0); }},
    {"knee.stiffness", {6}, [](LiveScene& w) { w.knee.stiffness = 6; }},
    {"knee.damping", {0.7}, [](LiveScene& w) { w.knee.damping = 0.7; }},
    {"knee.rest", {-0.3}, [](LiveScene& w) { w.knee.rest = -0.3; }},
    {"knee.limits",
     {-0.8, 1.5},
     [](LiveScene& w) {
       w.knee.limits = Range{-0.8, 1.5};
     }},
    {"knee.limits.1", {1.4}, [](LiveScene& w) { w.knee.limits->hi = 1.4; }},
    {"knee.restitution", {0.5}, [](LiveScene& w) { w.knee.restitution = 0.5; }},
    {"knee.drive.target", {1.1}, [](LiveScene& w) { w.knee.drives[0].target = 1.1; }},
    {"knee.drive[1].velocity", {2}, [](LiveScene& w) { w.knee.drives[0].velocity = 2; }},
    {"knee.drive.stiffness", {8}, [](LiveScene& w) { w.knee.drives[0].stiffness = 8; }},
    {"knee.drive.damping", {0}, [](LiveScene& w) { w.knee.drives[0].damping = 0; }},
    {"knee.drive.max-force", {2}, [](LiveScene& w) { w.knee.drives[0].max_force = 2; }},
    {"knee.drive.max-force", {kInfinite}, [](LiveScene& w) { w.knee.drives[0].max_force = kInfinite; }},
    {"knee.drive[2].velocity", {-3}, [](LiveScene& w) { w.knee.drives[1].velocity = -3; }},
    {"hip.twist",
     {-0.4, 0.9},
     [](LiveScene& w) {
       w.hip.twist = Range{-0.4, 0.9};
     }},
    {"hip.swing",
     {0.9, 0.8},
     [](LiveScene& w) {
       w.hip.swing = {0.9, 0.8};
     }},
    {"hip.limits-x.0", {-1}, [](LiveScene& w) { w.hip.limits_x->lo = -1; }},
    {"hip.stiffness", {9}, [](LiveScene& w) { w.hip.stiffness = 9; }},
    {"hip.damping", {0.9}, [](LiveScene& w) { w.hip.damping = 0.9; }},
    {"hip.rest", {0.3, 0, 0}, [](LiveScene& w) { w.hip.rest_rotation = Vec3(0.3, 0, 0); }},
    {"hip.drive.target.y", {0.4}, [](LiveScene& w) { w.hip.drives[0].target_rotation.y() = 0.4; }},
    {"hip.drive.velocity", {0, 0, 0}, [](LiveScene& w) { w.hip.drives[0].angular_velocity.setZero(); }},
    {"hip.drive.max-force", {0.5}, [](LiveScene& w) { w.hip.drives[0].max_force = 0.5; }},
    {"hip.drive[2].target", {0.9}, [](LiveScene& w) { w.hip.drives[1].target = 0.9; }},
    {"rail.limits",
     {-2, 3},
     [](LiveScene& w) {
       w.rail.limits = Range{-2, 3};
     }},
    {"rail.twist.0", {-0.1}, [](LiveScene& w) { w.rail.twist->lo = -0.1; }},
    {"neck.swing", {0.8}, [](LiveScene& w) { w.neck.swing = {0.8}; }},
    {"rope.range.1", {1.2}, [](LiveScene& w) { w.rope.range->hi = 1.2; }},
};

}  // namespace

TEST_CASE("a model with a changed value is bit for bit equal to a model built with this value") {
  const LiveScene shop;
  const Model original = shop.build();
  const std::vector<uint64_t> before = output_bits(original);
  LiveModel all(original);
  CHECK(output_bits(all.model()) == before);
  for (const Change& change : kChanges) {
    INFO(change.address);
    LiveScene other = shop;
    change.make(other);
    const std::vector<uint64_t> expected = output_bits(other.build());
    CHECK(expected != before);
    LiveModel live(original);
    const LiveModel::Changed revision = live.set(change.address, change.value);
    INFO(message(revision));
    REQUIRE(revision);
    CHECK(*revision == 1);
    CHECK(live.revision() == 1);
    CHECK(output_bits(live.model()) == expected);
    CHECK(live.get(change.address).value() == change.value);
    // Setting the same value again is not a change.
    CHECK(live.set(change.address, change.value).value() == 1);
    // The settings reproduce the change in a new copy.
    LiveModel fresh(original);
    const std::vector<Setting> settings = live.settings();
    CHECK(settings.size() == 1);
    REQUIRE(fresh.apply(settings));
    CHECK(output_bits(fresh.model()) == expected);
    CHECK(fresh.settings() == settings);
    REQUIRE(all.set(change.address, change.value));
  }
  // The same for all changes together.
  LiveModel fresh(original);
  REQUIRE(fresh.apply(all.settings()));
  CHECK(output_bits(fresh.model()) == output_bits(all.model()));
  CHECK(fresh.settings() == all.settings());
  CHECK(output_bits(original) == before);
}

TEST_CASE("setters by index are equivalent to setting by address") {
  const Model original = LiveScene().build();
  LiveModel typed(original, {.pushed = {BodyId(1)}}), named(original, {.pushed = {BodyId(1)}});
  const auto set = [&](const char* address, std::vector<double> value) {
    REQUIRE(named.set(address, value));
  };
  REQUIRE(typed.set_gravity({1, 2, 3}));
  set("world.gravity", {1, 2, 3});
  REQUIRE(typed.set_friction(MaterialId(2), 0.7));
  set("ice.friction", {0.7});
  REQUIRE(typed.set_restitution(MaterialId(0), 0.3));
  set("default.restitution", {0.3});
  REQUIRE(typed.set_pair(0, {0.1, 0.2, 50, 1}));
  set("wood,ice.friction", {0.1}), set("wood,ice.restitution", {0.2});
  set("wood,ice.stiffness", {50}), set("wood,ice.damping", {1});
  const auto index = [&](const char* name) {
    size_t k = 0;
    while (original.forces()[k]->name() != name) ++k;
    return k;
  };
  REQUIRE(typed.set_spring(index("coil"), {.stiffness = 1, .length = 2, .damping = 3}));
  set("coil.stiffness", {1}), set("coil.length", {2}), set("coil.damping", {3});
  REQUIRE(typed.set_applied(index("blow"), {7, 8, 9}));
  set("blow.value", {7, 8, 9});
  REQUIRE(typed.set_applied(index("twirl"), {7, 8, 9}));
  set("twirl.value", {7, 8, 9});
  REQUIRE(typed.set_attraction(index("pull"), 4));
  set("pull.constant", {4});
  REQUIRE(typed.set_drag(index("air"), {0.1, 0.2, {0, 0, 1}}));
  set("air.linear", {0.1}), set("air.quadratic", {0.2}), set("air.wind", {0, 0, 1});
  REQUIRE(typed.set_joint_spring(0, 5, 0.4));
  set("knee.stiffness", {5}), set("knee.rest", {0.4});
  REQUIRE(typed.set_joint_damping(0, 2));
  set("knee.damping", {2});
  REQUIRE(typed.set_limits(0, {-2, 1.5}));
  set("knee.limits", {-2, 1.5});
  REQUIRE(typed.set_twist(1, {-0.9, 0.9}));
  set("hip.twist", {-0.9, 0.9});
  REQUIRE(typed.set_drive(0, 0, {.target = 1, .velocity = 2, .stiffness = 3, .damping = 4, .max_force = 5}));
  set("knee.drive.target", {1}), set("knee.drive.velocity", {2}), set("knee.drive.stiffness", {3});
  set("knee.drive.damping", {4}), set("knee.drive.max-force", {5});
  REQUIRE(typed.push(BodyId(1), {.force = {1, 0, 0}, .at = {0, 1, 0}, .to = {2, 2, 2}, .stiffness = 3}));
  set("shin.force", {1, 0, 0}), set("shin.pull.at", {0, 1, 0}), set("shin.pull.to", {2, 2, 2});
  set("shin.pull.stiffness", {3});
  CHECK(typed.settings() == named.settings());
  CHECK(output_bits(typed.model()) == output_bits(named.model()));
}

TEST_CASE("a Push is a separate force law, and its spring has a linearisation") {
  const Model original = LiveScene().build();
  const BodyId shin = *original.find_body("shin");
  LiveModel live(original, {.pushed = {shin}});
  REQUIRE(live.model().forces().size() == original.forces().size() + 1);
  const ForceLaw& law = *live.model().forces().back();
  CHECK(law.name() == "shin.input");
  CHECK(law.a() == shin);
  CHECK(live.model().work_names().size() == original.work_names().size() + 1);
  BodyMotion motion;
  motion.rotation = Quat::from_axis_angle(Vec3(1, 1, 0), 1).to_matrix();
  motion.velocity = Vec3(1, 2, 3), motion.angular_velocity = Vec3(-1, 0, 2);
  const auto wrench = [&] {
    Wrench on_a, on_b;
    Resistance resistance{};
    law.linearise(0, motion, kWorldMotion, on_a, on_b, resistance);
    return std::pair(on_a, resistance);
  };
  CHECK(wrench().first.force.isZero(0));
  CHECK(wrench().second.none());

  REQUIRE(live.push(shin, {.force = {1, 2, 3}, .torque = {4, 5, 6}}));
  CHECK(wrench().first.force == Vec3(1, 2, 3));
  CHECK(wrench().first.torque == Vec3(4, 5, 6));
  CHECK(wrench().second.none());

  const Vec3 at(0.1, 0.2, 0.3), to(3, 0, 1), arm = motion.rotation * (at - original.body(shin).center_B);
  REQUIRE(live.push(shin, {.at = at, .to = to, .stiffness = 50, .damping = 2}));
  const auto [pulled, resistance] = wrench();
  const Vec3 force = 50 * (to - arm) - 2 * motion.velocity_at(arm);
  CHECK((pulled.force - force).norm() < 1e-12);
  CHECK((pulled.torque - arm.cross(force)).norm() < 1e-12);
  CHECK(!law.potential(0, motion, kWorldMotion));
  // The rows predict the change of the wrench: -J^T (k J dx + d J dv).
  REQUIRE(resistance.rows == 3);
  motion.velocity += Vec3(1e-3, 2e-3, -1e-3);
  Vec3 change = Vec3::Zero();
  for (int i = 0; i < 3; ++i) {
    const Eigen::Map<const Vec3> J(resistance.J_a[i]);
    change -= resistance.damping[i] * J.dot(Vec3(1e-3, 2e-3, -1e-3)) * J;
    CHECK(resistance.stiffness[i] == 50);
  }
  CHECK((wrench().first.force - force - change).norm() < 1e-12);

  REQUIRE(live.push(shin, {}));
  CHECK(wrench().first.force.isZero(0));
  CHECK(holds(message(live.push(BodyId(0), {})), "body \"thigh\" was not among those to be pushed"));
  CHECK(holds(message(live.set("thigh.force.x", 1.0)), "not among those to be pushed"));

  const LiveModel everywhere(original, {.push_all = true});
  CHECK(everywhere.model().forces().size() == original.forces().size() + 5);
}

TEST_CASE("invalid values are errors and change nothing") {
  const Model original = LiveScene().build();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  LiveModel live(original, {.push_all = true});
  const std::vector<uint64_t> before = output_bits(live.model());
  const auto refused = [&](const char* address, std::vector<double> value, const char* why) {
    INFO(address);
    CHECK(holds(message(live.set(address, value)), why));
  };
  refused("world.gravity", {0, nan, 0}, "world: gravity must be finite");
  refused("world.gravity.x", {1e80}, "too large");
  refused("ice.friction", {-1}, "material \"ice\": friction must not be negative");
  refused("ice.friction", {kInfinite}, "friction must not be negative");
  refused("ice.restitution", {1.5}, "restitution must lie between 0 and 1");
  refused("wood,ice.friction", {-1}, "contact \"wood,ice\": friction must not be negative");
  refused("wood,ice.stiffness", {0}, "keeps a stiffness above 0");
  refused("coil.length", {-1}, "length must not be negative");
  refused("coil.stiffness", {nan}, "must not be negative");
  refused("blow.value", {0, kInfinite, 0}, "value must be finite");
  refused("pull.constant", {nan}, "constant must be a finite number");
  refused("air.linear", {-1}, "must not be negative");
  refused("knee.limits", {2, 1}, "limits must be two numbers, the first below the second");
  refused("knee.limits", {0, 2}, "comfort must be two numbers inside the limits");
  refused("knee.limits", {-0.5, 2}, "no room for the soft zone");
  refused("knee.stiffness", {-1}, "stiffness and damping must not be negative");
  refused("knee.restitution", {2}, "restitution must lie between 0 and 1");
  refused("knee.drive.target", {nan}, "target and velocity of a drive must be finite");
  refused("knee.drive.max-force", {-1}, "must not be negative");
  refused("knee.drive[2].damping", {0}, "a drive needs stiffness, damping or both");
  refused("hip.twist", {-4, 4}, "twist must span less than a whole turn");
  refused("hip.swing", {0, 1}, "swing must lie above 0");
  refused("rope.range.0", {0.5}, "range cannot get or lose its lower limit");
  refused("shin.pull.stiffness", {-1}, "stiffness and damping of a pull must not be negative");
  refused("ice.friction", {1, 2}, "takes 1 number, not 2");
  refused("world.gravity", {1}, "takes 3 numbers, not 1");
  CHECK(holds(message(live.set_limits(3, {0, 1})), "it has no limits to begin with"));
  CHECK(holds(message(live.set_joint_damping(2, 1)), "no damper to begin with"));
  CHECK(holds(message(live.set_joint_spring(2, 1, 0)), "no spring to begin with"));
  CHECK(holds(message(live.set_drive(2, 0, {})), "no such drive"));
  CHECK(holds(message(live.set_applied(0, {})), "is no force"));
  CHECK(holds(message(live.set_pair(1, {.friction = 0.5})), "takes from its materials"));
  CHECK(live.revision() == 0);
  CHECK(live.settings().empty());
  CHECK(output_bits(live.model()) == before);

  // A hinge whose angle is not unwrapped at the start cannot change this during a run.
  LiveScene still;
  still.knee.stiffness = 0, still.knee.rest = 0, still.knee.drives.clear();
  LiveModel free(still.build());
  CHECK(holds(message(free.set("knee.limits", std::vector<double>{-4, 4})), "did not count its turns"));
}

TEST_CASE("the error message of an unknown address lists the known ones") {
  LiveModel live(LiveScene().build());
  const auto refused = [&](const char* address, const char* why) {
    INFO(address);
    CHECK(holds(message(live.set(address, 1.0)), why));
  };
  refused("icy.friction", "\"icy.friction\": nothing is called \"icy\"; did you mean \"ice\"?");
  refused("quartz.friction", "nothing is called \"quartz\"; there is ");
  refused("ice.frction",
          "material \"ice\" has no \"frction\"; did you mean \"friction\"? what can change is friction, "
          "restitution");
  refused("ice.density",
          "density cannot change while it runs: it is given by the scene and stays; what can change is "
          "friction, restitution");
  refused("shin.velocity.x", "body \"shin\": velocity cannot change while it runs");
  refused("neck.limits", "limits cannot change while it runs: it has none to begin with");
  refused("rail.stiffness", "no spring to begin with");
  refused("bare.damping", "no damper to begin with");
  refused("wood,wood.friction", "takes it from its materials");
  refused("knee.drive[3].target", "joint \"knee\" has no \"drive[3].target\"");
  refused("knee.drive.axis", "drive.axis cannot change");
  refused("knee.limits.2", "has no \"limits.2\"");
  refused("world.gravity.w", "world has no \"gravity.w\"");
  refused("world", "no attribute is named");
  refused("", "no attribute is named");
  refused(".", "nothing is called");
  refused("joint:ice.friction", "nothing is called \"ice\"");
}

TEST_CASE("a name of several objects needs its kind in the address, and names may contain dots") {
  ModelBuilder builder;
  BodySpec body;
  body.shapes.push_back({collision::Sphere{0.1}, {}, {}, true, {}});
  body.name = "arm";
  const BodyId arm = builder.add_body(body);
  body.name = "arm.pull", body.X_WB.translation = Vec3(1, 0, 0);
  builder.add_body(body);
  builder.add_force(std::make_shared<AppliedForce>("arm", arm, Vec3(1, 0, 0), Frame::world, Vec3::Zero()));
  builder.add_force(std::make_shared<Drag>("air", arm, 1, 0, Vec3::Zero()));
  builder.add_force(std::make_shared<Drag>("air", arm, 2, 0, Vec3::Zero()));
  LiveModel live(support::finished(builder), {.push_all = true});
  CHECK(holds(message(live.set("arm.force.x", 1.0)), "say which: body:arm.force.x, force:arm.force.x"));
  CHECK(live.set("body:arm.force.x", 1.0));
  CHECK(live.set("force:arm.value.x", 2.0));
  CHECK(live.set("body:arm.pull.stiffness", 3.0));
  CHECK(live.set("arm.pull.force.x", 4.0));
  CHECK(live.set("arm.pull.pull.stiffness", 5.0));
  CHECK(holds(message(live.set("air.linear", 3.0)), "say which: drag:[1].linear, drag:[2].linear"));
  CHECK(live.set("drag:[2].linear", 6.0));
  const std::vector<Setting> expected = {
      {"body:arm.force", {1, 0, 0}},      {"body:arm.pull.stiffness", {3}},
      {"body:arm.pull.force", {4, 0, 0}}, {"body:arm.pull.pull.stiffness", {5}},
      {"force:arm.value", {2, 0, 0}},     {"drag:[2].linear", {6}}};
  CHECK(live.settings() == expected);
}

TEST_CASE("apply() applies all settings or none") {
  const Model original = LiveScene().build();
  LiveModel live(original);
  // From the start values, these cannot be set one by one, in either order.
  REQUIRE(live.set("knee.drive[2].stiffness", 1.0));
  REQUIRE(live.set("knee.drive[2].damping", 0.0));
  REQUIRE(live.set("knee.limits", std::vector<double>{-3, 3}));
  const std::vector<Setting> settings = live.settings();
  CHECK(settings == std::vector<Setting>{{"joint:knee.limits", {-3, 3}},
                                         {"joint:knee.drive[2].stiffness", {1}},
                                         {"joint:knee.drive[2].damping", {0}}});
  std::vector<Setting> backwards(settings.rbegin(), settings.rend());
  LiveModel fresh(original);
  REQUIRE(fresh.apply(backwards));
  CHECK(output_bits(fresh.model()) == output_bits(live.model()));
  CHECK(fresh.revision() == 1);

  backwards.push_back({"ice.friction", {-1}});
  backwards.push_back({"knee.nothing", {1}});
  LiveModel spared(original);
  const LiveModel::Changed refused = spared.apply(backwards);
  CHECK(!refused);
  CHECK(spared.revision() == 0);
  CHECK(output_bits(spared.model()) == output_bits(original));
}

TEST_CASE("laws and limits are copies with constant addresses; those without clone() are shared") {
  const LiveScene shop;
  const Model original = shop.build();
  LiveModel live(original);
  const Model* model = &live.model();
  const auto forces = model->forces();
  const auto limits = model->limits();
  for (size_t k = 0; k < forces.size(); ++k)
    CHECK((forces[k] == original.forces()[k]) == (forces[k] == shop.own));
  for (size_t k = 0; k < limits.size(); ++k) CHECK(limits[k] != original.limits()[k]);
  for (const JointParts& joint : model->joints())
    for (const auto& drive : joint.drives)
      CHECK(std::find(forces.begin(), forces.end(), drive) != forces.end());
  for (const auto& law : forces)
    if (const auto* comfort = dynamic_cast<const ComfortLaw*>(law.get()))
      CHECK(std::find(limits.begin(), limits.end(), comfort->limit()) != limits.end());
  for (const Change& change : kChanges) REQUIRE(live.set(change.address, change.value));
  const LiveModel moved = std::move(live);
  CHECK(&moved.model() == model);
  CHECK(moved.model().forces() == forces);
  CHECK(moved.model().limits() == limits);
}

TEST_CASE("a live model of a live model starts with its values") {
  LiveModel first(LiveScene().build());
  REQUIRE(first.set("knee.drive.target", 1.0));
  LiveModel second(first.model());
  CHECK(second.settings().empty());
  CHECK(second.get("knee.drive.target").value() == std::vector<double>{1});
  REQUIRE(second.set("knee.drive.target", 2.0));
  CHECK(first.get("knee.drive.target").value() == std::vector<double>{1});
}
