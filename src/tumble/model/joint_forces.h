// Springs, dampers and drives that act on a joint coordinate x, and the comfort zone: a soft zone before a
// limit. J is the Jacobian of x (model/joint_rows.h). An effort Q (N m or N) acts on the two bodies as J^T Q.
//   spring    Q = -k (x - rest)                         U = 1/2 k (x - rest)^2                            (1)
//   damper    Q = -d x'                                                                                   (2)
//   drive     Q = k (target - x) + d (velocity - x'),   |Q| <= largest effort                             (3)
// The angle of a hinge is unwrapped: it may exceed pi. An angle of another joint is taken on the branch
// nearest to `rest` or `target`. The coordinate of a ball joint is the rotation vector r. A ball spring has
// the potential U = 1/2 k |r|^2. With the relative angular velocity wr = w_b - w_a, the torque on b is
//   ball      tau = -k r + d (velocity - wr),           |tau| <= largest effort                           (4)
// where r is measured from `rest` or `target`. The torque on a is -tau.
// Comfort zone: y is the remaining angle or travel before the limit, and D is the depth of the zone. The
// zone acts if y < D. With s = 1 - y/D,
//   comfort   Q = kappa D (s + s^3)                     U = kappa D^2 (s^2/2 + s^4/4)                     (5)
//             Q = -d s (2 - s) y',  s <= 1              d = 2 sqrt(kappa I)                               (6)
// Both efforts are zero at the border of the zone. The damping ratio approaches 1 at the limit. y is C of the
// limit; for swing limits, C = m (1 - rho^2)/2 and y = m (1 - rho).
// Linearisation (Resistance): (1), (2), (3), (5) and (6) have one row with the Jacobian J. The stiffness of
// (5) is kappa (1 + 3 s^2); its coordinate is y. In (4), r' = Jl^-1(r) wr in the axes of a, where Jl is the
// left Jacobian of SO(3). The stiffness matrix of (4) is k Jl^-T Jl^-1, and its damping d is isotropic. A
// drive at its largest effort has zero stiffness and damping.
#pragma once

#include <memory>

#include "tumble/model/force_law.h"
#include "tumble/model/joint_rows.h"

namespace tumble::model {

/// A force law between the bodies a and b of a joint. If a is the world, it passes b to ForceLaw as the first
/// body, because the first body of a ForceLaw must not be the world.
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
    return to_world_ ? stored_energy(b, a) : stored_energy(a, b);
  }
  /// The effort along the joint coordinate, or the norm of the torque of a ball joint. The order of the
  /// bodies is that of apply().
  virtual double effort(const BodyMotion&, const BodyMotion&) const { return 0; }

 protected:
  /// Adds the wrenches, with a and b in the order of the joint. Computes the linearisation if `resistance` is
  /// not null.
  virtual void act(const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
                   Resistance* resistance) const = 0;
  /// The potential energy, with a and b in the order of the joint.
  virtual std::optional<double> stored_energy(const BodyMotion&, const BodyMotion&) const {
    return std::nullopt;
  }
  bool to_world() const { return to_world_; }

 private:
  bool to_world_;
};

/// A law whose effort depends on one scalar joint coordinate and its rate.
class CoordinateLaw : public JointLaw {
 public:
  CoordinateLaw(std::string name, core::BodyId a, core::BodyId b, const JointFrames& frames,
                Coordinate coordinate, double middle, int counted = rows::kNotCounted)
      : JointLaw(std::move(name), a, b),
        frames_(frames),
        coordinate_(coordinate),
        middle_(middle),
        counted_(counted) {}
  /// Q. The order of the bodies is that of apply().
  double effort(const BodyMotion& a, const BodyMotion& b) const override;
  std::optional<double> coordinate(const BodyMotion& a, const BodyMotion& b) const override;

 protected:
  /// Q, -dQ/dx and -dQ/dx'.
  struct Effort {
    double value, stiffness, damping;
  };
  /// The effort without the bound largest_effort().
  virtual Effort compute_effort(double x, double rate) const = 0;
  /// The effort with this bound.
  Effort compute_limited_effort(double x, double rate) const;
  virtual std::optional<double> energy(double) const { return std::nullopt; }
  void act(const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
           Resistance* resistance) const final;
  std::optional<double> stored_energy(const BodyMotion& a, const BodyMotion& b) const final;
  /// Sets the centre of the branch of an angle that is not unwrapped.
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
  bool is_dissipative() const override { return true; }
  void set_damping(double damping) { damping_ = damping; }
  std::shared_ptr<ForceLaw> clone(const LawRoom& room) const override {
    return make_in<JointDamper>(room, *this);
  }

