#include <algorithm>
#include <cmath>
#include <map>

#include "tumble/core/require.h"
#include "tumble/math/elementary.h"
#include "tumble/math/srgb.h"
#include "tumble/view/detail/surface.h"
#include "tumble/view/tolerances.h"

namespace tumble::view::detail {

namespace {

using geometry::Triangle;
using geometry::TriangleMesh;
using math::Vec3;

constexpr double kLineWidth = 2;  // pixels

// A ribbon along the points with constant width in the picture, interrupted where a point is behind the
// camera.
TriangleMesh build_ribbon(const Polyline& line, const Projection& projection) {
  TriangleMesh mesh;
  bool joined = false;
  const auto visible = [&](const Vec3& p) {
    return p.cwiseAbs().maxCoeff() < kMaxDistance && p.allFinite() &&
           projection.to_camera(p).z() > projection.near;
  };
  for (size_t i = 0; i < line.points.size(); ++i) {
    const Vec3& p = line.points[i];
    if (!visible(p)) {
      joined = false;
      continue;
    }
    const Vec3& before = line.points[i > 0 ? i - 1 : i];
    const Vec3& after = line.points[i + 1 < line.points.size() ? i + 1 : i];
    const Vec3 sight = projection.sight(p);
    Vec3 side = (after - before).cross(sight);
    if (!(side.norm() > 0)) continue;  // equal points, or a segment along the line of sight
    side *= kLineWidth / 2 * projection.pixel_at(projection.to_camera(p).z()) / side.norm();
    const auto n = static_cast<uint32_t>(mesh.vertices.size());
    mesh.vertices.push_back(p - side);
    mesh.vertices.push_back(p + side);
    if (joined) {
      mesh.triangles.push_back({n - 2, n - 1, n + 1});
      mesh.triangles.push_back({n - 2, n + 1, n});
    }
    joined = true;
  }
  return mesh;
}

// Homogeneous coordinates before the division by w; x and y in half pictures.
struct ClipVertex {
  double x, y, w, z;

