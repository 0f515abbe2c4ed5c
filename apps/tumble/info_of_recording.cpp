#include "info_of_recording.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "exit_codes.h"
#include "report.h"
#include "tumble/record/recording.h"

namespace tumble::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kInputLinesShown = 20;  // --json has all

void print_recording_json(const record::Recording& recording) {
  const record::RecordingInfo& info = recording.info();
  Json out{{"scene", info.scene_name},
           {"version", info.version},
           {"method", info.method},
           {"integrator", info.integrator},
           {"accuracy", info.accuracy},
           {"fps", info.fps},
           {"first_frame", recording.first_frame()},
           {"frames", recording.frame_count()},
           {"format", recording.version()},
           {"index", recording.has_index()},
           {"log_rows", recording.log_row_count()},
           {"contacts", info.contacts},
           {"reactions", info.reactions},
           {"log_bodies", info.log_bodies},
           {"step", info.fixed_step > 0 ? Json(info.fixed_step) : Json()}};
  out["bodies"] = recording.body_names();
  out["forces"] = recording.force_names();
  out["joints"] = recording.joint_names();
  out["files"] = Json::array();
  for (const record::SceneFile& file : info.files) out["files"].push_back(file.path);
  out["settings"] = info.settings;
  out["inputs"] = info.inputs;
  out["warnings"] = recording.warnings();
  const Json summary = Json::parse(recording.summary_json(), nullptr, false);
  out["summary"] = summary.is_discarded() ? Json() : summary;
  std::printf("%s\n", out.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
}

void print_inputs(const std::string& text) {
  const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + !text.ends_with('\n');
  std::printf("\ninputs (--inputs)\n");
  size_t at = 0;
  for (size_t line = 0; line < std::min(lines, kInputLinesShown); ++line) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::printf("  %s\n", text.substr(at, end - at).c_str());
    at = end + 1;
  }
  if (lines > kInputLinesShown)
    std::printf("  ... and %zu more lines (--json prints all)\n", lines - kInputLinesShown);
}

void print_recording_text(const record::Recording& recording) {
  const record::RecordingInfo& info = recording.info();
  const size_t first = recording.first_frame(), count = recording.frame_count();
  std::printf("%s, recorded by version %s\n\nrun\n", info.scene_name.c_str(), info.version.c_str());
  std::printf("  %-10s %s with %s, accuracy %s\n", "method", info.method.c_str(), info.integrator.c_str(),
              brief(info.accuracy).c_str());
  std::printf("  %-10s %zu, %s per second", "frames", count, brief(info.fps).c_str());
  if (count > 0)
    std::printf(", t = %s to %s s", brief(static_cast<double>(first) / info.fps).c_str(),
                brief(static_cast<double>(first + count - 1) / info.fps).c_str());
  std::printf("\n  %-10s %zu\n", "bodies", recording.body_names().size());
  std::string holds = "log";
  if (info.contacts) holds += ", contacts";
  if (info.reactions) holds += ", reactions";
  for (const std::string& body : info.log_bodies)
    holds += (&body == &info.log_bodies.front() ? ", log of " : " and ") + body;
  std::printf("  %-10s version %u; %s%s\n", "format", static_cast<unsigned>(recording.version()),
              holds.c_str(),
              recording.has_index() ? "" : "; no index: the run was killed, or is of an older version");
  for (const record::SceneFile& file : info.files) std::printf("  %-10s %s\n", "file", file.path.c_str());
  for (const std::string& warning : recording.warnings())
    std::printf("  %-10s %s\n", "warning", warning.c_str());
  if (!info.settings.empty()) std::printf("\nsettings (--set)\n");
  for (const std::string& setting : info.settings) std::printf("  %s\n", setting.c_str());
  if (!info.inputs.empty()) print_inputs(info.inputs);
}

}  // namespace

int info_of_recording(const std::string& path, const Arguments& arguments) {
  if (arguments.has("--set")) throw UsageError("--set changes a scene, but " + path + " is a recording");
  const core::Expected<record::Recording> recording = record::Recording::open(path);
  print_diagnostics(recording.diagnostics());
  if (!recording) return kExitBadInput;
  if (arguments.is_on("--json").value_or(false))
    print_recording_json(*recording);
  else
    print_recording_text(*recording);
  return kExitDone;
}

}  // namespace tumble::app
