#include "tumble/plot/paths.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tumble::plot {

namespace {

constexpr std::array kAxes = {"x", "y", "z"};

struct Track {
  size_t source, body;
  std::array<std::vector<double>, 3> at;  // m
};

}  // namespace

core::Expected<Paths> find_paths(const PathRequest& request) {
  std::vector<Track> tracks;
  std::array<double, 3> widest = {};  // m, of each axis
  for (size_t source = 0; source < request.sources.size(); ++source)
    for (size_t body = 0; body < request.bodies.size(); ++body) {
      std::vector<std::string> names;
      names.reserve(kAxes.size());
      for (const char* axis : kAxes) names.push_back(request.bodies[body] + "." + axis);
      if (!std::all_of(names.begin(), names.end(),
                       [&](const std::string& name) { return request.sources[source]->has(name); }))
        continue;
      const auto series = request.sources[source]->read(names);
      if (!series) return series.diagnostics();
      Track track{source, body, {}};
      for (size_t axis = 0; axis < kAxes.size(); ++axis) {
        const Series& one = (*series)[axis];
        for (size_t i = 0; i < one.y.size(); ++i)
          if ((*one.x)[i] >= request.times.lo && (*one.x)[i] <= request.times.hi)
            track.at[axis].push_back(one.y[i]);
        if (track.at[axis].empty()) break;
        const auto [lo, hi] = std::minmax_element(track.at[axis].begin(), track.at[axis].end());
        widest[axis] = std::max(widest[axis], *hi - *lo);
      }
      if (!track.at[0].empty()) tracks.push_back(std::move(track));
    }

  // The axis with the least motion is across the plane.
  const auto across =
      static_cast<size_t>(std::min_element(widest.rbegin(), widest.rend()).base() - widest.begin()) - 1;
  size_t right = across == 0 ? 1 : 0, up = across == 2 ? 1 : 2;
  Eigen::Index top = 0;
  request.up.cwiseAbs().maxCoeff(&top);
  if (static_cast<size_t>(top) == right) std::swap(right, up);
  Paths paths;
  paths.x_title = kAxes[right];
  for (Track& track : tracks) {
    Series series{.name = request.bodies[track.body], .quantity = {kAxes[up], "m"}};
    series.x = std::make_shared<const std::vector<double>>(std::move(track.at[right]));
    series.y = std::move(track.at[up]);
    paths.panel.lines.push_back({std::move(series), track.source, track.body});
  }
  return paths;
}

}  // namespace tumble::plot
