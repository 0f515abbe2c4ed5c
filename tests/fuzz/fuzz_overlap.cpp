// The overlap checker on two shapes made from arbitrary bytes: small meshes of arbitrary triangles between
// points that often coincide or lie in a line, primitives of any size, poses of any kind. The depth is always
// a valid number.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "tumble/collision/overlap_checker.h"

namespace {

using namespace tumble;
using math::Vec3;

void require(bool condition) {
  if (!condition) std::abort();
}

class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : at_(data), end_(data + size) {}
  uint8_t next() { return at_ == end_ ? 0 : *at_++; }
  // A small integer times a power of two, most often 1/16, so that equal numbers are frequent.
  double number() {
    const uint8_t how = next();
    const double mantissa = static_cast<int8_t>(next());
    return how < 160 ? mantissa / 16 : std::ldexp(mantissa, 2 * (static_cast<int>(how) - 208));
  }
  double length() { return std::abs(number()) + 0x1p-120; }
  Vec3 point() {
    const double x = number(), y = number(), z = number();
    return Vec3(x, y, z);
  }

 private:
  const uint8_t *at_, *end_;
};

collision::Shape make_shape(Bytes& bytes) {
  switch (bytes.next() % 8) {
    case 0:
      return collision::Sphere{bytes.length()};
    case 1: {
      const double x = bytes.length(), y = bytes.length(), z = bytes.length();
      return collision::Box{Vec3(x, y, z)};
    }
    case 2: {
      const double radius = bytes.length();
      return collision::Capsule{radius, std::abs(bytes.number())};
    }
    case 3: {
      const double radius = bytes.length();
      return collision::Cylinder{radius, bytes.length()};
    }
    case 4: {
      const double radius = bytes.length();
      return collision::Cone{radius, bytes.length()};
    }
    case 5:
      return collision::Plane{Vec3(0, 1, 0)};
    default:
      break;
  }
  geometry::TriangleMesh mesh;
  const uint32_t points = 3 + bytes.next() % 8, triangles = 1 + bytes.next() % 16;
  for (uint32_t i = 0; i < points; ++i) mesh.vertices.push_back(bytes.point());
  for (uint32_t i = 0; i < triangles; ++i) {
    const uint32_t a = bytes.next() % points, b = bytes.next() % points, c = bytes.next() % points;
    mesh.triangles.push_back({a, b, c});
  }
  return collision::Mesh{std::make_shared<const geometry::TriangleMesh>(std::move(mesh))};
}

math::Pose make_pose(Bytes& bytes) {
  const Vec3 rotation = bytes.point(), translation = bytes.point();
  return {math::Quat::from_rotation_vector(rotation), translation};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes(data, size);
  const collision::Shape a = make_shape(bytes), b = make_shape(bytes);
  const math::Pose X_WA = make_pose(bytes), X_WB = make_pose(bytes);
  collision::OverlapChecker checker;
  for (const collision::Overlap& found :
       {checker.measure(a, X_WA, b, X_WB), checker.measure(b, X_WB, a, X_WA)}) {
    require(found.depth >= 0 && std::isfinite(found.depth));
    require(found.resolution >= 0 && found.uncertainty >= 0);
    require(found.depth == 0 || found.depth > found.resolution);
  }
  return 0;
}
