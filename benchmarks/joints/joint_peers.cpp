// Work against error for bodies with joints, compared with Simbody and MuJoCo in the same run.
//
// Each engine runs each scene over a range of its settings. The error is the largest of any body at the end,
// an angle in rad or a distance in m, relative to an independent integration of the equations of the chain.
// For each error level each engine uses its fastest setting below it. CPU time is that of the thread during
// the steps, the median of interleaved runs. The output has rows `engine scene setting error cpu_ms` and a
// table for each scene.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

#include "joints/peers/chain.h"

using namespace peers;

namespace {

constexpr int kRuns = 5,
              kShortRuns = 41;      // number of runs of long and of short settings
constexpr double kShortRun = 0.02;  // s
constexpr double kLongestRun = 3;   // s: after a run this long no finer setting of a variant is tried
constexpr double kFinestLevel = 1e-10;
const char* const kEngines[] = {"tumble", "simbody", "mujoco"};

struct Measured {
  Setting setting;
  double error = 0;
  std::vector<double> times = {};  // s
  double seconds() const {
    std::vector<double> sorted = times;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

// Runs every setting, from coarse to fine. Short ones run several times, so that noise does not decide which
// are timed again. Returns those with a result.
std::vector<Measured> sweep(const std::vector<Setting>& settings, const std::vector<Place>& wanted) {
  std::vector<Measured> done;
  std::map<std::string, bool> finished;
  for (const Setting& setting : settings) {
    if (finished[setting.variant]) continue;
    const Outcome outcome = setting.run();
    const double error = largest_error(outcome.places, wanted);
    if (!std::isfinite(error)) continue;
    done.push_back({setting, error, {outcome.cpu}});
    for (int run = 1; run < kRuns && outcome.cpu < kShortRun; ++run)
      done.back().times.push_back(setting.run().cpu);
    finished[setting.variant] = outcome.cpu > kLongestRun || error < 0.05 * kFinestLevel;
  }
  return done;
}

// The settings of an engine whose error stays below the level, the fastest first.
std::vector<Measured*> fastest(std::vector<Measured>& all, const std::string& engine, double level) {
  std::vector<Measured*> found;
  for (Measured& m : all)
    if (m.setting.engine == engine && m.error <= level) found.push_back(&m);
  std::sort(found.begin(), found.end(),
            [](const Measured* a, const Measured* b) { return a->seconds() < b->seconds(); });
  return found;
}

// Times the candidates for the fastest setting of each level again, in alternating runs.
std::vector<Measured> time_candidates(std::vector<Measured>& all) {
  std::vector<Measured*> chosen;
  for (const char* engine : kEngines)
    for (double level = 1e-3; level > 0.9 * kFinestLevel; level /= 10) {
      std::vector<Measured*> few = fastest(all, engine, level);
      const size_t wanted = !few.empty() && few[0]->seconds() < kShortRun ? 5 : 2;
      few.resize(std::min(few.size(), wanted));
      for (Measured* m : few)
        if (std::find(chosen.begin(), chosen.end(), m) == chosen.end()) chosen.push_back(m);
    }
  std::vector<Measured> timed;
  for (const Measured* m : chosen) timed.push_back({m->setting, m->error});
  for (int run = 0; run < kShortRuns; ++run)
    for (Measured& m : timed)
      if (run < kRuns || m.times[0] < kShortRun) m.times.push_back(m.setting.run().cpu);
  return timed;
}

std::string describe(const Setting& setting) {
  char value[32];
  std::snprintf(value, sizeof value, setting.value < 1 ? "%.1e" : "%.0f/s", setting.value);
  std::string words = setting.variant;
  std::replace(words.begin(), words.end(), ' ', '-');
  return words + ":" + value;
}

// True if every line meets its requirement: tumble is the fastest from 1e-6 down, within a factor of 1.5
// above, and ten times as fast as Simbody at 1e-9.
bool print_table(std::vector<Measured>& timed) {
  std::printf("\n%6s", "error");
  for (const char* engine : kEngines) std::printf(" | %-28s %9s", engine, "ms");
  std::printf(" | %8s %8s\n", "simbody/", "mujoco/");
  bool good = true;
  for (double level = 1e-3; level > 0.9 * kFinestLevel; level /= 10) {
    std::printf("%6.0e", level);
    double seconds[3];
    for (int e = 0; e < 3; ++e) {
      const std::vector<Measured*> found = fastest(timed, kEngines[e], level);
      seconds[e] = found.empty() ? INFINITY : found[0]->seconds();
      if (found.empty())
        std::printf(" | %-28s %9s", "not reached", "-");
      else
        std::printf(" | %-28s %9.3f", describe(found[0]->setting).c_str(), 1e3 * seconds[e]);
    }
    const double simbody = seconds[1] / seconds[0], mujoco = seconds[2] / seconds[0];
    const double wanted = level > 0.5e-5 ? 1 / 1.5 : 1;
    const bool ten = level > 1.5e-9 || level < 0.5e-9 || simbody >= 10;
    const bool met = simbody >= wanted && mujoco >= wanted && ten;
    std::printf(" | %8.2f %8.2f%s\n", simbody, mujoco, met ? "" : "  missed");
    good = good && met;
  }
  return good;
}

bool compare(const Chain& chain, int reference_steps) {
  const std::vector<Place> wanted = integrate_reference(chain, reference_steps);
  std::printf("\n%s, %g s; the reference with half as many steps differs by %.1e\n", chain.name.c_str(),
              chain.duration, largest_error(integrate_reference(chain, reference_steps / 2), wanted));
  std::vector<Measured> all;
  for (const auto& settings : {tumble_settings(chain), simbody_settings(chain), mujoco_settings(chain)})
    for (const Measured& m : sweep(settings, wanted)) all.push_back(m);
  std::vector<Measured> timed = time_candidates(all);
  std::printf("engine scene setting error cpu_ms\n");
  for (const Measured& m : timed)
    std::printf("%s %s %s %.2e %.4g\n", m.setting.engine.c_str(), chain.name.c_str(),
                describe(m.setting).c_str(), m.error, 1e3 * m.seconds());
  return print_table(timed);
}

}  // namespace

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::printf(
      "jointed bodies: least CPU ms to stay below an error; median of %d (below %g ms: %d) interleaved "
      "runs\n",
      kRuns, 1e3 * kShortRun, kShortRuns);
  const bool top = compare(gyroscope(), 40000);
  const bool pendulum = compare(double_pendulum(), 10000);
  const bool chain = compare(spatial_chain(10, 1), 4000);
  return top && pendulum && chain ? 0 : 1;
}
