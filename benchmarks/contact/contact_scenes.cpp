// Scenes with contact, and a long chain, beside Bullet, ODE, MuJoCo and DART in the same run: time, and what it buys.
//   bench_contact_scenes [stack] [ragdoll] [chain] [pile] [ENGINE...]      without names: all
//
// Each engine runs each scene over a range of its own settings, in a process of its own that ends with it or after a limit of CPU
// time. 60 times a second the same independent functions measure them all: overlap (simulate/overlaps.h), joints (distance of
// the two points), energy. For each error level an engine is given its cheapest setting that stays below it and does what
// the scene asks for; those are timed again in turn. CPU time is that of the thread while it steps.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "contact/peers/scenes.h"
#include "contact/peers/world_model.h"
#include "measure.h"
#include "tumble/dynamics/energy.h"
#include "tumble/simulate/overlaps.h"

using namespace contact_peers;
using namespace tumble;

namespace {

constexpr int kRuns = 5;
const char* const kEngines[] = {"tumble", "bullet", "ode", "mujoco", "dart"};

// What is known of a run after a frame.
struct Result {
  double time = 0;     // s, simulated
  double cpu = 0;      // s
  double overlap = 0;  // m, the deepest so far
  double gap = 0;      // m, of joints, the widest so far
  double gain = 0;     // the most that energy has risen from its lowest so far, as a part of the scene's
  double drift = 0;    // of energy, as a part of the scene's
  double moved = 0;    // m, of any body, from its start
  double speed = 0;    // m/s, the fastest
  bool finite = true;
};

// Measures what an engine says.
class Meter {
 public:
  explicit Meter(const World& world)
      : world_(world), model_(build_model(world)), search_(model_), state_(start_state(model_)) {
    // what falling through its own height, or freely for the duration, would set free
    double top = 0, mass = 0;
    for (const Thing& thing : world.things)
      if (!thing.fixed()) {
        top =
            std::max({top, thing.start.center.y(), world.links.empty() ? 0 : thing.start.center.norm() / 2});
        mass += thing.mass;
      }
    scale_ = mass * kGravity * std::min(top, kGravity * world.duration * world.duration / 2);
    first_ = lowest_ = energy();
  }
  void enter(const std::vector<Motion>& motions, Result& result) {
    result.moved = result.speed = 0;
    for (size_t i = 0; i < motions.size(); ++i) {
      const Motion& m = motions[i];
      const bool finite = m.center.allFinite() && m.velocity.allFinite() && m.rotation.coeffs().allFinite() &&
                          m.center.norm() < 1e6;
      if (!finite) {
        result.finite = false;
        return;
      }
      if (world_.things[i].fixed()) continue;
      const Quaterniond& q = m.rotation;
      set_motion(model_, model::BodyId(i), m.center, math::Quat::from_wxyz(q.w(), q.x(), q.y(), q.z()),
                 m.velocity, m.angular_velocity, state_);
      result.moved = std::max(result.moved, (m.center - world_.things[i].start.center).norm());
      result.speed = std::max(result.speed, m.velocity.norm());
    }
    for (const Link& link : world_.links) {
      auto at = [&](int body) -> Vector3d {
        const Vector3d p = world_.local(body, link.at);
        if (body < 0) return p;
        const Motion& m = motions[static_cast<size_t>(body)];
        return m.center + m.rotation * p;
      };
      result.gap = std::max(result.gap, (at(link.a) - at(link.b)).norm());
    }
    if (search_.needed()) result.overlap = std::max(result.overlap, search_.find_deepest(state_).depth);
    const double now = energy();
    result.gain = std::max(result.gain, (now - lowest_) / scale_);
    lowest_ = std::min(lowest_, now);
    result.drift = (now - first_) / scale_;
  }

 private:
  double energy() const { return dynamics::compute_balance(model_, state_).energy(); }

  const World& world_;
  model::Model model_;
  simulate::OverlapSearch search_;
  model::State state_;
  double scale_ = 1, first_ = 0, lowest_ = 0;
};

// In a process of its own, as engines may end it, or hang; what was known last comes back.
Result run(const World& world, const Setting& setting, double limit) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, 1), dup2(nowhere, 2);
    const rlimit most{static_cast<rlim_t>(3 * limit + 30), static_cast<rlim_t>(3 * limit + 31)};
    setrlimit(RLIMIT_CPU, &most);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    Meter meter(world);
    const std::unique_ptr<Engine> engine = setting.make(world);
    Result result;
    const long frames = std::lround(world.duration * kFramesPerSecond);
    for (long k = 1; k <= frames && result.finite && result.cpu < limit; ++k) {
      const double begin = bench::thread_seconds();
      if (!engine->advance()) break;
      result.cpu += bench::thread_seconds() - begin;
      result.time = static_cast<double>(k) / kFramesPerSecond;
      meter.enter(engine->read(), result);
      if (write(ends[1], &result, sizeof result) != sizeof result) break;
    }
    _exit(0);
  }
  close(ends[1]);
  Result last, next;
  while (read(ends[0], &next, sizeof next) == sizeof next) last = next;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return last;
}

struct Measured {
  Setting setting;
  Result result;
  std::vector<double> times = {};  // s
  double seconds() const { return bench::median(times); }
};

// One scene with what it asks for.
struct Trial {
  World world;
  double limit;  // s of CPU for one run
  std::vector<double> levels;
  double (*error)(const Result&);
  bool (*good)(const World&, const Result&);  // beside being finite and finished
  const char* asked;
};

bool done(const Trial& trial, const Result& r) {
  return r.finite && r.time > trial.world.duration - 1e-9 && trial.good(trial.world, r);
}

