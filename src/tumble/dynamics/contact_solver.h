// Velocities under contact with friction, limits and drives, joints hard: with A the masses (and implicit parts), b the momenta
// they would have without contact, u = G v + w the velocities at the contacts in their frames (normal first), r the impulses:
//   A v + J^T l = b + G^T r,    J v = c,    K + r  _|_  u + mu |u_t| n + K*                                     (1)
// K being the cone of friction |r_t| <= mu r_n, or r >= 0 for a limit, or a ball for a drive; the term mu |u_t| makes
// Coulomb's law an exact complementarity [De Saxce 1992]. Unknown is v, not r: the matrices are positive definite whatever contacts are
// redundant, and have the pattern of the bodies. Outside, multipliers r and the shift s = mu |u_t| are updated (augmented
// Lagrangian); inside, Newton's method minimises over J v = c the convex
//   1/2 v.A v - b.v + sum (z.p - |p|^2/2) / rho,    z = r - rho (u + s n),  p = Pi_K(z)                          (2)
// [Alart, Curnier 1991; Acary, Cadoux, Lemarechal, Malick 2011]
#pragma once

#include <limits>
#include <span>

#include "tumble/dynamics/block_solver.h"
#include "tumble/dynamics/tolerances.h"
#include "tumble/math/types.h"

namespace tumble::dynamics {

/// A contact, limit or drive between two bodies of a BlockSolver; either may be kNone, not both.
struct ConeRow {
  enum class Set { cone, positive, ball };  // |r_t| <= mu r_n; r_1 >= 0, no others; |r| <= radius
  using Matrix36 = Eigen::Matrix<double, 3, 6>;
  int a = kNone, b = kNone;
  Matrix36 G_a = Matrix36::Zero(), G_b = Matrix36::Zero();  // rows: normal, two tangents
  math::Vec3 bias = math::Vec3::Zero();                     // w, m/s
  Set set = Set::cone;
  double friction = 0;
  double radius = 0;                        // of a ball, N s
  double compliance = 0;                    // u may lack this times r: (m/s)/(N s); 0: rigid
  math::Vec3 impulse = math::Vec3::Zero();  // r, N s: a guess, then the result
};

/// The nearest point of K to z, and, if asked for, its derivative.
math::Vec3 project_on_cone(const ConeRow& row, const math::Vec3& z, math::Mat3* derivative = nullptr);

/// G v, without the bias.
math::Vec3 speed_at(const ConeRow& row, const std::vector<double>& v);

/// momenta + G^T impulse.
void add_push(const ConeRow& row, const math::Vec3& impulse, std::vector<double>& momenta);

/// To what is added to A: G^T stiffness G, which is symmetric.
void add_stiffness(const ConeRow& row, const math::Mat3& stiffness, BlockSolver& matrix);

struct ContactReport {
  double residual =
      0;  // the largest |r - Pi_K(r - (u + mu |u_t| n)/w)| over the largest |r|; w the mean of G M^-1 G^T
  bool solved = true;  // the residual is what was asked for, or enough where it is hard, or rounding
  int passes = 0, factorisations = 0;
};

class ContactSolver {
 public:
  /// Solves (1) to a residual, or, in islands that are hard, to `enough` if that is more. `matrix` holds A and J; its pattern must couple the bodies of every row. `v` is a guess, then the
  /// result, 6 numbers a body; `l` gets one number for each row of J.
  ContactReport solve(BlockSolver& matrix, std::span<const double> b, std::span<const double> c,
                      std::vector<ConeRow>& rows, double tolerance, std::vector<double>& v,
                      std::vector<double>& l, double enough = 0);

