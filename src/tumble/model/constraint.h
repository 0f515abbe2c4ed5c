// A constraint between two bodies, or between the world and a body. It has up to six equations (rows)
//   C(q, t) = 0
//   C' = J_a (v_a, omega_a) + J_b (v_b, omega_b) + dC/dt
//   C'' = J_a a_a + J_b a_b + bias                                                                        (1)
// Velocities and accelerations are those of the centres of mass, in world axes. The constraint force is
// J^T lambda, where lambda are the Lagrange multipliers.
// Derive from AutoConstraint (model/auto_constraint.h) to write C only. Derive from Constraint to write the
// Jacobian J and the bias by hand, which is faster.
#pragma once

#include <string>
#include <vector>

#include "tumble/model/force_law.h"

namespace tumble::model {

struct JointFrames;

inline constexpr int kMaxRows = 6;

/// The rows of a constraint at one instant: equation (1).
struct ConstraintRows {
  double value[kMaxRows];                     // C
  double rate[kMaxRows];                      // dC/dt with the bodies held still
  double bias[kMaxRows];                      // C'' at zero acceleration
  double J_a[kMaxRows][6], J_b[kMaxRows][6];  // Jacobians for (v, omega); J_a is unused if a is the world
};

class Constraint {
 public:
  /// If `a` is not valid, the constraint is between the world and `b`. `rows` is at most 6. A constraint with
  /// zero rows has no effect.
  Constraint(std::string name, std::string type, core::BodyId a, core::BodyId b, int rows)
      : name_(std::move(name)), type_(std::move(type)), a_(a), b_(b), rows_(rows) {}
  virtual ~Constraint() = default;

  const std::string& name() const { return name_; }
  const std::string& type() const { return type_; }
  core::BodyId a() const { return a_; }
  core::BodyId b() const { return b_; }
  int rows() const { return rows_; }
  /// True: the row measures an angle (rad). False: it measures a length (m). Where rows are compared, angles
  /// are multiplied by the size of the body (Model::size_of).
  virtual bool is_angle(int row) const = 0;
  /// Fills the first rows() rows.
  virtual void evaluate(double t, const BodyMotion& a, const BodyMotion& b, ConstraintRows& out) const = 0;
  /// Times at which C is not smooth in t, e.g. the keys of a script. A step of the integrator ends exactly at
  /// each of them. The first derivative may be discontinuous too, e.g. where a script stops abruptly.
  virtual std::vector<double> switch_times() const { return {}; }
  /// Whether C depends on t. Such a constraint does work on the bodies. The log contains this work.
  virtual bool moves() const { return true; }
  /// Index of the first row that makes a joint coordinate follow a script. The multipliers of the rows from
  /// this one on are the effort of the script.
  virtual int first_script_row() const { return rows_; }
  /// A constraint whose three rows make a point of b coincide with a point of a (model/joint_rows.h, equation
  /// (1)) returns its frames here. The solver then uses a faster path that does not call evaluate(). Every
  /// other constraint returns null.
  virtual const JointFrames* held_point() const { return nullptr; }

 private:
  std::string name_, type_;
  core::BodyId a_, b_;
  int rows_;
};

/// C' of row i. `rows` is the result of evaluate() for the same motions of the bodies.
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

/// A unilateral constraint with one row, C >= 0: e.g. the largest angle of a hinge. Its multiplier lambda >=
/// 0 is nonzero only if C = 0.
class Limit : public Constraint {
 public:
  /// `restitution`: coefficient of restitution of an impact at the limit, 0 to 1.
  Limit(std::string name, std::string type, core::BodyId a, core::BodyId b, double restitution)
      : Constraint(std::move(name), std::move(type), a, b, 1), restitution_(restitution) {}
  double restitution() const { return restitution_; }
  void set_restitution(double restitution) { restitution_ = restitution; }
  bool moves() const override { return false; }
  /// A copy for a LiveModel, or null. See ForceLaw::clone().
  virtual std::shared_ptr<Limit> clone(const LawRoom&) const { return nullptr; }

 private:
  double restitution_;
};

}  // namespace tumble::model
