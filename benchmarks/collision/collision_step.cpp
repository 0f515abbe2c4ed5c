// What a step of collision costs as bodies become many: places and boxes, pairs, contacts of every near pair, and the certificate of
// every pair over the step. Boxes in a block of layers at a small gap, each trembling, with up to 26 neighbours at faces, edges and corners:
// a larger block has less surface and so more pairs a body. Asked: time grows no faster than N log N, memory no faster than bodies and
// pairs do.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "measure.h"
#include "tumble/collision/certificate.h"
#include "tumble/contact/pair_tracker.h"
#include "tumble/model/model_builder.h"

using namespace tumble;
using bench::median;
using bench::thread_seconds;
using core::BodyId;
using math::Vec3;

namespace {

constexpr double kStep = 1.0 / 240, kGap = 1e-4, kSpeed = 0.01;  // s, m, m/s
constexpr int kSteps = 9;

model::Model make_block(size_t count) {
  model::ModelBuilder builder("block");
  const auto row = static_cast<size_t>(std::ceil(std::cbrt(static_cast<double>(count))));
  for (size_t i = 0; i < count; ++i) {
    model::BodySpec body;
    body.name = "b" + std::to_string(i);
    const Vec3 cell(static_cast<double>(i % row), static_cast<double>(i / row % row),
                    static_cast<double>(i / row / row));
    body.X_WB.translation = (1 + kGap) * cell;
    body.shapes = {{.shape = collision::Box{Vec3(1, 1, 1)}}};
    builder.add_body(body);
  }
  return builder.finish().value();
}

struct Cost {
  double broad = 0, contacts = 0, certificate = 0;  // s a step
  size_t pairs = 0, corners = 0, unsafe = 0, bytes = 0;
  double known = 0;  // share of manifolds
  double sum() const { return broad + contacts + certificate; }
};

Cost measure(size_t count) {
  const model::Model model = make_block(count);
  model::State state = model::start_state(model);
  contact::PairTracker proximity(model);
  collision::ManifoldBuilder builder;
  const std::vector<double> margins(count, kGap);
  std::vector<collision::Contact> contacts;
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<collision::Motion> motions(count);
  Cost cost;
  std::vector<double> broad, manifold, certificate;
  for (int k = 0; k < kSteps; ++k) {
    for (size_t i = 0; i < count; ++i) {
      const double x = unit(generator), y = unit(generator), z = unit(generator);
      motions[i].center = state.position(BodyId(i));
      motions[i].velocity = (k % 2 == 0 ? 1 : -1) * kSpeed * Vec3(x, y, z);
    }
    const double begin = thread_seconds();
    auto& pairs = proximity.update(state, margins);
    const double paired = thread_seconds();
    contacts.clear();
    for (auto& pair : pairs)
      builder.build(proximity.placed(pair.a), proximity.placed(pair.b),
                    {.max_gap = 2 * kGap, .contact_offset = kGap}, pair.memory, contacts);
    const double built = thread_seconds();
    cost.unsafe = 0;
    for (auto& pair : pairs) {
      const BodyId a = proximity.items()[pair.a].body, b = proximity.items()[pair.b].body;
      cost.unsafe += certify(proximity.placed(pair.a), motions[a.index()], proximity.placed(pair.b),
                             motions[b.index()], kStep, 0.1 * kGap, pair.memory)
                             .safe
                         ? 0
                         : 1;
    }
    const double certified = thread_seconds();
    if (k == 0) continue;
    broad.push_back(paired - begin), manifold.push_back(built - paired),
        certificate.push_back(certified - built);
    cost.pairs = pairs.size(), cost.corners = contacts.size();
    // There and back, so that the block stays what it is.
    if (k % 2 == 0)
      for (size_t i = 0; i < count; ++i) {
        const Vec3 moved = motions[i].center + 1e-3 * kStep * motions[i].velocity;
        state.set_position(BodyId(i), moved);
      }
  }
  cost.broad = median(broad), cost.contacts = median(manifold), cost.certificate = median(certificate);
  cost.bytes = proximity.memory_bytes();
  const auto& counters = builder.counters();
  cost.known = static_cast<double>(counters.known) / static_cast<double>(counters.known + counters.searched);
  return cost;
}

}  // namespace

int main() {
  std::printf(
      "| bodies | pairs | corners | boxes and pairs | contacts | certificate | a body | bytes a body | by "
      "known features |\n");
  std::printf("|---|---|---|---|---|---|---|---|---|\n");
  const size_t counts[] = {1000, 10000, 100000};
  double first = 0, last = 0, first_bytes = 0, last_bytes = 0;
  size_t unsafe = 0;
  for (const size_t count : counts) {
    const Cost cost = measure(count);
    const auto n = static_cast<double>(count);
    std::printf("| %zu | %zu | %zu | %.2f ms | %.2f ms | %.2f ms | %.2f us | %.0f | %.1f %% |\n", count,
                cost.pairs, cost.corners, 1e3 * cost.broad, 1e3 * cost.contacts, 1e3 * cost.certificate,
                1e6 * cost.sum() / n, static_cast<double>(cost.bytes) / n, 100 * cost.known);
    last = cost.sum() / n,
    last_bytes = static_cast<double>(cost.bytes) / static_cast<double>(count + cost.pairs);
    if (count == counts[0]) first = last, first_bytes = last_bytes;
    unsafe += cost.unsafe;
  }
  const double allowed = std::log(100000.0) / std::log(1000.0);
  std::printf(
      "\nfrom 1,000 to 100,000: time a body grows by %.2f (N log N: %.2f), bytes per body and pair by %.2f; "
      "pairs not "
      "certified: %zu\n",
      last / first, allowed, last_bytes / first_bytes, unsafe);
  return last / first <= allowed && last_bytes <= 1.2 * first_bytes && unsafe == 0 ? 0 : 1;
}
