#include "tumble/scene/build.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>

#include "tumble/geometry/convex_hull.h"
#include "tumble/scene/height_fields.h"
#include "tumble/scene/joints.h"
#include "tumble/scene/limits.h"
#include "tumble/scene/meshes.h"
#include "tumble/scene/scripts.h"
#include "tumble/scene/suspicious.h"

namespace tumble::scene::detail {

namespace {

using MeshPointer = std::shared_ptr<const geometry::TriangleMesh>;
using math::Quat;
using math::Vec3;

class Builder {
 public:
  Builder(Reading& reading, Files& files, core::Diagnostics& diagnostics)
      : reading_(reading),
        files_(files),
        diagnostics_(diagnostics),
        meshes_(files, diagnostics),
        height_fields_(files, diagnostics),
        builder_(reading.name) {}

  std::optional<Scene> run() {
    const Names names = collect_names(reading_, diagnostics_);
    warn_of_numbers(reading_, diagnostics_);
    each("mesh", &Builder::add_mesh);
    each("body", &Builder::load_shapes);
    check_references(reading_, names, diagnostics_);
    each("simulation", &Builder::set_run_options);
    each("world", &Builder::set_world);
    each("material", &Builder::add_material);
    each("contact", &Builder::add_contact);
    each("body", &Builder::add_body);
    each("ignore", &Builder::add_ignore);
    each("script", &Builder::add_script);
    each("joint", &Builder::add_joint);
    // Forces of all kinds stay in the order of the file, which is the order of columns in the log.
    for (TopElement& top : reading_.elements) add_force(top.element);
    core::Expected<model::Model> model = builder_.finish();
    diagnostics_.insert(diagnostics_.end(), model.diagnostics().begin(), model.diagnostics().end());
    if (core::has_errors(diagnostics_)) return std::nullopt;
    warn_of_bodies(reading_, *model, diagnostics_);
    return Scene{std::move(model).value(), std::move(program_), std::move(given_), {}, {}};
  }

 private:
  void each(std::string_view kind, void (Builder::*add)(TopElement&)) {
    for (TopElement& top : reading_.elements)
      if (top.element.good && top.element.rule->name == kind) (this->*add)(top);
  }

  void fail(const core::Place& place, std::string message) {
    diagnostics_.push_back(core::error_at(place, std::move(message)));
  }

  static std::string who(const Element& element) {
    return std::string(element.rule->name) + " " + quote(element.text("name")) + ": ";
  }

  void add_mesh(TopElement& top) {
    const auto mesh = meshes_.load(top.element, top.file_key);
    top.element.good = mesh != nullptr;
    mesh_by_name_[top.element.text("name")] = mesh;
  }

  // Loads the shapes whose data is in other files. A body is faulty if one of them cannot be loaded; so this
  // comes before the check of references.
  void load_shapes(TopElement& top) {
    for (const Element& child : top.element.children) {
      if (child.rule->name == "height-field") {
        triangles_[&child] = height_fields_.load(child, top.file_key);
      } else if (child.rule->name == "hull") {
        const auto mesh = mesh_by_name_.find(child.text("mesh"));
        if (mesh == mesh_by_name_.end() || mesh->second == nullptr) continue;  // check_references reports it
        triangles_[&child] = hull_of(child, mesh->second);
      } else {
        continue;
      }
      if (triangles_[&child] == nullptr) top.element.good = false;
    }
  }

  // All shapes with the same mesh share one hull.
  MeshPointer hull_of(const Element& element, const MeshPointer& mesh) {
    const auto [at, is_new] = hull_by_mesh_.try_emplace(mesh);
    if (!is_new) return at->second;
    core::Expected<geometry::TriangleMesh> hull = geometry::build_convex_hull(mesh->vertices);
    if (hull)
      at->second = std::make_shared<const geometry::TriangleMesh>(std::move(hull).value());
    else
      fail(element.find("mesh")->place,
           "mesh " + quote(element.text("mesh")) + ": " + hull.diagnostics().front().message);
    return at->second;
  }

