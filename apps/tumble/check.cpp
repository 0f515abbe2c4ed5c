// tumble check: reads and validates a scene, and prints its contents.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "exit_codes.h"
#include "motion_source.h"
#include "report.h"
#include "run_options.h"
#include "verbs.h"

namespace tumble::app {
namespace {

std::string counted(size_t n, const std::string& noun, const std::string& plural) {
  return std::to_string(n) + " " + (n == 1 ? noun : plural);
}

void add_diagnostics(const core::Diagnostics& more, core::Expected<scene::Scene>& scene) {
  core::Diagnostics diagnostics = scene.diagnostics();
  diagnostics.insert(diagnostics.end(), more.begin(), more.end());
  if (core::has_errors(diagnostics))
    scene = std::move(diagnostics);
  else
    scene = {std::move(scene).value(), std::move(diagnostics)};
}

int check(const Arguments& arguments) {
  arguments.require_operands(1, 1);
  const std::string& path = arguments.operands()[0];
  core::Expected<scene::Scene> scene = load_scene(path, arguments);
  if (scene) try {
      const RunOptions options = resolve_options(*scene, arguments);
      add_diagnostics(start_of(*scene, path, *options.simulation.accuracy).diagnostics(), scene);
    } catch (const SceneFault& fault) {
      add_diagnostics(fault.diagnostics, scene);
    }
  print_diagnostics(scene.diagnostics());

  size_t moving = 0;
  if (scene)
    for (const model::Body& body : scene->model.bodies()) moving += body.is_fixed() ? 0 : 1;
  if (arguments.is_on("--json").value_or(false)) {
    nlohmann::ordered_json out{{"scene", path}, {"ok", bool(scene)}};
    if (scene) {
      const model::Model& model = scene->model;
      out["name"] = model.name();
      out["bodies"] = model.bodies().size();
      out["moving"] = moving;
      out["materials"] = model.materials().size() - 1;
      out["forces"] = model.forces().size();
      out["joints"] = model.joints().size();
    }
    out["errors"] = nlohmann::json::array();
    out["warnings"] = nlohmann::json::array();
    for (const core::Diagnostic& d : scene.diagnostics())
      out[d.severity == core::Severity::error ? "errors" : "warnings"].push_back({{"file", d.place.file},
                                                                                  {"line", d.place.line},
                                                                                  {"column", d.place.column},
                                                                                  {"message", d.message}});
    std::printf("%s\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  } else if (scene) {
    const model::Model& model = scene->model;
    std::printf("%s: ok: %s (%zu moving), %s, %s, %s\n", path.c_str(),
                counted(model.bodies().size(), "body", "bodies").c_str(), moving,
                counted(model.materials().size() - 1, "material", "materials").c_str(),
                counted(model.joints().size(), "joint", "joints").c_str(),
                counted(model.forces().size(), "force law", "force laws").c_str());
  }
  return scene ? kExitDone : exit_code_of(scene.diagnostics());
}

}  // namespace

Verb check_verb() {
  return {"check",
          "SCENE",
          "read and validate a scene; print its contents",
          {{"--json", "", "print one JSON object"}, set_flag()},
          check};
}

}  // namespace tumble::app
