#include "tumble/geometry/convex_hull.h"

#include <algorithm>
#include <climits>
#include <optional>

#include "tumble/geometry/detail/local_points.h"
#include "tumble/geometry/detail/qhull.h"
#include "tumble/geometry/tolerances.h"

namespace tumble::geometry {

using detail::LocalFrame;
using detail::min_height;
using math::Vec3;

namespace {

bool comes_before(const Vec3& a, const Vec3& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

// Sorts the points in ascending order and removes duplicates, so that the result does not depend on their
// order.
std::vector<Vec3> sorted_and_unique(std::span<const Vec3> points) {
  std::vector<Vec3> sorted;
  sorted.reserve(points.size());
  for (const Vec3& p : points) sorted.emplace_back(p + Vec3::Zero());  // -0 becomes +0
  std::sort(sorted.begin(), sorted.end(), comes_before);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

// The point with the largest `distance`, the first one of equals.
template <typename Distance>
Vec3 farthest(std::span<const Vec3> points, const Distance& distance) {
  Vec3 best = points[0];
  for (const Vec3& p : points)
    if (distance(p) > distance(best)) best = p;
  return best;
}

// Says how points fail to span space, and within which thickness.
struct Flatness {
  std::string what;
  double thickness;
};

std::optional<Flatness> find_flatness(std::span<const Vec3> points, double thinnest) {
  const Vec3& a = points[0];
  const auto from_a = [&](const Vec3& p) { return (p - a).norm(); };
  const Vec3 b = farthest(points, from_a);
  const double length = from_a(b);
  if (!(length > thinnest)) return Flatness{"are all at one point", thinnest};
  const Vec3 along = (b - a) / length;
  const auto from_line = [&](const Vec3& p) { return along.cross(p - a).norm(); };
  const Vec3 c = farthest(points, from_line);
  const double width = from_line(c);
  if (!(width > thinnest)) return Flatness{"are all in one line", thinnest};
  const Vec3 normal = along.cross(c - a) / width;
  const auto from_plane = [&](const Vec3& p) { return std::abs(normal.dot(p - a)); };
  const double thin = thinnest * (1 + length / width);
  if (!(from_plane(farthest(points, from_plane)) > thin)) return Flatness{"are all in one plane", thin};
  return std::nullopt;
}

// Middle corners of triangles that are too low to have a plane, the lowest triangles first. Never takes two
// corners of one triangle, since each is removed in favour of the other two.
std::vector<uint32_t> find_corners_on_edges(std::span<const Vec3> points, std::span<const Triangle> triangles,
                                            double lowest) {
  struct Low {
    double height;
    Triangle corners;
  };
  std::vector<Low> low;
  for (const Triangle& t : triangles)
    if (const double h = min_height(points[t[0]], points[t[1]], points[t[2]]); !(h >= lowest))
      low.push_back({h, t});
  std::stable_sort(low.begin(), low.end(), [](const Low& a, const Low& b) { return a.height < b.height; });
  std::vector<uint32_t> found;
  std::vector<uint8_t> used(points.size());
  for (const Low& each : low) {
    const Triangle& t = each.corners;
    if (used[t[0]] || used[t[1]] || used[t[2]]) continue;
    size_t longest = 0;
    const auto side = [&](size_t i) {
      return (points[t[(i + 1) % 3]] - points[t[(i + 2) % 3]]).squaredNorm();
    };
    for (size_t i = 1; i < 3; ++i)
      if (side(i) > side(longest)) longest = i;
    found.push_back(t[longest]);
    for (const uint32_t corner : t) used[corner] = 1;
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Removes the points at the given indices, which are in ascending order.
void remove_at(std::span<const uint32_t> indices, std::vector<Vec3>& points) {
  size_t count = 0, next = 0;
  for (size_t i = 0; i < points.size(); ++i)
    if (next < indices.size() && indices[next] == i)
      ++next;
    else
      points[count++] = points[i];
  points.resize(count);
}

// Builds a mesh of the triangles and the points they use, renumbered. The lowest corner of a triangle comes
// first. Triangles are sorted.
TriangleMesh build_mesh(std::span<const Vec3> points, std::vector<Triangle> triangles) {
  std::vector<uint32_t> number(points.size(), 0);
  for (const Triangle& t : triangles)
    for (const uint32_t corner : t) number[corner] = 1;
  TriangleMesh mesh;
  for (size_t i = 0; i < points.size(); ++i)
    if (number[i] != 0) {
      number[i] = static_cast<uint32_t>(mesh.vertices.size());
      mesh.vertices.push_back(points[i]);
    }
  for (Triangle& t : triangles) {
    for (uint32_t& corner : t) corner = number[corner];
    std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
  }
  std::sort(triangles.begin(), triangles.end());
  mesh.triangles = std::move(triangles);
  return mesh;
}

// The hull without corners that lie on an edge, to rounding. Each round works on the result of the last one.
core::Expected<TriangleMesh> try_hull(std::vector<Vec3> points, std::vector<Vec3> local, double rounding,
                                      double lowest) {
  constexpr int kMaxRounds = 16;
  for (int round = 0; round < kMaxRounds; ++round) {
    const auto triangles = detail::run_qhull(local, rounding);
    if (!triangles) return triangles.diagnostics();
    const std::vector<uint32_t> on_edges = find_corners_on_edges(local, *triangles, lowest);
    if (on_edges.empty()) return build_mesh(points, *triangles);
    remove_at(on_edges, local);
    remove_at(on_edges, points);
  }
  return core::error_at({}, "its corners cannot be distinguished from rounding");
}

core::Diagnostic no_hull(const std::string& why) {
  return core::error_at({}, "there is no convex hull: " + why);
}

}  // namespace

core::Expected<TriangleMesh> build_convex_hull(std::span<const Vec3> points) {
  for (size_t i = 0; i < points.size(); ++i)
    if (!points[i].allFinite())
      return no_hull("point " + std::to_string(i) + " has a coordinate that is not a finite number");
  const std::vector<Vec3> candidates = sorted_and_unique(points);
  if (candidates.size() < 4)
    return no_hull(
        "a solid needs four different points at least, and there " +
        (candidates.size() == 1 ? std::string("is 1") : "are " + std::to_string(candidates.size())));
  if (candidates.size() > INT_MAX / 3) return no_hull("there are more points than can be numbered");

  const LocalFrame frame = detail::find_local_frame(candidates);
  const std::vector<Vec3> local = detail::to_local(frame, candidates);
  if (const auto flat = find_flatness(local, kMinHullThickness * frame.magnitude))
    return no_hull("the " + std::to_string(candidates.size()) + " different points " + flat->what + ", to " +
                   core::brief_number(frame.length(flat->thickness)) + " m");

  core::Expected<TriangleMesh> hull =
      try_hull(candidates, local, kPointTolerance * frame.magnitude, kMinTriangleHeight * frame.magnitude);
  if (!hull) return no_hull(hull.diagnostics().front().message);
  if (const std::string fault = find_hull_fault(*hull, points); !fault.empty())
    return no_hull("the computed hull fails its check: " + fault);
  return hull;
}

}  // namespace tumble::geometry
