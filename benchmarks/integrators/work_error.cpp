// Work against error for a tumbling body, compared with Boost.odeint in the same run.
//
// A torque-free body with moments 1:2:3 tumbles for 20 s. The error is that of its orientation at the end,
// compared with the exact solution. Every method of odeint with error control runs over a grid of tolerances,
// tumble over a grid of accuracies. For each error level both use their fastest setting below it. odeint gets
// a minimal right-hand side with a fixed-size array, so that it has no overhead.
#include <algorithm>
#include <array>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "support/free_body.h"
#include "tumble/dynamics/integrators/tableau.h"
#include "tumble/model/model_builder.h"
#include "tumble/simulate/parameters.h"
#include "tumble/simulate/simulation.h"

using namespace tumble;
namespace odeint = boost::numeric::odeint;

namespace {

constexpr double kEnd = 20;  // s
const model::Vec3 kMoments(1, 2, 3), kOmega(0.9, 3, 1.2);
constexpr int kRuns = 21;

using OdeState = std::array<double, 13>;

// The same equations as in tumble, only for one body.
struct LeanSlope {
  long* evaluations;
  void operator()(const OdeState& y, OdeState& s, double) const {
    ++*evaluations;
    const double w = y[3], x = y[4], yy = y[5], z = y[6], n = 2 / (w * w + x * x + yy * yy + z * z);
    const double R[3][3] = {{1 - n * (yy * yy + z * z), n * (x * yy - w * z), n * (x * z + w * yy)},
                            {n * (x * yy + w * z), 1 - n * (x * x + z * z), n * (yy * z - w * x)},
                            {n * (x * z - w * yy), n * (yy * z + w * x), 1 - n * (x * x + yy * yy)}};
    double body[3], o[3];
    for (int i = 0; i < 3; ++i) body[i] = (R[0][i] * y[10] + R[1][i] * y[11] + R[2][i] * y[12]) / kMoments[i];
    for (int i = 0; i < 3; ++i) o[i] = R[i][0] * body[0] + R[i][1] * body[1] + R[i][2] * body[2];
    for (int i = 0; i < 3; ++i) s[i] = y[7 + i], s[7 + i] = 0, s[10 + i] = 0;
    s[3] = 0.5 * (-o[0] * x - o[1] * yy - o[2] * z);
    s[4] = 0.5 * (o[0] * w + o[1] * z - o[2] * yy);
    s[5] = 0.5 * (o[1] * w + o[2] * x - o[0] * z);
    s[6] = 0.5 * (o[2] * w + o[0] * yy - o[1] * x);
  }
};

struct Outcome {
  math::Quat q;
  long evaluations = 0;
};

struct Setting {
  std::string name;
  double tolerance;
  std::function<Outcome()> run;
  long evaluations = 0;
  double error = 0, seconds = 0;
};

OdeState start() {
  return {0,
          0,
          0,
          1,
          0,
          0,
          0,
          0,
          0,
          0,
          kMoments[0] * kOmega[0],
          kMoments[1] * kOmega[1],
          kMoments[2] * kOmega[2]};
}

template <typename Stepper>
Outcome run_odeint(Stepper stepper) {
  long evaluations = 0;
  OdeState y = start();
  odeint::integrate_adaptive(stepper, LeanSlope{&evaluations}, y, 0.0, kEnd, 0.01);
  return {math::Quat::from_wxyz(y[3], y[4], y[5], y[6]).normalized(), evaluations};
}

Outcome run_tumble(const model::Model& model, const dynamics::Tableau& method, double accuracy) {
  simulate::Simulation simulation =
      simulate::Simulation::create(model, {.accuracy = accuracy, .integrator = std::string(method.name)})
          .value();
  if (!simulation.run_until(kEnd)) return {};
  return {simulation.state_at(kEnd).orientation(model::BodyId(0)),
          static_cast<long>(simulation.evaluations())};
}

double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<long>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

// The setting with the fewest evaluations or the least time whose error is below the level.
const Setting* cheapest(const std::vector<Setting>& settings, double level, bool by_time) {
  const Setting* best = nullptr;
  for (const Setting& s : settings)
    if (s.error <= level &&
        (!best || (by_time ? s.seconds < best->seconds : s.evaluations < best->evaluations)))
      best = &s;
  return best;
}

}  // namespace

