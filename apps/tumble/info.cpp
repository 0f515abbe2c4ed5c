// tumble info: prints mass properties, joint graph, scales, and every automatic parameter with its reason.
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "exit_codes.h"
#include "info_of_recording.h"
#include "motion_source.h"
#include "report.h"
#include "run_options.h"
#include "tumble/dynamics/joint_report.h"
#include "tumble/simulate/choices.h"
#include "verbs.h"

namespace tumble::app {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const model::Vec3& v) { return {v.x(), v.y(), v.z()}; }
Json to_json(const model::Mat3& m) {
  return {{m(0, 0), m(0, 1), m(0, 2)}, {m(1, 0), m(1, 1), m(1, 2)}, {m(2, 0), m(2, 1), m(2, 2)}};
}

using simulate::Choice;

Json to_json(const Choice& choice) {
  return std::visit([](const auto& value) { return Json(value); }, choice.value);
}

std::vector<Choice> list_choices(const model::Model& model, const RunOptions& run) {
  std::vector<Choice> choices = simulate::list_choices(model, run.simulation);
  const Choice head[] = {
      {"method", to_string(run.simulation.method), "", run.method_reason + "; override with --method"},
      {"accuracy", *run.simulation.accuracy, "",
       run.accuracy_given ? "given" : "default of the method; override with --accuracy"}};
  choices.insert(choices.begin(), std::begin(head), std::end(head));
  return choices;
}

std::string name_of(const model::Model& model, core::BodyId id) {
  return id.valid() ? model.body(id).name : "the world";
}

Json islands_to_json(const model::Model& model, const std::vector<dynamics::IslandReport>& islands) {
  Json out = Json::array();
  for (const dynamics::IslandReport& island : islands) {
    Json bodies = Json::array(), joints = Json::array();
    for (const core::BodyId id : island.bodies) bodies.push_back(model.body(id).name);
    for (const int c : island.constraints)
      joints.push_back(model.constraints()[static_cast<size_t>(c)]->name());
    out.push_back({{"bodies", bodies},
                   {"joints", joints},
                   {"trees", island.trees},
                   {"loops", island.loops},
                   {"rows", island.rows},
                   {"rank", island.rank},
                   {"redundant_rows", island.redundant_rows()},
                   {"degrees_of_freedom", island.degrees_of_freedom()}});
  }
  return out;
}

// A rope has no rows, only limits.
int rows_of(const model::Model& model, const model::JointParts& joint) {
  return joint.constraint ? model.constraints()[*joint.constraint]->rows() : 0;
}

bool is_scripted(const model::Model& model, const model::JointParts& joint) {
  return joint.constraint && model.constraints()[*joint.constraint]->moves();
}

void print_joints(const model::Model& model, const std::vector<dynamics::IslandReport>& islands) {
  std::printf("\njoints\n");
  if (model.joints().empty()) std::printf("  none\n");
  for (const model::JointParts& joint : model.joints()) {
    const int rows = rows_of(model, joint);
    const size_t limits = joint.end_limit - joint.first_limit;
    std::printf("  %-16s %s, %d %s%s%s, %s to %s\n", joint.name.c_str(), joint.type.c_str(), rows,
                rows == 1 ? "row" : "rows",
                limits == 0 ? "" : (", " + std::to_string(limits) + " one-sided").c_str(),
                is_scripted(model, joint) ? ", follows a script" : "", name_of(model, joint.a).c_str(),
                name_of(model, joint.b).c_str());
    for (const model::WidenedLimit& limit : joint.widened)
      std::printf("  %-16s %s widened by %s %s to where the joint starts\n", "", limit.limit.c_str(),
                  brief(limit.by).c_str(), limit.angle ? "rad" : "m");
  }
  if (!islands.empty()) std::printf("\nislands: bodies connected by joints\n");
  for (size_t i = 0; i < islands.size(); ++i) {
    const dynamics::IslandReport& island = islands[i];
    std::printf(
        "  %zu: bodies %zu (first \"%s\"), trees %d, loops %d, rows %d, redundant rows %d, degrees of "
        "freedom %d\n",
        i + 1, island.bodies.size(), model.body(island.bodies[0]).name.c_str(), island.trees, island.loops,
        island.rows, island.redundant_rows(), island.degrees_of_freedom());
  }
}

void print_touching(const model::Model& model, const std::vector<simulate::StartContact>& touching) {
  if (touching.empty()) return;
  std::printf("\ntouching at the start; moved apart to the contact offset\n");
  for (const simulate::StartContact& pair : touching)
    std::printf("  %s and %s: %s %s m\n", model.body(pair.a).name.c_str(), model.body(pair.b).name.c_str(),
                pair.gap < 0 ? "overlap" : "gap", brief(std::abs(pair.gap)).c_str());
}

const char* reason_of(const contact::TightPair& pair) {
  return pair.no_room ? "no room at all: at the rounding of distances" : "room for no more";
}

void print_tight(const model::Model& model, const contact::TightPairs& tight) {
  if (tight.empty()) return;
  std::printf("\ntouching without room for the contact offset; it is smaller there\n");
  for (const contact::TightPair& pair : tight.pairs)
    std::printf("  %s and %s: offset %s m, %s\n", model.body(pair.a).name.c_str(),
                model.body(pair.b).name.c_str(), brief(pair.offset).c_str(), reason_of(pair));
}