std::string describe(const Setting& setting) {
  return setting.rate ? setting.name + ":" + std::to_string(setting.rate) + "/s" : setting.name;
}

void print(const Trial& trial, const Measured& m) {
  const Result& r = m.result;
  std::printf("%-6s %-24s %9.4g %8.3g %6.2f %9.1e %9.1e %9.1e %10.1e %8.2g %8.1e%s\n",
              m.setting.engine.c_str(), describe(m.setting).c_str(),
              1e3 * m.seconds() / (r.time * kFramesPerSecond), r.time / m.seconds(), r.time, r.overlap, r.gap,
              r.gain, r.drift, r.moved, r.speed,
              done(trial, r) ? ""
              : r.finite     ? "  fails"
                             : "  blows up");
}

// The settings of an engine that stay below a level, the fastest first.
std::vector<Measured*> fastest(const Trial& trial, std::vector<Measured>& all, const std::string& engine,
                               double level) {
  std::vector<Measured*> found;
  for (Measured& m : all)
    if (m.setting.engine == engine && done(trial, m.result) && trial.error(m.result) <= level)
      found.push_back(&m);
  std::sort(found.begin(), found.end(),
            [](const Measured* a, const Measured* b) { return a->seconds() < b->seconds(); });
  return found;
}

void compare(const Trial& trial, const std::vector<std::string>& engines) {
  std::printf("\n%s, %g s. Asked: %s\n", trial.world.name.c_str(), trial.world.duration, trial.asked);
  std::printf("%-6s %-24s %9s %8s %6s %9s %9s %9s %10s %8s %8s\n", "engine", "setting", "ms/frame", "x real",
              "to s", "overlap", "joints", "gain", "drift", "moved", "speed");
  std::vector<Measured> all;
  for (const auto& settings :
       {tumble_settings(trial.world), bullet_settings(trial.world), ode_settings(trial.world),
        mujoco_settings(trial.world), dart_settings(trial.world)})
    for (const Setting& setting : settings) {
      if (std::find(engines.begin(), engines.end(), setting.engine) == engines.end()) continue;
      const Result result = run(trial.world, setting, trial.limit);
      all.push_back({setting, result, {result.cpu}});
      print(trial, all.back());
    }
  std::vector<Measured*> chosen;
  for (const std::string& engine : engines)
    for (const double level : trial.levels) {
      std::vector<Measured*> few = fastest(trial, all, engine, level);
      few.resize(std::min<size_t>(few.size(), 2));
      for (Measured* m : few)
        if (std::find(chosen.begin(), chosen.end(), m) == chosen.end()) chosen.push_back(m);
    }
  for (int k = 1; k < kRuns; ++k)
    for (Measured* m : chosen) m->times.push_back(run(trial.world, m->setting, 2 * trial.limit).cpu);
  std::printf("\n%7s", "error");
  for (const std::string& engine : engines) std::printf(" | %-22s %8s", engine.c_str(), "ms/frame");
  std::printf("\n");
  for (const double level : trial.levels) {
    std::printf("%7.0e", level);
    for (const std::string& engine : engines) {
      std::vector<Measured*> found = fastest(trial, all, engine, level);
      found.erase(
          std::remove_if(found.begin(), found.end(), [&](Measured* m) { return m->times.size() < kRuns; }),
          found.end());
      if (found.empty())
        std::printf(" | %-22s %8s", "not reached", "-");
      else
        std::printf(" | %-22s %8.3f", describe(found[0]->setting).c_str(),
                    1e3 * found[0]->seconds() / (trial.world.duration * kFramesPerSecond));
    }
    std::printf("\n");
  }
}

double worst_of(const Result& r) { return std::max(r.overlap, r.gap); }
double gap_of(const Result& r) { return r.gap; }
bool stands(const World&, const Result& r) { return r.moved < 0.1; }
bool calm(const World&, const Result& r) { return r.gain < 0.1; }
bool keeps_energy(const World&, const Result& r) { return std::abs(r.drift) < 0.1; }

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::vector<std::string> scenes, engines;
  for (int i = 1; i < argc; ++i) {
    const bool engine =
        std::find(std::begin(kEngines), std::end(kEngines), std::string(argv[i])) != std::end(kEngines);
    (engine ? engines : scenes).push_back(argv[i]);
  }
  if (engines.empty()) engines.assign(std::begin(kEngines), std::end(kEngines));
  const auto wanted = [&](const char* name) {
    return scenes.empty() || std::find(scenes.begin(), scenes.end(), name) != scenes.end();
  };
  std::printf(
      "contact beside other engines: a frame is 1/60 s; the table gives medians of %d interleaved runs\n",
      kRuns);
  const std::vector<double> levels = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-9};
  if (wanted("stack"))
    for (const World& world : {doubling_stack(), stack(512), stack(1000)})
      compare({world, 4, levels, worst_of, stands, "stands, and at most 3 ms a step (1000:1)"}, engines);
  if (wanted("ragdoll"))
    compare({ragdoll_on_stairs(), 10, levels, worst_of, calm,
             "8 x real time, hoped for 20 x; twice MuJoCo at equal or smaller overlap hoped for"},
            engines);
  if (wanted("chain"))
    compare({chain(1000),
             20,
             {1e-1, 1e-2, 1e-3, 1e-6},
             gap_of,
             keeps_energy,
             "the fastest of those whose joints open by less than 1e-3 m"},
            engines);
  if (wanted("pile")) compare({pile(200), 60, levels, worst_of, calm, "to be beside them"}, engines);
  return 0;
}
