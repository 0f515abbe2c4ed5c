// Springs, dampers and drives in the coordinate x of a joint, and the soft zone before a limit. With J the row of x
// (model/joint_rows.h), an effort Q (N m or N) acts as J^T Q on the two bodies:
//   spring    Q = -k (x - rest)                         U = 1/2 k (x - rest)^2                                  (1)
//   damper    Q = -d x'                                                                                         (2)
//   drive     Q = k (target - x) + d (velocity - x'), at most the largest effort either way                     (3)
// An angle of a hinge is counted through its turns; of other joints it is taken on the turn nearest to rest or target. Of a ball joint the coordinate is the rotation vector r, and
// the torque on b, opposite on a, follows from U = 1/2 k |r|^2 and the relative angular velocity wr:
//   ball      tau = -k r - d wr,  or k r + d (velocity - wr) towards a target, at most the largest length       (4)
// Comfort: y is the angle or travel left before a limit. Where less than D is left, with s = 1 - y/D,
//   comfort   Q = kappa D (s + s^3)                     U = kappa D^2 (s^2/2 + s^4/4)                           (5)
//             Q = -d s (2 - s) y',  s at most 1         d = 2 sqrt(kappa I): damping ratio 1 where s nears 1    (6)
// so that both begin at zero. How they resist: (1) to (3), (5) and (6) along J, in (5) with kappa (1 + 3 s^2); (4) with k along the three
// rows of r' = Jl^-1(r) (w_b - w_a), axes of a, put together as k Jl^-T Jl^-1, and with d along the axes. A drive at its largest effort does not resist.
// y = C of the limit, but for swings, where C = m (1 - rho^2)/2: y = m (1 - rho).
#pragma once

#include <memory>

#include "tumble/model/force_law.h"
#include "tumble/model/joint_rows.h"

namespace tumble::model {

/// A law between the two sides of a joint, also where a is the world: a ForceLaw needs a body first.
class JointLaw : public ForceLaw {
 public:
  JointLaw(std::string name, core::BodyId a, core::BodyId b)
      : ForceLaw(std::move(name), a.valid() ? a : b, a.valid() ? b : core::BodyId()), to_world_(!a.valid()) {}
  void apply(double, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b) const final {
    to_world_ ? act(b, a, on_b, on_a, nullptr) : act(a, b, on_a, on_b, nullptr);
  }
  void linearise(double, const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                 Resistance& resistance) const final;
  bool resists() const final { return true; }
  std::optional<double> potential(double, const BodyMotion& a, const BodyMotion& b) const final {
    return to_world_ ? stored(b, a) : stored(a, b);
  }
  /// Along the joint's coordinate, or the length of a ball joint's torque; the two bodies as in apply().
  virtual double effort(const BodyMotion&, const BodyMotion&) const { return 0; }

 protected:
  /// The same with a and b as the joint has them; rows only where they are asked for.
  virtual void act(const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                   Resistance* resistance) const = 0;
  virtual std::optional<double> stored(const BodyMotion&, const BodyMotion&) const { return std::nullopt; }
  bool to_world() const { return to_world_; }

 private:
  bool to_world_;
};

/// A law whose effort depends on one coordinate and its rate.
class CoordinateLaw : public JointLaw {
 public:
  CoordinateLaw(std::string name, core::BodyId a, core::BodyId b, const JointFrames& frames,
                Coordinate coordinate, double middle, int counted = rows::kNotCounted)
      : JointLaw(std::move(name), a, b),
        frames_(frames),
        coordinate_(coordinate),
        middle_(middle),
        counted_(counted) {}
  /// Q, with the two bodies as in apply().
  double effort(const BodyMotion& a, const BodyMotion& b) const override;

 protected:
  /// Q without regard to the largest effort, -dQ/dx and -dQ/dx'.
  struct Effort {
    double value, stiffness, damping;
  };
  virtual Effort compute_effort(double x, double rate) const = 0;
  Effort compute_limited_effort(double x, double rate) const;
  virtual std::optional<double> energy(double) const { return std::nullopt; }
  void act(const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
           Resistance* resistance) const final;
  std::optional<double> stored(const BodyMotion& a, const BodyMotion& b) const final;
  /// The turn an angle that is not counted is taken on.
  void set_middle(double middle) { middle_ = middle; }