void print_json(const model::Model& model, const std::vector<dynamics::IslandReport>& islands,
                const simulate::Start& start, const RunOptions& options) {
  Json out{{"scene", model.name()}, {"gravity", to_json(model.gravity())}, {"bodies", Json::array()}};
  for (const model::Body& body : model.bodies()) {
    const model::Mat3 R = body.X_WB.rotation.to_matrix();
    const geometry::PrincipalInertia principal = geometry::principal_inertia(body.inertia_B);
    out["bodies"].push_back({{"name", body.name},
                             {"mass", body.mass},
                             {"center", to_json(model::Vec3(body.X_WB * body.center_B))},
                             {"inertia", to_json(model::Mat3(R * body.inertia_B * R.transpose()))},
                             {"fixed", body.is_fixed()},
                             {"radius", body.radius},
                             {"principal_moments", to_json(principal.moments)},
                             {"principal_axes", to_json(model::Mat3(R * principal.axes))},
                             {"shapes", body.shapes.size()}});
  }
  out["joints"] = Json::array();
  for (const model::JointParts& joint : model.joints()) {
    Json widened = Json::array();
    for (const model::WidenedLimit& limit : joint.widened)
      widened.push_back({{"limit", limit.limit}, {"by", limit.by}, {"unit", limit.angle ? "rad" : "m"}});
    out["joints"].push_back({{"name", joint.name},
                             {"type", joint.type},
                             {"rows", rows_of(model, joint)},
                             {"scripted", is_scripted(model, joint)},
                             {"limits", joint.end_limit - joint.first_limit},
                             {"a", joint.a.valid() ? Json(model.body(joint.a).name) : Json()},
                             {"b", model.body(joint.b).name},
                             {"widened", widened}});
  }
  out["islands"] = islands_to_json(model, islands);
  out["touching"] = Json::array();
  for (const simulate::StartContact& pair : start.touching)
    out["touching"].push_back(
        {{"a", model.body(pair.a).name}, {"b", model.body(pair.b).name}, {"gap", pair.gap}});
  out["tight"] = Json::array();
  for (const contact::TightPair& pair : start.tight.pairs)
    out["tight"].push_back({{"a", model.body(pair.a).name},
                            {"b", model.body(pair.b).name},
                            {"offset", pair.offset},
                            {"reason", reason_of(pair)}});
  out["forces"] = Json::array();
  for (const auto& law : model.forces()) out["forces"].push_back({{"name", law->name()}});
  out["chosen"] = Json::object();
  for (const Choice& choice : list_choices(model, options)) out["chosen"][choice.name] = to_json(choice);
  out["reasons"] = Json::object();
  for (const Choice& choice : list_choices(model, options)) out["reasons"][choice.name] = choice.reason;
  std::printf("%s\n", out.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
}

void print_text(const model::Model& model, const std::vector<dynamics::IslandReport>& islands,
                const simulate::Start& start, const RunOptions& options) {
  std::printf("%s\n\nbodies\n", model.name().c_str());
  for (const model::Body& body : model.bodies()) {
    const model::Vec3 center = body.X_WB * body.center_B;
    const geometry::PrincipalInertia principal = geometry::principal_inertia(body.inertia_B);
    std::printf("  %-16s %s, mass %.6g kg, centre (%.6g, %.6g, %.6g) m, radius %.4g m\n", body.name.c_str(),
                body.is_fixed()     ? "fixed"
                : body.is_dynamic() ? "moving"
                                    : "on a path",
                body.mass, center.x(), center.y(), center.z(), body.radius);
    if (body.mass > 0)
      std::printf("  %-16s principal moments %.6g, %.6g, %.6g kg m2\n", "", principal.moments[0],
                  principal.moments[1], principal.moments[2]);
  }
  if (!model.forces().empty()) std::printf("\nforce laws\n");
  for (const auto& law : model.forces())
    std::printf("  %-16s on %s%s%s\n", law->name().c_str(), model.body(law->a()).name.c_str(),
                law->b().valid() ? " and " : "", law->b().valid() ? model.body(law->b()).name.c_str() : "");
  print_joints(model, islands);
  print_touching(model, start.touching);
  print_tight(model, start.tight);
  std::printf("\nchosen\n");
  for (const Choice& choice : list_choices(model, options)) {
    const Json json = to_json(choice);
    const std::string value = json.is_string()           ? json.get<std::string>()
                              : json.is_number_integer() ? json.dump()
                                                         : brief(json.get<double>());
    std::printf("  %-16s %-10s %-4s %s\n", choice.name.c_str(), value.c_str(), choice.unit.c_str(),
                choice.reason.c_str());
  }
}

int info(const Arguments& arguments) {
  arguments.require_operands(1, 1);
  if (lower_extension(arguments.operands()[0]) == ".tumble")
    return info_of_recording(arguments.operands()[0], arguments);
  const core::Expected<scene::Scene> scene = load_scene(arguments.operands()[0], arguments);
  print_diagnostics(scene.diagnostics());
  if (!scene) return exit_code_of(scene.diagnostics());
  const RunOptions options = resolve_options(*scene, arguments);
  const core::Expected<simulate::Start> start =
      start_of(*scene, arguments.operands()[0], *options.simulation.accuracy);
  print_diagnostics(start.diagnostics());
  if (!start) return kExitBadInput;
  const std::vector<dynamics::IslandReport> islands = dynamics::report_on_joints(scene->model, start->state);
  if (arguments.is_on("--json").value_or(false))
    print_json(scene->model, islands, *start, options);
  else
    print_text(scene->model, islands, *start, options);
  return kExitDone;
}

}  // namespace

Verb info_verb() {
  Verb verb{"info", "SCENE|RECORDING",
            "print mass properties, joint graph, scales and every automatic parameter with its reason; for a "
            ".tumble, print the options of the run",
            motion_flags(), info};
  verb.flags.insert(verb.flags.begin(), {"--json", "", "print one JSON object"});
  return verb;
}

}  // namespace tumble::app
