// Compares distances with the Flexible Collision Library 0.7, and overlaps with libccd. Both stop when they
// gain no more than 1e-6, which says little about their error. If they differ from us by more than a hundred
// times that, bounds from the shapes' own formulas must prove our result.
#pragma once

#include <doctest/doctest.h>

#include <ccd/ccd.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/cone.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/distance.h>

#include "distance_oracle.h"

namespace tumble::test {

inline std::shared_ptr<fcl::CollisionGeometryd> fcl_shape(const Reference& r) {
  using collision::Box, collision::Capsule, collision::Cone, collision::Cylinder, collision::Sphere;
  if (const auto* s = std::get_if<Sphere>(&r.shape)) return std::make_shared<fcl::Sphered>(s->radius);
  if (const auto* c = std::get_if<Capsule>(&r.shape))
    return std::make_shared<fcl::Capsuled>(c->radius, c->length);
  if (const auto* b = std::get_if<Box>(&r.shape))
    return std::make_shared<fcl::Boxd>(b->size.x(), b->size.y(), b->size.z());
  if (const auto* c = std::get_if<Cylinder>(&r.shape))
    return std::make_shared<fcl::Cylinderd>(c->radius, c->length);
  if (const auto* c = std::get_if<Cone>(&r.shape)) return std::make_shared<fcl::Coned>(c->radius, c->length);
  auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
  model->beginModel();
  for (const geometry::Triangle& t : r.mesh()->triangles)
    model->addTriangle(r.mesh()->vertices[t[0]], r.mesh()->vertices[t[1]], r.mesh()->vertices[t[2]]);
  model->endModel();
  return model;
}

inline fcl::Transform3d fcl_pose(const Reference& r) {
  fcl::Transform3d X = fcl::Transform3d::Identity();
  X.linear() = r.R, X.translation() = r.p;
  // FCL's axes are along Z, ours along Y.
  if (!r.mesh() && !std::holds_alternative<collision::Box>(r.shape))
    X.linear() = r.R * Eigen::AngleAxisd(-math::kPi / 2, Vec3::UnitX()).toRotationMatrix();
  return X;
}

inline void ccd_farthest(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* point) {
  const Vec3 x =
      static_cast<const Reference*>(object)->farthest({direction->v[0], direction->v[1], direction->v[2]});
  ccdVec3Set(point, x.x(), x.y(), x.z());
}

inline bool ccd_overlap(const Reference& a, const Reference& b) {
  ccd_t ccd;
  CCD_INIT(&ccd);
  ccd.support1 = ccd.support2 = ccd_farthest;
  ccd.max_iterations = 200;
  return ccdGJKIntersect(&a, &b, &ccd) != 0;
}

inline void compare_with_fcl(int cases, unsigned seed) {
  int differ = 0, all = 0, overlap_differs = 0;
  double worst = 0;
  for (int i = 0; i < kKinds; ++i)
    for (int j = i; j < kKinds; ++j) {
      const auto ka = static_cast<Kind>(i), kb = static_cast<Kind>(j);
      // The distance from a plane is a formula, see distance_test.cpp.
      if (ka == Kind::plane || kb == Kind::plane) continue;
      Dice dice(seed + 100u * static_cast<unsigned>(i) + static_cast<unsigned>(j));
      const bool convex = is_convex(ka) && is_convex(kb);
      Faults faults;
      for (int k = 0; k < cases; ++k) {
        const int what = dice.below(10);
        const Arrangement arrangement = what < 6   ? Arrangement::anywhere
                                        : what < 8 ? Arrangement::near
                                        : what < 9 ? Arrangement::aligned
                                                   : Arrangement::deep;
        const Pair pair = make_pair(dice, ka, kb, arrangement, 1, dice.order(0.2, 5), 1, Vec3::Zero());
        const std::string where = std::string(kKindNames[i]) + " " + kKindNames[j] + " case " +
                                  std::to_string(k) + " arrangement " +
                                  std::to_string(static_cast<int>(arrangement));
        const Collider ca(pair.a.shape), cb(pair.b.shape);
        const Placed a(ca, pair.X_WA), b(cb, pair.X_WB);
        const Separation s = compute_distance(a, b);
        const auto fa = fcl_shape(pair.a), fb = fcl_shape(pair.b);
        fcl::DistanceRequestd request;
        request.distance_tolerance = 1e-6;
        fcl::DistanceResultd result;
        const double theirs = std::max(
            0.0, fcl::distance(fa.get(), fcl_pose(pair.a), fb.get(), fcl_pose(pair.b), request, result));
        ++all;
        // FCL treats convex meshes as surfaces. Inside each other they are apart.
        const bool surfaces = (ka == Kind::hull || kb == Kind::hull) && s.distance == 0;
        const double difference = surfaces ? 0 : std::abs(theirs - s.distance);
        if (!(difference <= 1e-4 * pair.size)) {
          ++differ;
          worst = std::max(worst, difference);
          check_distance(pair, ka, kb, accuracy(), dice, faults, where);
        }
        if (convex) {
          const bool overlap = ccd_overlap(pair.a, pair.b);
          if (s.distance > 1e-4 * pair.size && overlap) ++overlap_differs;
          if (arrangement == Arrangement::deep && !overlap) ++overlap_differs;
          faults.expect(arrangement != Arrangement::deep || s.distance == 0,
                        "distance of a deep overlap is 0", s.distance, where);
        }
      }
      faults.report();
    }
  MESSAGE("FCL differs by more than 1e-4 in " << differ << " of " << all << " cases, at most by " << worst
                                              << "; libccd in " << overlap_differs);
  CHECK(differ < all / 100);
  CHECK(overlap_differs < all / 1000);
}

}  // namespace tumble::test
