#include "tumble/view/render.h"

#include <doctest/doctest.h>
#include <png.h>

#include <cmath>
#include <limits>

#include "tumble/geometry/tessellate.h"
#include "tumble/math/elementary.h"

using namespace tumble;
using math::Quat;
using math::Vec3;
using view::Camera;
using view::DrawItem;
using view::Image;

namespace {

using Pixel = std::array<int, 3>;

std::shared_ptr<const geometry::TriangleMesh> shared(geometry::TriangleMesh mesh) {
  return std::make_shared<const geometry::TriangleMesh>(std::move(mesh));
}

DrawItem ball(const Vec3& center, double radius, const view::Color& color) {
  return {.mesh = shared(geometry::tessellate_sphere(radius, 96)), .X_WS = {Quat(), center}, .color = color};
}

Pixel pixel(const Image& image, int x, int y) {
  const size_t at = 3 * (static_cast<size_t>(y) * static_cast<size_t>(image.width) + static_cast<size_t>(x));
  return {image.rgb[at], image.rgb[at + 1], image.rgb[at + 2]};
}

bool is_red(const Pixel& p) { return p[0] > 2 * p[1] && p[0] > 2 * p[2]; }
bool is_blue(const Pixel& p) { return p[2] > 2 * p[1] && p[2] > 2 * p[0]; }

const view::Color kRed = {0.9, 0.05, 0.05}, kBlue = {0.05, 0.05, 0.9}, kBlack = {0, 0, 0};

view::RenderOptions small(const Camera& camera) {
  view::RenderOptions options;
  options.width = 320;
  options.height = 180;
  options.camera = camera;
  options.grid = false;
  return options;
}

// Coverage, 0..1 per pixel, by things much darker than the background. Computed from the green channel.
double dark_area(const Image& with, const Image& without) {
  const auto linear = [](int byte) { return std::pow((byte / 255.0 + 0.055) / 1.055, 2.4); };
  double area = 0;
  for (int y = 0; y < with.height; ++y)
    for (int x = 0; x < with.width; ++x)
      area += 1 - linear(pixel(with, x, y)[1]) / linear(pixel(without, x, y)[1]);
  return area;
}

}  // namespace

TEST_CASE("a sphere covers the ellipse of its perspective projection") {
  // A cone of half angle a about an axis at angle t from the view direction cuts the picture plane z = 1 in
  // an ellipse with half axes sin a cos a / D and sin a / sqrt(D), D = cos^2 t - sin^2 a.
  Camera camera{.eye = Vec3(0, 0, 10), .target = Vec3::Zero(), .up = Vec3::UnitY(), .vertical_fov = 0.8};
  view::RenderOptions options = small(camera);
  options.width = 480, options.height = 360;
  const double pixels_per_unit = options.height / (2 * std::tan(0.4));
  const Image empty = view::render({}, options);
  for (const Vec3& center : {Vec3(0, 0, 0), Vec3(2.2, -1.1, 1)}) {
    // Only the gloss of a black ball is visible: less than 1 % of the light of the background in total.
    const std::vector<DrawItem> items = {ball(center, 1.5, kBlack)};
    const Vec3 to = center - camera.eye;
    const double sin_a = 1.5 / to.norm(), cos_t = -to.z() / to.norm();
    const double d = cos_t * cos_t - sin_a * sin_a;
    const double area = math::kPi * sin_a * math::sqrt(1 - sin_a * sin_a) / d * sin_a / math::sqrt(d) *
                        math::square(pixels_per_unit);
    CHECK(dark_area(view::render(items, options), empty) == doctest::Approx(area).epsilon(0.01));
  }
}

TEST_CASE("the nearer of two bodies hides the other, in any order of the list") {
  const Camera camera{.eye = Vec3(0, 0, 10)};
  const DrawItem near = ball(Vec3(0, 0, 2), 0.5, kRed), far = ball(Vec3(0, 0, -2), 1.2, kBlue);
  for (const auto& items : {std::vector{near, far}, std::vector{far, near}}) {
    const Image image = view::render(items, small(camera));
    CHECK(is_red(pixel(image, 160, 90)));
    CHECK(is_blue(pixel(image, 160, 90 - 24)));  // above the near one, still on the far one
    CHECK_FALSE(is_blue(pixel(image, 160, 10)));
    CHECK_FALSE(is_red(pixel(image, 160, 10)));
  }
}

