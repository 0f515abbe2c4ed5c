#include "contact/peers/scenes.h"

#include <map>
#include <random>

namespace contact_peers {

namespace {

constexpr double kPi = 3.14159265358979323846, kDegree = kPi / 180;

Thing box(double mass, const Vector3d& half, const Vector3d& center) {
  Thing thing;
  thing.mass = mass;
  thing.half = half;
  const Vector3d s = half.cwiseProduct(half);
  if (mass > 0) thing.moments = mass / 3 * Vector3d(s.y() + s.z(), s.x() + s.z(), s.x() + s.y());
  thing.start.center = center;
  return thing;
}

Thing capsule(double density, double radius, double length, const Vector3d& center, const Vector3d& along) {
  Thing thing;
  const double r2 = radius * radius, rod = density * kPi * r2 * length,
               ends = density * 4 / 3 * kPi * r2 * radius;
  thing.radius = radius, thing.length = length;
  thing.mass = rod + ends;
  const double roll = rod * r2 / 2 + ends * 0.4 * r2;
  const double turn = rod * (length * length / 12 + r2 / 4) +
                      ends * (0.4 * r2 + length * length / 4 + 0.375 * length * radius);
  thing.moments = Vector3d(turn, roll, turn);
  thing.start.center = center;
  thing.start.rotation = Quaterniond::FromTwoVectors(Vector3d::UnitY(), along);
  return thing;
}

World base(const std::string& name, double duration, double friction) {
  World world;
  world.name = name, world.duration = duration, world.friction = friction;
  return world;
}

// Builds the figure. Bones are referred to by name.
class Figure {
 public:
  Figure(World& world, const Vector3d& moved, const Vector3d& speed)
      : world_(world), moved_(moved), speed_(speed) {}
  void bone(const std::string& name, const Vector3d& at, double length, double radius,
            const Vector3d& along) {
    number_[name] = static_cast<int>(world_.things.size());
    world_.things.push_back(capsule(1000, radius, length, at + moved_, along));
    world_.things.back().start.velocity = speed_;
  }
  void ball(const std::string& a, const std::string& b, const Vector3d& at, const Vector3d& axis,
            double swing, double twist) {
    Link link = joined(a, b, at, axis);
    link.swing = swing * kDegree, link.twist = twist * kDegree, link.damping = 0.5;
    world_.links.push_back(link);
  }
  void hinge(const std::string& a, const std::string& b, const Vector3d& at, const Vector3d& axis, double lo,
             double hi) {
    Link link = joined(a, b, at, axis);
    link.hinge = true, link.lo = lo * kDegree, link.hi = hi * kDegree, link.damping = 0.3;
    world_.links.push_back(link);
  }
  void ignore(const std::string& a, const std::string& b) {
    const int i = number_.at(a), j = number_.at(b);
    world_.ignored.emplace_back(std::min(i, j), std::max(i, j));
  }

