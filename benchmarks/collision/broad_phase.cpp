// Comparison of the broad phase with the dynamic tree of Bullet: in each step all boxes move and all pairs
// are found.
//
// Both get the same boxes, in blocks of steps that alternate. A figure is the median over blocks of the mean
// CPU time of a step. The mean includes work that is done only in some steps. The two settings of Bullet that
// are fastest on a smaller scene of the same kind take part, and the better one is reported.
// The pairs of Bullet are those of enlarged boxes and unordered, ours are exact and sorted. After each block
// the pairs are compared, without pairs of Bullet whose exact boxes do not overlap. This comparison is not
// timed.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "collision/peers/bullet_broad_phase.h"
#include "measure.h"
#include "tumble/collision/dynamic_tree.h"
#include "tumble/collision/sweep_and_prune.h"

using namespace tumble;
using bench::median;
using bench::thread_seconds;
using geometry::Bounds;
using math::Vec3;

namespace {

constexpr int kBlocks = 5, kStepsInBlock = 32;
constexpr int kWarmUp = 64;  // steps until boxes leave their enlarged boxes at a steady rate
constexpr size_t kTrialBoxes = 2000, kFinalists = 2;
constexpr double kMaxRatio = 1;

enum class Motion { drifting, pile, fast };
const char* const kNames[] = {"drifting", "pile", "fast"};

// Boxes of about 1 m.
//   drifting  at random positions in a closed room, at most 0.02 m per step and axis; each overlaps 2.4
//   others pile      close together in rows and layers, each oscillating by 0.005 m
//   fast      as drifting, but 0.5 m per step, with boxes swept over the step
class Scene {
 public:
  Scene(Motion motion, size_t count) : motion_(motion), generator_(1) {
    const double density = motion == Motion::fast ? 0.15 : 0.3;
    room_ = std::cbrt(static_cast<double>(count) / density);
    const double speed = motion == Motion::drifting ? 0.02 : motion == Motion::pile ? 0.005 : 0.5;
    const auto row = static_cast<size_t>(std::ceil(std::cbrt(static_cast<double>(count))));
    for (size_t i = 0; i < count; ++i) {
      const Vec3 cell(static_cast<double>(i % row), static_cast<double>(i / row % row),
                      static_cast<double>(i / row / row));
      centers_.push_back(motion == Motion::pile ? Vec3(cell + 0.05 * random_point())
                                                : Vec3(room_ / 2 * random_point()));
      halves_.push_back(motion == Motion::pile ? Vec3(Vec3::Constant(0.5) + 0.02 * random_point())
                                               : Vec3::Constant(0.5));
      velocities_.push_back(speed * random_point());
    }
    std::vector<size_t> order(count);  // random order: neighbours in space are not neighbours in the list
    for (size_t i = 0; i < count; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), generator_);
    for (size_t i = 0; i < count; ++i) {
      std::swap(centers_[i], centers_[order[i]]);
      std::swap(halves_[i], halves_[order[i]]);
    }
    places_ = centers_;
    boxes_.resize(count);
    step();
  }

  void step() {
    for (size_t i = 0; i < centers_.size(); ++i) {
      Vec3 &c = centers_[i], &v = velocities_[i];
      const Vec3 before = c;
      if (motion_ == Motion::pile) {
        c = places_[i] + std::sin(0.7 * static_cast<double>(steps_ + i)) * v;
      } else {
        for (int k = 0; k < 3; ++k)
          if (std::abs(c[k] + v[k]) > room_ / 2) v[k] = -v[k];
        c += v;
      }
      const Vec3 from = motion_ == Motion::fast ? before : c;
      boxes_[i] = {c.cwiseMin(from) - halves_[i], c.cwiseMax(from) + halves_[i]};
    }
    ++steps_;
  }

  std::span<const Bounds> boxes() const { return boxes_; }

 private:
  Vec3 random_point() {
    std::uniform_real_distribution<double> unit(-1, 1);
    const double x = unit(generator_), y = unit(generator_), z = unit(generator_);
    return {x, y, z};
  }

  Motion motion_;
  std::mt19937 generator_;
  double room_;
  size_t steps_ = 0;
  std::vector<Vec3> centers_, halves_, velocities_, places_;
  std::vector<Bounds> boxes_;
};

// Mean and largest CPU time of an update over some steps, s.
struct Cost {
  double mean = 0, worst = 0;
};

template <typename Method>
Cost time_steps(Method& method, Scene& scene, int steps) {
  Cost cost;
  for (int i = 0; i < steps; ++i) {
    scene.step();
    const double begin = thread_seconds();
    method.update(scene.boxes());
    const double seconds = thread_seconds() - begin;
    cost.mean += seconds / steps;
    cost.worst = std::max(cost.worst, seconds);
  }
  return cost;
}

// The fastest settings on a scene of moderate size, over so many steps that the start does not matter.
std::vector<peers::BulletSetting> best_settings(Motion motion) {
  struct Trial {
    peers::BulletSetting setting;
    double seconds = 0;
  };
  std::vector<Trial> trials;
  for (const bool deferred : {false, true})
    for (const double margin : {0.0, 0.02, 0.05, 0.1, 0.2, 0.4})
      for (const double prediction : {0.0, 0.3, 0.6})
        for (const int optimized : {0, 1}) {
          const peers::BulletSetting setting{deferred, margin, prediction, optimized};
          Scene scene(motion, kTrialBoxes);
          peers::BulletBroadPhase bullet(setting, scene.boxes());
          time_steps(bullet, scene, kWarmUp);
          trials.push_back({setting, time_steps(bullet, scene, 3 * kWarmUp).mean});
        }
  std::sort(trials.begin(), trials.end(),
            [](const Trial& a, const Trial& b) { return a.seconds < b.seconds; });
  std::vector<peers::BulletSetting> best;
  for (size_t i = 0; i < kFinalists; ++i) best.push_back(trials[i].setting);
  return best;
}