 private:
  // Of (1), and of (1) with shifts as they are; what rounding makes of either.
  struct Residual {
    double whole = 0, at_shift = 0, rounding = 0;
  };
  // A contact that carries: the push of a change of its shift, -rho DPi n; how F answers to u.
  struct Rubbing {
    size_t row;
    math::Vec3 push, slope;
  };
  // Bodies that act on each other, and how far their solution is.
  struct Island {
    std::vector<size_t> rows = {};
    double stiffness = kContactStiffness, stiffest = kLargestContactStiffness;  // sigma: rho = sigma / w
    // Newton's method: the last step, what impulses make of velocities, the part of the step that is taken.
    double change = 0, speed = 0, pushed = 0, share = 1;
    bool rests = false, solved = false, done = false;
    Residual residual = {};
    double before = 1, last = kNever;  // the residual with which a pass begins; after the last one
    bool easy = true;
    int waited = 0;
    // Shifts: how wrong they are, the part of the last step of Newton's method that is tried, plain steps to come and how often
    // they were needed; the best ones, kept if none are found.
    std::vector<Rubbing> rubbing = {};
    double wrong = 0, least_wrong = kNever, part = 1;
    int plain = 0, attempts = 0;
    double least_residual = kNever;
    bool given_up = false;
    // few_contacts.h or many_contacts.h was asked, and, if it found them, its velocities and impulses.
    bool was_hard = false;
    std::vector<double> found_v = {};
    std::vector<math::Vec3> found_r = {};
    Residual found_residual = {};
  };
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  void begin(BlockSolver& matrix, const std::vector<ConeRow>& rows, const std::vector<double>& v);
  double rho(size_t i, const ConeRow& row) const {
    return 1 / (inertias_[i] / islands_[island_of_row_[i]].stiffness + row.compliance);
  }
  math::Vec3 velocity_at(const ConeRow& row, const std::vector<double>& v) const;
  math::Vec3 push_of(size_t i, const ConeRow& row, const math::Vec3& u,
                     math::Mat3* derivative = nullptr) const;
  void search_lines(const BlockSolver& matrix, std::span<const double> b, const std::vector<ConeRow>& rows,
                    const std::vector<double>& v, const std::vector<double>& d);
  void minimise(BlockSolver& matrix, std::span<const double> b, std::span<const double> c,
                const std::vector<ConeRow>& rows, double tolerance, bool first, std::vector<double>& v,
                std::vector<double>& l, ContactReport& report);
  void judge_shifts(const std::vector<ConeRow>& rows, const std::vector<double>& v);
  void improve_step(BlockSolver& matrix, const std::vector<ConeRow>& rows, const Island& island);
  void move_shifts(BlockSolver& matrix, const std::vector<ConeRow>& rows, Island& island);
  void measure_residuals(const std::vector<ConeRow>& rows, const std::vector<double>& v);
  void solve_few(BlockSolver& matrix, std::span<const double> b, std::span<const double> c,
                 const std::vector<Island*>& hard, double tolerance, std::vector<ConeRow>& rows);
  int solve_many(BlockSolver& matrix, std::span<const double> b, std::span<const double> c,
                 const std::vector<Island*>& hard, double tolerance, std::vector<ConeRow>& rows);
  int solve_hard(BlockSolver& matrix, std::span<const double> b, std::span<const double> c,
                 const std::vector<Island*>& hard, double tolerance, double enough,
                 std::vector<ConeRow>& rows, std::vector<double>& v, std::vector<double>& l);
  void copy_velocities(const Island& island, const std::vector<double>& from, std::vector<double>& to) const;
  void give_back(Island& island, std::vector<ConeRow>& rows, std::vector<double>& v) const;
  void end_hard(BlockSolver& matrix, std::span<const double> b, std::span<const double> c,
                const std::vector<ConeRow>& rows, const std::vector<double>& v, std::vector<double>& l,
                ContactReport& report);
  void advance(BlockSolver& matrix, const std::vector<ConeRow>& rows, double tolerance, int pass,
               Island& island);

  std::vector<Island> islands_;
  std::vector<size_t> island_of_node_, island_of_row_;
  std::vector<double> inertias_, shifts_;  // w and s of each row
  std::vector<double> step_;               // the next change of s
  std::vector<double> start_, direction_,
      best_;  // of the shifts: where the last step began and led, the best
  std::vector<std::pair<math::Vec3, math::Mat3>>
      pulls_;                         // impulses are the first less the second times G v, near v
  std::vector<double> next_, force_;  // scratch
};

}  // namespace tumble::dynamics
