#include "tumble/geometry/convex_hull.h"

#include <algorithm>
#include <climits>
#include <optional>

#include "tumble/geometry/detail/local_points.h"
#include "tumble/geometry/detail/qhull.h"
#include "tumble/geometry/tolerances.h"

namespace tumble::geometry {

using detail::least_height;
using detail::LocalFrame;
using math::Vec3;

namespace {

bool comes_before(const Vec3& a, const Vec3& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

// Rising and each once: what follows cannot depend on the order of the input.
std::vector<Vec3> sorted_and_unique(std::span<const Vec3> points) {
  std::vector<Vec3> sorted;
  sorted.reserve(points.size());
  for (const Vec3& p : points) sorted.emplace_back(p + Vec3::Zero());  // -0 becomes +0
  std::sort(sorted.begin(), sorted.end(), comes_before);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

// The point where `distance` is largest; the first of equals.
template <typename Distance>
Vec3 farthest(std::span<const Vec3> points, const Distance& distance) {
  Vec3 best = points[0];
  for (const Vec3& p : points)
    if (distance(p) > distance(best)) best = p;
  return best;
}

// Points that do not span space: what they are, and how near to it.
struct Flatness {
  std::string what;
  double thickness;
};

std::optional<Flatness> find_flatness(std::span<const Vec3> points, double thinnest) {
  const Vec3& a = points[0];
  const auto from_a = [&](const Vec3& p) { return (p - a).norm(); };
  const Vec3 b = farthest(points, from_a);
  const double length = from_a(b);
  if (!(length > thinnest)) return Flatness{"are all at one place", thinnest};
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

// Middle corners of triangles too low to have a plane, the lowest first; never two of one triangle, since each
// is left out for the sake of the others.
std::vector<uint32_t> find_corners_on_edges(std::span<const Vec3> points, std::span<const Triangle> triangles,
                                            double lowest) {
  struct Low {
    double height;
    Triangle corners;
  };
  std::vector<Low> low;
  for (const Triangle& t : triangles)
    if (const double h = least_height(points[t[0]], points[t[1]], points[t[2]]); !(h >= lowest))
      low.push_back({h, t});
  std::stable_sort(low.begin(), low.end(), [](const Low& a, const Low& b) { return a.height < b.height; });
  std::vector<uint32_t> found;
  std::vector<uint8_t> spent(points.size());
  for (const Low& each : low) {
    const Triangle& t = each.corners;
    if (spent[t[0]] || spent[t[1]] || spent[t[2]]) continue;
    size_t longest = 0;
    const auto side = [&](size_t i) {
      return (points[t[(i + 1) % 3]] - points[t[(i + 2) % 3]]).squaredNorm();
    };
    for (size_t i = 1; i < 3; ++i)
      if (side(i) > side(longest)) longest = i;
    found.push_back(t[longest]);
    for (const uint32_t corner : t) spent[corner] = 1;
  }
  std::sort(found.begin(), found.end());
  return found;
}

// `places` are rising.
void remove_at(std::span<const uint32_t> places, std::vector<Vec3>& points) {
  size_t kept = 0, next = 0;
  for (size_t i = 0; i < points.size(); ++i)
    if (next < places.size() && places[next] == i)
      ++next;
    else
      points[kept++] = points[i];
  points.resize(kept);
}

// The triangles, and the points they use, renumbered; lowest corner first, then in rising order.
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

// The hull without corners that are on an edge, to rounding: each round sees what the last one left.
core::Expected<TriangleMesh> try_hull(std::vector<Vec3> points, std::vector<Vec3> local, double rounding,
                                      double lowest) {
  constexpr int kMostRounds = 16;
  for (int round = 0; round < kMostRounds; ++round) {
    const auto triangles = detail::run_qhull(local, rounding);
    if (!triangles) return triangles.diagnostics();
    const std::vector<uint32_t> spare = find_corners_on_edges(local, *triangles, lowest);
    if (spare.empty()) return build_mesh(points, *triangles);
    remove_at(spare, local);
    remove_at(spare, points);
  }
  return core::error_at({}, "its corners cannot be told from rounding");
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
  if (const auto flat = find_flatness(local, kThinnestHull * frame.magnitude))
    return no_hull("the " + std::to_string(candidates.size()) + " different points " + flat->what + ", to " +
                   core::brief_number(frame.length(flat->thickness)) + " m");

  core::Expected<TriangleMesh> hull =
      try_hull(candidates, local, kPointRounding * frame.magnitude, kLowestTriangle * frame.magnitude);
  if (!hull) return no_hull(hull.diagnostics().front().message);
  if (const std::string fault = find_hull_fault(*hull, points); !fault.empty())
    return no_hull("what was computed fails its check: " + fault);
  return hull;
}

}  // namespace tumble::geometry