  void set_run_options(TopElement& top) {
    const Element& element = top.element;
    model::RunOptions options;
    options.duration = element.number("duration");
    options.fps = element.number("fps");
    options.method = element.text("method");
    if (element.find("accuracy")) options.accuracy = element.number("accuracy");
    options.integrator = element.text("integrator");
    options.orientation = element.text("orientation");
    if (element.find("step")) options.step = element.number("step");
    options.settle = element.flag("settle");
    if (element.find("threads")) options.threads = static_cast<int>(element.number("threads"));
    options.verify = element.text("verify");
    if (options.orientation == "quergs" && options.integrator != "cash-karp")
      return fail(element.find("orientation")->place,
                  "orientation=\"quergs\" needs integrator=\"cash-karp\": it reproduces the method of 2007");
    if (const Field* feedback = element.find("baumgarte")) {
      options.baumgarte = {feedback->numbers[0], feedback->numbers[1]};
      if (options.integrator != "cash-karp")
        fail(feedback->place,
             "baumgarte needs integrator=\"cash-karp\": it reproduces the joint drift of 2007; without "
             "baumgarte every step closes the joints");
    }
    builder_.set_run_options(options);
    const auto path = [&](std::string_view name) { return element.find(name) ? element.text(name) : ""; };
    program_ = {.summary = path("summary"),
                .log = path("log"),
                .checkpoint = path("checkpoint"),
                .resume = path("resume"),
                .contacts = path("contacts"),
                .reactions = path("reactions"),
                .log_bodies = path("log-bodies"),
                .inputs = element.find("inputs") ? files_.resolve(top.file_key, path("inputs")).shown : "",
                .max_cpu = element.find("max-cpu") ? element.number("max-cpu") : 0,
                .estimate_error = element.flag("estimate-error"),
                .profile = element.flag("profile"),
                .quiet = element.flag("quiet"),
                .verbose = element.flag("verbose")};
    for (const Field& field : element.fields)
      if (field.given) given_[std::string(field.rule->name)] = field.place;
  }

  void set_world(TopElement& top) {
    require_moderate(top.element, {"gravity"});
    builder_.set_gravity(top.element.vec3("gravity"));
    if (top.element.find("up")) builder_.set_up(top.element.text("up").front() - 'x');
  }

  // Energies are squares of these numbers, and errors are squares of energies. All must be finite.
  void require_moderate(const Element& element, std::initializer_list<const char*> attributes) {
    for (const char* attribute : attributes)
      if (!(element.vec3(attribute).cwiseAbs().maxCoeff() <= kMaxMagnitude))
        fail(element.find(attribute)->place, std::string(attribute) +
                                                 ": is too large; expected numbers up to " +
                                                 core::brief_number(kMaxMagnitude) + " in SI units");
  }

  void add_material(TopElement& top) {
    const Element& element = top.element;
    model::Material material;
    material.name = element.text("name");
    material.density = element.number("density");
    material.friction = element.number("friction");
    material.restitution = element.number("restitution");
    if (const Field* color = element.find("color"))
      material.color = {color->numbers[0], color->numbers[1], color->numbers[2]};
    material_by_name_[material.name] = builder_.add_material(material, element.place);
  }

  void add_contact(TopElement& top) {
    const Element& element = top.element;
    const model::MaterialId a = material_by_name_.at(element.text("a")),
                            b = material_by_name_.at(element.text("b"));
    const auto [known, is_new] = contacts_.emplace(std::minmax(a, b), element.place);
    if (!is_new)
      return fail(element.place, "the contact of " + quote(element.text("a")) + " and " +
                                     quote(element.text("b")) + " is already given at line " +
                                     std::to_string(known->second.line) + "; keep one");
    model::MaterialPair pair{.a = a, .b = b};
    if (element.find("friction")) pair.friction = element.number("friction");
    if (element.find("restitution")) pair.restitution = element.number("restitution");
    pair.stiffness = element.number("stiffness");
    for (const char* attribute : {"damping", "layer"})
      if (const Field* field = element.find(attribute); field && field->given && !(pair.stiffness > 0))
        fail(field->place,
             std::string(attribute) + " needs stiffness; without stiffness the contact is rigid");
    pair.damping = element.number("damping");
    if (element.find("layer")) pair.layer = element.number("layer");
    builder_.add_material_pair(pair);
  }

