// Tests support::check_constraint, which checks the derivatives of every constraint, on typical user classes.
#include <doctest/doctest.h>

#include "support/constraint_check.h"
#include "tumble/model/auto_constraint.h"

using namespace tumble;
using namespace tumble::model;
using math::Vec3;

namespace {

// The centre of the second body moves on a sphere fixed in the first body. The radius of the sphere
// oscillates. Only C is written.
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

// The two versions of the pulley of docs/deriving-a-constraint.md: a rope over a wheel, shortened by a winch.
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

enum class Mistake { none, jacobian, rate, bias, unwritten };

// The same sphere with J and bias written by hand, optionally with a deliberate mistake.
class SphereByHand final : public Constraint {
 public:
  explicit SphereByHand(Mistake mistake)
      : Constraint("bubble", "sphere", core::BodyId(0), core::BodyId(1), 1), mistake_(mistake) {}
  bool is_angle(int) const override { return false; }
  void evaluate(double t, const BodyMotion& a, const BodyMotion& b, ConstraintRows& out) const override {
    const math::Vec3 d = b.center - a.center, v = b.velocity - a.velocity;
    const math::Taylor time(t, 1, 0), radius = 2.0 + 0.5 * sin(3.0 * time), square = 0.5 * radius * radius;
    out.value[0] = 0.5 * d.dot(d) - square.value;
    out.rate[0] = mistake_ == Mistake::rate ? square.first : -square.first;
    out.bias[0] = (mistake_ == Mistake::bias ? 2 : 1) * v.dot(v) - square.second;
    for (int k = 0; k < 3; ++k) {
      out.J_a[0][k] = -d[k], out.J_b[0][k] = mistake_ == Mistake::jacobian ? -d[k] : d[k];
      if (mistake_ != Mistake::unwritten) out.J_a[0][k + 3] = out.J_b[0][k + 3] = 0;
    }
  }

 private:
  Mistake mistake_;
};

}  // namespace

TEST_CASE("a user's class passes the check of derivatives, with C only and with derivatives by hand") {
  CHECK(support::check_constraint(BreathingSphere()) == "");
  CHECK(support::check_constraint(SphereByHand(Mistake::none)) == "");
  CHECK(support::compare_constraints(SphereByHand(Mistake::none), BreathingSphere(), 1e-13) == "");
}

TEST_CASE("both versions of the pulley in docs/deriving-a-constraint.md are correct") {
  const Vec3 arm_A(0.2, -0.1, 0.3), arm_B(-0.3, 0.4, 0.1), wheel(0, 9, 0);
  const core::BodyId a(0), b(1);
  CHECK(support::check_constraint(Pulley(a, arm_A, b, arm_B, wheel, 14, 0.3)) == "");
  CHECK(support::check_constraint(PulleyByHand(a, arm_A, b, arm_B, wheel, 14, 0.3)) == "");
  CHECK(support::compare_constraints(PulleyByHand(a, arm_A, b, arm_B, wheel, 14, 0.3),
                                     Pulley(a, arm_A, b, arm_B, wheel, 14, 0.3), 1e-12) == "");
}

TEST_CASE("the check finds a mistake in J, in dC/dt and in the bias, and an element that is not set") {
  const auto says = [](Mistake mistake, const char* part) {
    const std::string fault = support::check_constraint(SphereByHand(mistake));
    INFO(fault);
    CHECK(fault.find("sphere bubble, row 0: ") == 0);
    CHECK(fault.find(part) != std::string::npos);
    CHECK(support::compare_constraints(SphereByHand(mistake), BreathingSphere(), 1e-13) != "");
  };
  says(Mistake::jacobian, "J_b[0]");
  says(Mistake::rate, "dC/dt");
  says(Mistake::bias, "the bias");
  says(Mistake::unwritten, "J_a[3] is nan");
}
