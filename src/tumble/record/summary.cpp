#include "tumble/record/summary.h"

#include <nlohmann/json.hpp>

#include "tumble/record/whole_file.h"

namespace tumble::record {

std::string to_json(const Summary& s, WallClock wall_clock) {
  using Json = nlohmann::ordered_json;
  Json json = {{"scene", s.scene},           {"version", s.version},   {"method", s.method},
               {"integrator", s.integrator}, {"accuracy", s.accuracy}, {"duration", s.duration},
               {"frames", s.frames}};
  for (const core::NamedNumber& number : s.numbers)
    if (number.whole)
      json[number.name] = static_cast<uint64_t>(number.value);
    else
      json[number.name] = number.value;
  if (wall_clock == WallClock::included) {
    json["evaluations"] = s.evaluations;
    json["wall_seconds"] = s.wall_seconds;
    json["verify_seconds"] = s.verify_seconds;
    json["realtime_factor"] = s.realtime_factor;
  }
  if (!s.stopped.empty()) json["stopped"] = s.stopped;
  json["warnings"] = s.warnings;
  if (s.error_estimate) {
    Json frames = Json::array();
    for (const ErrorEstimate::Frame& frame : s.error_estimate->frames)
      frames.push_back(
          {{"t", frame.t}, {"position_error", frame.position_error}, {"angle_error", frame.angle_error}});
    json["error_estimate"] = {{"max_position_error", s.error_estimate->max_position_error},
                              {"max_angle_error", s.error_estimate->max_angle_error},
                              {"frames", frames}};
  }
  // Names may have bytes that are not UTF-8. These are replaced; dump() would throw otherwise.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Failure write_summary(const std::string& path, const Summary& summary) {
  return write_whole_file(path, to_json(summary));
}

}  // namespace tumble::record