  ClipVertex towards(const ClipVertex& o, double s) const {
    return {x + s * (o.x - x), y + s * (o.y - y), w + s * (o.w - w), z + s * (o.z - z)};
  }
};

// Triangles are clipped this many half pictures from the centre, so that their corners are in the range of
// the integers of SampleGrid.
constexpr double kGuard = 4;

// Distance to the five clipping planes, positive inside.
double clip_distance(const ClipVertex& v, int plane, double near) {
  switch (plane) {
    case 0:
      return v.w - near;
    case 1:
      return kGuard * v.w - v.x;
    case 2:
      return kGuard * v.w + v.x;
    case 3:
      return kGuard * v.w - v.y;
    default:
      return kGuard * v.w + v.y;
  }
}

// A triangle clipped by five planes has at most eight corners.
struct Polygon {
  std::array<ClipVertex, 9> corners;
  size_t size = 0;
  void push(const ClipVertex& v) { corners[size++] = v; }
};

Polygon clip(const Polygon& in, int plane, double near) {
  Polygon out;
  for (size_t i = 0; i < in.size; ++i) {
    const ClipVertex &a = in.corners[i], &b = in.corners[(i + 1) % in.size];
    const double da = clip_distance(a, plane, near), db = clip_distance(b, plane, near);
    if (da >= 0) out.push(a);
    if ((da >= 0) != (db >= 0)) out.push(a.towards(b, da / (da - db)));
  }
  return out;
}

ScreenVertex to_screen(const ClipVertex& v, const Lens& lens, const SampleGrid& grid) {
  const auto fixed = [](double from_middle, int samples) {
    return static_cast<int64_t>(
        std::floor((1 + from_middle) * static_cast<double>(samples) * (kSubsample / 2.0) + 0.5));
  };
  return {fixed(v.x / v.w, grid.width()), fixed(-v.y / v.w, grid.height()),
          lens.perspective ? 1 / v.w : -v.z};
}

// The position of a vertex, as bits.
constexpr unsigned kCut = 1, kRight = 2, kLeft = 4, kAbove = 8, kBelow = 16, kBroken = 32;

unsigned classify(const ClipVertex& v, double near) {
  if (!(std::abs(v.x) + std::abs(v.y) + std::abs(v.z) < std::numeric_limits<double>::max())) return kBroken;
  unsigned flags = (v.x > v.w ? kRight : 0u) | (v.x < -v.w ? kLeft : 0u) | (v.y > v.w ? kAbove : 0u) |
                   (v.y < -v.w ? kBelow : 0u);
  for (int plane = 0; plane < 5; ++plane)
    if (clip_distance(v, plane, near) < 0) flags |= kCut;
  return flags;
}

}  // namespace

std::vector<Surface> build_surfaces(std::span<const DrawItem> items, std::span<const Polyline> lines,
                                    const Projection& projection) {
  std::map<const TriangleMesh*, std::shared_ptr<const CornerNormals>> normals;
  std::vector<Surface> surfaces;
  size_t triangles = 0;
  const auto add = [&](Surface surface) {
    surface.first_id = static_cast<uint32_t>(triangles);
    triangles += surface.mesh->triangles.size();
    TUMBLE_REQUIRE(triangles < kNothing, "at most 4e9 triangles in a picture");
    surfaces.push_back(std::move(surface));
  };
  const auto add_items = [&](bool fixed) {
    for (const DrawItem& item : items) {
      if (item.fixed != fixed || !is_drawable(item)) continue;
      auto& shared = normals[item.mesh.get()];
      if (!shared) shared = item.normals;
      if (!shared) shared = std::make_shared<const CornerNormals>(compute_corner_normals(*item.mesh));
      add({item.mesh, shared, item.X_WS.rotation.normalized().to_matrix(), item.X_WS.translation,
           to_linear(item.color), item.ground ? SurfaceKind::ground : SurfaceKind::body,
           std::clamp(item.fade, 0.0, 1.0), 0, fixed, item.veil});
    }
  };
  add_items(false);
  for (const Polyline& line : lines) {
    auto ribbon = std::make_shared<const TriangleMesh>(build_ribbon(line, projection));
    if (ribbon->triangles.empty()) continue;
    add({std::move(ribbon), nullptr, math::Mat3::Identity(), Vec3::Zero(), to_linear(line.color),
         SurfaceKind::line, std::clamp(line.fade, 0.0, 1.0), 0});
  }
  add_items(true);
  return surfaces;
}

void draw(const Surface& surface, const Lens& lens, SampleGrid& grid, uint32_t seen_below) {
  const TriangleMesh& mesh = *surface.mesh;
  const math::Mat3 R_CS = lens.R_CW * surface.R_WS;
  const Vec3 p_CS = lens.R_CW * (surface.p_WS - lens.origin);
  const size_t n = mesh.vertices.size();
  std::vector<ClipVertex> clipped(n);
  std::vector<ScreenVertex> screen(n);
  std::vector<unsigned> outside(n);
  for (size_t i = 0; i < n; ++i) {
    const Vec3 p = R_CS * mesh.vertices[i] + p_CS;
    clipped[i] = {p.x() / lens.scale_x, p.y() / lens.scale_y, lens.perspective ? p.z() : 1, p.z()};
    outside[i] = classify(clipped[i], lens.near);
    if (!(outside[i] & (kCut | kBroken))) screen[i] = to_screen(clipped[i], lens, grid);
  }
  const double opacity = 1 - surface.fade;
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto [a, b, c] = mesh.triangles[t];
    const unsigned any = outside[a] | outside[b] | outside[c];
    if ((any & kBroken) || (outside[a] & outside[b] & outside[c] & ~kCut)) continue;
    const auto id = static_cast<uint32_t>(surface.first_id + (surface.one_id ? 0 : t));
    if (!(any & kCut)) {
      grid.fill({screen[a], screen[b], screen[c]}, id, opacity, seen_below);
      continue;
    }
    Polygon polygon{{clipped[a], clipped[b], clipped[c]}, 3};
    for (int plane = 0; plane < 5 && polygon.size > 0; ++plane) polygon = clip(polygon, plane, lens.near);
    for (size_t i = 2; i < polygon.size; ++i)
      grid.fill({to_screen(polygon.corners[0], lens, grid), to_screen(polygon.corners[i - 1], lens, grid),
                 to_screen(polygon.corners[i], lens, grid)},
                id, opacity, seen_below);
  }
}

Rgb to_linear(const Color& srgb) {
  Rgb linear;
  for (int k = 0; k < 3; ++k) {
    const double s = std::clamp(srgb[static_cast<size_t>(k)], 0.0, 1.0);
    linear[k] = math::linear_from_srgb(s);
  }
  return linear;
}

}  // namespace tumble::view::detail
