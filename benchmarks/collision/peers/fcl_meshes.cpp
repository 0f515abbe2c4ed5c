#include <fcl/fcl.h>

#include "collision/peers/narrow_phase_peers.h"

namespace peers {

struct FclMeshes::Parts {
  std::shared_ptr<fcl::CollisionGeometry<double>> a, b;
};

namespace {

template <typename Volume>
std::shared_ptr<fcl::CollisionGeometry<double>> model_of(const tumble::geometry::TriangleMesh& mesh) {
  std::vector<fcl::Vector3<double>> points(mesh.vertices.begin(), mesh.vertices.end());
  std::vector<fcl::Triangle> triangles;
  for (const auto& t : mesh.triangles) triangles.emplace_back(t[0], t[1], t[2]);
  auto model = std::make_shared<fcl::BVHModel<Volume>>();
  model->beginModel();
  model->addSubModel(points, triangles);
  model->endModel();
  return model;
}

std::shared_ptr<fcl::CollisionGeometry<double>> model_of(const tumble::geometry::TriangleMesh& mesh,
                                                         FclVolume volume) {
  switch (volume) {
    case FclVolume::rss:
      return model_of<fcl::RSS<double>>(mesh);
    case FclVolume::obb_rss:
      return model_of<fcl::OBBRSS<double>>(mesh);
    default:
      return model_of<fcl::kIOS<double>>(mesh);
  }
}

fcl::Transform3<double> transform_of(const tumble::math::Pose& X) {
  fcl::Transform3<double> t = fcl::Transform3<double>::Identity();
  t.linear() = X.rotation.to_matrix();
  t.translation() = X.translation;
  return t;
}

}  // namespace

FclMeshes::FclMeshes(const tumble::geometry::TriangleMesh& a, const tumble::geometry::TriangleMesh& b,
                     FclVolume volume)
    : parts_(new Parts{model_of(a, volume), model_of(b, volume)}) {}
FclMeshes::~FclMeshes() = default;

double FclMeshes::distance(const tumble::math::Pose& a, const tumble::math::Pose& b) {
  fcl::DistanceRequest<double> request;
  fcl::DistanceResult<double> result;
  return fcl::distance(parts_->a.get(), transform_of(a), parts_->b.get(), transform_of(b), request, result);
}

}  // namespace peers
