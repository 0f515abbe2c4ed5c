// Comparison with other engines on scenes with contact and on a long chain: CPU time and errors.
//   bench_contact_scenes [stack] [ragdoll] [chain] [pile] [ENGINE...]      without names: all
//
// Each engine runs each scene over a range of its settings, in a separate process. 60 times per simulated
// second the same independent functions measure all engines: penetration (simulate/penetration_check.h),
// joints (distance of the two points), energy. The error of a setting is the largest of penetration, gap of
// joints and the intended distance between touching bodies. The last level requires zero penetration and
// ignores the intended distance. A run ends early if its result cannot be used: it fails the requirement of
// the scene, its error is above the coarsest level, it exceeds its limit of CPU time, or (only for other
// engines) it is slower by half than an earlier setting of the same engine with at most the same error. For
// each error level the fastest setting of each engine is timed again, in alternating runs. CPU time is that
// of the steps only.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "contact/peers/scenes.h"
#include "contact/peers/world_model.h"
#include "measure.h"
#include "tumble/dynamics/energy.h"
#include "tumble/simulate/penetration_check.h"

using namespace contact_peers;
using namespace tumble;

namespace {

constexpr int kRuns = 3;
constexpr double kNoOverlap =
    0;  // as a level: no penetration, with any intended distance; joints within this, m
constexpr double kClosed = 1e-3;
constexpr double kSetUp = 30;    // s of CPU, limit for the set-up
constexpr double kSlower = 1.5;  // above the variation of CPU times of one setting

struct Peer {
  const char* name;
  std::vector<Setting> (*settings)(const World&);
};
// The installed engines, a list from CMake.
#define PEER(name) {#name, name##_settings},
constexpr Peer kPeers[] = {PEER(tumble) TUMBLE_PEERS};
#undef PEER

enum class End { whole, fails, inaccurate, diverged, slow, outdone, gave_up, crashed };
const char* describe(End end) {
  switch (end) {
    case End::whole:
      return "";
    case End::fails:
      return "fails";
    case End::inaccurate:
      return "error too large";
    case End::diverged:
      return "blows up";
    case End::slow:
      return "out of time";
    case End::outdone:
      return "outdone";
    case End::gave_up:
      return "gives up";
    case End::crashed:
      return "ends its process";
  }
  return "";
}

// Measurements of a run up to a frame.
struct Result {
  double time = 0;     // s, simulated
  double cpu = 0;      // s
  double overlap = 0;  // m, largest so far
  double gap = 0;      // m, of joints, largest so far
  double gain = 0;     // largest rise of energy above its least value so far, in units of the scene's energy
  double drift = 0;    // of energy, in units of the scene's energy
  double max_drift = 0;  // largest |drift| so far
  double moved = 0;      // m, largest distance of a body from its start so far
  double speed = 0;      // m/s, of the fastest body
  End end = End::crashed;
};

// Measures the state of an engine.
class Meter {
 public:
  explicit Meter(const World& world)
      : world_(world), model_(build_model(world)), search_(model_), state_(start_state(model_)) {
    // energy of a fall through the height of the scene, or of a free fall for the duration
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
    result.speed = 0;
    for (size_t i = 0; i < motions.size(); ++i) {
      const Motion& m = motions[i];
      const bool finite = m.center.allFinite() && m.velocity.allFinite() && m.rotation.coeffs().allFinite() &&
                          m.center.norm() < 1e6;
      if (!finite) {
        result.end = End::diverged;
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
    result.max_drift = std::max(result.max_drift, std::abs(result.drift));
  }

 private:
  double energy() const { return dynamics::compute_balance(model_, state_).energy(); }

  const World& world_;
  model::Model model_;
  simulate::PenetrationCheck search_;
  model::State state_;
  double scale_ = 1, first_ = 0, lowest_ = 0;
};

// One scene with its requirements.
struct Trial {
  World world;
  double limit;                // s of CPU for one run
  std::vector<double> levels;  // m, coarsest first
  double (*error)(const Result&);
  bool (*good)(const Result&);  // must not become true again after it was false
  const char* asked;
};

struct Measured {
  Setting setting;
  Result result;
  std::vector<double> times = {};  // s
  double seconds() const { return bench::median(times); }
};

// Whether a run has stayed below a level so far.
bool holds(const Trial& trial, double level, const Setting& setting, const Result& r) {
  if (level == kNoOverlap) return r.overlap == 0 && r.gap <= kClosed;
  return std::max(trial.error(r), setting.apart) <= level;
}

// The reason to end a run after a frame; `whole` if there is none.
End reason_to_end(const Trial& trial, const Setting& setting, const Result& r,
                  const std::vector<Measured>& earlier) {
  if (r.end == End::diverged) return End::diverged;
  if (!trial.good(r)) return End::fails;
  const auto of_use = [&](double level) { return holds(trial, level, setting, r); };
  if (std::none_of(trial.levels.begin(), trial.levels.end(), of_use)) return End::inaccurate;
  if (r.cpu > trial.limit) return End::slow;
  // The remaining part of the run has more contacts and will not be faster.
  const double share = r.time / trial.world.duration;
  if (r.time > 0.09 && r.cpu > 2 * share * trial.limit) return End::slow;
  if (setting.engine == kPeers[0].name) return End::whole;
  for (const Measured& other : earlier) {
    if (other.setting.engine != setting.engine || other.result.end != End::whole ||
        r.cpu < kSlower * other.seconds())
      continue;
    const auto as_good = [&](double level) {
      return !of_use(level) || holds(trial, level, other.setting, other.result);
    };
    if (std::all_of(trial.levels.begin(), trial.levels.end(), as_good)) return End::outdone;
  }
  return End::whole;
}

// The kernel ends this process after this much more CPU time, because a step of an engine may never end.
void set_alarm(double seconds) {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  const auto until = static_cast<rlim_t>(static_cast<double>(used.tv_sec) + seconds + 2);
  const rlimit most{until, until + 1};
  setrlimit(RLIMIT_CPU, &most);
}

// Writes the measurements after each frame, and again at the end.
void run_here(const Trial& trial, const Setting& setting, const std::vector<Measured>& earlier, int out) {
  set_alarm(kSetUp);
  Meter meter(trial.world);
  const std::unique_ptr<Engine> engine = setting.make(trial.world);
  Result result;
  const auto send = [&](End end) {
    result.end = end;
    return write(out, &result, sizeof result) == sizeof result && end == End::crashed;
  };
  const long frames = std::lround(trial.world.duration * kFramesPerSecond);
  for (long k = 1; k <= frames; ++k) {
    set_alarm(trial.limit - result.cpu);
    const double begin = bench::thread_seconds();
    const bool advanced = engine->advance();
    result.cpu += bench::thread_seconds() - begin;
    if (!advanced) return void(send(End::gave_up));
    result.time = static_cast<double>(k) / kFramesPerSecond;
    set_alarm(trial.limit);
    meter.enter(engine->read(), result);
    const End end = reason_to_end(trial, setting, result, earlier);
    if (end != End::whole) return void(send(end));
    if (!send(End::crashed)) return;
  }
  send(End::whole);
}

// Runs in a separate process, because engines may abort or hang. Returns the last measurements.
Result run(const Trial& trial, const Setting& setting, const std::vector<Measured>& earlier) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, 1), dup2(nowhere, 2);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    run_here(trial, setting, earlier, ends[1]);
    _exit(0);
  }
  close(ends[1]);
  Result last, next;
  while (read(ends[0], &next, sizeof next) == sizeof next) last = next;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
    last.end = End::slow;
  return last;
}

