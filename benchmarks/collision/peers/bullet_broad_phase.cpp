#include "collision/peers/bullet_broad_phase.h"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

#include <cstdio>
#include <stdexcept>

namespace peers {

struct BulletBroadPhase::Engine {
  btDbvtBroadphase tree;
  std::vector<btBroadphaseProxy*> proxies;
  double margin;
};

namespace {

btVector3 corner(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

}  // namespace

std::string BulletSetting::text() const {
  char line[100];
  std::snprintf(line, sizeof line, "%s, margin %g, ahead %g, optimized %d %%",
                deferred ? "deferred" : "immediate", margin, prediction, optimized);
  return line;
}

BulletBroadPhase::BulletBroadPhase(const BulletSetting& setting,
                                   std::span<const tumble::geometry::Bounds> boxes)
    : engine_(std::make_unique<Engine>()) {
  static_assert(sizeof(btScalar) == sizeof(double));
  engine_->margin = setting.margin;
  btDbvtBroadphase& tree = engine_->tree;
  tree.m_deferedcollide = setting.deferred;
  tree.m_dupdates = setting.optimized;
  tree.setVelocityPrediction(setting.prediction);
  for (size_t i = 0; i < boxes.size(); ++i)
    engine_->proxies.push_back(tree.createProxy(corner(boxes[i].lower), corner(boxes[i].upper), 0,
                                                reinterpret_cast<void*>(i), 1, 1, nullptr));
  tree.optimize();
}

BulletBroadPhase::~BulletBroadPhase() {
  for (btBroadphaseProxy* proxy : engine_->proxies)
    btAlignedFree(proxy);  // removing them one by one, Bullet would search all pairs each time
}

void BulletBroadPhase::update(std::span<const tumble::geometry::Bounds> boxes) {
  gDbvtMargin = engine_->margin;
  btDbvtBroadphase& tree = engine_->tree;
  for (size_t i = 0; i < boxes.size(); ++i)
    tree.setAabb(engine_->proxies[i], corner(boxes[i].lower), corner(boxes[i].upper), nullptr);
  tree.calculateOverlappingPairs(nullptr);
}

std::vector<std::pair<uint32_t, uint32_t>> BulletBroadPhase::pairs() const {
  std::vector<std::pair<uint32_t, uint32_t>> list;
  const btBroadphasePairArray& pairs = engine_->tree.m_paircache->getOverlappingPairArray();
  for (int i = 0; i < pairs.size(); ++i) {
    const auto item = [](const btBroadphaseProxy* proxy) {
      return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(proxy->m_clientObject));
    };
    list.emplace_back(std::minmax(item(pairs[i].m_pProxy0), item(pairs[i].m_pProxy1)));
  }
  return list;
}

}  // namespace peers