  static Quat orientation_of(const Element& element) {
    if (const Field* q = element.find("quaternion"))
      return Quat::from_wxyz(q->numbers[0], q->numbers[1], q->numbers[2], q->numbers[3]).normalized();
    if (const Field* r = element.find("rotate")) {
      const Vec3 axis(r->numbers[0], r->numbers[1], r->numbers[2]);
      return Quat::from_axis_angle(axis / axis.cwiseAbs().maxCoeff(),
                                   r->numbers[3]);  // scaled first, so that tiny axes do not underflow
    }
    return Quat::identity();
  }

  collision::Shape shape_of(const Element& element) const {
    const std::string_view kind = element.rule->name;
    if (kind == "sphere") return collision::Sphere{element.number("radius")};
    if (kind == "box") return collision::Box{element.vec3("size")};
    if (kind == "capsule") return collision::Capsule{element.number("radius"), element.number("length")};
    if (kind == "cylinder") return collision::Cylinder{element.number("radius"), element.number("length")};
    if (kind == "cone") return collision::Cone{element.number("radius"), element.number("length")};
    if (kind == "shape") return collision::Mesh{mesh_by_name_.at(element.text("mesh"))};
    if (kind == "hull") return collision::Hull{triangles_.at(&element)};
    if (kind == "height-field") return collision::HeightField{triangles_.at(&element)};
    const Vec3 normal = element.vec3("normal");
    return collision::Plane{(normal / normal.cwiseAbs().maxCoeff()).normalized()};
  }

  void add_body(TopElement& top) {
    const Element& element = top.element;
    model::BodySpec spec;
    spec.place = element.place;
    spec.name = element.text("name");
    spec.fixed = element.flag("fixed");
    if (const Field* group = element.find("group")) spec.group = group->text;
    spec.X_WB = {orientation_of(element), element.vec3("position")};
    spec.velocity = element.vec3("velocity");
    spec.angular_velocity = element.vec3("angular-velocity");
    require_moderate(element, {"position", "velocity", "angular-velocity"});
    for (const char* speed : {"velocity", "angular-velocity"})
      if (spec.fixed && !element.vec3(speed).isZero(0))
        fail(element.find(speed)->place,
             who(element) + "fixed=\"true\" excludes " + speed + "; remove one of them");

    for (const Element& child : element.children) {
      if (child.rule->name == "inertia") {
        spec.inertia = {child.number("mass"), child.vec3("center"), child.vec3("moments"),
                        child.vec3("products"), child.place};
        continue;
      }
      model::ShapeSpec shape{.shape = shape_of(child),
                             .X_BS = {orientation_of(child), child.vec3("at")},
                             .material = {},
                             .collide = child.flag("collide"),
                             .place = child.place};
      if (const Field* material = child.find("material"))
        shape.material = material_by_name_.at(material->text);
      spec.shapes.push_back(std::move(shape));
    }
    const model::BodyId id = builder_.add_body(spec);
    body_by_name_[spec.name] = id;
    if (spec.fixed) not_pushed_.insert(id);
    for (const char* attribute : {"position", "rotate", "quaternion"})
      if (const Field* field = element.find(attribute); field && field->given) placed_.insert(id);
    for (const char* attribute : {"velocity", "angular-velocity"})
      if (const Field* field = element.find(attribute); field && field->given) thrown_.insert(id);
  }

  void add_ignore(TopElement& top) {
    const Element& element = top.element;
    if (const Field* groups = element.find("groups")) {
      const size_t blank = groups->text.find_first_of(" \t\r\n");
      return builder_.ignore_groups(groups->text.substr(0, blank),
                                    groups->text.substr(groups->text.find_first_not_of(" \t\r\n", blank)));
    }
    if (is_same_body(element)) return;
    builder_.ignore_pair(body(element, "a"), body(element, "b"));
  }

  model::BodyId body(const Element& element, std::string_view attribute) const {
    const Field* field = element.find(attribute);
    return field == nullptr ? model::BodyId() : body_by_name_.at(field->text);
  }

  bool is_same_body(const Element& element) {
    if (element.text("a") != element.text("b")) return false;
    fail(element.find("b")->place, "<" + std::string(element.rule->name) + ">: a and b are both " +
                                       quote(element.text("b")) + "; expected two different bodies");
    return true;
  }