std::string describe(const Setting& setting) {
  return setting.rate ? setting.name + ":" + std::to_string(setting.rate) + "/s" : setting.name;
}

double milliseconds_per_frame(const Measured& m) {
  return 1e3 * m.seconds() / (m.result.time * kFramesPerSecond);
}

void print_head() {
  std::printf("%-7s %-25s %9s %8s %6s %8s %8s %8s %8s %8s %8s %8s\n", "engine", "setting", "ms/frame",
              "x real", "to s", "overlap", "apart", "joints", "gain", "drift", "moved", "speed");
}

void print(const Measured& m) {
  const Result& r = m.result;
  std::printf("%-7s %-25s ", m.setting.engine.c_str(), describe(m.setting).c_str());
  if (r.time > 0)
    std::printf("%9.4g %8.3g %6.2f %8.1e %8.1e %8.1e %8.1e %8.1e %8.2g %8.1e  ", milliseconds_per_frame(m),
                r.time / m.seconds(), r.time, r.overlap, m.setting.apart, r.gap, r.gain, r.drift, r.moved,
                r.speed);
  else
    std::printf("no frame within its time  ");
  std::printf("%s\n", describe(r.end));
}

// The settings of an engine that stay below a level, the fastest first.
std::vector<Measured*> fastest(const Trial& trial, std::vector<Measured>& all, const std::string& engine,
                               double level) {
  std::vector<Measured*> found;
  for (Measured& m : all)
    if (m.setting.engine == engine && m.result.end == End::whole && holds(trial, level, m.setting, m.result))
      found.push_back(&m);
  std::sort(found.begin(), found.end(),
            [](const Measured* a, const Measured* b) { return a->seconds() < b->seconds(); });
  return found;
}

