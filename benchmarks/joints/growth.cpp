// How the cost of a chain grows with its length, as figures: time per frame over links beside figure 4 of
// 2011, and CPU time of a simulated second over constraints beside the N^2.5 of 2007. Writes CSV files and
// draws them with tumble plot.
//   bench_growth [LARGEST [FOLDER]]     links of the longest chain (100,000); build/bench/plots
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "measure.h"
#include "support/stiff_scenes.h"
#include "tumble/simulate/simulation.h"

using namespace tumble;

namespace {

using Points = std::vector<std::pair<double, double>>;

constexpr double kStep = 1.0 / 60;  // s: a frame of 2011 is a step
constexpr double kMostSeconds = 2;  // CPU time of a measurement
constexpr int kFewestSteps = 5, kMostSteps = 200;
constexpr int kMostConstrained = 3000;            // links of the longest chain of the second figure
const Points k2011 = {{1000, 22}, {10000, 285}};  // links, ms: the two in the text
// From a double pendulum to 100 constraints.
constexpr double k2007Fewest = 6, k2007Constraints = 100, k2007Seconds = 3600, k2007Exponent = 2.5;

std::vector<int> sizes_up_to(int largest) {
  std::vector<int> sizes;
  for (double exponent = 0;; exponent += 0.5) {
    const int size = static_cast<int>(std::lround(std::pow(10, exponent)));
    if (size > largest) return sizes;
    sizes.push_back(size);
  }
}

// Median time of a step of the fast method, ms.
double frame_time(int links) {
  const model::Model model = support::stiff_chain(links, {});
  simulate::Simulation simulation =
      simulate::Simulation::create(model, {.method = simulate::Method::fast, .fixed_step = kStep}).value();
  if (!simulation.step().good()) return NAN;  // the first step orders the elimination
  std::vector<double> times;
  double total = 0;
  for (int k = 0; k < kMostSteps && (k < kFewestSteps || total < kMostSeconds); ++k) {
    const double begin = simulation.timings().steps;
    const simulate::StepReport report = simulation.step();
    if (!report.good()) {  // the end of a chain whips after a second, and this step is then too long
      if (k < kFewestSteps) return NAN;
      break;
    }
    times.push_back((simulation.timings().steps - begin) /
                    std::max(1, static_cast<int>(report.factorisations)));
    total += simulation.timings().steps - begin;
  }
  return 1e3 * bench::median(times);
}

// CPU time of the precise method for a simulated second, s. Without springs: joints are constraints alone.
double cost_of_a_second(int links) {
  const model::Model model = support::stiff_chain(links, {.stiffness = 0, .damping = 0});
  simulate::Simulation simulation =
      simulate::Simulation::create(model, {.method = simulate::Method::precise}).value();
  while (simulation.time() < 1 && simulation.timings().steps < kMostSeconds)
    if (!simulation.step().good()) return NAN;
  return simulation.timings().steps / simulation.time();
}

bool write_csv(const std::filesystem::path& path, const std::string& x, const std::string& y,
               const Points& points) {
  std::ofstream file(path);
  file << x << ',' << y << '\n';
  file.precision(6);
  for (const auto& [at, value] : points) {
    file << at << ',';
    if (std::isfinite(value)) file << value;
    file << '\n';
  }
  return static_cast<bool>(file.flush());
}

double growth(const Points& points, double from) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& [at, value] : points) {
    if (at < from || !(value > 0)) continue;
    const double x = std::log(at), y = std::log(value);
    ++n, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return n > 1 ? (n * sxy - sx * sy) / (n * sxx - sx * sx) : NAN;
}

// Measures, prints, writes both files and draws them.
struct Figure {
  std::string x, y, title, name, year;  // columns; title; for the names of the files
  Points measured, published;

  bool finish(const std::filesystem::path& program, const std::filesystem::path& folder) const {
    std::printf("\n%12s %34s\n", x.c_str(), y.c_str());
    bool good = true;
    for (const auto& [at, value] : measured) {
      std::printf("%12.0f %34.4g\n", at, value);
      good = good && std::isfinite(value);
    }
    std::printf("grows as N^%.2f from 100 on\n", growth(measured, 100));
    const std::filesystem::path ours = folder / (name + "-tumble.csv"),
                                theirs = folder / (name + "-" + year + ".csv"),
                                picture = folder / (name + ".svg");
    if (!write_csv(ours, x, y, measured) || !write_csv(theirs, x, y, published)) return false;
    const std::string command = "'" + program.string() + "' plot '" + ours.string() + "' '" +
                                theirs.string() + "' --log-x --log-y --title '" + title + "' -o '" +
                                picture.string() + "'";
    if (std::system(command.c_str()) != 0) return false;
    std::printf("drawn: %s\n", picture.c_str());
    return good;
  }
};

}  // namespace

int main(int argc, char** argv) {
  const int largest = argc > 1 ? std::atoi(argv[1]) : 100000;
  const std::filesystem::path bin = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::filesystem::path folder =
      argc > 2 ? std::filesystem::path(argv[2]) : bin.parent_path() / "plots";
  std::filesystem::create_directories(folder);

  Figure links{"links", "time per frame (ms)", "Time per frame of a hanging chain", "links", "2011", {},
               k2011};
  for (const int size : sizes_up_to(largest)) links.measured.emplace_back(size, frame_time(size));
  Figure constraints{"constraints",
                     "CPU time per simulated second (s)",
                     "CPU time of a hanging chain; 2007: as N^2.5, 1 hour at 100 constraints",
                     "constraints",
                     "2007",
                     {},
                     {}};
  for (const int size : sizes_up_to(std::min(largest, kMostConstrained))) {
    constraints.measured.emplace_back(3 * size, cost_of_a_second(size));
  }
  constexpr int kPoints = 50;  // of a law that was not measured there: so many that they have no markers
  for (int k = 0; k <= kPoints; ++k) {
    const double n = k2007Fewest * std::pow(k2007Constraints / k2007Fewest, double(k) / kPoints);
    constraints.published.emplace_back(n, k2007Seconds * std::pow(n / k2007Constraints, k2007Exponent));
  }
  const bool first = links.finish(bin / "tumble", folder),
             second = constraints.finish(bin / "tumble", folder);
  return first && second ? 0 : 1;
}
