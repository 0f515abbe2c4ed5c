#include "tumble/geometry/detail/surface.h"

#include <algorithm>
#include <cmath>

#include "tumble/geometry/bvh.h"
#include "tumble/geometry/crossing.h"
#include "tumble/geometry/detail/point_index.h"
#include "tumble/geometry/detail/triangle_pair.h"

namespace tumble::geometry::detail {

using math::Vec3;

Surface build_surface(const TriangleMesh& mesh) {
  Surface surface;
  double largest = 0;
  for (const Vec3& v : mesh.vertices) largest = std::max(largest, v.cwiseAbs().maxCoeff());
  const int exponent = largest > 0 ? -std::ilogb(largest) : 0;

  surface.points.reserve(mesh.vertices.size());
  for (const Vec3& v : mesh.vertices)
    surface.points.emplace_back(std::ldexp(v.x(), exponent), std::ldexp(v.y(), exponent),
                                std::ldexp(v.z(), exponent));

  PointIndex index(mesh.vertices.size());
  surface.weld.reserve(mesh.vertices.size());
  for (size_t i = 0; i < mesh.vertices.size(); ++i)
    surface.weld.push_back(index.find_or_add(mesh.vertices, mesh.vertices[i], static_cast<uint32_t>(i)));

  surface.triangles.reserve(mesh.triangles.size());
  for (const Triangle& t : mesh.triangles)
    surface.triangles.push_back({surface.weld[t[0]], surface.weld[t[1]], surface.weld[t[2]]});
  surface.has_corners.assign(mesh.triangles.size(), 1);
  surface.has_area.assign(mesh.triangles.size(), 1);
  return surface;
}

namespace {

Corners corners_of(const Surface& surface, const Triangle& t) {
  return {surface.points[t[0]], surface.points[t[1]], surface.points[t[2]]};
}

Bounds bounds_of(const Corners& c) {
  return {c[0].cwiseMin(c[1]).cwiseMin(c[2]), c[0].cwiseMax(c[1]).cwiseMax(c[2])};
}

// Moves the corners that both triangles share to the front, in the same order. Returns their number.
int align_shared(Triangle& x, Triangle& y) {
  size_t shared = 0;
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = shared; j < 3; ++j) {
      if (x[i] != y[j]) continue;
      std::swap(x[i], x[shared]);
      std::swap(y[j], y[shared]);
      ++shared;
      break;
    }
  }
  return static_cast<int>(shared);
}

}  // namespace

Intersections find_intersections(const Surface& surface, size_t limit) {
  std::vector<uint32_t> ids;
  std::vector<Bounds> boxes;
  for (size_t t = 0; t < surface.triangles.size(); ++t) {
    if (!surface.has_area[t]) continue;
    ids.push_back(static_cast<uint32_t>(t));
    boxes.push_back(bounds_of(corners_of(surface, surface.triangles[t])));
  }
  Intersections found;
  Bvh(boxes).for_each_pair([&](uint32_t i, uint32_t j) {
    Triangle x = surface.triangles[ids[i]], y = surface.triangles[ids[j]];
    const int shared = align_shared(x, y);
    if (shared == 3 || !triangles_meet(corners_of(surface, x), corners_of(surface, y), shared)) return true;
    const std::pair pair(ids[i], ids[j]);
    found.first = found.pairs == 0 ? pair : std::min(found.first, pair);
    return ++found.pairs < limit;
  });
  return found;
}

namespace {

// The shell of each triangle. Shells are numbered by their first triangle.
class ShellIndex {
 public:
  explicit ShellIndex(const Surface& surface)
      : parent_(surface.points.size()), shell_of_(surface.triangles.size()) {
    for (size_t v = 0; v < parent_.size(); ++v) parent_[v] = static_cast<uint32_t>(v);
    for (const Triangle& t : surface.triangles) {
      join(t[0], t[1]);
      join(t[0], t[2]);
    }
    constexpr uint32_t kNone = 0xffffffffu;
    std::vector<uint32_t> number(parent_.size(), kNone);
    for (size_t t = 0; t < surface.triangles.size(); ++t) {
      uint32_t& shell = number[root(surface.triangles[t][0])];
      if (shell == kNone) {
        shell = static_cast<uint32_t>(first_.size());
        first_.push_back(static_cast<uint32_t>(t));
      }
      shell_of_[t] = shell;
    }
  }
  size_t count() const { return first_.size(); }
  uint32_t shell_of(size_t triangle) const { return shell_of_[triangle]; }
  uint32_t first_triangle(size_t shell) const { return first_[shell]; }

 private:
  uint32_t root(uint32_t v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }
  void join(uint32_t a, uint32_t b) {
    a = root(a);
    b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  std::vector<uint32_t> parent_, shell_of_, first_;
};

// The number of other shells around each shell, from the crossings of a ray from one of its corners.
std::vector<size_t> compute_depths(const Surface& surface, const ShellIndex& shells) {
  std::vector<Bounds> boxes;
  boxes.reserve(surface.triangles.size());
  for (const Triangle& t : surface.triangles) boxes.push_back(bounds_of(corners_of(surface, t)));
  const Bvh tree(boxes);
  std::vector<size_t> depths(shells.count(), 0);
  std::vector<uint32_t> crossed;
  for (size_t shell = 0; shell < shells.count(); ++shell) {
    const Vec3& p = surface.points[surface.triangles[shells.first_triangle(shell)][0]];
    const Bounds ray{p, Vec3(4, p.y(), p.z())};  // all coordinates are below 2
    crossed.clear();
    tree.for_each_overlap(ray, [&](uint32_t t) {
      if (shells.shell_of(t) != shell && ray_crosses(p, corners_of(surface, surface.triangles[t])))
        crossed.push_back(shells.shell_of(t));
      return true;
    });
    std::ranges::sort(crossed);
    for (size_t i = 0, end = 0; i < crossed.size(); i = end) {
      while (end < crossed.size() && crossed[end] == crossed[i]) ++end;
      depths[shell] += (end - i) % 2;
    }
  }
  return depths;
}

}  // namespace

ShellReport find_misoriented_shells(const Surface& surface, bool nested) {
  const ShellIndex shells(surface);
  std::vector<double> volumes(shells.count(), 0.0);  // times 6, relative to a corner of the shell
  for (size_t i = 0; i < surface.triangles.size(); ++i) {
    const uint32_t shell = shells.shell_of(i);
    const Vec3& origin = surface.points[surface.triangles[shells.first_triangle(shell)][0]];
    const Corners t = corners_of(surface, surface.triangles[i]);
    volumes[shell] += (t[0] - origin).dot((t[1] - origin).cross(t[2] - origin));
  }
  ShellReport report{shells.count(), 0, 0};
  if (!nested) {
    double total = 0;
    for (const double volume : volumes) total += volume;
    if (total < 0) report.wrong = report.shells;
    return report;
  }
  const std::vector<size_t> depths =
      shells.count() > 1 ? compute_depths(surface, shells) : std::vector<size_t>{0};
  for (size_t shell = 0; shell < shells.count(); ++shell) {
    const bool faces_inwards = volumes[shell] < 0;
    if (faces_inwards == (depths[shell] % 2 == 1)) continue;
    if (report.wrong++ == 0) report.first_wrong_triangle = shells.first_triangle(shell);
  }
  return report;
}

}  // namespace tumble::geometry::detail