// Runs every setting once. After a setting ran out of time, shorter steps are not tried.
std::vector<Measured> measure_all(const Trial& trial, const std::vector<const Peer*>& peers) {
  std::vector<Measured> all;
  for (const Peer* peer : peers)
    for (const Setting& setting : peer->settings(trial.world)) {
      const bool hopeless = std::any_of(all.begin(), all.end(), [&](const Measured& m) {
        return m.setting.engine == setting.engine && m.setting.name == setting.name && setting.rate > 0 &&
               m.result.end == End::slow;
      });
      if (hopeless) continue;
      const Result result = run(trial, setting, all);
      all.push_back({setting, result, {result.cpu}});
      print(all.back());
    }
  return all;
}

void print_levels(const Trial& trial, std::vector<Measured>& all, const std::vector<const Peer*>& peers) {
  std::printf("\n%-8s %-7s %-25s %9s %8s %8s %8s %8s %8s\n", "error <=", "engine", "fastest setting",
              "ms/frame", "x real", "overlap", "apart", "joints", "drift");
  for (const double level : trial.levels)
    for (const Peer* peer : peers) {
      if (peer->settings(trial.world).empty()) continue;
      char text[20] = "no over.";
      if (level != kNoOverlap) std::snprintf(text, sizeof text, "%.0e", level);
      const std::vector<Measured*> found = fastest(trial, all, peer->name, level);
      if (found.empty()) {
        std::printf("%-8s %-7s not reached\n", text, peer->name);
        continue;
      }
      const Measured& m = *found[0];
      std::printf("%-8s %-7s %-25s %9.3f %8.3g %8.1e %8.1e %8.1e %8.1e\n", text, peer->name,
                  describe(m.setting).c_str(), milliseconds_per_frame(m), m.result.time / m.seconds(),
                  m.result.overlap, m.setting.apart, m.result.gap, m.result.drift);
    }
}

void compare(const Trial& trial, const std::vector<const Peer*>& peers) {
  std::printf("\n%s, %g s. Asked: %s\n", trial.world.name.c_str(), trial.world.duration, trial.asked);
  print_head();
  std::vector<Measured> all = measure_all(trial, peers);
  std::vector<Measured*> chosen;
  for (const Peer* peer : peers)
    for (const double level : trial.levels)
      for (Measured* m : fastest(trial, all, peer->name, level))
        if (m->seconds() < kSlower * fastest(trial, all, peer->name, level)[0]->seconds() &&
            std::find(chosen.begin(), chosen.end(), m) == chosen.end())
          chosen.push_back(m);
  for (int k = 1; k < kRuns; ++k)
    for (Measured* m : chosen) m->times.push_back(run(trial, m->setting, {}).cpu);
  print_levels(trial, all, peers);
}

double worst_of(const Result& r) { return std::max(r.overlap, r.gap); }
double gap_of(const Result& r) { return r.gap; }
bool stands(const Result& r) { return r.moved < 0.1; }
bool calm(const Result& r) { return r.gain < 0.1; }
bool keeps_energy(const Result& r) { return r.max_drift < 0.1; }

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::vector<std::string> scenes;
  std::vector<const Peer*> peers;
  for (int i = 1; i < argc; ++i) {
    const auto peer = std::find_if(std::begin(kPeers), std::end(kPeers),
                                   [&](const Peer& p) { return std::string(p.name) == argv[i]; });
    if (peer != std::end(kPeers))
      peers.push_back(peer);
    else
      scenes.push_back(argv[i]);
  }
  if (peers.empty())
    for (const Peer& peer : kPeers) peers.push_back(&peer);
  const auto wanted = [&](const char* name) {
    return scenes.empty() || std::find(scenes.begin(), scenes.end(), name) != scenes.end();
  };
  std::printf(
      "contact beside other engines: a frame is 1/60 s; lengths in m, speeds in m/s, energy in parts of the "
      "scene's; "
      "at error levels medians of %d runs in turn\n%s",
      kRuns, TUMBLE_ABSENT_PEERS);
  const std::vector<double> levels = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6},
                            apart = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, kNoOverlap};
  if (wanted("stack"))
    for (const World& world : {doubling_stack(), stack(1000)})
      compare({world, 4, apart, worst_of, stands, "stands, and at most 3 ms a step (1000:1)"}, peers);
  if (wanted("ragdoll"))
    compare({ragdoll_on_stairs(), 4, apart, worst_of, calm,
             "8 x real time, hoped for 20 x; twice MuJoCo at equal or smaller overlap hoped for"},
            peers);
  if (wanted("chain"))
    compare({chain(1000), 8, levels, gap_of, keeps_energy,
             "the fastest of those whose joints open by less than 1e-3 m"},
            peers);
  if (wanted("pile")) compare({pile(200), 100, apart, worst_of, calm, "to be beside them"}, peers);
  return 0;
}
