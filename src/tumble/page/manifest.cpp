#include "tumble/page/manifest.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tumble/geometry/mass_properties.h"
#include "tumble/model/force_laws.h"
#include "tumble/model/joint_spec.h"
#include "tumble/page/joint_xml.h"
#include "tumble/page/promises.h"

namespace tumble::page::detail {

namespace {

using Json = nlohmann::ordered_json;
using math::Mat3;
using math::Vec3;

Json list(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Json list(const math::Quat& q) { return {q.w(), q.x(), q.y(), q.z()}; }
Json index(model::BodyId id) { return id.valid() ? Json(id.index()) : Json(-1); }
Json range(const model::Range& r) { return {r.lo, r.hi}; }

Json body_json(const model::Body& body, size_t node) {
  const bool has_mass = !body.is_fixed();
  Json json{{"name", body.name},
            {"node", node},
            {"fixed", body.is_fixed()},
            {"scripted", body.mobility == model::Mobility::kinematic},
            {"mass", has_mass ? Json(body.mass) : Json()},
            {"center", list(body.center_B)},
            {"principal", Json()}};
  if (has_mass) {
    const geometry::PrincipalInertia principal = geometry::principal_inertia(body.inertia_B);
    json["principal"] = {{"moments", list(principal.moments)},
                         {"quaternion", list(math::Quat::from_matrix(principal.axes))}};
  }
  return json;
}

// A point of a body, given from its centre of mass, in the body's own frame. Of the world: as it is.
Json point_json(const model::Model& model, model::BodyId id, const Vec3& arm) {
  return list(id.valid() ? Vec3(model.body(id).center_B + arm) : arm);
}

Json limits_json(const model::JointSpec& spec, const std::string& type) {
  Json json = Json::object();
  if (spec.limits) json[type == "hinge" ? "angle" : "travel"] = range(*spec.limits);
  if (spec.twist) json["twist"] = range(*spec.twist);
  if (!spec.swing.empty()) json["swing"] = spec.swing;
  if (spec.limits_x) json["x"] = range(*spec.limits_x);
  if (spec.limits_y) json["y"] = range(*spec.limits_y);
  if (spec.limits_z) json["z"] = range(*spec.limits_z);
  if (spec.range) json["distance"] = range(*spec.range);
  return json;
}

Json comfort_json(const model::JointSpec& spec, const std::string& type) {
  Json json = Json::object();
  const bool in_twist = !spec.limits && spec.twist;
  if (spec.comfort) json[in_twist ? "twist" : type == "hinge" ? "angle" : "travel"] = range(*spec.comfort);
  if (spec.comfort_swing) json["swing"] = Json::array({*spec.comfort_swing});
  return json;
}

Json joint_json(const model::Model& model, const model::JointParts& joint,
                const std::vector<core::SceneFile>& files) {
  Json json{{"name", joint.name}, {"type", joint.type}, {"a", index(joint.a)}, {"b", index(joint.b)}};
  const bool known = joint.spec != nullptr;  // not a constraint of a program
  const bool has_axis = known && !joint.spec->axis.isZero(0);
  const model::JointFrames& frames = joint.frames;
  json["point_a"] = point_json(model, joint.a, frames.arm_A);
  json["point_b"] = point_json(model, joint.b, frames.arm_B);
  json["axis_a"] = has_axis ? list(Vec3(frames.R_AJ.col(0))) : Json();
  json["axis_b"] = has_axis ? list(Vec3(frames.R_BJ.col(0))) : Json();
  json["frame_a"] = list(math::Quat::from_matrix(frames.R_AJ));
  json["frame_b"] = list(math::Quat::from_matrix(frames.R_BJ));
  json["limits"] = known ? limits_json(*joint.spec, joint.type) : Json::object();
  json["comfort"] = known ? comfort_json(*joint.spec, joint.type) : Json::object();
  const std::string xml = find_element(files, joint.place, "joint");
  json["xml"] = xml;
  return json;
}

Json moment_json(const std::optional<Moment>& moment) {
  if (!moment || !moment->t) return nullptr;
  return {{"t", *moment->t},
          {"body", moment->bodies.empty() ? Json() : Json(moment->bodies[0])},
          {"other", moment->bodies.size() < 2 ? Json() : Json(moment->bodies[1])},
          {"joint", moment->joint.empty() ? Json() : Json(moment->joint)}};
}

// As a word of a shell.
std::string shell_word(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_./,:=+@%").find(c) != std::string_view::npos;
  });
  if (plain) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string make_command(const record::Recording& recording, const std::string& file) {
  const record::RecordingInfo& info = recording.info();
  const Json summary = Json::parse(recording.summary_json(), nullptr, false);
  double duration = static_cast<double>(recording.first_frame() + recording.frame_count()) / info.fps;
  if (recording.frame_count() > 0) duration -= 1 / info.fps;
  if (const auto planned = summary.is_object() ? summary.find("duration") : summary.end();
      summary.is_object() && planned != summary.end() && planned->is_number() && !summary.contains("stopped"))
    duration = planned->get<double>();
  const auto number = [](double x) { return Json(x).dump(); };
  std::string command = "tumble run " +
                        shell_word(info.files.empty() ? info.scene_name : info.files[0].path) + " -o " +
                        shell_word(file) + " --duration " + number(duration) + " --fps " + number(info.fps) +
                        " --method " + info.method + " --accuracy " + number(info.accuracy);
  if (info.method == "precise" && info.integrator != "dopri8")
    command += " --integrator " + shell_word(info.integrator);
  if (info.fixed_step > 0) command += " --step " + number(info.fixed_step);
  for (const std::string& setting : info.settings) command += " --set " + shell_word(setting);
  if (!info.inputs.empty()) command += " --inputs inputs.jsonl";
  if (info.reactions) command += " --reactions reactions.csv";
  std::string bodies;
  for (const std::string& body : info.log_bodies) bodies += (bodies.empty() ? "" : ",") + body;
  if (!bodies.empty()) command += " --log-bodies " + shell_word(bodies);
  return command;
}

std::string make_manifest(const record::Recording& recording, const model::Model& model, const LogTable& log,
                          const ManifestNumbers& numbers) {
  const record::RecordingInfo& info = recording.info();
  Json json{{"format", 1},
            {"scene", info.scene_name},
            {"version", info.version},
            {"method", info.method},
            {"integrator", info.integrator},
            {"accuracy", info.accuracy},
            {"step", info.fixed_step > 0 ? Json(info.fixed_step) : Json()},
            {"fps", info.fps},
            {"first_frame", recording.first_frame()},
            {"frames", recording.frame_count()},
            {"frames_per_block", numbers.frames_per_block},
            {"precision", numbers.single ? "f32" : "f64"},
            {"numbers_per_body", numbers.numbers_per_body},
            {"up", list(model.up())},
            {"gravity", list(model.gravity())},
            {"size", numbers.size},
            {"focus", {{"center", list(numbers.focus_center)}, {"radius", numbers.focus_radius}}},
            {"command", make_command(recording, numbers.file)}};
  json["focus"]["boxes"] = Json::array();
  for (const Eigen::AlignedBox3d& box : numbers.focus_boxes)
    json["focus"]["boxes"].push_back({list(Vec3(box.min())), list(Vec3(box.max()))});
  json["bodies"] = Json::array();
  for (size_t i = 0; i < model.bodies().size(); ++i)
    json["bodies"].push_back(body_json(model.bodies()[i], i));
  json["joints"] = Json::array();
  for (const model::JointParts& joint : model.joints())
    json["joints"].push_back(joint_json(model, joint, info.files));
  json["springs"] = Json::array();
  for (const auto& law : model.forces())
    if (const auto* spring = dynamic_cast<const model::Spring*>(law.get()))
      json["springs"].push_back({{"name", spring->name()},
                                 {"a", index(spring->a())},
                                 {"b", index(spring->b())},
                                 {"point_a", point_json(model, spring->a(), spring->arm_A())},
                                 {"point_b", point_json(model, spring->b(), spring->arm_B())},
                                 {"rest", spring->length()}});
  json["log"] = {{"rows", log.rows}, {"every", log.every}, {"columns", Json::array()}};
  for (const Column& column : log_columns(recording))
    json["log"]["columns"].push_back({{"name", column.name}, {"unit", column.unit}});
  json["contacts"] = numbers.contacts;
  json["reactions"] = info.reactions;
  json["warnings"] = recording.warnings();
  const Json summary = Json::parse(recording.summary_json(), nullptr, false);
  json["summary"] = summary.is_discarded() ? Json() : summary;
  json["promises"] = Json::array();
  for (const Promise& promise : find_promises(recording, model, log))
    json["promises"].push_back({{"name", promise.name},
                                {"value", promise.value},
                                {"bound", promise.bound ? Json(*promise.bound) : Json()},
                                {"unit", promise.unit},
                                {"held", promise.held},
                                {"worst", moment_json(promise.held ? promise.worst : promise.breach)},
                                {"says", promise.says}});
  json["compare"] = numbers.compare;
  json["inputs"] = info.inputs.empty() ? Json() : Json(info.inputs);
  json["settings"] = info.settings;
  // Names may have bytes that are not UTF-8. These are replaced; dump() would throw otherwise.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tumble::page::detail
