#include "tumble/model/body_script.h"

#include <algorithm>

#include "tumble/core/diagnostic.h"

namespace tumble::model {

using math::Quat;
using math::Taylor;
using math::Vec3;

namespace {

// The keys of the position or of the orientation of a path: one list of keys per coordinate.
using Coordinates = std::vector<std::vector<CurveKey>>;

void add_key(const PathKey& key, std::span<const double> values, const std::optional<Vec3>& slopes,
             Coordinates& out) {
  out.resize(values.size());
  for (size_t k = 0; k < values.size(); ++k) {
    CurveKey& added = out[k].emplace_back();
    added.t = key.t, added.value = values[k], added.interpolation = key.interpolation;
    if (slopes) added.slope = (*slopes)[static_cast<Eigen::Index>(k)];
  }
}

Coordinates position_keys(const std::vector<PathKey>& keys) {
  Coordinates out;
  for (const PathKey& key : keys)
    if (key.position) add_key(key, {key.position->data(), 3}, key.velocity, out);
  return out;
}

// The rate r' of a rotation vector r, where w is the angular velocity of the rotation:
//   r' = w - r x w / 2 + (1 - (p/2) cot(p/2)) (r/p) x ((r/p) x w),  p = |r|
// The cotangent is infinite at a whole turn: no finite rate of the vector turns the body across its axis
// there. Nothing is returned near it, where the rate exceeds w a thousandfold.
std::optional<Vec3> rotation_vector_rate(const Vec3& r, const Vec3& w) {
  constexpr double kSmallAngle = 1e-4;  // rad; the omitted terms of the series are below 1e-16
  constexpr double kParallel = 1e-12;   // relative; a rotation about the axis up to rounding
  constexpr double kLargestGain = 1e3;
  const double p = r.norm();
  const Vec3 across = r.cross(w);
  if (across.norm() <= kParallel * p * w.norm()) return w;
  if (p < kSmallAngle) return w - 0.5 * across + r.cross(across) / 12;
  const double half_sine = math::sin(p / 2), gain = p / 2 * math::cos(p / 2);
  if (std::abs(gain) > kLargestGain * std::abs(half_sine)) return std::nullopt;
  return w - 0.5 * across + (1 - gain / half_sine) / (p * p) * r.cross(across);
}

Coordinates rotation_vector_keys(const std::vector<PathKey>& keys) {
  Coordinates out;
  for (const PathKey& key : keys) {
    if (!key.rotation_vector) continue;
    std::optional<Vec3> slopes;
    if (key.angular_velocity) slopes = rotation_vector_rate(*key.rotation_vector, *key.angular_velocity);
    add_key(key, {key.rotation_vector->data(), 3}, slopes, out);
  }
  return out;
}

// A rotation has two quaternions, q and -q. This chooses the one nearer to the quaternion of the previous
// key.
Coordinates quaternion_keys(const std::vector<PathKey>& keys) {
  Coordinates out;
  std::optional<Quat> last;
  for (const PathKey& key : keys) {
    if (!key.quaternion) continue;
    Quat q = key.quaternion->normalized();
    if (last && q.dot(*last) < 0) q = -q;
    last = q;
    const double values[] = {q.w(), q.x(), q.y(), q.z()};
    add_key(key, values, std::nullopt, out);
  }
  return out;
}

std::string at_time(double t) { return " at t = " + core::brief_number(t) + " s"; }

// Checks the keys of each coordinate, and that no coordinate jumps: a body cannot jump.
std::string find_coordinate_fault(const Coordinates& coordinates) {
  for (const std::vector<CurveKey>& keys : coordinates) {
    if (const std::string fault = find_key_fault(keys); !fault.empty()) return fault;
    if (const std::optional<double> t = find_jump(keys))
      return "it jumps" + at_time(*t) +
             ", which no body can follow; give the key before it the same pose, or another curve";
  }
  return "";
}

}  // namespace

std::string find_path_fault(const PathSpec& spec) {
  if (spec.keys.empty()) return "a script needs at least one key";
  bool vectors = false, quaternions = false;
  for (size_t i = 0; i < spec.keys.size(); ++i) {
    const PathKey& key = spec.keys[i];
    if (!key.position && !key.rotation_vector && !key.quaternion)
      return "the key" + at_time(key.t) + " has neither a position nor an orientation";
    if (key.velocity && !key.position) return "the key" + at_time(key.t) + " has a velocity but no position";
    if (key.angular_velocity && !key.rotation_vector)
      return "the key" + at_time(key.t) + " has an angular velocity but no rotation (axis and angle)";
    if (key.angular_velocity && !rotation_vector_rate(*key.rotation_vector, *key.angular_velocity))
      return "the key" + at_time(key.t) +
             " has an angular velocity across its axis at a whole turn, where the path by axis and angle "
             "cannot have one; give the key another angle, or quaternions to all keys";
    if (i > 0 && !(key.t > spec.keys[i - 1].t)) return "the times of its keys must increase";
    vectors = vectors || key.rotation_vector, quaternions = quaternions || key.quaternion;
  }
  if (vectors && quaternions)
    return "give the orientation of all its keys in one form, by axis and angle or by quaternion";
  if (std::isnan(spec.release)) return "its release is not a number";
  for (const Coordinates& part :
       {position_keys(spec.keys), rotation_vector_keys(spec.keys), quaternion_keys(spec.keys)})
    if (const std::string fault = find_coordinate_fault(part); !fault.empty()) return fault;
  return "";
}

BodyPath::BodyPath(const PathSpec& spec, const math::Pose& start, const Vec3& center_B)
    : start_(start), offset_B_(spec.of_center ? Vec3(Vec3::Zero()) : center_B), release_(spec.release) {
  const auto curves = [](const Coordinates& keys) {
    return keys.empty() ? std::vector<Curve>{} : make_curves(keys);
  };
  position_ = curves(position_keys(spec.keys));
  rotation_vector_ = curves(rotation_vector_keys(spec.keys));
  quaternion_ = curves(quaternion_keys(spec.keys));
  if (position_.empty() && spec.of_center) start_.translation = start * center_B;
}

BodyPath::Point BodyPath::at(double t) const {
  Point point;
  if (!rotation_vector_.empty()) {
    const Taylor r[3] = {rotation_vector_[0].at(t), rotation_vector_[1].at(t), rotation_vector_[2].at(t)};
    point.rotation = rows::follow_rotation_vector(r);
  } else if (!quaternion_.empty()) {
    const Taylor q[4] = {quaternion_[0].at(t), quaternion_[1].at(t), quaternion_[2].at(t),
                         quaternion_[3].at(t)};
    point.rotation = rows::follow_quaternion(q);
  } else {
    point.rotation = {start_.rotation.to_matrix(), Vec3::Zero(), Vec3::Zero()};
  }
  Vec3 p = start_.translation, v = Vec3::Zero(), a = Vec3::Zero();
  for (size_t k = 0; k < position_.size(); ++k) {
    const Taylor x = position_[k].at(t);
    const auto i = static_cast<Eigen::Index>(k);
    p[i] = x.value, v[i] = x.first, a[i] = x.second;
  }
  const Vec3 &w = point.rotation.w, arm = point.rotation.E * offset_B_, turning = w.cross(arm);
  point.center = p + arm;
  point.velocity = v + turning;
  point.acceleration = a + point.rotation.w_rate.cross(arm) + w.cross(turning);
  return point;
}

std::vector<double> BodyPath::switch_times() const {
  std::vector<double> times;
  for (const std::vector<Curve>* part : {&position_, &rotation_vector_, &quaternion_})
    if (!part->empty())
      for (const double t : part->front().switch_times()) times.push_back(t);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

BodyPath::Extent BodyPath::compute_extent(double radius) const {
  constexpr int kSamples = 16;  // per piece; the speed of a cubic has only one extremum
  const std::vector<double> times = switch_times();
  Extent extent;
  for (size_t i = 0; i + 1 < times.size(); ++i)
    for (int k = 0; k < kSamples; ++k) {
      const double t = times[i] + (times[i + 1] - times[i]) * k / kSamples;
      if (t >= release_) return extent;
      const Point point = at(t);
      const Vec3& w = point.rotation.w;
      extent.speed = std::max(extent.speed, point.velocity.norm() + w.norm() * radius);
      extent.acceleration =
          std::max(extent.acceleration,
                   point.acceleration.norm() + (point.rotation.w_rate.norm() + w.squaredNorm()) * radius);
    }
  return extent;
}

BodyScript::BodyScript(std::string body_name, core::BodyId body, BodyPath path)
    : Constraint(std::move(body_name), "script", {}, body, 6), path_(std::move(path)) {}

std::vector<double> BodyScript::switch_times() const {
  std::vector<double> times = path_.switch_times();
  if (std::isfinite(path_.release_time())) times.push_back(path_.release_time());
  return times;
}

void BodyScript::evaluate(double t, const BodyMotion& a, const BodyMotion& b, ConstraintRows& out) const {
  const BodyPath::Point point = path_.at(t);
  for (int i = 0; i < 3; ++i) {
    // C, bias, then the Jacobians of the world and of the body: linear, angular.
    rows::set_row(out, i, b.center[i] - point.center[i], -point.acceleration[i], -Vec3::Unit(i), Vec3::Zero(),
                  Vec3::Unit(i), Vec3::Zero());
    out.rate[i] = -point.velocity[i];
  }
  rows::set_followed_rotation_rows(out, 3, JointFrames{}, a, b, point.rotation);
}

}  // namespace tumble::model
