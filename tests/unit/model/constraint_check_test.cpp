// The check of derivatives that every constraint goes through, on classes as a user would write them.
#include <doctest/doctest.h>

#include "support/constraint_check.h"
#include "tumble/model/auto_constraint.h"

using namespace tumble;
using namespace tumble::model;
using math::Vec3;

namespace {

// The second body's centre runs on the first one's sphere, whose radius breathes: C alone.
class BreathingSphere final : public AutoConstraint<BreathingSphere> {
 public:
  BreathingSphere()
      : AutoConstraint<BreathingSphere>("bubble", "sphere", core::BodyId(0), core::BodyId(1), 1) {}
  template <typename S>
  void value(const S& t, const BodyFrame<S>& a, const BodyFrame<S>& b, S* C) const {
    const Eigen::Matrix<S, 3, 1> d = b.center - a.center;
    const S radius = 2.0 + 0.5 * sin(3.0 * t);
    C[0] = 0.5 * (d.dot(d) - radius * radius);
  }
  bool is_angle(int) const override { return false; }
};

// The two versions of docs/deriving-a-constraint.md: a rope over a wheel, taken up by a winch.
class Pulley final : public AutoConstraint<Pulley> {
 public:
  Pulley(core::BodyId a, const Vec3& arm_A, core::BodyId b, const Vec3& arm_B, const Vec3& wheel,
         double length, double speed)
      : AutoConstraint<Pulley>("pulley", "rope", a, b, 1),
        arm_A_(arm_A),
        arm_B_(arm_B),
        wheel_(wheel),
        length_(length),
        speed_(speed) {}
  template <typename S>
  void value(const S& t, const BodyFrame<S>& a, const BodyFrame<S>& b, S* C) const {
    const Eigen::Matrix<S, 3, 1> r_a = a.center + a.rotation * arm_A_.cast<S>() - wheel_.cast<S>();
    const Eigen::Matrix<S, 3, 1> r_b = b.center + b.rotation * arm_B_.cast<S>() - wheel_.cast<S>();
    C[0] = sqrt(r_a.dot(r_a)) + sqrt(r_b.dot(r_b)) - (length_ - speed_ * t);
  }
  bool is_angle(int) const override { return false; }

 private:
  Vec3 arm_A_, arm_B_, wheel_;
  double length_, speed_;
};

class PulleyByHand final : public Constraint {
 public:
  PulleyByHand(core::BodyId a, const Vec3& arm_A, core::BodyId b, const Vec3& arm_B, const Vec3& wheel,
               double length, double speed)
      : Constraint("pulley", "rope", a, b, 1),
        arm_A_(arm_A),
        arm_B_(arm_B),
        wheel_(wheel),
        length_(length),
        speed_(speed) {}
  bool is_angle(int) const override { return false; }
  void evaluate(double t, const BodyMotion& a, const BodyMotion& b, ConstraintRows& out) const override {
    out.value[0] = speed_ * t - length_;
    out.rate[0] = speed_;
    out.bias[0] = 0;
    add_side(a, arm_A_, out.J_a[0], out);
    add_side(b, arm_B_, out.J_b[0], out);
  }

 private:
  void add_side(const BodyMotion& body, const Vec3& arm, double (&J)[6], ConstraintRows& out) const {
    const Vec3 s = body.rotation * arm, r = body.center + s - wheel_, velocity = body.velocity_at(s);
    const double l = r.norm();
    const Vec3 n = r / l, across = velocity - n.dot(velocity) * n, turn = s.cross(n);
    const Vec3& w = body.angular_velocity;
    out.value[0] += l;
    out.bias[0] += across.squaredNorm() / l + n.dot(w.cross(w.cross(s)));
    for (int k = 0; k < 3; ++k) J[k] = n[k], J[k + 3] = turn[k];
  }

  Vec3 arm_A_, arm_B_, wheel_;
  double length_, speed_;
};

enum class Slip { none, jacobian, rate, bias, unwritten };

// The same by hand, with a slip of the pen if asked for.
class SphereByHand final : public Constraint {
 public:
  explicit SphereByHand(Slip slip)
      : Constraint("bubble", "sphere", core::BodyId(0), core::BodyId(1), 1), slip_(slip) {}
  bool is_angle(int) const override { return false; }
  void evaluate(double t, const BodyMotion& a, const BodyMotion& b, ConstraintRows& out) const override {
    const math::Vec3 d = b.center - a.center, v = b.velocity - a.velocity;
    const math::Taylor time(t, 1, 0), radius = 2.0 + 0.5 * sin(3.0 * time), square = 0.5 * radius * radius;
    out.value[0] = 0.5 * d.dot(d) - square.value;
    out.rate[0] = slip_ == Slip::rate ? square.first : -square.first;
    out.bias[0] = (slip_ == Slip::bias ? 2 : 1) * v.dot(v) - square.second;
    for (int k = 0; k < 3; ++k) {
      out.J_a[0][k] = -d[k], out.J_b[0][k] = slip_ == Slip::jacobian ? -d[k] : d[k];
      if (slip_ != Slip::unwritten) out.J_a[0][k + 3] = out.J_b[0][k + 3] = 0;
    }
  }

 private:
  Slip slip_;
};

}  // namespace

TEST_CASE("a user's class passes the check of derivatives, written by C alone and by hand") {
  CHECK(support::check_constraint(BreathingSphere()) == "");
  CHECK(support::check_constraint(SphereByHand(Slip::none)) == "");
  CHECK(support::compare_constraints(SphereByHand(Slip::none), BreathingSphere(), 1e-13) == "");
}

TEST_CASE("the pulley of the chapter on deriving a constraint is right both ways") {
  const Vec3 arm_A(0.2, -0.1, 0.3), arm_B(-0.3, 0.4, 0.1), wheel(0, 9, 0);
  const core::BodyId a(0), b(1);
  CHECK(support::check_constraint(Pulley(a, arm_A, b, arm_B, wheel, 14, 0.3)) == "");
  CHECK(support::check_constraint(PulleyByHand(a, arm_A, b, arm_B, wheel, 14, 0.3)) == "");
  CHECK(support::compare_constraints(PulleyByHand(a, arm_A, b, arm_B, wheel, 14, 0.3),
                                     Pulley(a, arm_A, b, arm_B, wheel, 14, 0.3), 1e-12) == "");
}

TEST_CASE("a slip in J, in dC/dt, in the bias, and an entry left unwritten are found and named") {
  const auto says = [](Slip slip, const char* part) {
    const std::string fault = support::check_constraint(SphereByHand(slip));
    INFO(fault);
    CHECK(fault.find("sphere bubble, row 0: ") == 0);
    CHECK(fault.find(part) != std::string::npos);
    CHECK(support::compare_constraints(SphereByHand(slip), BreathingSphere(), 1e-13) != "");
  };
  says(Slip::jacobian, "J_b[0]");
  says(Slip::rate, "dC/dt");
  says(Slip::bias, "the bias");
  says(Slip::unwritten, "J_a[3] is nan");
}
