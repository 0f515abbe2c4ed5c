#include "tumble/collision/polyhedron.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "solids.h"
#include "tumble/collision/certificate.h"
#include "tumble/collision/manifold.h"

using namespace tumble;
using collision::Collider;
using collision::Contact;
using collision::PairMemory;
using collision::Placed;
using collision::Polyhedron;
using math::Vec3;

namespace {

Vec3 random_vector(std::mt19937& random) {
  std::normal_distribution<double> normal;
  const double x = normal(random), y = normal(random);
  return {x, y, normal(random)};
}

// A sphere of rings and segments with its poles on y, flattened by `scale`.
geometry::TriangleMesh round_mesh(uint32_t rings, uint32_t segments, const Vec3& scale) {
  geometry::TriangleMesh mesh;
  const auto add = [&](double polar, double angle) {
    const Vec3 unit(std::sin(polar) * std::cos(angle), -std::cos(polar), std::sin(polar) * std::sin(angle));
    mesh.vertices.push_back(scale.cwiseProduct(unit));
  };
  add(0, 0);
  for (uint32_t i = 1; i < rings; ++i)
    for (uint32_t k = 0; k < segments; ++k)
      add(std::numbers::pi * i / rings, 2 * std::numbers::pi * k / segments);
  add(std::numbers::pi, 0);
  const auto at = [&](uint32_t i, uint32_t k) { return 1 + (i - 1) * segments + k % segments; };
  const auto top = static_cast<uint32_t>(mesh.vertices.size() - 1);
  for (uint32_t k = 0; k < segments; ++k) {
    mesh.triangles.push_back({0, at(1, k), at(1, k + 1)});
    mesh.triangles.push_back({top, at(rings - 1, k + 1), at(rings - 1, k)});
    for (uint32_t i = 1; i + 1 < rings; ++i) {
      mesh.triangles.push_back({at(i, k), at(i + 1, k), at(i, k + 1)});
      mesh.triangles.push_back({at(i, k + 1), at(i + 1, k), at(i + 1, k + 1)});
    }
  }
  return mesh;
}

// A box with `parts` by `parts` squares on each face.
geometry::TriangleMesh fine_box(const Vec3& size, uint32_t parts) {
  geometry::TriangleMesh mesh;
  const auto corner = [&](int axis, uint32_t side, uint32_t i, uint32_t k) {
    Vec3 x;
    x[axis] = side, x[(axis + 1) % 3] = static_cast<double>(i) / parts,
    x[(axis + 2) % 3] = static_cast<double>(k) / parts;
    mesh.vertices.push_back(size.cwiseProduct(x - Vec3::Constant(0.5)));
    return static_cast<uint32_t>(mesh.vertices.size() - 1);
  };
  for (int axis = 0; axis < 3; ++axis)
    for (const uint32_t side : {0u, 1u})
      for (uint32_t i = 0; i < parts; ++i)
        for (uint32_t k = 0; k < parts; ++k) {
          const uint32_t a = corner(axis, side, i, k), b = corner(axis, side, i + 1, k),
                         c = corner(axis, side, i, k + 1), d = corner(axis, side, i + 1, k + 1);
          if (side == 1)
            mesh.triangles.push_back({a, b, c}), mesh.triangles.push_back({b, d, c});
          else
            mesh.triangles.push_back({a, c, b}), mesh.triangles.push_back({b, c, d});
        }
  return mesh;
}

// Round, flat and thin surfaces, and one with many vertices at equal heights.
std::vector<Polyhedron> surfaces() {
  std::vector<Polyhedron> list;
  list.emplace_back(round_mesh(24, 40, Vec3::Ones()));
  list.emplace_back(round_mesh(30, 30, Vec3(1, 1e-6, 1)));
  list.emplace_back(round_mesh(20, 50, Vec3(1e-3, 1, 1e-3)));
  list.emplace_back(round_mesh(3, 200, Vec3(0.5, 1, 0.5)));
  geometry::TriangleMesh notched = fine_box(Vec3(1, 2, 0.5), 9);  // not convex, with flat parts
  for (Vec3& v : notched.vertices)
    if (v.cwiseAbs().maxCoeff() < 0.99 && v.y() > 0.99) v.y() -= 0.1;
  notched.vertices[40].x() += 0.05;
  list.emplace_back(notched);
  return list;
}

std::vector<Contact> contacts_of(const Collider& a, const math::Pose& X_WA, const Collider& b,
                                 const math::Pose& X_WB) {
  std::vector<Contact> contacts;
  PairMemory memory;
  collision::ManifoldBuilder().build(Placed(a, X_WA), Placed(b, X_WB),
                                     {.max_gap = 2e-4, .contact_offset = 1e-4}, memory, contacts);
  return contacts;
}

}  // namespace

TEST_CASE("the tree finds the support point that a loop over all vertices finds") {
  std::mt19937 random(3);
  for (const Polyhedron& shape : surfaces()) {
    REQUIRE(shape.has_many_vertices());
    for (int k = 0; k < 500; ++k) {
      // Also along the axes and at vertices, where many are equally far.
      Vec3 d = random_vector(random);
      if (k % 4 == 0) d = (k % 8 == 0 ? 1 : -1) * Vec3::Unit(k / 8 % 3);
      if (k % 4 == 1) d = shape.vertices()[static_cast<size_t>(k) % shape.vertices().size()];
      uint32_t best = 0;
      for (uint32_t v = 1; v < shape.vertices().size(); ++v)
        if (shape.vertices()[v].dot(d) > shape.vertices()[best].dot(d)) best = v;
      CHECK(shape.find_support(d) == best);
    }
  }
}