 private:
  JointFrames frames_;
  Coordinate coordinate_;
  double middle_;
  int counted_;
};

/// Equation (1).
class JointSpring final : public CoordinateLaw {
 public:
  JointSpring(std::string name, core::BodyId a, core::BodyId b, const JointFrames& frames,
              Coordinate coordinate, double rest, double stiffness, int counted = rows::kNotCounted)
      : CoordinateLaw(std::move(name), a, b, frames, coordinate, rest, counted),
        rest_(rest),
        stiffness_(stiffness) {}
  void set_values(double rest, double stiffness) {
    set_middle(rest);
    rest_ = rest, stiffness_ = stiffness;
  }
  std::shared_ptr<ForceLaw> clone(const LawRoom& room) const override {
    return make_in<JointSpring>(room, *this);
  }

 private:
  Effort compute_effort(double x, double) const override {
    return {-stiffness_ * (x - rest_), stiffness_, 0};
  }
  std::optional<double> energy(double x) const override {
    return 0.5 * stiffness_ * (x - rest_) * (x - rest_);
  }
  double rest_, stiffness_;
};

/// Equation (2).
class JointDamper final : public CoordinateLaw {
 public:
  JointDamper(std::string name, core::BodyId a, core::BodyId b, const JointFrames& frames,
              Coordinate coordinate, double damping)
      : CoordinateLaw(std::move(name), a, b, frames, coordinate, 0), damping_(damping) {}
  void set_damping(double damping) { damping_ = damping; }
  std::shared_ptr<ForceLaw> clone(const LawRoom& room) const override {
    return make_in<JointDamper>(room, *this);
  }

 private:
  Effort compute_effort(double, double rate) const override { return {-damping_ * rate, 0, damping_}; }
  double damping_;
};

/// Equation (3). Without stiffness a motor.
class JointDrive final : public CoordinateLaw {
 public:
  JointDrive(std::string name, core::BodyId a, core::BodyId b, const JointFrames& frames,
             Coordinate coordinate, double target, double velocity, double stiffness, double damping,
             double max_effort, int counted = rows::kNotCounted)
      : CoordinateLaw(std::move(name), a, b, frames, coordinate, target, counted),
        target_(target),
        velocity_(velocity),
        stiffness_(stiffness),
        damping_(damping),
        max_effort_(max_effort) {}
  double largest_effort() const override { return max_effort_; }
  void set_values(double target, double velocity, double stiffness, double damping, double max_effort) {
    set_middle(target);
    target_ = target, velocity_ = velocity;
    stiffness_ = stiffness, damping_ = damping, max_effort_ = max_effort;
  }
  std::shared_ptr<ForceLaw> clone(const LawRoom& room) const override {
    return make_in<JointDrive>(room, *this);
  }

 private:
  Effort compute_effort(double x, double rate) const override {
    return {stiffness_ * (target_ - x) + damping_ * (velocity_ - rate), stiffness_, damping_};
  }
  double target_, velocity_;  // rad or m, and per second
  double stiffness_, damping_, max_effort_;
};

/// Equation (4): a spring towards coinciding axes, and no damping (which has no potential).
class BallSpring final : public JointLaw {
 public:
  BallSpring(std::string name, core::BodyId a, core::BodyId b, const JointFrames& frames, double stiffness)
      : JointLaw(std::move(name), a, b),
        turn_(frames.R_BJ * frames.R_AJ.transpose()),
        stiffness_(stiffness) {}
  void set_values(const JointFrames& frames, double stiffness) {
    turn_ = frames.R_BJ * frames.R_AJ.transpose();
    stiffness_ = stiffness;
  }
  std::shared_ptr<ForceLaw> clone(const LawRoom& room) const override {
    return make_in<BallSpring>(room, *this);
  }

