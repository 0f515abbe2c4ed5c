// Shapes of your own: a star as a triangle mesh and a gem as a convex hull, both made by the program.
// Mass, centre and inertia follow from the triangles. Exits with 1 unless they are those of closed formulas.
// Contact uses the mesh as it is, not its hull: a ball falls between two arms of the star to the floor. The
// gem comes to rest on a face. Exits with 1 if they do not.
#include <cmath>
#include <cstdio>
#include <numbers>

#include "tumble/geometry/convex_hull.h"
#include "tumble/model/model_builder.h"
#include "tumble/simulate/simulation.h"

using namespace tumble;
using model::Vec3;

constexpr uint32_t kArms = 5;
constexpr double kOuter = 0.3, kInner = 0.1, kHeight = 0.08, kGem = 0.1, kBall = 0.03;  // m
constexpr double kDensity = 1000;                                                       // kg/m^3, the default
constexpr double kAngle = std::numbers::pi / kArms;  // between neighbours of the outline

// A prism along y whose outline has corners at two distances from the axis, in turn.
static geometry::TriangleMesh make_star() {
  geometry::TriangleMesh mesh;
  const uint32_t n = 2 * kArms, below = 2 * n, above = 2 * n + 1;
  for (const double y : {-kHeight / 2, kHeight / 2})
    for (uint32_t k = 0; k < n; ++k) {
      const double r = k % 2 == 0 ? kOuter : kInner;
      mesh.vertices.emplace_back(r * std::cos(k * kAngle), y, r * std::sin(k * kAngle));
    }
  mesh.vertices.emplace_back(0, -kHeight / 2, 0);
  mesh.vertices.emplace_back(0, kHeight / 2, 0);
  // Corners go counter-clockwise, seen from outside. The surface must be closed.
  for (uint32_t k = 0; k < n; ++k) {
    const uint32_t next = (k + 1) % n, k_above = k + n, next_above = next + n;
    mesh.triangles.push_back({below, k, next});
    mesh.triangles.push_back({above, next_above, k_above});
    mesh.triangles.push_back({k, k_above, next_above});
    mesh.triangles.push_back({k, next_above, next});
  }
  return mesh;
}

static model::BodySpec make_body(const char* name, const Vec3& place, const collision::Shape& shape) {
  model::BodySpec spec;
  spec.name = name;
  spec.X_WB.translation = place;
  spec.shapes.push_back({.shape = shape});
  return spec;
}

static bool is_near(const char* what, double number, double expected, double error) {
  std::printf("%-24s %.9f of %.9f\n", what, number, expected);
  return std::abs(number - expected) <= error;
}

int main() {
  // The hull needs points only, in any order. Those inside are left out.
  std::vector<Vec3> points = {Vec3::Zero()};
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {-1.0, 1.0}) points.push_back(sign * kGem * Vec3::Unit(axis));
  const auto star = std::make_shared<const geometry::TriangleMesh>(make_star());
  const auto gem =
      std::make_shared<const geometry::TriangleMesh>(geometry::build_convex_hull(points).value());

  model::ModelBuilder builder("shapes");
  model::BodySpec floor = make_body("floor", Vec3::Zero(), collision::Plane{Vec3(0, 1, 0)});
  floor.fixed = true;
  builder.add_body(floor);
  const core::BodyId star_id =
      builder.add_body(make_body("star", Vec3(0, kHeight / 2, 0), collision::Mesh{star}));
  model::BodySpec tilted = make_body("gem", Vec3(1, 0.2, 0), collision::Hull{gem});
  tilted.X_WB.rotation = model::Quat::from_axis_angle(Vec3(1, 2, 3).normalized(), 0.3);
  const core::BodyId gem_id = builder.add_body(tilted);
  const Vec3 notch = 0.2 * Vec3(std::cos(kAngle), 0, std::sin(kAngle));  // between two arms
  const core::BodyId ball_id =
      builder.add_body(make_body("ball", notch + Vec3(0, 0.3, 0), collision::Sphere{kBall}));

  const model::Model model = builder.finish().value();  // throws with the reason if a mesh is not closed
  const model::Body &s = model.body(star_id), &g = model.body(gem_id);
  const double star_mass = kDensity * kHeight * kArms * kOuter * kInner * std::sin(kAngle);
  const double star_inertia =
      star_mass * (kOuter * kOuter + kInner * kInner + kOuter * kInner * std::cos(kAngle)) / 6;
  const double gem_mass = kDensity * 4 / 3 * kGem * kGem * kGem;
  const double gem_inertia = gem_mass * kGem * kGem / 5;
  constexpr double kRoundOff = 1e-13;  // some hundred operations with numbers of 16 digits
  bool good = is_near("mass of the star, kg", s.mass, star_mass, kRoundOff * star_mass);
  good &= is_near("its inertia, kg m^2", s.inertia_B(1, 1), star_inertia, kRoundOff * star_inertia);
  good &= is_near("mass of the gem, kg", g.mass, gem_mass, kRoundOff * gem_mass);
  good &= is_near("its inertia, kg m^2", g.inertia_B(0, 0), gem_inertia, kRoundOff * gem_inertia);

  simulate::Simulation simulation = simulate::Simulation::create(model).value();
  if (!simulation.run_until(3)) return std::puts(simulation.failure().c_str()), 1;
  const auto height = [&](core::BodyId body) { return simulation.state().position(body).y(); };
  constexpr double kOffset = 1e-4;  // m, more than bodies that touch are apart
  good &= is_near("height of the star, m", height(star_id), kHeight / 2, kOffset);
  good &= is_near("height of the ball, m", height(ball_id), kBall, kOffset);
  good &= is_near("height of the gem, m", height(gem_id), kGem / std::sqrt(3.0), kOffset);
  return good ? 0 : 1;
}
