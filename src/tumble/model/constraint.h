// A constraint ties two bodies, or one body and the world, by up to six equations
//   C(q, t) = 0,   C' = J_a (v_a, omega_a) + J_b (v_b, omega_b) + dC/dt,   C'' = J_a a_a + J_b a_b + bias      (1)
// in the velocities and accelerations of the two centres of mass, world axes. The force it needs is J^T lambda.
// Derive from AutoConstraint (model/auto_constraint.h) to write C alone; derive from Constraint to write J and the bias
// by hand, which is faster.
#pragma once

#include <string>
#include <vector>

#include "tumble/model/force_law.h"

namespace tumble::model {

struct JointFrames;

inline constexpr int kMaxRows = 6;

/// What a constraint is at one instant, row by row: equation (1).
struct ConstraintRows {
  double value[kMaxRows];                     // C
  double rate[kMaxRows];                      // dC/dt with the bodies held still
  double bias[kMaxRows];                      // C'' with the velocities constant
  double J_a[kMaxRows][6], J_b[kMaxRows][6];  // per (v, omega); J_a of a constraint to the world is not used
};

class Constraint {
 public:
  /// Without `a` the constraint is between the world and `b`. `rows` is at most 6; one without rows does nothing.
  Constraint(std::string name, std::string type, core::BodyId a, core::BodyId b, int rows)
      : name_(std::move(name)), type_(std::move(type)), a_(a), b_(b), rows_(rows) {}
  virtual ~Constraint() = default;

  const std::string& name() const { return name_; }
  const std::string& type() const { return type_; }
  core::BodyId a() const { return a_; }
  core::BodyId b() const { return b_; }
  int rows() const { return rows_; }
  /// Whether row i measures an angle (rad) or a length (m); the former is multiplied by the body's size where
  /// the two are compared.
  virtual bool is_angle(int row) const = 0;
  /// Fills the first rows() rows.
  virtual void evaluate(double t, const BodyMotion& a, const BodyMotion& b, ConstraintRows& out) const = 0;
  /// Times at which C is not smooth in t, e.g. the keys of a script: the integrator stops exactly there. The first
  /// derivative may jump too, where a script comes to a sudden halt.
  virtual std::vector<double> switch_times() const { return {}; }
  /// Whether C depends on t: such a constraint does work, which is counted.
  virtual bool moves() const { return true; }
  /// Rows from here on hold a coordinate to a script; their forces are its effort.
  virtual int first_script_row() const { return rows_; }
  /// Where the rows are three and hold a point of b to one of a (model/joint_rows.h, equation (1)), its arms: such a constraint is solved faster,
  /// without evaluate(). Else null.
  virtual const JointFrames* held_point() const { return nullptr; }

 private:
  std::string name_, type_;
  core::BodyId a_, b_;
  int rows_;
};

/// C' of row i of what evaluate() gave for these bodies.
inline double speed_of_row(const Constraint& constraint, const ConstraintRows& rows, int i,
                           const BodyMotion& a, const BodyMotion& b) {
  double speed = rows.rate[i];
  for (int k = 0; k < 3; ++k) {
    if (constraint.a().valid())
      speed += rows.J_a[i][k] * a.velocity[k] + rows.J_a[i][3 + k] * a.angular_velocity[k];
    speed += rows.J_b[i][k] * b.velocity[k] + rows.J_b[i][3 + k] * b.angular_velocity[k];
  }
  return speed;
}

/// A one-sided constraint of one row: C >= 0, e.g. a hinge that must not open beyond an angle. It pushes (lambda >= 0)
/// only where C = 0.
class Limit : public Constraint {
 public:
  /// `restitution`: how much of the speed of approach a hit on the limit gives back, 0 to 1.
  Limit(std::string name, std::string type, core::BodyId a, core::BodyId b, double restitution)
      : Constraint(std::move(name), std::move(type), a, b, 1), restitution_(restitution) {}
  double restitution() const { return restitution_; }
  void set_restitution(double restitution) { restitution_ = restitution; }
  bool moves() const override { return false; }
  /// As ForceLaw::clone().
  virtual std::shared_ptr<Limit> clone(const LawRoom&) const { return nullptr; }

 private:
  double restitution_;
};

}  // namespace tumble::model
