#include "tumble/geometry/bvh.h"

#include <doctest/doctest.h>

#include <set>

#include "unit/geometry/meshes.h"

using namespace tumble;
using namespace tumble::test;
using geometry::Bounds;
using geometry::Bvh;
using Pair = std::pair<uint32_t, uint32_t>;

namespace {

std::vector<Bounds> random_boxes(Random& random, size_t count, double size) {
  std::vector<Bounds> boxes;
  for (size_t i = 0; i < count; ++i) {
    const Vec3 p = random.point(1), d = 0.5 * (random.point(size) + Vec3::Constant(size));
    boxes.push_back({p, p + d});
  }
  return boxes;
}

// Compares everything the tree finds with brute force over all pairs.
void check_against_all_pairs(const std::vector<Bounds>& boxes) {
  const Bvh tree(boxes);
  std::vector<Pair> found, expected;
  tree.for_each_pair([&](uint32_t i, uint32_t j) {
    found.push_back({i, j});
    return true;
  });
  for (uint32_t i = 0; i < boxes.size(); ++i)
    for (uint32_t j = i + 1; j < boxes.size(); ++j)
      if (geometry::overlap(boxes[i], boxes[j])) expected.push_back({i, j});
  std::sort(found.begin(), found.end());
  CHECK(found == expected);

  for (size_t k = 0; k < boxes.size(); k += 7) {
    std::vector<uint32_t> hits, wanted;
    tree.for_each_overlap(boxes[k], [&](uint32_t i) {
      hits.push_back(i);
      return true;
    });
    for (uint32_t i = 0; i < boxes.size(); ++i)
      if (geometry::overlap(boxes[i], boxes[k])) wanted.push_back(i);
    std::sort(hits.begin(), hits.end());
    CHECK(hits == wanted);
  }
}

}  // namespace

TEST_CASE("the tree finds exactly the overlapping boxes") {
  Random random(1);
  for (const size_t count : {0, 1, 2, 4, 5, 9, 100, 700})
    for (const double size : {0.0, 0.05, 0.5, 4.0})
      check_against_all_pairs(random_boxes(random, count, size));
}

TEST_CASE("boxes that touch overlap; boxes one unit in the last place apart do not") {
  const Bounds a{{0, 0, 0}, {1, 1, 1}}, touching{{1, 1, 1}, {2, 2, 2}};
  const Bounds apart{{std::nextafter(1.0, 2.0), 0, 0}, {2, 1, 1}};
  CHECK(geometry::overlap(a, touching));
  CHECK_FALSE(geometry::overlap(a, apart));
}

TEST_CASE("the tree handles equal, nested and ever smaller boxes") {
  std::vector<Bounds> equal(300, Bounds{{0, 0, 0}, {1, 1, 1}});
  check_against_all_pairs(equal);
  std::vector<Bounds> halving;
  for (int i = 0; i < 600; ++i) {
    const Vec3 p = Vec3::Constant(std::ldexp(1.0, -i));
    halving.push_back({0.75 * p, p});
  }
  check_against_all_pairs(halving);
  std::vector<Bounds> huge;
  for (int i = 0; i < 50; ++i) huge.push_back({Vec3::Constant(-1e300), Vec3::Constant(1e300 - 1e298 * i)});
  check_against_all_pairs(huge);
}

TEST_CASE("visiting stops when the visitor returns false") {
  const std::vector<Bounds> boxes(50, Bounds{{0, 0, 0}, {1, 1, 1}});
  int pairs = 0, items = 0;
  Bvh(boxes).for_each_pair([&](uint32_t, uint32_t) { return ++pairs < 3; });
  Bvh(boxes).for_each_overlap(boxes[0], [&](uint32_t) { return ++items < 3; });
  CHECK(pairs == 3);
  CHECK(items == 3);
}

TEST_CASE("the same boxes are visited in the same order") {
  Random random(2);
  const auto boxes = random_boxes(random, 500, 0.2);
  const auto order = [&] {
    std::vector<Pair> pairs;
    Bvh(boxes).for_each_pair([&](uint32_t i, uint32_t j) {
      pairs.push_back({i, j});
      return true;
    });
    return pairs;
  };
  CHECK(order() == order());
}
