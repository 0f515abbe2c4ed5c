#include "tumble/simulate/parameters.h"

#include <cmath>

#include "tumble/core/diagnostic.h"
#include "tumble/math/elementary.h"
#include "tumble/simulate/simulation_options.h"

namespace tumble::simulate {

namespace {

using Kind = Parameter::Kind;

class Table {
 public:
  void add(const char* name, double& value, double low, double high,
           Parameter::Kind kind = Parameter::Kind::magnitude) {
    rows.push_back({.name = group + name, .real = &value, .low = low, .high = high, .kind = kind});
  }
  void add(const char* name, int& value, int low, int high) {
    rows.push_back({.name = group + name,
                    .integer = &value,
                    .low = static_cast<double>(low),
                    .high = static_cast<double>(high)});
  }
  std::string group;
  std::vector<Parameter> rows;
};

void add_leapfrog(LeapfrogParameters& p, Table& table) {
  table.group = "leapfrog.";
  table.add("step_scale", p.step_scale, 0.4, 1.6);
  table.add("largest_rotation", p.largest_rotation, 0.25, 1);
  table.add("largest_joint_gap", p.largest_joint_gap, 0.5, 2);
  table.add("model_joint_gap", p.model_joint_gap, 0.01, 0.05);
  table.add("shortest_half", p.shortest_half, 1e-5, 1e-3);
  table.add("shortest_part", p.shortest_part, 1e-8, 1e-4);
  table.add("residual", p.residual, 1e-10, 1e-6);
  table.add("hard_residual", p.hard_residual, 1e-8, 1e-4);
  table.add("impact_speed", p.impact_speed, 1, 8);
  table.add("stop_speed", p.stop_speed, 0.7, 4);
  table.add("impact_screen", p.impact_screen, 0.2, 1);
  table.add("largest_located", p.largest_located, 15, 60);
  table.add("carried_rotation", p.carried_rotation, 0.12, 0.5);
  table.add("immobile", p.immobile, 1e-12, 1e-8);
  table.add("matched_drift", p.matched_drift, 1e-10, 1e-7);
  table.add("joint_tolerance", p.joint_tolerance, 1e-3, 0.1);
  table.add("contradicting_drift", p.contradicting_drift, 0.03, 0.3);
  table.add("contradicting_gap", p.contradicting_gap, 0.01, 0.4);
  table.add("contradicting_parting", p.contradicting_parting, 0.55, 0.95);
  table.add("joint_residual", p.joint_residual, 1e-4, 1e-2);
  table.add("limit_shell", p.limit_shell, 0.02, 0.5);
  table.add("limit_gradient", p.limit_gradient, 1e-6, 0.1);
  table.add("limit_residual", p.limit_residual, 1e-5, 0.1);
  table.add("max_rounds", p.max_rounds, 16, 128);
  table.add("patient_rounds", p.patient_rounds, 2, 64);
  table.add("desperate_cut", p.desperate_cut, 0.02, 0.5);
  table.add("hardly_shorter", p.hardly_shorter, 0.7, 0.99, Kind::near_one);
}

void add_runge_kutta(RungeKuttaParameters& p, Table& table) {
  table.group = "runge_kutta.";
  table.add("step_share", p.step_share, 0.003, 0.03);
  table.add("safety", p.safety, 0.7, 0.97, Kind::near_one);
  table.add("largest_shrink", p.largest_shrink, 0.1, 0.5);
  table.add("largest_growth", p.largest_growth, 2, 10);
  table.add("longest_step", p.longest_step, 8, 128);
  table.add("starting_time", p.starting_time, 1e-3, 0.1);
  table.add("stable_step", p.stable_step, 1.5, 6);
  table.add("worth_implicit", p.worth_implicit, 6, 24);
  table.add("stiffness_interval", p.stiffness_interval, 10, 100);
  table.add("switch_votes", p.switch_votes, 1, 8);
  table.add("max_patience", p.max_patience, 16, 4096);
  table.add("power_difference", p.power_difference, 1e-9, 1e-5);
  table.add("limit_slack", p.limit_slack, 1e-13, 1e-10);
  table.add("limit_samples", p.limit_samples, 2, 32);
  table.add("overrun_speed", p.overrun_speed, 0.1, 0.9, Kind::share);
}

void add_contact(contact::ContactParameters& p, Table& table) {
  table.group = "contact.";
  table.add("touching", p.touching, 1.1, 3, Kind::near_one);
  table.add("same_point_distance", p.same_point_distance, 1e-3, 0.05);
  table.add("same_normal", p.same_normal, 0.95, 0.999, Kind::cosine);
  table.add("same_round_point_distance", p.same_round_point_distance, 0.01, 0.2);
  table.add("same_direction", p.same_direction, 0.998, 0.99999, Kind::cosine);
  table.add("certified", p.certified, 0.25, 0.75, Kind::share);
  table.add("min_gap_ratio", p.min_gap_ratio, 0.5, 0.97, Kind::near_one);
  table.add("inconclusive_ratio", p.inconclusive_ratio, 1.02, 1.5, Kind::near_one);
  table.add("min_margin", p.min_margin, 1e-3, 0.1);
}

void add_collision(collision::CollisionParameters& p, Table& table) {
  table.group = "collision.manifold.";
  table.add("slope", p.manifold.slope, 0.02, 0.3);
  table.add("parallel_edges", p.manifold.parallel_edges, 1e-6, 0.01);
  table.add("level_edge", p.manifold.level_edge, 0.12, 0.6);
  table.add("level_face", p.manifold.level_face, 0.8, 0.99, Kind::cosine);
  table.add("coincident", p.manifold.coincident, 1e-6, 0.1);
  table.add("fine_surface", p.manifold.fine_surface, 64, 4096);
  table.add("fine_range", p.manifold.fine_range, 0.03, 0.5);
  table.add("fine_candidates", p.manifold.fine_candidates, 8, 100);
  table.group = "collision.patch.";
  table.add("angle", p.patch.angle, 0.005, 0.05);
  table.add("same_corner", p.patch.same_corner, 1, 4);
  table.add("corner_angle", p.patch.corner_angle, 0.05, 0.3);
  table.add("bump", p.patch.bump, 0.05, 0.5);
  table.group = "collision.certificate.";
  table.add("max_evaluations", p.certificate.max_evaluations, 16, 1000);
  table.add("too_near", p.certificate.too_near, 1e-6, 0.05);
  table.add("crossing_edges", p.certificate.crossing_edges, 1e-3, 0.1);
  table.add("rolling", p.certificate.rolling, 1e-3, 0.1);
  table.add("piece", p.certificate.piece, 0.05, 1);
}

void add_solver(dynamics::ContactSolverParameters& p, Table& table) {
  table.group = "solver.lagrangian.";
  table.add("penalty", p.lagrangian.penalty, 1e2, 1e6);
  table.add("penalty_growth", p.lagrangian.penalty_growth, 3, 1000);
  table.add("gain", p.lagrangian.gain, 1.5, 10);
  table.add("max_newton_steps", p.lagrangian.max_newton_steps, 10, 100);
  table.add("sliding_ratio", p.lagrangian.sliding_ratio, 1, 10);
  table.add("few_steps", p.lagrangian.few_steps, 2, 10);
  table.add("hard_after", p.lagrangian.hard_after, 4, 50);
  table.group = "solver.newton.";
  table.add("scale", p.newton.scale, 0.1, 10);
  table.add("max_steps", p.newton.max_steps, 10, 100);
  table.group = "solver.near.";
  table.add("max_steps", p.near.max_steps, 5, 50);
  table.add("regularization", p.near.regularization, 1e-6, 1e-2);
  table.group = "solver.proximal.";
  table.add("initial", p.proximal.initial, 0.01, 1);
  table.add("quick_factor", p.proximal.quick_factor, 0.1, 0.6);
}

void add_kick(dynamics::KickParameters& p, Table& table) {
  table.group = "kick.laws.";
  table.add("damping", p.laws.damping, 0.5, 2);
  table.add("half_damped", p.laws.half_damped, 10, 160);
  table.add("stiff_step", p.laws.stiff_step, 15, 60);
  table.add("rod_step", p.laws.rod_step, 1, 4);
  table.add("length_rounding", p.laws.length_rounding, 1e-15, 1e-14);
  table.add("most_ringing", p.laws.most_ringing, 1e2, 1e6);
  table.add("soft_step", p.laws.soft_step, 0.1, 1);
  table.add("layer_rise", p.laws.layer_rise, 1.0 / 256, 1.0 / 16);
  table.add("heavy_damping", p.laws.heavy_damping, 30, 1e6);
  table.group = "kick.closing.";
  table.add("max_iterations", p.closing.max_iterations, 3, 20);
  table.add("stall", p.closing.stall, 0.1, 0.9, Kind::share);
}

void add_start(StartParameters& p, Table& table) {
  table.group = "start.";
  table.add("round_off", p.round_off, 1e-12, 1e-6);
  table.add("largest_joint_gap", p.largest_joint_gap, 0.01, 0.5);
  table.add("touching_depth", p.touching_depth, 1e-6, 1e-2);
  table.add("contradiction", p.contradiction, 1e-8, 1e-3);
  table.add("shortfall", p.shortfall, 1e-3, 0.1);
  table.add("pass_residual", p.pass_residual, 1e-6, 0.1);
  table.add("tangent_compliance", p.tangent_compliance, 1e-3, 0.1);
  table.add("longest_move", p.longest_move, 0.05, 0.5);
  table.add("max_passes", p.max_passes, 50, 1000);
  table.add("max_steps", p.max_steps, 500, 20000);
  table.add("no_room", p.no_room, 0.01, 0.3);
  table.add("max_idle_passes", p.max_idle_passes, 5, 100);
  table.add("progress", p.progress, 0.8, 0.99, Kind::near_one);
  table.add("layer_clearance", p.layer_clearance, 0, 0.1);
}

// cos(k acos(c)) for k = 1/2 and k = 2.
double cosine_of_half(double c) { return math::sqrt(0.5 * (1 + c)); }
double cosine_of_double(double c) { return 2 * c * c - 1; }

}  // namespace

const Parameters& parameters_of(const SimulationOptions& options) {
  static const Parameters defaults;
  return options.parameters ? *options.parameters : defaults;
}

double Parameter::halved() const {
  const double x = value();
  switch (kind) {
    case Kind::cosine:
      return cosine_of_half(x);
    case Kind::near_one:
      return 1 + 0.5 * (x - 1);
    default:
      return integer ? std::floor(0.5 * x) : 0.5 * x;
  }
}

double Parameter::doubled() const {
  const double x = value();
  switch (kind) {
    case Kind::cosine:
      return cosine_of_double(x);
    case Kind::near_one:
      return 1 + 2 * (x - 1);
    case Kind::share:
      return 0.5 + 0.5 * x;
    default:
      return 2 * x;
  }
}

void Parameter::set(double value) const {
  if (real)
    *real = value;
  else
    *integer = static_cast<int>(value);
}

std::vector<Parameter> list_parameters(Parameters& p) {
  Table table;
  add_leapfrog(p.leapfrog, table);
  add_runge_kutta(p.runge_kutta, table);
  add_contact(p.contact, table);
  add_collision(p.collision, table);
  add_solver(p.solver, table);
  add_kick(p.kick, table);
  add_start(p.start, table);
  table.group = "report.";
  table.add("first_contact", p.report.first_contact, 0.1, 0.9, Kind::share);
  return std::move(table.rows);
}

std::optional<std::string> find_fault(const Parameters& parameters) {
  Parameters copy = parameters;
  for (const Parameter& parameter : list_parameters(copy)) {
    if (parameter.value() >= parameter.low && parameter.value() <= parameter.high) continue;
    return parameter.name + " must lie between " + core::brief_number(parameter.low) + " and " +
           core::brief_number(parameter.high) + ", but is " + core::brief_number(parameter.value());
  }
  if (parameters.leapfrog.patient_rounds > parameters.leapfrog.max_rounds)
    return "leapfrog.patient_rounds must not exceed leapfrog.max_rounds";
  return std::nullopt;
}

}  // namespace tumble::simulate