TEST_CASE("the tree visits all vertices above a level") {
  std::mt19937 random(6);
  for (const Polyhedron& shape : surfaces())
    for (int k = 0; k < 50; ++k) {
      const Vec3 d = random_vector(random);
      const double least = (k % 10) / 10.0 * shape.vertices()[shape.find_support(d)].dot(d);
      size_t expected = 0, found = 0;
      for (const Vec3& v : shape.vertices()) expected += v.dot(d) >= least ? 1 : 0;
      shape.visit_vertices(
          [&](const Polyhedron::OrientedBox& box) { return shape.bound_along(box, d) < least; },
          [&](uint32_t v) { found += shape.vertices()[v].dot(d) >= least ? 1 : 0; });
      CHECK(found == expected);
    }
}

TEST_CASE("a fine surface over a plane is never certified wrongly, and found in time") {
  std::mt19937 random(4);
  const Collider ground(collision::Plane{Vec3::UnitY()});
  int violations = 0;
  for (const Vec3& scale : {Vec3(1, 1, 1), Vec3(1, 0.3, 0.6), Vec3(0.2, 1, 1)}) {
    const geometry::TriangleMesh mesh = round_mesh(24, 40, scale);
    const Collider fine = test::collider_of(mesh);
    for (int k = 0; k < 50; ++k) {
      math::Pose pose{math::Quat::from_rotation_vector(2 * random_vector(random)), Vec3::Zero()};
      double lowest = 0;
      for (const Vec3& v : mesh.vertices) lowest = std::min(lowest, (pose.rotation.to_matrix() * v).y());
      const double clearance = 1e-4, h = 0.1;
      pose.translation.y() = 2 * clearance - lowest;
      const Placed body(fine, pose), below(ground, math::Pose());
      collision::Motion motion;
      motion.center = pose.translation;
      motion.velocity = 0.3 * random_vector(random) + Vec3(0, 0.3, 0);
      motion.angular_velocity = random_vector(random);
      PairMemory memory;
      const collision::Verdict verdict = certify(body, motion, below, {}, h, clearance, memory);
      const auto gap_at = [&](double time) {
        const Placed later = placed_after(body, motion, time);
        double gap = 1;
        for (const Vec3& v : mesh.vertices) gap = std::min(gap, (later.R * v + later.p).y());
        return gap;
      };
      for (int i = 0; i <= 40; ++i) CHECK(gap_at(verdict.time * i / 40) > clearance);
      if (verdict.safe) continue;
      ++violations;
      CHECK(gap_at(verdict.time) < 1.01 * clearance);
    }
  }
  CHECK(violations > 20);  // the test has seen both outcomes
}

TEST_CASE("flat faces are divided into as few triangles as possible") {
  const Vec3 size(1, 0.5, 2);
  const Polyhedron fine(fine_box(size, 20)), plain = Polyhedron::make_box(size);
  CHECK(fine.is_convex());
  CHECK(fine.vertices().size() == plain.vertices().size());
  CHECK(fine.primitives().size() == plain.primitives().size());
  CHECK(fine.sharp_edges().size() == plain.sharp_edges().size());
  CHECK(fine.merge_error() > 0);
  CHECK(plain.merge_error() == 0);
  // A surface without flat faces stays as it is.
  const geometry::TriangleMesh round = round_mesh(12, 20, Vec3::Ones());
  CHECK(Polyhedron(round).primitives().size() == round.triangles.size());
  // Not convex: the other faces become as small, and what is dented stays as it is.
  geometry::TriangleMesh dented = fine_box(size, 6);
  for (Vec3& v : dented.vertices)
    if (v.cwiseQuotient(size).head<2>().norm() < 0.3 && v.z() > 0.9) v.z() -= 0.1;
  const Polyhedron dent(dented);
  CHECK(!dent.is_convex());
  CHECK(!dent.is_sheet());
  CHECK(dent.primitives().size() < dented.triangles.size() / 3);
  // An open sheet: one side of the box.
  geometry::TriangleMesh side = fine_box(size, 8);
  side.triangles.resize(2 * 8 * 8);
  CHECK(Polyhedron(side).primitives().size() == 2);
}

TEST_CASE("a box with fine faces has the contacts of the plain box") {
  const Vec3 size(1, 0.5, 2);
  const Collider fine(collision::Mesh{std::make_shared<const geometry::TriangleMesh>(fine_box(size, 15))}),
      plain(collision::Box{size}), ground(collision::Plane{Vec3::UnitY()}),
      table(collision::Box{Vec3(1.5, 1, 1.5)});
  std::mt19937 random(5);
  for (int k = 0; k < 30; ++k) {
    const math::Vec3 tilt = 1e-5 * random_vector(random) + Vec3(0, 3 * random_vector(random).x(), 0);
    const math::Pose pose{math::Quat::from_rotation_vector(tilt), Vec3(0, 0.25 + 1e-4, 0)};
    for (const auto& [below, X_WB] :
         {std::pair(&ground, math::Pose()),
          std::pair(&table, math::Pose{math::Quat::identity(), Vec3(0, -0.5, 0)})}) {
      const std::vector<Contact> of_fine = contacts_of(fine, pose, *below, X_WB),
                                 of_plain = contacts_of(plain, pose, *below, X_WB);
      CHECK(of_fine.size() == of_plain.size());
      for (const Contact& c : of_plain)
        CHECK(std::any_of(of_fine.begin(), of_fine.end(), [&](const Contact& f) {
          return (f.point - c.point).norm() < 1e-12 && std::abs(f.gap - c.gap) < 1e-12 &&
                 (f.normal - c.normal).norm() < 1e-9;
        }));
    }
  }
}
