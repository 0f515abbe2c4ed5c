#include "support/constraint_check.h"

#include <cmath>
#include <limits>
#include <random>
#include <sstream>

#include "support/tolerance.h"
#include "tumble/math/quat.h"

namespace support {

using tumble::math::Quat;
using tumble::math::Vec3;
using tumble::model::BodyMotion;
using tumble::model::Constraint;
using tumble::model::ConstraintRows;
using tumble::model::kMaxRows;

namespace {

constexpr double kApart = 0.02;  // s, step d of equation (1)
constexpr double kFirst[5] = {0, 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
constexpr double kSecond[5] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};

struct Instant {
  double t;
  BodyMotion a, b;
};

class RandomStates {
 public:
  RandomStates(const Constraint& constraint, const ConstraintCheck& how)
      : to_world_(!constraint.a().valid()), how_(how), engine_(how.seed) {}

  Instant next() {
    Instant now;
    now.t = how_.max_time * 0.5 * (1 + uniform());
    if (!to_world_) {
      now.a.center = vector();
      now.a.rotation = Quat::from_rotation_vector(3 * direction()).to_matrix();
      now.a.velocity = vector();
      now.a.angular_velocity = vector();
    }
    now.b.center = now.a.center + 2 * vector();
    now.b.rotation =
        now.a.rotation * Quat::from_rotation_vector(how_.max_turn * uniform() * direction()).to_matrix();
    now.b.velocity = vector();
    now.b.angular_velocity = vector();
    return now;
  }

 private:
  double uniform() { return std::uniform_real_distribution<double>(-1, 1)(engine_); }
  Vec3 vector() {
    const double x = uniform(), y = uniform(), z = uniform();
    return Vec3(x, y, z);
  }
  Vec3 direction() {
    Vec3 v = vector();
    while (v.norm() < 0.1) v = vector();
    return v.normalized();
  }

  bool to_world_;
  ConstraintCheck how_;
  std::mt19937_64 engine_;
};

BodyMotion moved(const BodyMotion& body, const Vec3& v, const Vec3& w, double s) {
  BodyMotion there = body;
  there.center += s * v;
  there.rotation = Quat::from_rotation_vector(s * w).to_matrix() * body.rotation;
  return there;
}

// Velocities of the path of (1): 12 numbers for the bodies and one for time.
struct Direction {
  Vec3 v_a = Vec3::Zero(), w_a = Vec3::Zero(), v_b = Vec3::Zero(), w_b = Vec3::Zero();
  double time = 0;
};

struct Differences {
  double first[kMaxRows] = {}, second[kMaxRows] = {};
};

Differences difference(const Constraint& constraint, const Instant& now, const Direction& along) {
  Differences sum;
  for (int k = -4; k <= 4; ++k) {
    const double s = k * kApart;
    ConstraintRows rows;
    constraint.evaluate(now.t + s * along.time, moved(now.a, along.v_a, along.w_a, s),
                        moved(now.b, along.v_b, along.w_b, s), rows);
    for (int i = 0; i < constraint.rows(); ++i) {
      sum.first[i] += (k < 0 ? -1 : 1) * kFirst[std::abs(k)] * rows.value[i] / kApart;
      sum.second[i] += kSecond[std::abs(k)] * rows.value[i] / (kApart * kApart);
    }
  }
  return sum;
}

ConstraintRows evaluate(const Constraint& constraint, const Instant& now) {
  ConstraintRows rows;
  double* numbers = reinterpret_cast<double*>(&rows);  // NaN shows what evaluate() does not write
  for (size_t k = 0; k < sizeof(rows) / sizeof(double); ++k)
    numbers[k] = std::numeric_limits<double>::quiet_NaN();
  constraint.evaluate(now.t, now.a, now.b, rows);
  return rows;
}

// Stores the first difference that is too large, or NaN.
class Comparison {
 public:
  explicit Comparison(const Constraint& constraint) : constraint_(constraint) {}
  void expect(double is, double should_be, double tolerance, int row, const std::string& what) {
    const double allowed = support::model(tolerance) * std::max(1.0, std::abs(should_be));
    if (!fault_.empty() || std::abs(is - should_be) <= allowed) return;
    std::ostringstream text;
    text.precision(12);
    text << constraint_.type() << " " << constraint_.name() << ", row " << row << ": " << what << " is " << is
         << ", should be " << should_be;
    fault_ = text.str();
  }
  const std::string& fault() const { return fault_; }

 private:
  const Constraint& constraint_;
  std::string fault_;
};

std::string column(const char* body, int k) {
  return std::string("J_") + body + "[" + std::to_string(k) + "]";
}

}  // namespace

std::string check_constraint(const Constraint& constraint, const ConstraintCheck& how) {
  RandomStates states(constraint, how);
  Comparison comparison(constraint);
  for (int n = 0; n < how.states && comparison.fault().empty(); ++n) {
    const Instant now = states.next();
    const ConstraintRows rows = evaluate(constraint, now);
    for (int k = 0; k < 6; ++k) {
      const Vec3 unit = Vec3::Unit(k % 3);
      Direction a, b;
      (k < 3 ? a.v_a : a.w_a) = unit;
      (k < 3 ? b.v_b : b.w_b) = unit;
      const Differences da = difference(constraint, now, a), db = difference(constraint, now, b);
      for (int i = 0; i < constraint.rows(); ++i) {
        if (constraint.a().valid())
          comparison.expect(rows.J_a[i][k], da.first[i], how.first, i, column("a", k));
        comparison.expect(rows.J_b[i][k], db.first[i], how.first, i, column("b", k));
      }
    }
    Direction time, motion{now.a.velocity, now.a.angular_velocity, now.b.velocity, now.b.angular_velocity, 1};
    time.time = 1;
    const Differences dt = difference(constraint, now, time), all = difference(constraint, now, motion);
    for (int i = 0; i < constraint.rows(); ++i) {
      comparison.expect(rows.rate[i], dt.first[i], how.first, i, "dC/dt");
      comparison.expect(rows.bias[i], all.second[i], how.second, i, "the bias");
    }
  }
  return comparison.fault();
}

std::string compare_constraints(const Constraint& x, const Constraint& y, double tolerance,
                                const ConstraintCheck& how) {
  RandomStates states(x, how);
  Comparison comparison(x);
  for (int n = 0; n < how.states && comparison.fault().empty(); ++n) {
    const Instant now = states.next();
    const ConstraintRows p = evaluate(x, now), q = evaluate(y, now);
    for (int i = 0; i < x.rows(); ++i) {
      comparison.expect(p.value[i], q.value[i], tolerance, i, "C");
      comparison.expect(p.rate[i], q.rate[i], tolerance, i, "dC/dt");
      comparison.expect(p.bias[i], q.bias[i], tolerance, i, "the bias");
      for (int k = 0; k < 6; ++k) {
        if (x.a().valid()) comparison.expect(p.J_a[i][k], q.J_a[i][k], tolerance, i, column("a", k));
        comparison.expect(p.J_b[i][k], q.J_b[i][k], tolerance, i, column("b", k));
      }
    }
  }
  return comparison.fault();
}

}  // namespace support
