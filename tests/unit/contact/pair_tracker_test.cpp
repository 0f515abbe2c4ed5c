// The pairs of bodies that are near each other.
#include "tumble/contact/pair_tracker.h"

#include <doctest/doctest.h>

#include <random>
#include <set>

#include "support/simulate.h"

using namespace tumble;
using model::BodyId;
using model::Vec3;

namespace {

model::BodySpec lump(const std::string& name, const Vec3& at,
                     const collision::Shape& shape = collision::Sphere{0.5}) {
  model::BodySpec body;
  body.name = name;
  body.X_WB.translation = at;
  body.shapes = {{.shape = shape}};
  return body;
}

std::set<std::pair<uint32_t, uint32_t>> near_pairs(const model::Model& scene, double margin = 0.01) {
  contact::PairTracker proximity(scene);
  std::set<std::pair<uint32_t, uint32_t>> bodies;
  if (!proximity.needed()) return bodies;
  for (const auto& pair :
       proximity.update(model::start_state(scene), std::vector<double>(scene.bodies().size(), margin)))
    bodies.insert({static_cast<uint32_t>(proximity.items()[pair.a].body.index()),
                   static_cast<uint32_t>(proximity.items()[pair.b].body.index())});
  return bodies;
}

using Pairs = std::set<std::pair<uint32_t, uint32_t>>;

}  // namespace

TEST_CASE("ignored, jointed and fixed bodies, and bodies without colliding shapes, make no pair") {
  const auto pairs_with = [](const std::function<void(model::ModelBuilder&)>& also) {
    model::ModelBuilder builder("three");
    model::BodySpec a = lump("a", Vec3(0, 0, 0)), b = lump("b", Vec3(0.9, 0, 0)),
                    c = lump("c", Vec3(0, 0.9, 0)), d = lump("d", Vec3(0.9, 0.9, 0)),
                    e = lump("e", Vec3(0.4, 0.4, 0));
    a.group = "one", b.group = "two";
    c.fixed = d.fixed = true;
    e.shapes[0].collide = false;
    for (const auto& body : {a, b, c, d, e}) builder.add_body(body);
    also(builder);
    return near_pairs(support::finished(builder));
  };
  // 2 and 3 are fixed; 4 does not collide.
  CHECK(pairs_with([](model::ModelBuilder&) {}) == Pairs{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}});
  CHECK(pairs_with([](model::ModelBuilder& m) { m.ignore_pair(BodyId(3), BodyId(0)); }) ==
        Pairs{{0, 1}, {0, 2}, {1, 2}, {1, 3}});
  CHECK(pairs_with([](model::ModelBuilder& m) { m.ignore_groups("two", "one"); }) ==
        Pairs{{0, 2}, {0, 3}, {1, 2}, {1, 3}});
  for (const bool collide : {false, true}) {
    const Pairs found = pairs_with([&](model::ModelBuilder& m) {
      model::JointSpec pin;
      pin.name = "pin", pin.a = BodyId(0), pin.b = BodyId(1), pin.collide = collide;
      m.add_joint(pin);
    });
    CHECK(found.contains({0, 1}) == collide);
    CHECK(found.contains({0, 2}));
  }
}

TEST_CASE("pairs are items with overlapping boxes, and half-spaces pair with items that reach below them") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> at(-3, 3);
  for (int round = 0; round < 50; ++round) {
    model::ModelBuilder builder("cloud");
    model::BodySpec ground = lump("ground", Vec3(0, -1, 0), collision::Plane{Vec3(0.6, 0.8, 0)});
    ground.fixed = true;
    builder.add_body(ground);
    for (int i = 1; i < 30; ++i) {
      model::BodySpec body = lump("b" + std::to_string(i), Vec3(at(random), at(random), at(random)));
      // A compound body: a sphere and a box beside it.
      body.shapes.push_back({.shape = collision::Box{Vec3(0.3, 0.4, 0.5)}});
      body.shapes.back().X_BS.translation = Vec3(0.7, 0, 0);
      body.X_WB.rotation = math::Quat::from_rotation_vector(Vec3(at(random), at(random), at(random)));
      body.fixed = i % 5 == 0;
      builder.add_body(body);
    }
    const model::Model scene = support::finished(builder);
    const model::State state = model::start_state(scene);
    const double margin = 0.05;
    contact::PairTracker proximity(scene);
    const auto& pairs = proximity.update(state, std::vector<double>(30, margin));
    Pairs found;
    for (const auto& pair : pairs) found.insert({pair.a, pair.b});
    CHECK(found.size() == pairs.size());
    Pairs wanted;
    const auto& items = proximity.items();
    for (uint32_t i = 0; i < items.size(); ++i)
      for (uint32_t j = i + 1; j < items.size(); ++j) {
        if (!scene.may_collide(items[i].body, items[j].body)) continue;
        geometry::Bounds x = compute_bounds(proximity.placed(i)), y = compute_bounds(proximity.placed(j));
        x.lower.array() -= margin, x.upper.array() += margin, y.lower.array() -= margin,
            y.upper.array() += margin;
        const Vec3 n(0.6, 0.8, 0);
        const bool meets = i == 0 ? n.dot(Vec3(y.lower.x(), y.lower.y(), 0) - Vec3(0, -1, 0)) <= margin
                                  : geometry::overlap(x, y);
        if (meets) wanted.insert({i, j});
      }
    CHECK(found == wanted);
  }
}

TEST_CASE("the cache of a pair stays with it while other pairs appear and disappear") {
  model::ModelBuilder builder("row");
  for (int i = 0; i < 6; ++i) builder.add_body(lump("b" + std::to_string(i), Vec3(0.99 * i, 0, 0)));
  const model::Model scene = support::finished(builder);
  model::State state = model::start_state(scene);
  contact::PairTracker proximity(scene);
  const std::vector<double> margins(6, 0.01);
  for (auto& pair : proximity.update(state, margins)) pair.memory.primitives[0] = 100 * pair.a + pair.b;
  state.set_position(BodyId(2), Vec3(2, 5, 0));  // removes its two pairs
  const auto& fewer = proximity.update(state, margins);
  CHECK(fewer.size() == 3);
  for (const auto& pair : fewer) CHECK(pair.memory.primitives[0] == 100 * pair.a + pair.b);
  state.set_position(BodyId(2), Vec3(1.98, 0, 0));
  const auto& again = proximity.update(state, margins);
  REQUIRE(again.size() == 5);
  for (const auto& pair : again)
    CHECK((pair.memory.primitives[0] == 100 * pair.a + pair.b) == (pair.a != 2 && pair.b != 2));
}

TEST_CASE("bodies with equal shapes share one collider") {
  model::ModelBuilder builder("same");
  for (int i = 0; i < 4; ++i)
    builder.add_body(lump("b" + std::to_string(i), Vec3(3 * i, 0, 0),
                          i < 3 ? collision::Box{Vec3(1, 2, 3)} : collision::Box{Vec3(1, 2, 4)}));
  const model::Model scene = support::finished(builder);
  const contact::PairTracker proximity(scene);
  CHECK(proximity.items()[0].collider == proximity.items()[2].collider);
  CHECK(proximity.items()[0].collider != proximity.items()[3].collider);
}
