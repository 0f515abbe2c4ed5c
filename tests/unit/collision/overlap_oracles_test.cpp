#include "unit/collision/overlap_oracles.h"
#include "support/sanitized.h"

using namespace tumble::test::overlap_oracles;

namespace {

constexpr int kOverlapCases = support::kSanitized ? 25 : 2000;

}  // namespace

TEST_CASE("depths of boxes agree with fifteen axes, in 2,000 cases") { check_boxes(kOverlapCases); }

TEST_CASE("depths of convex shapes agree with a search over directions, in 2,000 cases each") {
  for (size_t i = 0; i < convex_names().size(); ++i)
    for (size_t j = i; j < convex_names().size(); ++j)
      check_convex_pair(convex_names()[i], convex_names()[j], kOverlapCases, 40);
}

TEST_CASE("the reference search finds the minimum translation of a ball near the axis of a cone") {
  check_search_in_cone(kOverlapCases);
}

TEST_CASE("two Ls with crossing edges are as deep as their minimum translation, although no point is") {
  const BodyInL l = bodies_in_l().back();
  const Pose X_LB{
      Quat::from_wxyz(0.96072891107013458, 0.13579197400906498, -0.16241189200351167, 0.17939586551689105),
      Vec3(-0.15960574718192211, 0.45029332442209125, 0.017066869512200433)};
  const double shortest = BoxBodies(l.boxes, l.boxes, X_LB).min_translation();
  CHECK(shortest > 1.5 * 0.3);  // half the height of an L: no point in it is deeper
  CHECK(std::abs(OverlapChecker().measure(l.shape, Pose{}, l.shape, X_LB).depth - shortest) <= 1e-12);
}

TEST_CASE("depths of balls and capsules in an L agree with the closed form, in 2,000 cases") {
  check_l_against_balls(kOverlapCases);
}

TEST_CASE("depths of boxes, cylinders, cones and an L in an L agree with sampling, in 2,000 cases") {
  check_l_against_bodies(kOverlapCases);
}
