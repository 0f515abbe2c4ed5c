// Lighting, with linear colours:
//   out = color (ambient(n) + key max(0, n.l) s + fill max(0, n.f)) + gloss (n.h)^k s (1)
// with s from the shadow map, ambient a blend from ground to sky by the vertical part of the normal n, and h
// half-way between light and eye. A pixel is the mean over its samples; samples of the same triangle are lit
// together.
#include "tumble/view/render.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tumble/core/require.h"
#include "tumble/math/elementary.h"
#include "tumble/math/srgb.h"
#include "tumble/view/detail/shadow_map.h"
#include "tumble/view/detail/surface.h"

namespace tumble::view {

namespace {

using detail::Projection;
using detail::Ray;
using detail::Rgb;
using detail::ShadowMap;
using detail::Surface;
using detail::SurfaceKind;
using math::Vec3;

// Linear light from above, from below, of the key lamp and of the fill lamp. Their sum on a white body is
// slightly below white.
const Rgb kSky(0.44, 0.46, 0.50), kEarth(0.20, 0.195, 0.19);
// warm and cool
const Rgb kKey(0.70, 0.68, 0.64), kFill(0.10, 0.11, 0.13);
constexpr double kGloss = 0.10;                  // intensity of a highlight
constexpr Color kTop = {0.80, 0.84, 0.885};      // of the background
constexpr Color kBottom = {0.955, 0.96, 0.965};  // of the background
constexpr double kLineShade = 0.72;              // brightness of a grid line relative to its ground
constexpr double kShadowOnGrid = 0.62;        // brightness in a shadow on the grid, where there is no ground
constexpr double kGroundFade = 0.3;           // the ground is paler than a body of the same colour
constexpr double kFadeFrom = 2, kFadeTo = 9;  // subject radii between which ground and grid fade away
constexpr double kHalfLine = 0.6;             // pixels, half the width of a grid line
constexpr double kDenseLines = 0.08;          // lines per pixel: below it all are drawn, at 0.5 none
constexpr double kThinLine = 0.55;            // strength relative to every fifth line
constexpr double kKeyRight = -0.5, kKeyForward = 0.8;  // direction of the key lamp, with 1 upwards
constexpr double kFillUp = 0.2, kFillRight = 0.8, kFillForward = -0.6;  // direction of the fill lamp
const Rgb kWire(0.02, 0.025, 0.035);                                    // nearly black
constexpr double kOpenWire = 6;    // pixels, height of a triangle below which its edges become paler
constexpr double kHalfWire = 0.5;  // pixels
constexpr int kMaxSize = 16384;    // pixels

Rgb mix(const Rgb& a, const Rgb& b, double t) { return a + (b - a) * t; }

double smooth_step(double from, double to, double x) {
  const double t = std::clamp((x - from) / (to - from), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

// A number near x that is 1, 2 or 5 times a power of ten, so that lengths are easy to read off.
double round_number(double x) {
  const double decade = math::pow(10, std::floor(std::log10(x)));
  const double digit = x / decade;
  return decade * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

// A table, because a power for each pixel takes a tenth of the time. Its steps are finer than a fifteenth of
// a byte where the curve is steepest.
constexpr size_t kSrgbSteps = 1 << 16;

std::vector<uint8_t> make_srgb_table() {
  std::vector<uint8_t> table(kSrgbSteps + 1);
  for (size_t i = 0; i < table.size(); ++i)
    table[i] = static_cast<uint8_t>(
        std::lround(255 * math::srgb_from_linear(static_cast<double>(i) / static_cast<double>(kSrgbSteps))));
  return table;
}

uint8_t to_srgb_byte(double linear) {
  static const std::vector<uint8_t> table = make_srgb_table();
  const double x = std::clamp(linear, 0.0, 1.0);
  return table[static_cast<size_t>(x * static_cast<double>(kSrgbSteps) + 0.5)];
}

// x^48, with the exponent of a highlight.
double gloss_power(double x) {
  const double x2 = x * x, x4 = x2 * x2, x8 = x4 * x4, x16 = x8 * x8;
  return x16 * x16 * x16;
}

// A horizontal grid of lines through the origin of the world. Every fifth line is stronger.
struct GridLines {
  Vec3 u, v;       // unit, along the lines
  double spacing;  // m

  GridLines(const Vec3& normal, double scene_radius) : spacing(round_number(scene_radius / 2.5)) {
    const Eigen::Quaterniond turn = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitY(), normal);
    u = turn * Vec3::UnitX();
    v = turn * Vec3::UnitZ();
  }

  // The fraction of the pixel's footprint (m, along u and v) covered by lines of 1.2 pixels, box-filtered.
  double coverage(const Vec3& p, double footprint_u, double footprint_v) const {
    const auto one = [](double x, double every, double footprint) {
      const double distance = std::abs(x - every * std::round(x / every));
      const double line = std::clamp(kHalfLine + 0.5 - distance / footprint, 0.0, 1.0);
      return line * smooth_step(0.5, kDenseLines, footprint / every);
    };
    const auto both = [&](double every) {
      return std::max(one(u.dot(p), every, footprint_u), one(v.dot(p), every, footprint_v));
    };
    return std::max(kThinLine * both(spacing), both(5 * spacing));
  }
};

class Painter {
 public:
  Painter(const Projection& projection, std::vector<Surface> surfaces, const Subject& subject,
          const RenderOptions& options)
      : projection_(projection),
        surfaces_(std::move(surfaces)),
        subject_(subject),
        has_grid_(options.grid && !subject.has_floor),
        wireframe_(options.wireframe),
        up_(detail::upright(options.up)),
        to_key_(
            (up_ + projection.right * kKeyRight + projection.right.cross(up_) * kKeyForward).normalized()),
        to_fill_(
            (up_ * kFillUp + projection.right * kFillRight + projection.forward * kFillForward).normalized()),
        shadow_(surfaces_, subject, to_key_),
        lines_(up_, subject.radius) {}

  Image paint(int width, int height, int samples) const;

 private:
  Rgb background(double y) const { return mix(top_, bottom_, std::clamp(y / projection_.height, 0.0, 1.0)); }
  Rgb behind(double x, double y) const;
  uint32_t first_fixed() const;
  double edge_cover(const std::array<double, 3>& share, const Vec3& e1, const Vec3& e2, const Vec3& p) const;
  Rgb light(uint32_t id, double x, double y) const;
  Rgb body_light(const Surface& surface, const Vec3& p, const Vec3& n, const Vec3& to_eye) const;
  double lines_at(const GridLines& lines, const Vec3& origin, const Vec3& normal, double x, double y) const;

  const Projection& projection_;
  std::vector<Surface> surfaces_;
  Subject subject_;
  bool has_grid_, wireframe_;
  Vec3 up_, to_key_, to_fill_;
  ShadowMap shadow_;
  GridLines lines_;
  Rgb top_ = detail::to_linear(kTop), bottom_ = detail::to_linear(kBottom);
};

// Grid lines on the plane through `origin`. The footprint is bounded by the rays of neighbouring pixels.
double Painter::lines_at(const GridLines& lines, const Vec3& origin, const Vec3& normal, double x,
                         double y) const {
  const auto hit = [&](double px, double py) {
    const Ray ray = projection_.ray(px, py);
    return Vec3(ray.origin + ray.direction * (normal.dot(origin - ray.origin) / normal.dot(ray.direction)));
  };
  const Vec3 p = hit(x, y), dx = hit(x + 1, y) - p, dy = hit(x, y + 1) - p;
  if (!p.allFinite() || !dx.allFinite() || !dy.allFinite()) return 0;
  return lines.coverage(p, std::hypot(lines.u.dot(dx), lines.u.dot(dy)),
                        std::hypot(lines.v.dot(dx), lines.v.dot(dy)));
}

// The background. It has a grid below the scene if the camera looks down.
Rgb Painter::behind(double x, double y) const {
  const Rgb back = background(y);
  if (!has_grid_) return back;
  const Ray ray = projection_.ray(x, y);
  const double height = subject_.lowest - up_.dot(ray.origin), fall = up_.dot(ray.direction);
  if (!(height < 0 && fall < 0)) return back;
  const Vec3 p = ray.origin + ray.direction * (height / fall);
  const double near = 1 - smooth_step(kFadeFrom, kFadeTo, (p - subject_.center).norm() / subject_.radius);
  if (near <= 0) return back;
  const double shade = 1 - (1 - kShadowOnGrid) * (1 - shadow_.light_at(p, up_));
  const double line = 1 - (1 - kLineShade) * lines_at(lines_, p, up_, x, y);
  return mix(back, back * (shade * line), near);
}

Rgb Painter::body_light(const Surface& surface, const Vec3& p, const Vec3& n, const Vec3& to_eye) const {
  const double facing = n.dot(to_key_);
  const double lit = facing > 0 ? shadow_.light_at(p, n) : 0;
  const Rgb ambient = mix(kEarth, kSky, 0.5 + 0.5 * n.dot(up_));
  const Rgb sum = ambient + kKey * (std::max(0.0, facing) * lit) + kFill * std::max(0.0, n.dot(to_fill_));
  const double half = std::max(0.0, n.dot((to_key_ + to_eye).normalized()));
  const double gloss = surface.kind == SurfaceKind::body ? kGloss * gloss_power(half) * lit : 0;
  return surface.color * sum + gloss;
}

// The part of a pixel that the edges of its triangle cover; less for triangles of few pixels. `share`:
// barycentric coordinates of p; the distance from the edge opposite of a corner is its share times the height
// over that edge.
double Painter::edge_cover(const std::array<double, 3>& share, const Vec3& e1, const Vec3& e2,
                           const Vec3& p) const {
  const double pixel = projection_.pixel_at(projection_.to_camera(p).z());
  const double double_area = e1.cross(e2).norm();
  const std::array<double, 3> edges = {(e2 - e1).norm(), e2.norm(), e1.norm()};
  double nearest = std::numeric_limits<double>::infinity(), height = nearest;
  for (size_t k = 0; k < 3; ++k) {
    height = std::min(height, double_area / edges[k]);
    nearest = std::min(nearest, share[k] * double_area / edges[k]);
  }
  return std::clamp(kHalfWire + 0.5 - nearest / pixel, 0.0, 1.0) *
         std::min(1.0, height / (kOpenWire * pixel));
}

// The light from one triangle at a point of the picture (pixels).
Rgb Painter::light(uint32_t id, double x, double y) const {
  const auto after = std::upper_bound(surfaces_.begin(), surfaces_.end(), id,
                                      [](uint32_t i, const Surface& s) { return i < s.first_id; });
  const Surface& surface = *(after - 1);
  if (surface.kind == SurfaceKind::line) return surface.color;

  // Where the ray meets the triangle, in the frame of the mesh: eye + s ray = a + beta e1 + gamma e2.
  const geometry::Triangle& corners = surface.mesh->triangles[id - surface.first_id];
  const Vec3& a = surface.mesh->vertices[corners[0]];
  const Vec3 e1 = surface.mesh->vertices[corners[1]] - a, e2 = surface.mesh->vertices[corners[2]] - a;
  const Ray ray_W = projection_.ray(x, y);
  const Vec3 ray = surface.R_WS.transpose() * ray_W.direction;
  const Vec3 from_a = surface.R_WS.transpose() * (ray_W.origin - surface.p_WS) - a;
  const Vec3 q = ray.cross(e2);
  const double det = e1.dot(q);
  double beta = from_a.dot(q) / det, gamma = ray.dot(from_a.cross(e1)) / det;
  if (!(std::isfinite(beta) && std::isfinite(gamma))) beta = gamma = 1.0 / 3;  // seen exactly edge-on
  beta = std::clamp(beta, 0.0, 1.0);
  gamma = std::clamp(gamma, 0.0, 1 - beta);
  const Vec3 p = surface.R_WS * (a + beta * e1 + gamma * e2) + surface.p_WS;

  const Vec3 to_eye = -ray_W.direction.normalized();
  const Eigen::Vector3f* normals = &(*surface.normals)[3 * size_t{id - surface.first_id}];
  Vec3 n = (normals[0].cast<double>() * (1 - beta - gamma) + normals[1].cast<double>() * beta +
            normals[2].cast<double>() * gamma);
  n = surface.R_WS * n.stableNormalized();
  // Both sides of a surface are lit: flip the normal if the back of the triangle is visible.
  if ((surface.R_WS * e1.cross(e2)).dot(to_eye) < 0) n = -n;

  Rgb out = body_light(surface, p, n, to_eye);
  if (wireframe_ && surface.kind == SurfaceKind::body)
    out =
        mix(out, kWire, edge_cover({1 - beta - gamma, beta, gamma}, surface.R_WS * e1, surface.R_WS * e2, p));
  if (surface.kind != SurfaceKind::ground) return out;
  const GridLines lines(n, subject_.radius);
  const double far = smooth_step(kFadeFrom, kFadeTo, (p - subject_.center).norm() / subject_.radius);
  return mix(out * (1 - (1 - kLineShade) * lines_at(lines, p, n, x, y)), background(y),
             1 - (1 - kGroundFade) * (1 - far));
}

// The id of the first triangle of a fixed surface.
uint32_t Painter::first_fixed() const {
  const auto found =
      std::find_if(surfaces_.begin(), surfaces_.end(), [](const Surface& s) { return s.fixed; });
  return found == surfaces_.end() ? 0 : found->first_id;
}

Image Painter::paint(int width, int height, int samples) const {
  SampleGrid grid(width * samples, height * samples, samples);
  const detail::Lens lens = projection_.lens();
  for (const Surface& surface : surfaces_)
    detail::draw(surface, lens, grid, surface.fixed && surface.veil ? first_fixed() : 0);

  Image image{width, height, {}};
  image.rgb.reserve(size_t{3} * static_cast<size_t>(width) * static_cast<size_t>(height));
  // The triangles in one pixel, each with its number of samples and their mean position.
  struct Part {
    uint32_t id;
    int count;
    double x, y;
  };
  std::vector<Part> parts;
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column) {
      parts.clear();
      for (int j = 0; j < samples; ++j) {
        const uint32_t* ids = grid.id_row(row * samples + j) + static_cast<ptrdiff_t>(column) * samples;
        for (int i = 0; i < samples; ++i) {
          auto part = std::find_if(parts.begin(), parts.end(), [&](const Part& p) { return p.id == ids[i]; });
          if (part == parts.end()) part = parts.insert(part, Part{ids[i], 0, 0, 0});
          ++part->count, part->x += i + 0.5, part->y += j + 0.5;
        }
      }
      Rgb sum = Rgb::Zero();
      for (const Part& part : parts) {
        const double x = column + part.x / (part.count * samples), y = row + part.y / (part.count * samples);
        sum += (part.id == kNothing ? behind(x, y) : light(part.id, x, y)) * part.count;
      }
      for (int k = 0; k < 3; ++k) image.rgb.push_back(to_srgb_byte(sum[k] / (samples * samples)));
    }
  return image;
}

}  // namespace

Image render(std::span<const DrawItem> items, const RenderOptions& options, std::span<const Polyline> lines) {
  const auto [width, height] = std::pair(options.width, options.height);
  TUMBLE_REQUIRE(width >= 1 && height >= 1 && width <= kMaxSize && height <= kMaxSize,
                 "a picture is 1 to 16384 pixels wide and high");
  TUMBLE_REQUIRE(options.supersampling >= 1 && options.supersampling <= 4, "1 to 4 samples each way");
  const double aspect = static_cast<double>(width) / height;
  const Camera camera = options.camera.value_or(automatic_camera(items, options.up, aspect));
  const Projection projection(camera, width, height);
  const Subject subject = options.subject.value_or(find_subject(items, options.up));
  return Painter(projection, detail::build_surfaces(items, lines, projection), subject, options)
      .paint(width, height, options.supersampling);
}

}  // namespace tumble::view