 private:
  Effort compute_effort(double, double rate) const override { return {-damping_ * rate, 0, damping_}; }
  double damping_;
};

/// Equation (3). With zero stiffness it is a velocity motor.
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

/// Equation (4) without damping: a spring with r = 0 where the axes of `frames` coincide. Its damping is a
/// separate law, because it has no potential.
class BallSpring final : public JointLaw {
 public:
  BallSpring(std::string name, core::BodyId a, core::BodyId b, const JointFrames& frames, double stiffness)
      : JointLaw(std::move(name), a, b),
        R_BA_aligned_(frames.R_BJ * frames.R_AJ.transpose()),
        stiffness_(stiffness) {}
  void set_values(const JointFrames& frames, double stiffness) {
    R_BA_aligned_ = frames.R_BJ * frames.R_AJ.transpose();
    stiffness_ = stiffness;
  }
  std::shared_ptr<ForceLaw> clone(const LawRoom& room) const override {
    return make_in<BallSpring>(room, *this);
  }

 private:
  void act(const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
           Resistance* resistance) const override;
  std::optional<double> stored_energy(const BodyMotion& a, const BodyMotion& b) const override;
  math::Mat3 R_BA_aligned_;  // R_BJ R_AJ^T
  double stiffness_;
};

/// Equation (4): a drive towards r = 0, where the axes of `frames` coincide, and towards a relative angular
/// velocity in the joint axes fixed in a. With zero stiffness and velocity it is a damper.
class BallDrive final : public JointLaw {
 public:
  BallDrive(std::string name, core::BodyId a, core::BodyId b, const JointFrames& frames,
            const math::Vec3& angular_velocity, double stiffness, double damping, double max_effort)
      : JointLaw(std::move(name), a, b),
        R_BA_aligned_(frames.R_BJ * frames.R_AJ.transpose()),
        velocity_A_(frames.R_AJ * angular_velocity),
        stiffness_(stiffness),
        damping_(damping),
        max_effort_(max_effort),
        moves_(!angular_velocity.isZero(0)) {}
  /// The torque on b in world axes. The order of the bodies is that of apply().
  math::Vec3 torque(const BodyMotion& a, const BodyMotion& b) const;
  double effort(const BodyMotion& a, const BodyMotion& b) const override { return torque(a, b).norm(); }
  double largest_effort() const override { return max_effort_; }
  bool is_dissipative() const override { return stiffness_ == 0 && !moves_; }
  void set_values(const JointFrames& frames, const math::Vec3& angular_velocity, double stiffness,
                  double damping, double max_effort) {
    R_BA_aligned_ = frames.R_BJ * frames.R_AJ.transpose();
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
  math::Vec3 compute_torque(const BodyMotion& a, const BodyMotion& b, Resistance* resistance) const;
  math::Mat3 R_BA_aligned_;  // R_BJ R_AJ^T
  math::Vec3 velocity_A_;    // rad/s, in the axes of a
  double stiffness_, damping_, max_effort_;
  bool moves_;
};

/// Parameters of the comfort zone of a limit.
struct ComfortZone {
  double depth;      // D, rad or m
  double stiffness;  // kappa, N m/rad or N/m
  double damping;    // d, N m s/rad or N s/m
  double swing = 0;  // m of a swing limit, whose C is quadratic; 0 for other limits
};

/// Base class of (5) and (6).
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
  std::optional<double> stored_energy(const BodyMotion& a, const BodyMotion& b) const override;
};

/// Equation (6).
class ComfortDamper final : public ComfortLaw {
 public:
  using ComfortLaw::ComfortLaw;
  bool is_dissipative() const override { return true; }
  std::shared_ptr<ForceLaw> clone(const LawRoom& room) const override {
    return make_in<ComfortDamper>(room, *this);
  }

 private:
  void act(const BodyMotion& a, const BodyMotion& b, Wrench& on_a, Wrench& on_b,
           Resistance* resistance) const override;
};

}  // namespace tumble::model