 private:
  void act(const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
           Resistance* resistance) const override;
  std::optional<double> stored(const BodyMotion& a, const BodyMotion& b) const override;
  math::Mat3 turn_;  // R_BJ R_AJ^T
  double stiffness_;
};

/// Equation (4): a drive towards coinciding axes and an angular velocity in the joint's axes of a; with stiffness and
/// velocity zero a damper.
class BallDrive final : public JointLaw {
 public:
  BallDrive(std::string name, core::BodyId a, core::BodyId b, const JointFrames& frames,
            const math::Vec3& angular_velocity, double stiffness, double damping, double max_effort)
      : JointLaw(std::move(name), a, b),
        turn_(frames.R_BJ * frames.R_AJ.transpose()),
        velocity_A_(frames.R_AJ * angular_velocity),
        stiffness_(stiffness),
        damping_(damping),
        max_effort_(max_effort),
        moves_(!angular_velocity.isZero(0)) {}
  /// The torque on b, world axes; the two bodies as in apply().
  math::Vec3 torque(const BodyMotion& a, const BodyMotion& b) const;
  double effort(const BodyMotion& a, const BodyMotion& b) const override { return torque(a, b).norm(); }
  double largest_effort() const override { return max_effort_; }
  void set_values(const JointFrames& frames, const math::Vec3& angular_velocity, double stiffness,
                  double damping, double max_effort) {
    turn_ = frames.R_BJ * frames.R_AJ.transpose();
    velocity_A_ = frames.R_AJ * angular_velocity;
    stiffness_ = stiffness, damping_ = damping, max_effort_ = max_effort;
    moves_ = !angular_velocity.isZero(0);
  }
  std::shared_ptr<ForceLaw> clone(const LawRoom& room) const override {
    return make_in<BallDrive>(room, *this);
  }

 private:
  void act(const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
           Resistance* resistance) const override;
  math::Vec3 pull(const BodyMotion& a, const BodyMotion& b, Resistance* resistance) const;
  math::Mat3 turn_;        // R_BJ R_AJ^T
  math::Vec3 velocity_A_;  // rad/s, axes of a
  double stiffness_, damping_, max_effort_;
  bool moves_;
};

/// Where the soft zone of a limit begins and how stiff it is.
struct ComfortZone {
  double depth;      // D, rad or m
  double stiffness;  // kappa, N m/rad or N/m
  double damping;    // d, N m s/rad or N s/m
  double swing = 0;  // m of a limit whose C is quadratic, else 0
};

/// What (5) and (6) have in common.
class ComfortLaw : public JointLaw {
 public:
  ComfortLaw(std::string name, std::shared_ptr<const Limit> limit, const ComfortZone& zone)
      : JointLaw(std::move(name), limit->a(), limit->b()), limit_(std::move(limit)), zone_(zone) {}
  const std::shared_ptr<const Limit>& limit() const { return limit_; }
  void set_limit(std::shared_ptr<const Limit> limit) { limit_ = std::move(limit); }
  const ComfortZone& zone() const { return zone_; }
  void set_zone(const ComfortZone& zone) { zone_ = zone; }

 protected:
  std::shared_ptr<const Limit> limit_;
  ComfortZone zone_;
};

/// Equation (5).
class ComfortSpring final : public ComfortLaw {
 public:
  using ComfortLaw::ComfortLaw;
  std::shared_ptr<ForceLaw> clone(const LawRoom& room) const override {
    return make_in<ComfortSpring>(room, *this);
  }

 private:
  void act(const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
           Resistance* resistance) const override;
  std::optional<double> stored(const BodyMotion& a, const BodyMotion& b) const override;
};

/// Equation (6).
class ComfortDamper final : public ComfortLaw {
 public:
  using ComfortLaw::ComfortLaw;
  std::shared_ptr<ForceLaw> clone(const LawRoom& room) const override {
    return make_in<ComfortDamper>(room, *this);
  }

 private:
  void act(const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
           Resistance* resistance) const override;
};

}  // namespace tumble::model