  // The script of a body is added here, the script of a joint together with the joint.
  void add_script(TopElement& top) {
    const Element& element = top.element;
    if (element.children.empty() && !element.find("file"))
      return fail(element.place, "<script> needs at least one <key>");
    if (element.find("body")) {
      std::optional<model::PathSpec> path = read_body_script(element, top.file_key, files_, diagnostics_);
      if (path) path->pose_given = placed_.contains(body(element, "body"));
      if (path) path->velocity_given = thrown_.contains(body(element, "body"));
      if (path) builder_.add_script(body(element, "body"), *path, element.place);
      if (path && !(path->release < model::kForever)) not_pushed_.insert(body(element, "body"));
      return;
    }
    const auto [known, is_new] = scripts_.emplace(element.text("joint"), &element);
    if (!is_new)
      fail(element.place, "joint " + quote(element.text("joint")) + " has a <script> already (" +
                              known->second->place.file + ":" + std::to_string(known->second->place.line) +
                              "); put all keys into one");
  }

  void add_joint(TopElement& top) {
    const Element& element = top.element;
    if (element.find("a") && is_same_body(element)) return;
    std::optional<model::JointSpec> spec = read_joint(element, diagnostics_);
    if (!spec || !find_points(element, *spec)) return;
    if (const auto script = scripts_.find(spec->name); script != scripts_.end())
      if (!read_joint_script(*script->second, *spec, diagnostics_)) return;
    spec->a = body(element, "a");
    spec->b = body(element, "b");
    builder_.add_joint(*spec);
  }

  // Sets the points that the scene does not give. A rod connects the two centres of mass. For a slider or a
  // fixed joint the point does not matter.
  bool find_points(const Element& element, model::JointSpec& spec) {
    if (element.find("at") || (spec.at_a && spec.at_b)) return true;
    const model::BodyId a = body(element, "a"), b = body(element, "b");
    const model::DefaultPoint place = model::kind_of(spec.type).default_point;
    const bool is_rod = place == model::DefaultPoint::both_centers;
    if (place == model::DefaultPoint::center_of_b) {
      spec.at = builder_.start_center(b);
      return true;
    }
    if (is_rod && !spec.at_b) spec.at_b = builder_.start_center(b);
    if (is_rod && !spec.at_a && a.valid()) spec.at_a = builder_.start_center(a);
    if (is_rod && spec.at_a) return true;
    fail(element.place, who(element) +
                            (is_rod ? "end a is in the world and needs \"at-a\"" : "needs \"at\"") +
                            ": a point in world coordinates");
    return false;
  }

  void add_force(const Element& element) {
    if (!element.good) return;
    const std::string_view kind = element.rule->name;
    if (kind == "spring") add_spring(element);
    if (kind == "force" || kind == "torque") add_applied(element);
    if (kind == "attraction") add_attraction(element);
    if (kind == "drag") add_drag(element);
  }

  // Warns about a force whose bodies are all fixed or scripted. Probably another body was meant.
  void warn_if_idle(const Element& element, std::initializer_list<model::BodyId> ids) {
    for (const model::BodyId id : ids)
      if (id.valid() && !not_pushed_.contains(id)) return;
    diagnostics_.push_back(core::warning_at(
        element.place, who(element) + "has no effect: it acts only on what is fixed or follows a script"));
  }

  /// One end of a spring: a body, or a point of the world.
  struct End {
    model::BodyId body;
    Vec3 point;  // m, world
    Vec3 arm;    // m, as in the force laws
  };

  std::optional<End> end_of(const Element& element, const std::string& side) {
    const model::BodyId id = body(element, side);
    const std::string at = "at-" + side;
    if (element.find(at)) return End{id, element.vec3(at), builder_.arm_of(id, element.vec3(at))};
    if (id.valid()) return End{id, builder_.start_center(id), Vec3::Zero()};
    fail(element.place, who(element) + "end " + side + " is in the world and needs " + quote(at) +
                            ": a point in world coordinates");
    return std::nullopt;
  }