TEST_CASE("visibility of intersecting bodies is decided per sample") {
  // Two sheets that cross like an X, seen from above. Each is visible where it is higher.
  const Camera camera{.eye = Vec3(0, 10, 0), .target = Vec3::Zero(), .up = Vec3(0, 0, -1)};
  const auto sheet = shared(geometry::tessellate_plane(Vec3(0, 1, 0), 2));
  const std::vector<DrawItem> items = {
      {.mesh = sheet, .X_WS = {Quat::from_axis_angle(Vec3(0, 0, 1), 0.5), Vec3::Zero()}, .color = kRed},
      {.mesh = sheet, .X_WS = {Quat::from_axis_angle(Vec3(0, 0, 1), -0.5), Vec3::Zero()}, .color = kBlue}};
  const Image image = view::render(items, small(camera));
  CHECK(is_red(pixel(image, 160 + 10, 90)));  // the red sheet rises towards +x
  CHECK(is_blue(pixel(image, 160 - 10, 90)));
}

TEST_CASE("light falls from above and both sides of a sheet are drawn") {
  const Camera camera{.eye = Vec3(0, 0, 10)};
  const Image image = view::render(std::vector{ball(Vec3::Zero(), 1.5, {0.7, 0.7, 0.7})}, small(camera));
  CHECK(pixel(image, 160, 60)[1] > pixel(image, 160, 120)[1] + 20);
  for (const double z : {1.0, -1.0}) {
    const DrawItem sheet{
        .mesh = shared(geometry::tessellate_plane(Vec3(0, 0, z), 2)), .X_WS = {}, .color = kRed};
    CHECK(is_red(pixel(view::render(std::vector{sheet}, small(camera)), 160, 90)));
  }
}

TEST_CASE("a body that extends behind the camera is clipped at the near plane") {
  // A long beam below the eye, from far in front of it to far behind it.
  const DrawItem beam{.mesh = shared(geometry::tessellate_box(Vec3(0.5, 0.5, 400))),
                      .X_WS = {Quat(), Vec3(0, -1, 0)},
                      .color = kRed};
  const Camera camera{.eye = Vec3(0, 0, 10)};
  const Image image = view::render(std::vector{beam}, small(camera));
  CHECK(is_red(pixel(image, 160, 178)));
  CHECK_FALSE(is_red(pixel(image, 160, 80)));  // above the horizon
  for (int x = 0; x < image.width; ++x) CHECK_FALSE(is_red(pixel(image, x, 5)));
}

TEST_CASE("the same input gives the same bytes") {
  const std::vector<DrawItem> items = {ball(Vec3(0, 1, 0), 0.5, kRed), ball(Vec3(1, 0.2, 0), 0.4, kBlue)};
  const std::vector<view::Polyline> lines = {{{Vec3(-1, 0, 0), Vec3(0, 1, 1), Vec3(1, 1, 0)}, kRed, 0}};
  view::RenderOptions options;
  options.width = 200, options.height = 100;
  const auto first = view::encode_png(view::render(items, options, lines));
  const auto second = view::encode_png(view::render(items, options, lines));
  REQUIRE(first);
  CHECK(*first == *second);
}

TEST_CASE("a PNG decodes to the pixels that it was made from") {
  Image image{7, 5, {}};
  for (int i = 0; i < 7 * 5 * 3; ++i) image.rgb.push_back(static_cast<uint8_t>(37 * i));
  const auto bytes = view::encode_png(image);
  REQUIRE(bytes);
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  REQUIRE(png_image_begin_read_from_memory(&header, bytes->data(), bytes->size()));
  CHECK(header.width == 7);
  CHECK(header.height == 5);
  header.format = PNG_FORMAT_RGB;
  std::vector<uint8_t> decoded(PNG_IMAGE_SIZE(header));
  REQUIRE(png_image_finish_read(&header, nullptr, decoded.data(), 0, nullptr));
  CHECK(decoded == image.rgb);
  CHECK(bytes->find("tIME") == std::string::npos);
  CHECK_THROWS_AS(view::encode_png(Image{2, 2, {0, 0, 0}}), core::LogicError);
}

