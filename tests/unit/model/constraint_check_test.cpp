// The check of derivatives that every constraint goes through, on classes as a user would write them.
#include <doctest/doctest.h>

#include "support/constraint_check.h"
#include "tumble/model/auto_constraint.h"

using namespace tumble;
using namespace tumble::model;

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
