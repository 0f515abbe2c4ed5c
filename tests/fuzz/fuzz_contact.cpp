// Arbitrary bytes as two shapes, their poses and motion. Distance, contacts and certificate must be valid
// numbers.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "unit/collision/bad_geometry.h"

namespace {

using namespace tumble;
using math::Vec3;

// Reads numbers from the bytes, and zeros at their end.
class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  uint8_t byte() { return size_ > 0 ? (--size_, *data_++) : uint8_t{0}; }
  // A small multiple of one half, or any finite double.
  double number() {
    const uint8_t first = byte();
    if (first < 128) return 0.5 * (first % 16 - 8);
    double x = 0;
    uint8_t raw[sizeof x];
    for (uint8_t& b : raw) b = byte();
    std::memcpy(&x, raw, sizeof x);
    return std::isfinite(x) ? x : 0.25;
  }
  Vec3 vector() {
    const double x = number(), y = number();
    return {x, y, number()};
  }

 private:
  const uint8_t* data_;
  size_t size_;
};

collision::Shape take_shape(Bytes& bytes) {
  const auto length = [&] {
    const double x = std::abs(bytes.number());
    return x > 0 && x < 1e300 ? x : 1.0;
  };
  switch (bytes.byte() % 8) {
    case 0:
      return collision::Sphere{length()};
    case 1: {
      const double r = length();
      return collision::Capsule{r, length()};
    }
    case 2: {
      const double x = length(), y = length();
      return collision::Box{Vec3(x, y, length())};
    }
    case 3: {
      const double r = length();
      return collision::Cylinder{r, length()};
    }
    case 4: {
      const double r = length();
      return collision::Cone{r, length()};
    }
    case 5:
      return collision::Plane{Vec3::UnitY()};
    default:
      break;
  }
  geometry::TriangleMesh mesh;
  const uint32_t vertices = 3u + bytes.byte() % 14, triangles = 1u + bytes.byte() % 24;
  for (uint32_t i = 0; i < vertices; ++i) mesh.vertices.push_back(bytes.vector());
  for (uint32_t i = 0; i < triangles; ++i) {
    const uint32_t a = bytes.byte() % vertices, b = bytes.byte() % vertices;
    mesh.triangles.push_back({a, b, bytes.byte() % vertices});
  }
  return collision::Mesh{std::make_shared<const geometry::TriangleMesh>(std::move(mesh))};
}

math::Pose take_pose(Bytes& bytes) {
  const Vec3 r = bytes.vector(), p = bytes.vector();
  return {r.norm() < 1e3 ? math::Quat::from_rotation_vector(r) : math::Quat(), p};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 4096) return 0;
  Bytes bytes(data, size);
  const collision::Shape a = take_shape(bytes), b = take_shape(bytes);
  const math::Pose X_WA = take_pose(bytes), X_WB = take_pose(bytes);
  const Vec3 v = bytes.vector(), w = bytes.vector();
  if (!test::run_all_queries(a, X_WA, b, X_WB, v, w).empty()) std::abort();
  return 0;
}