int main() {
  model::ModelBuilder builder;
  builder.set_gravity(model::Vec3::Zero());
  model::BodySpec body;
  body.name = "body";
  body.angular_velocity = kOmega;
  body.inertia = model::GivenInertia{};
  body.inertia->mass = 1;
  body.inertia->moments = kMoments;
  builder.add_body(body);
  const model::Model model = builder.finish().value();

  support::FreeBody exact({kMoments[0], kMoments[1], kMoments[2]}, {kOmega[0], kOmega[1], kOmega[2]});
  const support::Matrix R = exact.orientation(kEnd);
  math::Mat3 M;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      M(i, j) = static_cast<double>(R[static_cast<size_t>(i)][static_cast<size_t>(j)]);
  const math::Quat end = math::Quat::from_matrix(M);

  std::vector<Setting> theirs, ours;
  for (double exponent = -2; exponent > -14; exponent -= 0.25) {
    const double tol = std::pow(10, exponent);
    theirs.push_back({"dopri5", tol, [tol] {
                        return run_odeint(
                            odeint::make_controlled<odeint::runge_kutta_dopri5<OdeState>>(tol, tol));
                      }});
    theirs.push_back({"cash_karp54", tol, [tol] {
                        return run_odeint(
                            odeint::make_controlled<odeint::runge_kutta_cash_karp54<OdeState>>(tol, tol));
                      }});
    theirs.push_back({"fehlberg78", tol, [tol] {
                        return run_odeint(
                            odeint::make_controlled<odeint::runge_kutta_fehlberg78<OdeState>>(tol, tol));
                      }});
    theirs.push_back(
        {"bulirsch_stoer", tol, [tol] { return run_odeint(odeint::bulirsch_stoer<OdeState>(tol, tol)); }});
    if (tol >= simulate::kFinestAccuracy && tol <= simulate::kCoarsestAccuracy)
      ours.push_back(
          {"dopri8", tol, [tol, &model] { return run_tumble(model, dynamics::dormand_prince_8(), tol); }});
  }
  for (std::vector<Setting>* list : {&theirs, &ours})
    for (Setting& s : *list) {
      const Outcome outcome = s.run();
      s.evaluations = outcome.evaluations;
      s.error = math::angle_between(outcome.q, end);
      const double begin = cpu_seconds();
      s.run();
      s.seconds = cpu_seconds() - begin;
    }

  std::printf("work against error, tumbling body, %g s; CPU: median of %d interleaved runs\n", kEnd, kRuns);
  std::printf("%8s | %22s %7s %9s | %14s %7s %9s | %11s %9s\n", "error", "odeint's best", "evals", "us",
              "tumble", "evals", "us", "evals ratio", "CPU ratio");
  bool good = true;
  for (double level = 1e-4; level > 0.9e-10; level /= 10) {
    const Setting *their_evals = cheapest(theirs, level, false), *our_evals = cheapest(ours, level, false);
    // Time the four fastest settings of each again, interleaved, and use the best median.
    const auto few = [&](const std::vector<Setting>& list) {
      std::vector<const Setting*> found;
      for (const Setting& s : list)
        if (s.error <= level) found.push_back(&s);
      std::sort(found.begin(), found.end(),
                [](const Setting* a, const Setting* b) { return a->seconds < b->seconds; });
      found.resize(std::min<size_t>(found.size(), 4));
      return found;
    };
    std::vector<const Setting*> timed = few(theirs);
    const size_t their_count = timed.size();
    for (const Setting* s : few(ours)) timed.push_back(s);
    std::vector<std::vector<double>> times(timed.size());
    for (int run = 0; run < kRuns; ++run)
      for (size_t i = 0; i < timed.size(); ++i) {
        const double begin = cpu_seconds();
        for (int repeat = 0; repeat < 10; ++repeat) timed[i]->run();
        times[i].push_back((cpu_seconds() - begin) / 10);
      }
    size_t best_theirs = 0, best_ours = their_count;
    for (size_t i = 0; i < timed.size(); ++i) {
      size_t& best = i < their_count ? best_theirs : best_ours;
      if (median(times[i]) < median(times[best])) best = i;
    }
    const double their_time = median(times[best_theirs]), our_time = median(times[best_ours]);
    const double evals_ratio =
        static_cast<double>(our_evals->evaluations) / static_cast<double>(their_evals->evaluations);
    const double allowed = level > 0.5e-6 ? 1.2 : 1.0;
    std::printf("%8.0e | %14s %7.0e %7ld %9.1f | %6s %7.0e %7ld %9.1f | %11.2f %9.2f %s\n", level,
                their_evals->name.c_str(), their_evals->tolerance, their_evals->evaluations, 1e6 * their_time,
                our_evals->name.c_str(), our_evals->tolerance, our_evals->evaluations, 1e6 * our_time,
                evals_ratio, our_time / their_time,
                evals_ratio <= 1 && our_time <= allowed * their_time ? "" : "  missed");
    good = good && evals_ratio <= 1 && our_time <= allowed * their_time;
  }
  return good ? 0 : 1;
}