 private:
  Link joined(const std::string& a, const std::string& b, const Vector3d& at, const Vector3d& axis) {
    ignore(a, b);
    Link link;
    link.a = number_.at(a), link.b = number_.at(b), link.at = at + moved_, link.axis = axis;
    return link;
  }
  World& world_;
  Vector3d moved_, speed_;
  std::map<std::string, int> number_;
};

}  // namespace

World stack(double top_mass) {
  World world = base(
      "stack of ten, the top " + std::to_string(static_cast<int>(top_mass)) + " times as heavy", 10, 0.5);
  const Vector3d half = Vector3d::Constant(0.25);
  world.things.push_back(box(0, {5, 0.5, 5}, {0, -0.5, 0}));
  for (int i = 0; i < 10; ++i) {
    world.things.push_back(box(i == 9 ? top_mass : 1, half, {0, 0.25 + 0.5 * i, 0}));
    world.things.back().above = i + 1;
  }
  return world;
}

World doubling_stack() {
  World world = stack(512);
  world.name = "stack of ten, each twice as heavy as the one below";
  for (int i = 0; i < 10; ++i) {
    Thing& thing = world.things[static_cast<size_t>(i + 1)];
    thing = box(std::ldexp(1.0, i), thing.half, thing.start.center);
    thing.above = i + 1;
  }
  return world;
}

World ragdoll_on_stairs() {
  World world = base("ragdoll on stairs", 6, 0.6);
  world.things.push_back(box(0, {20, 0.5, 20}, {0, -0.5, 0}));
  for (int i = 0; i < 8; ++i)
    world.things.push_back(box(0, {1.5, 0.1 * (8 - i), 0.15}, {0, 0.1 * (8 - i), 0.3 * i}));
  const Vector3d x = Vector3d::UnitX(), y = Vector3d::UnitY(), z = Vector3d::UnitZ();
  Figure figure(world, {0, 1.75, -0.1}, {0, 0, 1.5});
  figure.bone("pelvis", {0, 1.0, 0}, 0.14, 0.09, x);
  figure.bone("belly", {0, 1.16, 0}, 0.12, 0.085, x);
  figure.bone("chest", {0, 1.36, 0}, 0.16, 0.10, x);
  figure.bone("neck", {0, 1.535, 0}, 0.02, 0.045, y);
  figure.bone("head", {0, 1.66, 0}, 0.06, 0.09, y);
  figure.ball("pelvis", "belly", {0, 1.08, 0}, y, 25, 30);
  figure.ball("belly", "chest", {0, 1.25, 0}, y, 25, 30);
  figure.ball("chest", "neck", {0, 1.48, 0}, y, 30, 40);
  figure.ball("neck", "head", {0, 1.58, 0}, y, 25, 30);
  for (const double s : {1.0, -1.0}) {
    const std::string side = s > 0 ? "left " : "right ";
    figure.bone(side + "thigh", {s * 0.1, 0.73, 0}, 0.26, 0.065, y);
    figure.bone(side + "shin", {s * 0.1, 0.32, 0}, 0.27, 0.05, y);
    figure.bone(side + "foot", {s * 0.1, 0.06, 0.05}, 0.10, 0.04, z);
    figure.bone(side + "arm", {s * 0.33, 1.42, 0}, 0.18, 0.045, x);
    figure.bone(side + "forearm", {s * 0.60, 1.42, 0}, 0.17, 0.04, x);
    figure.ball("pelvis", side + "thigh", {s * 0.1, 0.93, 0}, -y, 70, 30);
    figure.ball("chest", side + "arm", {s * 0.20, 1.42, 0}, s * x, 80, 40);
    figure.hinge(side + "thigh", side + "shin", {s * 0.1, 0.53, 0}, x, 0, 140);
    figure.hinge(side + "shin", side + "foot", {s * 0.1, 0.10, 0}, x, -40, 30);
    figure.hinge(side + "arm", side + "forearm", {s * 0.47, 1.42, 0}, y, s > 0 ? -140 : 0, s > 0 ? 0 : 140);
    figure.ignore(side + "thigh", "belly");
    figure.ignore(side + "arm", "neck");
  }
  figure.ignore("left thigh", "right thigh");
  figure.ignore("neck", "belly");
  figure.ignore("head", "chest");
  return world;
}

World chain(int links) {
  World world = base("chain of " + std::to_string(links), 2, 0.5);
  world.collide = false;
  for (int i = 0; i < links; ++i) {
    world.things.push_back(box(1, {0.05, 0.02, 0.02}, {0.1 * (i + 0.5), 0, 0}));
    Link link;
    link.a = i - 1, link.b = i, link.at = {0.1 * i, 0, 0};
    world.links.push_back(link);
  }
  return world;
}

World pile(int boxes) {
  World world = base("pile of " + std::to_string(boxes) + " boxes", 4, 0.5);
  constexpr double kInner = 1.9;
  world.things.push_back(box(0, {kInner + 1, 0.5, kInner + 1}, {0, -0.5, 0}));
  for (const double s : {1.0, -1.0}) {
    world.things.push_back(box(0, {0.5, 5, kInner + 1}, {s * (kInner + 0.5), 5, 0}));
    world.things.push_back(box(0, {kInner, 5, 0.5}, {0, 5, s * (kInner + 0.5)}));
  }
  std::mt19937_64 random(12345);
  const auto uniform = [&random] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  for (int i = 0; i < boxes; ++i) {
    Thing thing = box(4, Vector3d::Constant(0.1),
                      {0.36 * (i % 10 - 4.5), 0.3 + 0.36 * (i / 100), 0.36 * (i / 10 % 10 - 4.5)});
    const double u = uniform(), v = 2 * kPi * uniform(), w = 2 * kPi * uniform();
    thing.start.rotation = Quaterniond(std::sqrt(1 - u) * std::sin(v), std::sqrt(1 - u) * std::cos(v),
                                       std::sqrt(u) * std::sin(w), std::sqrt(u) * std::cos(w));
    world.things.push_back(thing);
  }
  return world;
}

}  // namespace contact_peers