TEST_CASE("an empty scene and bodies without a finite pose give the plain background") {
  view::RenderOptions options;
  options.width = 64, options.height = 48;
  const Image empty = view::render({}, options);
  CHECK(empty.rgb.size() == 64 * 48 * 3);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  DrawItem lost = ball(Vec3(nan, 0, 0), 1, kRed), turned = ball(Vec3::Zero(), 1, kRed);
  turned.X_WS.rotation = Quat::from_wxyz(nan, 0, 0, 0);
  DrawItem far = ball(Vec3(1e300, 0, 0), 1, kRed), bare = ball(Vec3::Zero(), 1, kRed);
  bare.mesh = nullptr;
  CHECK(view::render(std::vector{lost, turned, far, bare}, options).rgb == empty.rgb);
  // A vertex that is not finite removes only its own triangles.
  geometry::TriangleMesh broken = geometry::tessellate_box(Vec3(1, 1, 1));
  broken.vertices[0].x() = nan;
  const DrawItem item{.mesh = shared(broken), .X_WS = {}, .color = kRed};
  CHECK(view::render(std::vector{item}, options).rgb != empty.rgb);
  const std::vector<view::Polyline> lines = {
      {{}, kRed, 0}, {{Vec3::Zero()}, kRed, 0}, {{lost.X_WS.translation, Vec3::Zero()}, kRed, 0}};
  CHECK(view::render({}, options, lines).rgb == empty.rgb);
}

TEST_CASE("a violated precondition is reported") {
  view::RenderOptions options;
  options.width = 0;
  CHECK_THROWS_AS(view::render({}, options), core::LogicError);
  options.width = 8, options.height = 8;
  options.camera = Camera{.eye = Vec3(1, 2, 3), .target = Vec3(1, 2, 3)};
  CHECK_THROWS_AS(view::render({}, options), core::LogicError);
  options.camera =
      Camera{.eye = Vec3(0, 5, 0), .target = Vec3::Zero(), .up = Vec3::UnitY()};  // straight down: fine
  CHECK_NOTHROW(view::render({}, options));
}

TEST_CASE("a line is two pixels wide at any distance and is hidden by bodies in front of it") {
  for (const double z : {0.0, -40.0}) {
    const Camera camera{.eye = Vec3(0, 0, 10)};
    const std::vector<view::Polyline> lines = {{{Vec3(0, -100, z), Vec3(0, 100, z)}, kBlack, 0}};
    const Image empty = view::render({}, small(camera));
    // Two pixels in each of 180 rows. Corners are rounded by up to half a sample; a sample is a third of a
    // pixel.
    CHECK(dark_area(view::render({}, small(camera), lines), empty) / 180 == doctest::Approx(2).epsilon(0.17));
    const Image hidden = view::render(std::vector{ball(Vec3(0, 0, 2), 0.5, kRed)}, small(camera), lines);
    CHECK(is_red(pixel(hidden, 160, 90)));
  }
}

TEST_CASE("a grid is drawn where it is asked for") {
  view::RenderOptions options;
  options.width = 160, options.height = 90;
  options.grid = true;
  const std::vector<DrawItem> items = {ball(Vec3::Zero(), 1, kRed)};
  const Image with = view::render(items, options);
  options.grid = false;
  const Image without = view::render(items, options);
  CHECK(with.rgb != without.rgb);
  CHECK(pixel(with, 80, 45) == pixel(without, 80, 45));  // the ball is the same
  // Without a grid the background is constant along each row.
  for (int y = 0; y < 90; ++y) CHECK(pixel(without, 0, y) == pixel(without, 159, y));
}