  void add_spring(const Element& element) {
    const Field* a = element.find("a");
    const Field* b = element.find("b");
    if (a == nullptr && b == nullptr)
      return fail(element.place, who(element) + "needs at least one body; give \"a\" or \"b\"");
    if (a != nullptr && b != nullptr && is_same_body(element)) return;
    std::optional<End> end_a = end_of(element, "a"), end_b = end_of(element, "b");
    if (!end_a || !end_b) return;
    if (!end_a->body.valid()) std::swap(end_a, end_b);  // the first end of a force law is a body
    const double distance = (end_b->point - end_a->point).norm();
    const double length = element.find("length") ? element.number("length") : distance;
    if (distance == 0 && length > 0)
      return fail(element.place, who(element) +
                                     "its two points coincide, so its force has no direction; move one, or "
                                     "give length=\"0\"");
    warn_if_idle(element, {end_a->body, end_b->body});
    const std::string& name = element.text("name");
    builder_.add_force(std::make_shared<model::Spring>(name, end_a->body, end_a->arm, end_b->body, end_b->arm,
                                                       length, element.number("stiffness")));
    if (element.number("damping") > 0)
      builder_.add_force(std::make_shared<model::Damper>(name + ".damping", end_a->body, end_a->arm,
                                                         end_b->body, end_b->arm, element.number("damping")));
  }

  void add_applied(const Element& element) {
    const std::string& name = element.text("name");
    const model::BodyId id = body(element, "body");
    const model::Frame frame = element.text("frame") == "body" ? model::Frame::body : model::Frame::world;
    const double from = element.number("from");
    const double to = element.find("to") ? element.number("to") : model::kForever;
    if (from > to)
      return fail(element.find("to")->place, who(element) + "\"to\" is earlier than \"from\"; exchange them");
    warn_if_idle(element, {id});
    if (to <= std::max(from, 0.0))
      diagnostics_.push_back(core::warning_at(
          element.find("to")->place,
          who(element) + "never acts: \"to\" must be later than \"from\" and later than t = 0"));
    if (element.rule->name == "torque")
      return builder_.add_force(
          std::make_shared<model::AppliedTorque>(name, id, element.vec3("value"), frame, from, to));
    const Vec3 arm = element.find("at") ? builder_.arm_of(id, element.vec3("at")) : Vec3(Vec3::Zero());
    builder_.add_force(
        std::make_shared<model::AppliedForce>(name, id, element.vec3("value"), frame, arm, from, to));
  }

  void add_attraction(const Element& element) {
    if (is_same_body(element)) return;
    const model::BodyId a = body(element, "a"), b = body(element, "b");
    if (builder_.start_center(a) == builder_.start_center(b))
      return fail(element.place, who(element) + "the centres of mass of " + quote(element.text("a")) +
                                     " and " + quote(element.text("b")) +
                                     " coincide, so the force would be infinite; move one");
    warn_if_idle(element, {a, b});
    builder_.add_force(
        std::make_shared<model::InverseSquare>(element.text("name"), a, b, element.number("constant")));
  }

  void add_drag(const Element& element) {
    if (!element.find("linear")->given && !element.find("quadratic")->given)
      return fail(element.place,
                  who(element) + "needs \"linear\" or \"quadratic\" (or both); without them it does nothing");
    warn_if_idle(element, {body(element, "body")});
    builder_.add_force(std::make_shared<model::Drag>(element.text("name"), body(element, "body"),
                                                     element.number("linear"), element.number("quadratic"),
                                                     element.vec3("wind")));
  }

  Reading& reading_;
  Files& files_;
  core::Diagnostics& diagnostics_;
  MeshLibrary meshes_;
  HeightFieldLibrary height_fields_;
  model::ModelBuilder builder_;
  std::map<std::string, MeshPointer> mesh_by_name_;
  std::map<MeshPointer, MeshPointer> hull_by_mesh_;
  std::map<const Element*, MeshPointer> triangles_;  // of hulls and height fields
  std::map<std::string, model::MaterialId> material_by_name_;
  std::map<std::pair<model::MaterialId, model::MaterialId>, core::Place> contacts_;
  std::map<std::string, model::BodyId> body_by_name_;
  std::set<model::BodyId> placed_;                 // their scene gives a pose
  std::set<model::BodyId> thrown_;                 // their scene gives a velocity
  std::set<model::BodyId> not_pushed_;             // fixed, or on a path without release
  std::map<std::string, const Element*> scripts_;  // by joint
  ProgramOptions program_;
  std::map<std::string, core::Place> given_;
};

}  // namespace

std::optional<Scene> build_scene(Reading& reading, Files& files, core::Diagnostics& diagnostics) {
  return Builder(reading, files, diagnostics).run();
}

}  // namespace tumble::scene::detail