std::vector<collision::ItemPair> exact_pairs(const peers::BulletBroadPhase& bullet,
                                             std::span<const Bounds> boxes) {
  std::vector<collision::ItemPair> pairs;
  for (const auto& [a, b] : bullet.pairs())
    if (overlap(boxes[a], boxes[b])) pairs.push_back({a, b});
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

struct Times {
  std::vector<double> means = {};  // s, of each block
  double worst = 0;                // s, of a step
  void add(const Cost& cost) {
    means.push_back(cost.mean);
    worst = std::max(worst, cost.worst);
  }
};

bool compare(Motion motion, size_t count, const std::vector<peers::BulletSetting>& settings) {
  Scene scene(motion, count);
  collision::DynamicTree tree;
  std::vector<std::unique_ptr<peers::BulletBroadPhase>> bullets;
  for (const peers::BulletSetting& setting : settings)
    bullets.push_back(std::make_unique<peers::BulletBroadPhase>(setting, scene.boxes()));
  Times ours;
  std::vector<Times> theirs(settings.size());
  bool same = true;
  size_t pairs = 0;
  constexpr int kSkipped = kWarmUp / kStepsInBlock;
  for (int block = 0; block < kSkipped + kBlocks; ++block) {
    const Scene start = scene;
    const Cost cost = time_steps(tree, scene, kStepsInBlock);
    if (block >= kSkipped) ours.add(cost);
    const std::span<const collision::ItemPair> found = tree.update(scene.boxes());
    pairs = found.size();
    for (size_t k = 0; k < bullets.size(); ++k) {
      Scene copy = start;
      const Cost their_cost = time_steps(*bullets[k], copy, kStepsInBlock);
      if (block >= kSkipped) theirs[k].add(their_cost);
      const std::vector<collision::ItemPair> wanted = exact_pairs(*bullets[k], scene.boxes());
      same = same && std::equal(found.begin(), found.end(), wanted.begin(), wanted.end());
    }
  }
  size_t best = 0;
  for (size_t k = 1; k < theirs.size(); ++k)
    if (median(theirs[k].means) < median(theirs[best].means)) best = k;
  const double ratio = median(ours.means) / median(theirs[best].means);
  const bool met = same && ratio <= kMaxRatio;
  std::printf("%-9s %7zu %8zu  %-6s %9.3f %9.3f %7.2f  %9.2f %9.2f  %s%s\n", kNames[static_cast<int>(motion)],
              count, pairs, same ? "same" : "DIFFER", 1e3 * median(ours.means),
              1e3 * median(theirs[best].means), ratio, 1e3 * ours.worst, 1e3 * theirs[best].worst,
              settings[best].text().c_str(), met ? "" : "  missed");
  std::fflush(stdout);
  return met;
}

template <typename Method>
void grow(const char* name, std::vector<size_t> counts) {
  for (const size_t count : counts) {
    Scene scene(Motion::drifting, count);
    Method method;
    time_steps(method, scene, kWarmUp);
    std::vector<double> times;
    uint64_t tests = 0;
    for (int block = 0; block < kBlocks; ++block)
      times.push_back(time_steps(method, scene, kStepsInBlock).mean);
    for (int i = 0; i < kStepsInBlock; ++i) {
      scene.step();
      method.update(scene.boxes());
      tests += method.work().box_tests;
    }
    const auto n = static_cast<double>(count);
    std::printf("%-6s %7zu %9.3f %12.2f %12.1f %12.0f\n", name, count, 1e3 * median(times),
                1e9 * median(times) / (n * std::log2(n)), static_cast<double>(tests) / kStepsInBlock / n,
                static_cast<double>(method.memory_bytes()) / n);
    std::fflush(stdout);
  }
}

}  // namespace

int main() {
  std::printf(
      "broad phase, ms of CPU per step: mean, median of %d blocks of %d steps; worst: of a single step\n",
      kBlocks, kStepsInBlock);
  std::printf("%-9s %7s %8s  %-6s %9s %9s %7s  %9s %9s  %s\n", "scene", "boxes", "pairs", "", "tumble",
              "Bullet", "ratio", "worst", "worst", "Bullet's best setting");
  bool met = true;
  for (const Motion motion : {Motion::drifting, Motion::pile, Motion::fast}) {
    const std::vector<peers::BulletSetting> settings = best_settings(motion);
    for (const size_t count : {10'000, 100'000}) met = compare(motion, count, settings) && met;
  }
  std::printf("\ngrowth, drifting\n%-6s %7s %9s %12s %12s %12s\n", "", "boxes", "ms", "ns/(N log N)",
              "tests/box", "bytes/box");
  grow<collision::DynamicTree>("tree", {1'000, 3'000, 10'000, 30'000, 100'000});
  grow<collision::SweepAndPrune>("sweep", {1'000, 3'000, 10'000});
  return met ? 0 : 1;
}
